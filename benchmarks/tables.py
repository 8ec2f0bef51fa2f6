"""Parsing tables with every engine: rows, speed, memory, faults and interruptions.

Run it as `python -m benchmarks.tables` with a command and `--help` for the options.
README.md beside this file explains the tables.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.memory import ROOT
from benchmarks.table_faults import Fault, Scene
from benchmarks.table_runs import (
    FILES,
    JOBS,
    SENTENCES_PER_DOC,
    Ended,
    Running,
    bare,
    console,
    descendants,
    digest,
    grid,
    parse_table,
    run,
    texts_of,
    words_in,
    write_parquet,
    write_text,
)

PIPELINE = ROOT / "training" / "English-Harbour" / "pipeline"
SAMPLE = ROOT / "treebanks" / "English-Harbour"
ENGINES = {"local": None, "spark": "pyspark", "ray": "ray"}
INTERRUPTIONS = 20

app = typer.Typer(add_completion=False, rich_markup_mode=None)

Model = Annotated[Path, typer.Option(help="Directory of a trained pipeline.")]
Treebank = Annotated[Path, typer.Option(help="Directory with .conllu files.")]
Quick = Annotated[bool, typer.Option("--quick", help="A smaller input.")]
Work = Annotated[
    Path | None, typer.Option(help="Directory for input and output; kept.")
]
PartMb = Annotated[float, typer.Option(help="As of parse-table.")]


class Run(str, Enum):
    """A run of the command speed."""

    one = "one"
    n_process = "n_process"
    two = "two"
    local = "local"
    spark = "spark"
    ray = "ray"


def engines() -> list[str]:
    """The engines that are installed."""
    there = []
    for name, module in ENGINES.items():
        if module is None or importlib.util.find_spec(module):
            there.append(name)
        else:
            console.print(f"{name}: {module} is not installed, left out")
    return there


@contextmanager
def working(directory: Path | None) -> Iterator[Path]:
    """A directory for input and output."""
    if directory is not None:
        directory.mkdir(parents=True, exist_ok=True)
        yield directory.absolute()
        return
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@app.command()
def speed(
    model: Model = PIPELINE,
    treebank: Treebank = SAMPLE,
    docs: Annotated[int, typer.Option(help="Number of documents.")] = 200_000,
    sentences: Annotated[
        int, typer.Option(help="Number of sentences in a document.")
    ] = SENTENCES_PER_DOC,
    part_mb: PartMb = 4.0,
    runs: Annotated[
        list[Run] | None,
        typer.Option(
            "--run",
            help="A run; repeatable. Default: all. one, n_process: nlp.pipe in one "
            "process, and with n_process = 2, which takes longest. two: two processes "
            "with nlp.pipe, to which the engines are compared.",
        ),
    ] = None,
    seed: int = 1,
    quick: Quick = False,
    work: Work = None,
) -> None:
    """Words per second and memory of each engine."""
    wanted = [name.value for name in runs or Run]
    n_docs = docs // 100 if quick else docs
    table = grid(
        f"{n_docs:,} documents of {sentences} sentences drawn from {treebank.name}",
        *(
            "",
            "words/s, start included",
            "of two, %",
            "words/s without start",
            "of two, %",
            "start, s",
            "CPU s",
        ),
        *("driver, MB", "worker, MB", "rows", "same rows"),
    )
    with working(work) as directory:
        texts = texts_of(treebank, n_docs, seed, sentences)
        source, small = directory / "documents", directory / "small"
        for folder, some in ((source, texts), (small, texts[:FILES])):
            shutil.rmtree(folder, ignore_errors=True)
            write_parquet(some, folder)
        del texts
        speeds = _bare_rows(table, str(model), source, wanted)
        reference = None
        costs = []
        for engine in filter(wanted.__contains__, engines()):
            output = directory / engine
            start = _parsed(model, small, output, engine, *JOBS, "--part-mb", "100")[0]
            sizes = [part_mb / 3, part_mb] if engine == "local" else [part_mb]
            for size in sizes:
                options = (*JOBS, "--part-mb", f"{size:g}")
                ended, found = _parsed(model, source, output, engine, *options)
                reference = reference or found
                words = words_in(output)
                costs.append(_cost(engine, words, ended, source, output))
                n_parts = len(list(output.glob("*.parquet")))
                same = found == reference and found[0] == found[1] == n_docs
                speeds.add(
                    f"{engine}, {n_parts} files", words, [ended], ended.seconds,
                    start.seconds, f"{found[0]:,}", "yes" if same else "NO",
                )  # fmt: skip
                shutil.rmtree(output)
    Console(width=150).print(table)
    for cost in costs:
        typer.echo(cost)


def _cost(engine: str, words: int, ended: Ended, source: Path, output: Path) -> str:
    """What a billion words take with an engine, reading and writing included."""
    hours = 1e9 / words * ended.seconds * 2 / 3600
    read, written = (
        1e9 / words * sum(file.stat().st_size for file in folder.glob("*.parquet"))
        for folder in (source, output)
    )
    return (
        f"{engine}: a billion words take {hours:.1f} hours of a core; they read "
        f"{read / 1e9:.1f} GB and write {written / 1e9:.1f} GB of Parquet"
    )


def _parsed(
    model: Path, source: Path, output: Path, engine: str, *options: str
) -> tuple[Ended, tuple[int, int, int]]:
    """Parse with an engine.

    Returns:
        The run and the digest of its output.
    """
    shutil.rmtree(output, ignore_errors=True)
    name = f"{engine} {' '.join(options)} {source.name}"
    ended = run(name, parse_table(model, source, output, engine, *options))
    return ended, digest(output)


class _Speeds:
    """The table of speeds.

    Attributes:
        whole, parsing: Words per second of two processes that know nothing of each
            other, with and without their start; None if they did not run.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.whole: float | None = None
        self.parsing: float | None = None

    def add(
        self,
        name: str,
        words: int,
        ended: Sequence[Ended],
        seconds: float,
        start: float,
        rows: str = "",
        same: str = "",
    ) -> None:
        """Add a run of some processes, and show it, since the others take long.

        Args:
            seconds: Of the whole run.
            start: Seconds of the start of the processes. If they are as many, the run
                was too short for a speed without its start.
        """
        whole = words / seconds
        parsing = words / (seconds - start) if seconds > 1.2 * start else None
        cells = (
            name,
            f"{whole:,.0f}", _percent(whole, self.whole),
            f"{parsing:,.0f}" if parsing else "", _percent(parsing, self.parsing),
            f"{start:.1f}", f"{sum(e.cpu_seconds for e in ended):.0f}",
            f"{max(e.driver for e in ended):,.0f}",
            f"{max(e.worker for e in ended):,.0f}", rows, same,
        )  # fmt: skip
        self.table.add_row(*cells)
        console.print(" | ".join(cells), markup=False, highlight=False)


