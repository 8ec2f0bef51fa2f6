"""Parsing tables with every engine: rows, speed, memory, faults and interruptions.

Run it as `python -m benchmarks.tables` with a command and `--help` for the options.
README.md beside this file explains the tables.
"""

from __future__ import annotations

import gzip
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
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

if not __package__:
    # As a script, this file needs the directory above it on the path.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.memory import ROOT
from benchmarks.table_runs import (
    FILES,
    SENTENCES_PER_DOC,
    Ended,
    Running,
    bare,
    descendants,
    digest,
    parse_table,
    texts_of,
    words_in,
    write_parquet,
    write_text,
)

PIPELINE = ROOT / "training" / "English-Harbour" / "pipeline"
SAMPLE = ROOT / "treebanks" / "English-Harbour"
ENGINES = {"local": None, "spark": "pyspark", "ray": "ray"}
JOBS = ("--jobs", "2")
INTERRUPTIONS = 20

app = typer.Typer(add_completion=False, pretty_exceptions_show_locals=False)
console = Console(stderr=True)

Model = Annotated[Path, typer.Option(help="Directory of a trained pipeline.")]
Treebank = Annotated[Path, typer.Option(help="Directory with .conllu files.")]
Quick = Annotated[bool, typer.Option("--quick", help="A hundredth of the input.")]
Work = Annotated[
    Path | None, typer.Option(help="Directory for input and output; kept.")
]
PartMb = Annotated[float, typer.Option(help="As of parse-table.")]


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


def run(what: str, command: list[str], **environment: str) -> Ended:
    """Run a command to its end; it has to succeed."""
    console.print(f"{time.strftime('%H:%M:%S')} {what}")
    ended = Running(command, **environment).end()
    if ended.returncode:
        raise SystemExit(f"{what} failed:\n{ended.output}")
    used = (f"{name} {seconds:.0f}" for name, seconds in ended.cpu.items())
    console.print(f"  {ended.seconds:.0f} s; CPU s: {', '.join(used)}")
    return ended


def grid(title: str, *columns: str) -> Table:
    """A table with the first column to the left."""
    table = Table(title=title)
    for i, column in enumerate(columns):
        table.add_column(column, justify="right" if i else "left", overflow="fold")
    return table


@app.command()
def speed(
    model: Model = PIPELINE,
    treebank: Treebank = SAMPLE,
    docs: Annotated[int, typer.Option(help="Number of documents.")] = 200_000,
    sentences: Annotated[
        int, typer.Option(help="Number of sentences in a document.")
    ] = SENTENCES_PER_DOC,
    part_mb: PartMb = 4.0,
    seed: int = 1,
    quick: Quick = False,
    work: Work = None,
) -> None:
    """Rows, words per second and memory of each engine on the same documents."""
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
        speeds = _Speeds(table, *_bare_rows(table, str(model), source))
        reference = None
        costs = []
        for engine in engines():
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
                    f"{engine}, {n_parts} files", words, ended, start.seconds,
                    f"{found[0]:,}", "yes" if same else "NO",
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
    """Parse with an engine. Returns the run and the digest of its output."""
    shutil.rmtree(output, ignore_errors=True)
    name = f"{engine} {' '.join(options)} {source.name}"
    ended = run(name, parse_table(model, source, output, engine, *options))
    return ended, digest(output)


class _Speeds:
    """The table of speeds. whole, parsing: words per second of two processes that know
    nothing of each other, with and without their start."""

    def __init__(self, table: Table, whole: float, parsing: float) -> None:
        self.table, self.whole, self.parsing = table, whole, parsing

    def add(
        self, name: str, words: int, ended: Ended, start: float, rows: str, same: str
    ) -> None:
        """Add a run of an engine. start: seconds of the engine on hardly any input."""
        whole, parsing = words / ended.seconds, words / (ended.seconds - start)
        self.table.add_row(
            name,
            f"{whole:,.0f}", f"{100 * whole / self.whole:.0f}",
            f"{parsing:,.0f}", f"{100 * parsing / self.parsing:.0f}",
            f"{start:.1f}", f"{ended.cpu_seconds:.0f}",
            f"{ended.driver:,.0f}", f"{ended.worker:,.0f}", rows, same,
        )  # fmt: skip


