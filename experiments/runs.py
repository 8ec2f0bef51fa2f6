"""Trained models and their measurements. Each is made once and kept in a directory.

The name of the directory has a digest of the config, the seed and the treebank, so that
another config or treebank is another run. A run is made in a directory ``.part``, which
gets its final name when it is complete; files of measurements are renamed in the same
way. An interrupted run therefore never counts as done.

joblib.Memory keeps results, too, but forgets them when the source of the function
changes, and the lock of spacy project knows whole commands only.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import spacy
import srsly
from rich.console import Console
from rich.progress import track
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.util import load_config
from thinc.api import Config

import spacy_dynoracle
from spacy_dynoracle.util.files import replace_file
from spacy_dynoracle.util.workers import WorkerError, in_processes

from . import metrics
from .settings import PARSER, Setting
from .simulation import simulate
from .treebanks import Corpus, Variant, make_corpus

# Training does not evaluate: the last model counts, as in the papers.
NEVER = 10**9


@dataclass(frozen=True)
class Run:
    """One model: a treebank, a setting and a seed."""

    treebank: str
    setting: Setting
    seed: int

    def __str__(self) -> str:
        setting = self.setting
        what = setting.strategy or f"{setting.system} {setting.oracle}"
        return f"{self.treebank}, {what}, {setting.learner}, seed {self.seed}"

    @property
    def base(self) -> Run:
        """The run that trains the parser, without a reranker."""
        plain = Setting()
        same = ("reranker", "mixture", "folds", "fold_epochs", "rounds", "label_loss")
        values = {name: getattr(plain, name) for name in same}
        return replace(self, setting=replace(self.setting, **values))


@dataclass
class Laboratory:
    """The runs below one directory.

    Attributes:
        output: Directory of the runs.
        config: Config of the parser, which settings change.
        directory: Directory of the treebanks.
        sizes: Sentences of each split; all if it is not named.
        jobs: Number of runs at a time.
    """

    output: Path
    config: Path
    directory: Path
    sizes: dict[str, int] = field(default_factory=dict)
    jobs: int = 1

    def __post_init__(self) -> None:
        self._corpora: dict[tuple[str, Variant], Corpus] = {}
        self._homes: dict[Run, Path] = {}

    # ---- what is done ----------------------------------------------------------------

    def corpus(self, run: Run) -> Corpus:
        """The treebank that a run is trained on.

        Raises:
            TreebankError: If it cannot be used.
        """
        variant = Variant.of(run.setting, self.sizes)
        key = (run.treebank, variant)
        if key not in self._corpora:
            copies = self.output / "treebanks"
            corpus = make_corpus(self.directory, run.treebank, variant, copies)
            self._corpora[key] = corpus
        return self._corpora[key]

    def config_of(self, run: Run) -> Config:
        """The config of a run, without the paths of the treebank."""
        config = load_config(self.config)
        config["system"]["seed"] = run.seed
        config["training"]["eval_frequency"] = NEVER
        run.setting.change(config)
        return config

    def home(self, run: Run) -> Path:
        """The directory of a run, which exists when the model is trained."""
        if run in self._homes:
            return self._homes[run]
        setting = run.setting
        text = self.config_of(run).to_str(interpolate=False)
        if setting.strategy:
            text += f"{setting.start} {setting.steps} {setting.step_words}"
        digest = hashlib.sha256(f"{text}{self.corpus(run).digest}".encode()).hexdigest()
        what = setting.strategy or f"{setting.oracle}-{setting.learner}"
        name = f"{setting.system}-{what}-seed{run.seed}-{digest[:16]}"
        self._homes[run] = self.output / "runs" / run.treebank / name
        return self._homes[run]

    def model(self, run: Run) -> Path:
        """The trained pipeline of a run."""
        setting, home = run.setting, self.home(run.base)
        if setting.reranker is None:
            return home / "model"
        parts = [setting.reranker, self._folds(run), f"{setting.rounds}rounds"]
        parts += ["labels"] * setting.label_loss + ["mixture"] * setting.mixture
        return home / f"ranked-{'-'.join(parts)}"

    def _folds(self, run: Run) -> str:
        setting = run.setting
        epochs = setting.fold_epochs or setting.n_epochs
        return f"{setting.folds}folds-{epochs}epochs"

    def measured_file(self, run: Run, metric: str, split: str) -> Path:
        """The file of a measurement, which may not exist yet."""
        return self.model(run).with_suffix(f".{split}.{metric}.json")

    def training(self, run: Run) -> dict[str, Any] | None:
        """What is known of the training of a run; None if it is not done."""
        path = self.home(run.base) / "run.json"
        return read_json(path) if path.exists() else None

    # ---- doing it --------------------------------------------------------------------

    def complete(self, wanted: Iterable[tuple[Run, Sequence[str]]],
                 splits: Sequence[str], what: str) -> list[str]:  # fmt: skip
        """Train and measure what is missing, and show a progress bar.

        Args:
            wanted: Runs with their metrics.

        Returns:
            The messages of the runs that failed; all others are done.

        Raises:
            TreebankError: For a treebank that cannot be used.
        """
        # Runs with one parser share its candidates, so they take turns.
        todo: dict[Path, list[tuple[Run, str, str]]] = {}
        for run, names in wanted:
            for item in ((run, name, split) for split in splits for name in names):
                if not self.measured_file(*item).exists():
                    todo.setdefault(self.home(run.base), []).append(item)
        if not todo:
            return []
        calls = ((self._attempt, items) for items in todo.values())
        failures: list[str] = []
        n_jobs = min(self.jobs, len(todo))
        results = in_processes(_call, calls, n_jobs, ordered=False)
        console = Console(stderr=True)
        try:
            for found in track(results, what, len(todo), console=console):
                failures += found
        except WorkerError as error:
            # The runs that are not done stay missing.
            failures.append(str(error))
        return failures

    def _attempt(self, items: Sequence[tuple[Run, str, str]]) -> list[str]:
        """Do the measurements of one parser, also if one fails.

        Returns:
            The messages of the failures, whose details are in files.
        """
        failures = []
        for run, metric, split in items:
            file = self.measured_file(run, metric, split)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    self._measure(run, metric, split, file)
            except Exception as error:
                log = self.home(run.base).with_suffix(".log")
                log.parent.mkdir(parents=True, exist_ok=True)
                log.write_text(traceback.format_exc(), encoding="utf-8")
                message = " ".join(f"{type(error).__name__}: {error}".split())
                failures.append(f"{run}: {message} (see {log})")
                if not self.home(run.base).exists():
                    # Without the parser there is nothing to measure.
                    break
        return failures

    def _measure(self, run: Run, metric: str, split: str, file: Path) -> None:
        """Train and measure what is missing of one measurement."""
        corpus = self.corpus(run)
        if metric == "simulation":
            self.home(run).mkdir(parents=True, exist_ok=True)
            kept(file, lambda: simulate(self._component(run), run, corpus, split))
            return
        if not self.home(run.base).exists():
            self._train(run.base)
        if not self.model(run).exists():
            self._rank(run)
        nlp = spacy.load(self.model(run))
        measure = metrics.METRICS[metric]
        kept(file, lambda: measure(nlp, corpus.text(split), self.model(run)))

    def _component(self, run: Run) -> dict[str, Any]:
        config = self.config_of(run).interpolate()["components"][PARSER]
        return {key: value for key, value in config.items() if key != "factory"}

    def _train(self, run: Run) -> None:
        final, corpus = self.home(run), self.corpus(run)
        scratch = final.with_suffix(".part")
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        config = self.config_of(run)
        config["paths"] = {
            split: str(corpus.binary(split)) for split in ("train", "dev")
        }
        start = time.process_time()
        with (scratch / "train.log").open("w", encoding="utf-8") as log:
            nlp, _ = train(init_nlp(config), None, stdout=log, stderr=log)
        nlp.to_disk(scratch / "model")
        trainer = nlp.get_pipe(PARSER).training_run().trainer  # type: ignore[attr-defined]
        record = {
            "setting": asdict(run.setting),
            "treebank": run.treebank,
            "seed": run.seed,
            "treebank_files": corpus.digest,
            "commit": commit(),
            "cpu_seconds": time.process_time() - start,
            "known_heads": corpus.sizes["train"][1],
            "decisions": trainer.n_decisions,
            "given_up": getattr(trainer, "n_given_up", None),
        }
        srsly.write_json(scratch / "run.json", record)
        scratch.rename(final)

    def _rank(self, run: Run) -> None:
        setting, corpus, model = run.setting, self.corpus(run), self.model(run)
        rerank = metrics.hc_search()
        settings = rerank.RerankSettings(
            groups=str(setting.reranker),
            n_rounds=setting.rounds,
            n_folds=setting.folds,
            epochs=setting.fold_epochs or setting.n_epochs,
            labelled=setting.label_loss,
            mixture=setting.mixture,
            seed=run.seed,
        )
        nlp = spacy.load(self.model(run.base))
        candidates = model.with_name(f"candidates-{self._folds(run)}")
        train_file, dev_file = corpus.text("train"), corpus.text("dev")
        rerank.train(nlp, train_file, dev_file, settings, directory=candidates)
        scratch = model.with_suffix(".part")
        shutil.rmtree(scratch, ignore_errors=True)
        nlp.to_disk(scratch)
        scratch.rename(model)


def _call(function: Callable[..., Any], argument: Any) -> Any:
    return function(argument)


def kept(path: Path, make: Callable[[], Any]) -> Any:
    """The values of a JSON file. If the file is missing, `make` computes them first."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, srsly.json_dumps(make()).encode("utf-8"))
    return read_json(path)


def read_json(path: Path) -> Any:
    """Read the value in a JSON file."""
    return srsly.read_json(path)


@lru_cache(maxsize=1)
def commit() -> str:
    """The commit of the checkout, with "+" after it if files of the package or of this
    folder were changed since. Without a checkout, the version of the package.
    """
    root = Path(__file__).parents[1]

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(root), *arguments]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    try:
        found = git("rev-parse", "HEAD")
        folders = ("spacy_dynoracle", Path(__file__).parent.name)
        return found + "+" * bool(git("status", "--porcelain", "-uno", "--", *folders))
    except (OSError, subprocess.CalledProcessError):
        return f"version {spacy_dynoracle.__version__}"
