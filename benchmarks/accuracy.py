"""Accuracy by `spacy train` alone: oracles x treebanks x seeds, as the papers' tables.

Every run is a directory with its config, its model and its scores; a run whose scores
are there is not done again.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import srsly
import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from spacy.util import load_config

PROJECT = Path(__file__).parent.parent
PARSER = "dynoracle_parser"
NO_EXPLORATION = {"@misc": "spacy_dynoracle.NoExploration.v1"}
# What a setting changes in the parser's part of configs/parser.cfg.
SETTINGS: dict[str, dict[str, Any]] = {
    "dynamic": {},
    "nondeterministic": {
        "oracle": {"@misc": "spacy_dynoracle.NonDeterministicOracle.v1"},
        "exploration": NO_EXPLORATION,
    },
    "static-reduce": {
        "oracle": {"@misc": "spacy_dynoracle.StaticOracle.v1", "variant": "reduce"},
        "exploration": NO_EXPLORATION,
    },
    "static-shift": {
        "oracle": {"@misc": "spacy_dynoracle.StaticOracle.v1", "variant": "shift"},
        "exploration": NO_EXPLORATION,
    },
}
console = Console(stderr=True)


@dataclass(frozen=True)
class Run:
    """One training run. directory: of everything it leaves."""

    treebank: str
    setting: str
    nonprojective: str
    seed: int
    directory: Path

    @property
    def scores(self) -> Path:
        """The file with the scores, written last."""
        return self.directory / "scores.json"


def write_config(run: Run, corpus: Path, epochs: int) -> Path:
    """The config of a run."""
    config = load_config(PROJECT / "configs" / "parser.cfg")
    config["paths"] = {
        split: str(corpus / f"{split}.spacy") for split in ("train", "dev")
    }
    config["system"]["seed"] = run.seed
    config["training"]["max_epochs"] = epochs
    parser = config["components"][PARSER]
    parser["nonprojective"] = run.nonprojective
    parser.update(SETTINGS[run.setting])
    path = run.directory / "config.cfg"
    config.to_disk(path)
    return path


def execute(command: list[str], log: Path) -> dict[str, float]:
    """Run a command; its output goes to a file. Returns seconds and peak memory.

    Raises RuntimeError, with the end of the output, if it fails.
    """
    start = time.perf_counter()
    with log.open("wb") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        tail = log.read_text(errors="replace")[-2000:]
        raise RuntimeError(f"{' '.join(command)} failed:\n{tail}")
    return {
        "wall_seconds": time.perf_counter() - start,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_mb": usage.ru_maxrss / 1024,
    }


def train_and_score(run: Run, corpus: Path, epochs: int) -> None:
    """Train one model with `spacy train` and score the last one on the test set."""
    if run.scores.exists():
        return
    run.directory.mkdir(parents=True, exist_ok=True)
    config = write_config(run, corpus, epochs)
    python = [sys.executable, "-m"]
    training = execute(
        [*python, "spacy", "train", str(config), "--output", str(run.directory)],
        run.directory / "train.log",
    )
    results = run.directory / "results.json"
    execute(
        [
            *python,
            "spacy_dynoracle",
            "evaluate",
            str(run.directory / "model-last"),
            str(corpus / "test.conllu"),
            "--output",
            str(results),
        ],
        run.directory / "evaluate.log",
    )
    shutil.rmtree(run.directory / "model-best", ignore_errors=True)
    record = {"training": training, "test": srsly.read_json(results)}
    temporary = run.scores.with_suffix(".part")
    srsly.write_json(temporary, record)
    temporary.replace(run.scores)


def table_of(runs: list[Run]) -> Table:
    """Mean and standard deviation over the seeds, all words, test set."""
    table = Table(title="Test set, all words: mean ± standard deviation over seeds")
    for column in ("treebank", "oracle", "crossing arcs", "seeds", "UAS", "LAS"):
        table.add_column(column, no_wrap=True)
    for column in ("train CPU s", "peak MB"):
        table.add_column(column, justify="right", no_wrap=True)
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for run in runs:
        key = (run.treebank, run.setting, run.nonprojective)
        groups.setdefault(key, []).append(srsly.read_json(run.scores))
    for (treebank, setting, nonprojective), records in groups.items():
        scores = [record["test"]["scores"]["all"] for record in records]
        training = [record["training"] for record in records]
        table.add_row(
            treebank,
            setting,
            nonprojective,
            str(len(records)),
            mean_and_deviation([100 * score["uas"] for score in scores]),
            mean_and_deviation([100 * score["las"] for score in scores]),
            f"{statistics.mean(t['cpu_seconds'] for t in training):.0f}",
            f"{max(t['peak_mb'] for t in training):.0f}",
        )
    return table


def mean_and_deviation(values: list[float]) -> str:
    """For example "87.10 ± 0.21"; no deviation for a single value."""
    if len(values) == 1:
        return f"{values[0]:.2f}"
    return f"{statistics.mean(values):.2f} ± {statistics.stdev(values):.2f}"


def main(
    treebank: Annotated[
        list[str], typer.Argument(help="Names of treebanks with train, dev and test.")
    ],
    treebanks: Annotated[
        str, typer.Option(help="Their directory; default as in scripts/prepare.py.")
    ] = "",
    setting: Annotated[
        list[str] | None,
        typer.Option(help=f"One of {', '.join(SETTINGS)}; may be repeated."),
    ] = None,
    nonprojective: Annotated[
        list[str] | None,
        typer.Option(help="drop or projectivize; may be repeated."),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Seeds 1..N.")] = 3,
    epochs: Annotated[int, typer.Option(min=1)] = 15,
    jobs: Annotated[int, typer.Option(min=1, help="Runs at the same time.")] = 1,
    output: Annotated[Path, typer.Option(help="Directory of the runs.")] = Path(
        "training/accuracy"
    ),
) -> None:
    """Train and score every combination, and print the table of means."""
    settings = setting or ["dynamic", "static-reduce"]
    unknown = [name for name in settings if name not in SETTINGS]
    if unknown:
        raise typer.BadParameter(f"{unknown[0]!r}; expected {', '.join(SETTINGS)}")
    runs = [
        Run(name, s, n, seed, output / name / f"{s}-{n}" / f"seed{seed}-epochs{epochs}")
        for name in treebank
        for s in settings
        for n in nonprojective or ["drop"]
        for seed in range(1, seeds + 1)
    ]
    for name in treebank:
        corpus = output / name / "corpus"
        if not (corpus / "test.conllu").exists():
            command = [sys.executable, str(PROJECT / "scripts" / "prepare.py"), name]
            # The reader of the config cuts documents into sentences; large documents
            # are read faster.
            command += [str(corpus), "--treebanks", treebanks, "--n-sents", "20"]
            subprocess.run(command, check=True)
    with Progress(console=console) as progress, ThreadPoolExecutor(jobs) as pool:
        task = progress.add_task("Training", total=len(runs))

        def work(run: Run) -> None:
            train_and_score(run, output / run.treebank / "corpus", epochs)
            progress.advance(task)

        list(pool.map(work, runs))
    Console(width=120).print(table_of(runs))


if __name__ == "__main__":
    typer.run(main)