def _bare_rows(table: Table, model: str, source: Path) -> tuple[float, float]:
    """Add the rows of nlp.pipe. Returns the words per second of two processes that know
    nothing of each other, with and without their start."""
    files = sorted(map(str, source.iterdir()))
    child = [sys.executable, "-m", "benchmarks.tables", "bare", model]
    for n_process in (1, 2):
        # A quarter of the documents is enough for a speed.
        command = [*child, *files[::4], "--n-process", str(n_process)]
        ended = run(f"nlp.pipe, n_process={n_process}", command)
        found = json.loads(ended.last)
        table.add_row(
            f"nlp.pipe, n_process={n_process}",
            f"{found['words'] / ended.seconds:,.0f}", "",
            f"{found['words'] / found['seconds']:,.0f}", "",
            f"{ended.seconds - found['seconds']:.1f}", f"{ended.cpu_seconds:.0f}",
            f"{ended.driver:,.0f}", f"{ended.worker:,.0f}", "", "",
        )  # fmt: skip
    console.print("two bare processes")
    start = time.perf_counter()
    halves = [Running([*child, *files[i::2]]) for i in (0, 1)]
    ended_two = [half.end() for half in halves]
    seconds = time.perf_counter() - start
    found_two = [json.loads(half.last) for half in ended_two]
    words = sum(found["words"] for found in found_two)
    parsing = max(found["seconds"] for found in found_two)
    table.add_row(
        "two processes, nlp.pipe",
        f"{words / seconds:,.0f}", "100", f"{words / parsing:,.0f}", "100",
        f"{seconds - parsing:.1f}",
        f"{sum(half.cpu_seconds for half in ended_two):.0f}", "",
        f"{max(half.driver for half in ended_two):,.0f}", "", "",
    )  # fmt: skip
    return words / seconds, words / parsing


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
        *("input, MB", "parsed, words", "words/s", "parent, MB"),
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
                f"{words:,}", f"{words / ended.seconds:,.0f}", f"{ended.driver:,.0f}",
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
    """Interrupt the local engine twenty times at random moments, and go on."""
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
    seed: int = 1,
    quick: Quick = False,
    work: Work = None,
) -> None:
    """Kill workers, raise in components, fill disks, cut files; count the rows."""
    table = grid("Faults", "engine", "fault", "lost", "doubled", "message")
    with working(work) as directory:
        texts = texts_of(treebank, docs // 10 if quick else docs, seed)
        # Documents that the faulty component cannot stand.
        texts = [f"Faulty. {t}" if i % 1000 == 7 else t for i, t in enumerate(texts)]
        source = directory / "documents"
        write_parquet(texts, source)
        scene = _Scene(directory, model, source, len(texts), table)
        for name in engine or engines():
            scene.killed(name)
            scene.raising(name)
            scene.full_disk(name)
            scene.no_model(name)
            scene.cut(name)
    Console(width=150).print(table)


class _Scene:
    """The input of faults, and the table of what they did."""

    def __init__(
        self, directory: Path, model: Path, source: Path, n_docs: int, table: Table
    ) -> None:
        self.directory, self.model, self.source = directory, model, source
        self.n_docs, self.table = n_docs, table

    def output(self) -> Path:
        path = self.directory / "out"
        shutil.rmtree(path, ignore_errors=True)
        return path

    def command(
        self, engine: str, output: Path, model: Path | None = None
    ) -> list[str]:
        options = (*JOBS, "--part-mb", "0.2")
        return parse_table(model or self.model, self.source, output, engine, *options)

    def add(self, engine: str, fault: str, output: Path, message: str) -> None:
        rows, ids, _ = digest(output)
        lost, doubled = self.n_docs - ids, rows - ids
        self.row(engine, fault, str(lost), str(doubled), message)

    def row(self, *cells: str) -> None:
        """Add a row, and show it, since the others take long."""
        console.print(" | ".join(cells), markup=False, highlight=False)
        self.table.add_row(*map(escape, cells))

    def killed(self, engine: str) -> None:
        """Kill a worker that has loaded the pipeline, in the middle."""
        output = self.output()
        running = Running(self.command(engine, output))
        killed = _kill_worker(running, engine)
        ended = running.end()
        message = ended.last
        fault = "worker killed" if killed else "no worker was found to kill"
        if engine == "local" and ended.returncode:
            message += " / again: " + Running(self.command(engine, output)).end().last
        self.add(engine, fault, output, message)

    def raising(self, engine: str) -> None:
        """A component raises at one document of a thousand."""
        package = self.directory / "faulty"
        faulty = package / "model"
        if not package.exists():
            self._install(package)
            script = (
                "import spacy, sys\nnlp = spacy.load(sys.argv[1])\n"
                "nlp.add_pipe('benchmark_faulty', first=True)\nnlp.to_disk(sys.argv[2])"
            )
            run(
                "a faulty pipeline",
                [sys.executable, "-c", script, str(self.model), str(faulty)],
                PYTHONPATH=str(package),
            )
        output = self.output()
        command = self.command(engine, output, faulty)
        ended = Running(command, PYTHONPATH=str(package)).end()
        self.add(engine, "component raises", output, ended.last + _errors(output))

    def _install(self, package: Path) -> None:
        """A package with a component, whose entry point every process finds."""
        info = package / "benchmark_faulty-1.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: benchmark-faulty\nVersion: 1\n"
        )
        (info / "entry_points.txt").write_text(
            "[spacy_factories]\nbenchmark_faulty = benchmark_faulty:make\n"
        )
        (package / "benchmark_faulty.py").write_text(
            "from spacy.language import Language\n\n"
            "@Language.factory('benchmark_faulty')\ndef make(nlp, name):\n"
            "    def raising(doc):\n"
            "        if len(doc) and doc[0].text == 'Faulty':\n"
            "            raise RuntimeError('a faulty document')\n"
            "        return doc\n    return raising\n"
        )

    def full_disk(self, engine: str) -> None:
        """The disk of the output is full; the local engine goes on with more room."""
        disk = self.directory / "disk"
        disk.mkdir(exist_ok=True)
        mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk)]
        if os.name != "posix" or subprocess.run(mount, capture_output=True).returncode:
            self.row(engine, "full disk", "", "", "left out: needs root to mount")
            return
        try:
            output = disk / "out"
            ended = Running(self.command(engine, output)).end()
            message = ended.last
            subprocess.run(["mount", "-o", "remount,size=4g", str(disk)], check=True)
            if engine != "local":
                shutil.rmtree(output, ignore_errors=True)
            message += " / again: " + Running(self.command(engine, output)).end().last
            self.add(engine, "full disk", output, message)
        finally:
            subprocess.run(["umount", str(disk)], check=False)

    def no_model(self, engine: str) -> None:
        """The pipeline is not there."""
        output = self.output()
        none = self.directory / "no-such-pipeline"
        ended = Running(self.command(engine, output, none)).end()
        rows = digest(output)[0]
        self.row(engine, f"no pipeline ({rows} rows written)", "", "", ended.last)

    def cut(self, engine: str) -> None:
        """A packed file that ends in the middle, beside a whole one."""
        folder = self.directory / "cut"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        text = "\n\n".join(f"Document {i} is short." for i in range(5000)).encode()
        (folder / "a.txt").write_bytes(text)
        packed = gzip.compress(text)
        (folder / "b.txt.gz").write_bytes(packed[: len(packed) // 2])
        output = self.output()
        command = parse_table(self.model, folder, output, engine, *JOBS)
        message = Running(command).end().last
        (folder / "b.txt.gz").write_bytes(packed)
        shutil.rmtree(output, ignore_errors=True)
        Running(command).end()
        rows, ids, _ = digest(output)
        self.row(
            engine,
            "input cut off / whole again",
            str(10_000 - ids),
            str(rows - ids),
            message,
        )


def _kill_worker(running: Running, engine: str) -> bool:
    """Kill a worker that has loaded the pipeline. Returns whether there was one."""
    # Workers of Ray change their names; those of others are Pythons.
    prefix = "ray::" if engine == "ray" else "python"
    while running.process.poll() is None:
        workers = [
            pid
            for pid, seen in descendants(running.process.pid).items()
            if pid != running.process.pid
            and seen.mb > 180
            and seen.name.startswith(prefix)
        ]
        time.sleep(1)
        for pid in workers:
            # Processes that start others may have ended.
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                return True
    return False


def _errors(folder: Path) -> str:
    """The errors in the rows of an output, and how many rows have each."""
    import duckdb

    query = f"""
        SELECT error, count(*) FROM '{folder}/*.parquet'
        WHERE error IS NOT NULL GROUP BY error
    """
    found = duckdb.sql(query).fetchall() if any(folder.glob("*.parquet")) else []
    return " / rows: " + "; ".join(f"{n} with {error!r}" for error, n in found)


if __name__ == "__main__":
    app()