def _percent(value: float | None, reference: float | None) -> str:
    return f"{100 * value / reference:.0f}" if value and reference else ""


def _bare_rows(
    table: Table, model: str, source: Path, wanted: Sequence[str]
) -> _Speeds:
    """Add the rows of nlp.pipe.

    Returns:
        The table with the words per second of two processes that know nothing of each
        other.
    """
    speeds = _Speeds(table)
    files = sorted(map(str, source.iterdir()))
    child = [sys.executable, "-m", "benchmarks.tables", "bare", model]
    if Run.two in wanted:
        console.print(f"{time.strftime('%H:%M:%S')} two bare processes")
        start = time.perf_counter()
        halves = [Running([*child, *files[i::2]]) for i in (0, 1)]
        ended = [half.end() for half in halves]
        seconds = time.perf_counter() - start
        found = [json.loads(half.last) for half in ended]
        words = sum(one["words"] for one in found)
        parsing = max(one["seconds"] for one in found)
        speeds.whole, speeds.parsing = words / seconds, words / parsing
        name = "two processes, nlp.pipe"
        speeds.add(name, words, ended, seconds, seconds - parsing)
    for n_process, name in ((1, Run.one), (2, Run.n_process)):
        if name not in wanted:
            continue
        # A quarter of the documents is enough for a speed.
        command = [*child, *files[::4], "--n-process", str(n_process)]
        shown = f"nlp.pipe, n_process={n_process}"
        alone = run(shown, command)
        values = json.loads(alone.last)
        start = alone.seconds - values["seconds"]
        speeds.add(shown, values["words"], [alone], alone.seconds, start)
    return speeds


@app.command("bare", hidden=True)
def bare_command(model: str, files: list[str], n_process: int = 1) -> None:
    """Parse with nlp.pipe and write nothing."""
    bare(model, files, n_process)


