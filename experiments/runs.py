"""Training runs and their scores. Each is made once and kept in a directory.

A run is one model: a treebank, a setting and a seed. A run is trained in a directory
``.part``, which gets its final name when it is complete. An interrupted run therefore
never counts as done. Each file of scores is renamed in the same way.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import srsly
from spacy.util import load_config
from spacy.vocab import Vocab
from thinc.api import Config

from spacy_dynoracle.treebank import find_treebank, read_conllu, to_doc_bin
from spacy_dynoracle.treebank.files import default_directory
from spacy_dynoracle.util.arrays import IntArray
from spacy_dynoracle.util.files import replace_file

from . import recording
from .processes import RunError, execute, work_through
from .provenance import commit
from .settings import Setting

PARSER = "dynoracle_parser"
EMBEDDED = Path("treebanks")
# The reader of the config cuts documents into sentences. It reads large documents
# faster.
SENTENCES_PER_DOC = 20
# Training does not evaluate: the last model counts, as in the papers.
NEVER = 10**9


@dataclass(frozen=True)
class Run:
    """One model to train."""

    treebank: str
    setting: Setting
    seed: int

    def __str__(self) -> str:
        return f"{self.treebank} {self.setting.name} seed {self.seed}"


class Result:
    """The scores of one run on one split.

    record: record of `scoring.score` or of a similar function. training: time and
    memory of training, for JSON.

    uas, las: scores in per cent, over all words.
    """

    def __init__(self, record: Mapping[str, Any], training: Mapping[str, Any]) -> None:
        self.training = training
        self.scores: Mapping[str, Mapping[str, float]] = record["scores"]
        self.words_per_second: float = record["words_per_second"]
        table = np.array(record["sentences"], dtype=np.int64)
        self._columns: list[str] = list(record["columns"])
        self._table = table.reshape(len(record["sentences"]), len(self._columns))

    def column(self, name: str) -> IntArray:
        """A count for each sentence. name: name of a column of the record."""
        values: IntArray = self._table[:, self._columns.index(name)]
        return values

    def percent(self, part: str, whole: str) -> float:
        """One count in per cent of another, over all sentences; 0 if the other is 0."""
        total = int(self.column(whole).sum())
        return 100 * int(self.column(part).sum()) / total if total else 0.0

    @property
    def uas(self) -> float:
        """Unlabelled attachment score over all words."""
        return self.percent("heads", "words")

    @property
    def las(self) -> float:
        """Labelled attachment score over all words."""
        return self.percent("heads_and_labels", "labelled_words")


class Experiments:
    """The runs below one directory.

    output: directory of the runs. config: config of the parser, which the settings
    change. treebanks: directory of the treebanks; None for the directory of this
    project and, for treebanks it lacks, the directory in the environment variable.
    jobs: number of runs at a time.
    """

    def __init__(
        self, output: Path, config: Path, treebanks: Path | None = None, jobs: int = 1
    ) -> None:
        self.output = output
        self.config = config
        self.treebanks = treebanks
        self.jobs = jobs

    # ---- what is done ----------------------------------------------------------------

    def directory(self, run: Run) -> Path:
        """The directory of a run, which exists when the model is trained."""
        name = f"{run.setting.name}/seed{run.seed}"
        return self.output / "runs" / run.treebank / name

    def model(self, run: Run) -> Path:
        """The trained pipeline of a run."""
        return self.directory(run) / "model-last"

    def scores_file(self, run: Run, split: str) -> Path:
        """The file of the scores of a run, which may not exist yet."""
        return self.directory(run) / f"scores-{split}.json"

    def measured_file(self, run: Run, module: str, split: str) -> Path:
        """The file of the results of `measure`, which may not exist yet."""
        return self.directory(run) / f"{module}-{split}.json"

    def training(self, run: Run) -> dict[str, Any]:
        """The time and memory that the training of a run used."""
        record: dict[str, Any] = read_json(self.directory(run) / "training.json")
        return record

    def result(self, run: Run, split: str) -> Result | None:
        """The scores of a run, None if the run is not done."""
        path = self.scores_file(run, split)
        if not path.exists():
            return None
        return Result(read_json(path), self.training(run))

    def results(self, runs: Iterable[Run], split: str) -> dict[Run, Result]:
        """The scores of the finished runs."""
        found = {run: self.result(run, split) for run in runs}
        return {run: result for run, result in found.items() if result is not None}

    # ---- doing it --------------------------------------------------------------------

    def complete(self, runs: Iterable[Run], split: str, what: str) -> list[str]:
        """Train and score the missing runs, and show a progress bar.

        split: split to score; "" for training only. Returns the messages of the runs
        that failed; all others are done. Raises TreebankError for a treebank that
        cannot be used, and RunError for a run that was made with another config or
        treebank.
        """
        runs = list(dict.fromkeys(runs))
        for name in dict.fromkeys(run.treebank for run in runs):
            of_treebank = [run for run in runs if run.treebank == name]
            corpus = self.prepare(name)
            for run in of_treebank:
                self._check_same(run, corpus)
        todo = [run for run in runs if not self._is_done(run, split)]
        return work_through(what, todo, partial(self._do, split=split), self.jobs)

    def measure(
        self, runs: Iterable[Run], module: str, split: str, what: str
    ) -> list[str]:
        """Measure every trained model with a module of this package, unless that is
        done, and show a progress bar.

        module: name of the module. As a program it takes a model, a treebank file and
        the JSON file to write. Returns the messages of the models that failed.
        """
        todo = [
            run
            for run in dict.fromkeys(runs)
            if self.directory(run).exists()
            and not self.measured_file(run, module, split).exists()
        ]
        work = partial(self._measure, module=module, split=split)
        return work_through(what, todo, work, self.jobs)

    def _measure(self, run: Run, module: str, split: str) -> None:
        try:
            self._execute(run, module, split, self.measured_file(run, module, split))
        except RunError as error:
            raise RunError(f"{run}: {error}") from error

    def _is_done(self, run: Run, split: str) -> bool:
        if split:
            return self.scores_file(run, split).exists()
        return self.directory(run).exists()

    def _do(self, run: Run, split: str) -> None:
        try:
            if not self.directory(run).exists():
                self._train(run)
            if split:
                self._score(run, split)
        except RunError as error:
            raise RunError(f"{run}: {error}") from error

    def _train(self, run: Run) -> None:
        final = self.directory(run)
        scratch = final.with_name(f"{final.name}.part")
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        corpus = Corpus(self.output / "corpora" / run.treebank)
        config = self.config_of(run, corpus)
        counts = scratch / "counts.json"
        config["paths"]["counts"] = str(counts)
        config.to_disk(scratch / "config.cfg")
        command = ["spacy", "train", str(scratch / "config.cfg")]
        command += ["--output", str(scratch), "--code", recording.__file__]
        usage = execute(command, scratch / "train.log")
        shutil.rmtree(scratch / "model-best", ignore_errors=True)
        record = {
            **asdict(usage),
            **read_json(counts),
            "data": corpus.digest(),
            "commit": commit(),
        }
        srsly.write_json(scratch / "training.json", record)
        scratch.rename(final)

    def _score(self, run: Run, split: str) -> None:
        self._execute(run, "scoring", split, self.scores_file(run, split))

    def _execute(self, run: Run, module: str, split: str, output: Path) -> None:
        """Measure a model with a module of this package, in a separate process."""
        path = self.treebank_file(run.treebank, split)
        command = [f"{__package__}.{module}"]
        command += [str(self.model(run)), str(path), str(output)]
        execute(command, output.with_suffix(".log"))

    def config_of(self, run: Run, corpus: Corpus) -> Config:
        """The config of a run."""
        config = load_config(self.config)
        config["paths"] = {
            split: str(corpus.binary(split)) for split in ("train", "dev")
        }
        config["system"]["seed"] = run.seed
        config["training"]["eval_frequency"] = NEVER
        config["training"]["before_to_disk"] = {
            "@callbacks": "spacy_dynoracle.record_training.v1",
            "component": PARSER,
            "path": "${paths.counts}",
        }
        run.setting.change(config, PARSER)
        return config

    def _check_same(self, run: Run, corpus: Corpus) -> None:
        """Raise RunError if a run was made from another config or treebank."""
        directory = self.directory(run)
        if not directory.exists():
            return
        made = Config().from_disk(directory / "config.cfg", interpolate=False)
        config = Config().from_str(
            self.config_of(run, corpus).to_str(), interpolate=False
        )
        # Paths may differ, because directories may have been moved.
        del made["paths"], config["paths"]
        data = read_json(directory / "training.json")["data"]
        for what, same in (
            (f"the config {self.config}", made == config),
            (f"the treebank {run.treebank}", data == corpus.digest()),
        ):
            if not same:
                raise RunError(
                    f"{what} has changed since {directory} was made; remove that "
                    "directory or name another --output"
                )

    # ---- treebanks -------------------------------------------------------------------

    def treebank_file(self, name: str, split: str) -> Path:
        """The file of a split of a treebank. Raises TreebankError, which lists the
        existing files."""
        return find_treebank(self.treebanks_of(name), name, split)

    def treebanks_of(self, name: str) -> Path:
        """The directory of treebanks that has a treebank."""
        return self.treebanks or default_directory(name, EMBEDDED)

    def prepare(self, name: str) -> Corpus:
        """Convert a treebank for training, unless it was converted from the same files
        before. Raises TreebankError if the treebank cannot be used."""
        corpus = Corpus(self.output / "corpora" / name)
        files = {
            split: self.treebank_file(name, split) for split in ("train", "dev", "test")
        }
        corpus.convert(files)
        return corpus


class Corpus:
    """A treebank in spaCy's binary format. directory: directory of its files."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def binary(self, split: str) -> Path:
        """The file of a split."""
        return self.directory / f"{split}.spacy"

    def digest(self) -> str:
        """The digest of the treebank files from which the corpus was made."""
        digest: str = read_json(self.directory / "source.json")["digest"]
        return digest

    def convert(self, files: Mapping[str, Path]) -> None:
        """Make the corpus from the files of the splits, unless it was made from them
        before."""
        digests = [
            hashlib.sha256(path.read_bytes()).hexdigest() for path in files.values()
        ]
        digest = hashlib.sha256("".join(digests).encode()).hexdigest()
        source = self.directory / "source.json"
        if source.exists() and self.digest() == digest:
            return
        self.directory.mkdir(parents=True, exist_ok=True)
        source.unlink(missing_ok=True)
        for split in ("train", "dev"):
            binary = to_doc_bin(read_conllu(files[split]), Vocab(), SENTENCES_PER_DOC)
            replace_file(self.binary(split), binary.to_bytes())
        replace_file(source, srsly.json_dumps({"digest": digest}).encode("utf-8"))


def read_json(path: Path) -> Any:
    """Read the value in a JSON file."""
    return srsly.read_json(path)
