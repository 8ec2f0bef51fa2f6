"""Faults of `benchmarks.tables`: what the rows and the messages of an engine are."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from enum import Enum
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from benchmarks.table_runs import (
    JOBS,
    Running,
    console,
    descendants,
    digest,
    parse_table,
    run,
)


class Fault(str, Enum):
    """A method of `Scene`."""

    killed = "killed"
    raising = "raising"
    full_disk = "full_disk"
    no_model = "no_model"
    cut = "cut"


class Scene:
    """The input of faults, and the table of what they did."""

    def __init__(
        self, directory: Path, model: Path, source: Path, n_docs: int, table: Table
    ) -> None:
        self.directory, self.model, self.source = directory, model, source
        self.n_docs, self.table = n_docs, table

    def output(self) -> Path:
        """The folder of the output, which is not there."""
        path = self.directory / "out"
        shutil.rmtree(path, ignore_errors=True)
        return path

    def command(
        self, engine: str, output: Path, model: Path | None = None
    ) -> list[str]:
        """The command line of a run of an engine."""
        options = (*JOBS, "--part-mb", "0.2")
        return parse_table(model or self.model, self.source, output, engine, *options)

    def add(self, engine: str, fault: str, output: Path, message: str) -> None:
        """Add a row with the numbers of rows that were lost and doubled."""
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
            # Processes that end slowly may still hold it.
            subprocess.run(["umount", "--lazy", str(disk)], check=False)

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
    """Kill a worker that has loaded the pipeline.

    Returns:
        Whether there was one.
    """
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
