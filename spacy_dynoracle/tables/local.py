"""Parsing files with all cores of this machine, and going on after an interruption.

The output is a folder with a Parquet file for each part of the input. A file is
complete or absent: it is written under another name first. A manifest says which input
and settings the files come from.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from spacy.util import get_package_path, is_package

from .. import __version__
from ..util.files import replace_file, replacing
from ..util.workers import in_processes
from .files import Part, Plan, TableError
from .schema import SCHEMA, VERSION

MANIFEST = "_manifest.json"
# As Spark says that an output is complete.
SUCCESS = "_SUCCESS"
# Tokens in a row group.
_GROUP = 200_000
_COUNTS = b"spacy_dynoracle.counts"


class PartResult(NamedTuple):
    """The numbers of documents and tokens in a part, and of documents that failed."""

    docs: int
    tokens: int
    errors: int


@dataclass(frozen=True)
class LocalRun:
    """A run of the local engine.

    Attributes:
        plan: Its input.
        output: The folder with the files.
        done: Numbers of the parts that were there already.
        missing: Parts that the run makes.
    """

    plan: Plan
    output: Path
    done: tuple[int, ...]
    missing: tuple[Part, ...]

    def resumed(self) -> Iterator[PartResult]:
        """The counts of the parts that were there already."""
        for number in self.done:
            metadata = pq.read_metadata(part_file(self.output, number)).metadata
            yield PartResult(*json.loads(metadata[_COUNTS]))

    def results(self, n_jobs: int = 1) -> Iterator[PartResult]:
        """Parse the missing parts, and yield the counts of each when it is written.

        Args:
            n_jobs: Number of processes. Rows do not depend on it.

        Raises:
            TableError: For a damaged input.
            PipelineError: For a pipeline that cannot be used.
            WorkerError: For a worker that was killed.
            OSError: For a part that cannot be written. Parts that are written stay.
        """
        calls = ((self.plan, part, self.output) for part in self.missing)
        jobs = max(1, min(n_jobs, len(self.missing)))
        yield from in_processes(write_part, calls, jobs, ordered=False)
        replace_file(self.output / SUCCESS, b"")


def parse_locally(plan: Plan, output: str | Path) -> LocalRun:
    """Prepare a run of the local engine, or one that goes on where an interrupted run
    of the same input and settings was.

    Args:
        output: A folder, which may not exist.

    Raises:
        TableError: If the folder has something else in it.
        PipelineError: If the pipeline cannot be loaded.
    """
    folder = Path(output).absolute()
    plan.parser.load()
    settings = {
        "schema": VERSION,
        "spacy_dynoracle": __version__,
        "model_digest": model_digest(plan.parser.model),
        **plan.settings(),
    }
    folder.mkdir(parents=True, exist_ok=True)
    manifest = folder / MANIFEST
    if manifest.exists():
        _check(folder, plan, json.loads(manifest.read_text("utf-8")), settings)
    elif any(folder.iterdir()):
        raise TableError(
            f"{folder}: has files in it, and is not the output of an interrupted run; "
            "name a new folder"
        )
    else:
        data = json.dumps(settings, indent=2, ensure_ascii=False)
        replace_file(manifest, data.encode())
    # What killed workers have left.
    for rest in folder.glob(".part-*"):
        rest.unlink(missing_ok=True)
    there = {part.number for part in plan.parts}
    done = {n for n in there if part_file(folder, n).exists()}
    missing = tuple(part for part in plan.parts if part.number not in done)
    return LocalRun(plan, folder, tuple(sorted(done)), missing)


def write_part(plan: Plan, part: Part, output: Path) -> PartResult:
    """Parse a part and write its file.

    Raises:
        OSError: With the name of the file.
    """
    path = part_file(output, part.number)
    try:
        return _write(plan, part, path)
    except OSError as error:
        raise type(error)(
            error.errno, error.strerror or str(error), str(path)
        ) from error


def _write(plan: Plan, part: Part, path: Path) -> PartResult:
    counts = PartResult(0, 0, 0)
    with (
        replacing(path) as stream,
        pq.ParquetWriter(stream, SCHEMA, compression="zstd") as writer,
    ):
        group: list[pa.RecordBatch] = []
        size = 0
        for batch in plan.parse(part):
            n_tokens = pc.sum(pc.list_value_length(batch["tokens"])).as_py() or 0
            n_errors = len(batch) - batch["error"].null_count
            counts = PartResult(
                counts.docs + len(batch),
                counts.tokens + n_tokens,
                counts.errors + n_errors,
            )
            group.append(batch)
            size += n_tokens
            if size > _GROUP:
                writer.write_table(pa.Table.from_batches(group))
                group, size = [], 0
        if group:
            writer.write_table(pa.Table.from_batches(group))
        writer.add_key_value_metadata({_COUNTS: json.dumps(counts)})
    return counts


def part_file(output: Path, number: int) -> Path:
    """The file of a part."""
    return output / f"part-{number:06d}.parquet"


def model_digest(model: str) -> str:
    """A digest of the files of a pipeline."""
    path = get_package_path(model) if is_package(model) else Path(model)
    digest = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(file.relative_to(path).as_posix().encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _check(
    folder: Path, plan: Plan, found: dict[str, Any], wanted: dict[str, Any]
) -> None:
    """Raise TableError unless a run has the settings of the manifest."""
    plain = json.loads(json.dumps(wanted))
    changed = [key for key in plain if found.get(key) != plain[key]]
    if not changed:
        return
    key = changed[0]
    if key == "files":
        detail = "the files of the input have changed"
    elif key == "model_digest":
        detail = f"the pipeline {plan.parser.model!r} has changed"
    else:
        detail = f"{key} was {found.get(key)!r} and is {plain[key]!r}"
    raise TableError(
        f"{folder}: has parts of another run ({detail}); name a new folder, or give "
        "the same input and settings to go on"
    )