@app.command()
def memory(
    model: Model = PIPELINE,
    treebank: Treebank = SAMPLE,
    megabytes: Annotated[
        list[int] | None, typer.Option(help="Sizes of the input; repeatable.")
    ] = None,
    seconds: Annotated[
        float, typer.Option(help="Stop a run after this time; 0: never.")
    ] = 0.0,
    seed: int = 1,
    quick: Quick = False,
    work: Work = None,
) -> None:
    """Memory of the local engine on 10, 100 and 1,000 MB of text."""
    table = grid(
        "Local engine, two processes",
        *("input, MB", "parsed, words", "seconds", "words/s", "parent, MB"),
        *(f"worker, MB, {share}" for share in ("1st third", "2nd", "3rd")),
    )
    with working(work) as directory:
        texts = texts_of(treebank, 20_000, seed)
        for size in megabytes or ([1, 3, 10] if quick else [10, 100, 1000]):
            source, output = directory / f"{size}.txt", directory / f"{size}-out"
            write_text(texts, source, size * 1_000_000)
            shutil.rmtree(output, ignore_errors=True)
            console.print(f"{time.strftime('%H:%M:%S')} {size} MB")
            running = Running(parse_table(model, source, output, "local", *JOBS))
            stopped = _stopped(running, seconds)
            ended = running.end()
            if ended.returncode and not stopped:
                raise SystemExit(f"{size} MB failed:\n{ended.output}")
            words = words_in(output)
            third = max(len(ended.sizes) // 3, 1)
            table.add_row(
                f"{size:,}{', stopped' if stopped else ''}",
                f"{words:,}", f"{ended.seconds:,.0f}",
                f"{words / ended.seconds:,.0f}", f"{ended.driver:,.0f}",
                *(
                    f"{max(ended.sizes[i * third : (i + 1) * third], default=0):,.0f}"
                    for i in range(3)
                ),
            )  # fmt: skip
            source.unlink()
            shutil.rmtree(output)
    Console(width=120).print(table)


def _stopped(running: Running, seconds: float) -> bool:
    """Interrupt a run that takes longer than some seconds; 0 for no limit."""
    try:
        running.process.wait(seconds or None)
    except subprocess.TimeoutExpired:
        running.process.send_signal(signal.SIGINT)
        return True
    return False


@app.command()
def interruptions(
    model: Model = PIPELINE,
    treebank: Treebank = SAMPLE,
    docs: Annotated[int, typer.Option(help="Number of documents.")] = 20_000,
    seed: int = 1,
    quick: Quick = False,
    work: Work = None,
) -> None:
    """Interrupt the local engine twenty times, and go on."""
    draw = random.Random(seed)
    options = (*JOBS, "--part-mb", "0.1")
    with working(work) as directory:
        source = directory / "documents"
        write_parquet(texts_of(treebank, docs // 10 if quick else docs, seed), source)
        whole, output = directory / "whole", directory / "out"
        seconds = run(
            "uninterrupted", parse_table(model, source, whole, "local", *options)
        ).seconds
        table = grid("Interruptions", "", "after, s", "signal", "parts", "left behind")
        for number in range(1, INTERRUPTIONS + 1):
            running = Running(parse_table(model, source, output, "local", *options))
            after = draw.uniform(0, seconds)
            kind = draw.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
            time.sleep(after)
            workers = set(descendants(running.process.pid)) - {running.process.pid}
            running.process.send_signal(kind)
            running.end()
            time.sleep(3)
            left = sum(os.path.exists(f"/proc/{pid}") for pid in workers)
            parts = len(list(output.glob("part-*.parquet")))
            console.print(f"{number}: {kind.name} after {after:.1f} s, {parts} parts")
            table.add_row(str(number), f"{after:.1f}", kind.name, str(parts), str(left))
            if (output / "_SUCCESS").exists():
                # A run of its own, so that there is something to interrupt.
                shutil.rmtree(output)
        run("the rest", parse_table(model, source, output, "local", *options))
        same = digest(output) == digest(whole)
        expected = {p.name: p.read_bytes() for p in whole.glob("part-*")}
        same_bytes = {p.name: p.read_bytes() for p in output.glob("part-*")} == expected
    Console(width=100).print(table)
    typer.echo(f"rows equal: {same}, files equal: {same_bytes}")


@app.command()
def faults(
    model: Model = PIPELINE,
    treebank: Treebank = SAMPLE,
    docs: Annotated[int, typer.Option(help="Number of documents.")] = 20_000,
    engine: Annotated[
        list[str] | None, typer.Option(help="An engine; repeatable. Default: all.")
    ] = None,
    fault: Annotated[
        list[Fault] | None, typer.Option(help="A fault; repeatable. Default: all.")
    ] = None,
    seed: int = 1,
    quick: Quick = False,
    work: Work = None,
) -> None:
    """Make faults with every engine, and count the rows.

    Kills workers, raises in components, fills disks and cuts files.
    """
    table = grid("Faults", "engine", "fault", "lost", "doubled", "message")
    with working(work) as directory:
        texts = texts_of(treebank, docs // 10 if quick else docs, seed)
        # Documents that the faulty component cannot stand.
        texts = [f"Faulty. {t}" if i % 1000 == 7 else t for i, t in enumerate(texts)]
        source = directory / "documents"
        write_parquet(texts, source)
        scene = Scene(directory, model, source, len(texts), table)
        for name in engine or engines():
            for kind in fault or Fault:
                console.print(f"{time.strftime('%H:%M:%S')} {name}: {kind.value}")
                getattr(scene, kind.value)(name)
    Console(width=150).print(table)


if __name__ == "__main__":
    app()
