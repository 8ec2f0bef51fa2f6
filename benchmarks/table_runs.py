"""Runs of `benchmarks.tables`: documents, processes with their memory, and digests."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from benchmarks.memory import ROOT
from spacy_dynoracle.treebank import read_treebank
from spacy_dynoracle.treebank.text import sentence_text

SENTENCES_PER_DOC = 10
FILES = 20
JOBS = ("--jobs", "2")
# Between two looks at the processes, which take time of the processor themselves.
SECONDS = 0.25
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100

console = Console(stderr=True)


def texts_of(
    treebank: Path, n_docs: int, seed: int, n_sentences: int = SENTENCES_PER_DOC
) -> list[str]:
    """Documents of some sentences, each drawn from those of a treebank."""
    files = sorted(treebank.glob("*train*.conllu")) or sorted(treebank.glob("*.conllu"))
    sentences = [sentence_text(s) for file in files for s in read_treebank(file)]
    draw = random.Random(seed)
    return [" ".join(draw.choices(sentences, k=n_sentences)) for _ in range(n_docs)]


def write_parquet(texts: Sequence[str], folder: Path) -> None:
    """Write documents with ids to Parquet files."""
    folder.mkdir(parents=True)
    size = -(-len(texts) // FILES)
    for start in range(0, len(texts), size):
        part = texts[start : start + size]
        ids = [f"{i:08d}" for i in range(start, start + len(part))]
        table = pa.table({"id": ids, "text": part})
        pq.write_table(table, folder / f"{start:08d}.parquet")


def write_text(texts: Sequence[str], path: Path, n_bytes: int) -> None:
    """Repeat documents until a text file has so many bytes, and end it with a whole
    one.
    """
    block = "".join(f"{text}\n\n" for text in texts).encode()
    whole, rest = divmod(n_bytes, len(block))
    with path.open("wb") as stream:
        for _ in range(whole):
            stream.write(block)
        end = block.find(b"\n\n", max(rest - 2, 0))
        stream.write(block[: end + 2] if rest else b"")


@dataclass
class Ended:
    """A command that has ended.

    Attributes:
        seconds: Its wall time.
        cpu: CPU seconds of it and of all processes that it started, up to the last time
            they were seen, by their names.
        peaks: For each process id the name and the largest resident size in MB.
        sizes: Resident sizes of the largest worker in MB, from time to time.
        output: What it wrote.
    """

    returncode: int
    seconds: float
    cpu: dict[str, float]
    output: str
    root: int
    peaks: dict[int, tuple[str, float]] = field(default_factory=dict)
    sizes: list[float] = field(default_factory=list)

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of all processes."""
        return sum(self.cpu.values())

    @property
    def driver(self) -> float:
        """The peak of the process itself, with that of the JVM of Spark."""
        own = self.peaks.get(self.root, ("", 0.0))[1]
        return own + max(
            [mb for name, mb in self.peaks.values() if name == "java"] + [0]
        )

    @property
    def worker(self) -> float:
        """The largest peak of another process."""
        others = [mb for pid, (name, mb) in self.peaks.items() if self.is_worker(pid)]
        return max(others, default=0.0)

    def is_worker(self, pid: int) -> bool:
        """Whether a process is a worker that has loaded a pipeline."""
        name, mb = self.peaks[pid]
        return pid != self.root and name != "java" and mb > 100

    @property
    def last(self) -> str:
        """Its message: the last line that begins with Error, or the last one."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("Error")]
        return (errors or lines or [""])[-1]


class Seen(NamedTuple):
    """A process.

    Attributes:
        mb: Its resident size.
        cpu_seconds: Of all its threads.
    """

    parent: int
    name: str
    mb: float
    cpu_seconds: float


def processes() -> dict[int, Seen]:
    """All processes."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text()
            size = int((entry / "statm").read_text().split()[1])
        except (OSError, IndexError):
            continue
        name, rest = stat[stat.index("(") + 1 :].rsplit(")", 1)
        fields = rest.split()
        seconds = sum(map(int, fields[11:13])) / TICKS
        found[int(entry.name)] = Seen(int(fields[1]), name, size * PAGE / 1e6, seconds)
    return found


def descendants(root: int) -> dict[int, Seen]:
    """The processes below one, and itself."""
    every = processes()
    below = {root}
    grown = True
    while grown:
        new = {pid for pid, seen in every.items() if seen.parent in below} - below
        grown = bool(new)
        below |= new
    return {pid: every[pid] for pid in below if pid in every}


class Running:
    """A command that runs; its processes are watched."""

    def __init__(self, command: Sequence[str], **environment: str) -> None:
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        paths = [*filter(None, [environment.pop("PYTHONPATH", "")]), *paths]
        env = os.environ | {"PYTHONPATH": os.pathsep.join(paths), **environment}
        env["RAY_AUTH_MODE"] = "disabled"
        self.start = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=env,
        )
        self.peaks: dict[int, tuple[str, float]] = {}
        self.cpu: dict[int, float] = {}
        self.sizes: list[float] = []
        self.watching = threading.Thread(target=self._watch, daemon=True)
        self.watching.start()

    def _watch(self) -> None:
        while self.process.poll() is None:
            found = descendants(self.process.pid)
            workers = [x.mb for pid, x in found.items() if pid != self.process.pid]
            self.sizes.append(max(workers, default=0.0))
            for pid, seen in found.items():
                before = self.peaks.get(pid, ("", 0.0))[1]
                self.peaks[pid] = seen.name, max(seen.mb, before)
                self.cpu[pid] = seen.cpu_seconds
            time.sleep(SECONDS)

    def end(self) -> Ended:
        """Wait for the end."""
        output, _ = self.process.communicate()
        seconds = time.perf_counter() - self.start
        self.watching.join()
        code = self.process.returncode
        cpu: dict[str, float] = {}
        for pid, used in self.cpu.items():
            name = self.peaks[pid][0]
            cpu[name] = cpu.get(name, 0.0) + used
        return Ended(
            code, seconds, cpu, output, self.process.pid, self.peaks, self.sizes
        )


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


def parse_table(
    model: Path | str, source: Path, output: Path, engine: str, *more: str
) -> list[str]:
    """The command line of parse-table, or of the program of another engine."""
    module = ["spacy_dynoracle", "parse-table"]
    if engine != "local":
        module = ["benchmarks.table_engines", engine]
    program = [sys.executable, "-m", *module, str(model), str(source)]
    return [*program, "--output", str(output), *more]


def digest(folder: Path) -> tuple[int, int, int]:
    """The number of rows, of different ids, and the sum of the hashes of all rows,
    which does not depend on their order.
    """
    query = f"""
        SELECT count(*), count(DISTINCT id),
            sum(hash(id, text, error, sents, tokens)::HUGEINT)
        FROM '{folder}/*.parquet'
    """
    return (
        duckdb.sql(query).fetchall()[0] if any(folder.glob("*.parquet")) else (0, 0, 0)
    )


def words_in(folder: Path) -> int:
    """The number of tokens of an output."""
    query = f"SELECT sum(len(tokens)) FROM '{folder}/*.parquet'"
    return int(duckdb.sql(query).fetchall()[0][0])


def bare(model: str, files: Sequence[str], n_process: int) -> None:
    """Parse documents with `nlp.pipe`, and print the words and the seconds."""
    import spacy

    nlp = spacy.load(model)
    texts = [t for file in files for t in pq.read_table(file)["text"].to_pylist()]
    start = time.perf_counter()
    words = sum(map(len, nlp.pipe(texts, n_process=n_process)))
    print(json.dumps({"words": words, "seconds": time.perf_counter() - start}))
