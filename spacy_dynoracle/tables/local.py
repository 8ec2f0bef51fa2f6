"""Parsing files with all cores of this machine, and going on after an interruption.

The output is a folder with a Parquet file for each part of the input. A file is
complete or absent: it is written under another name first. A manifest says which input
and settings the files come from.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, reduce
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from filelock import FileLock
from pyarrow import fs
from spacy.util import get_package_path, is_package

from .. import __version__
from ..util.code import code_digest
from ..util.files import is_leftover, replace_file, replacing
from ..util.locks import LOCK, locked
from ..util.workers import in_processes
from .files import Part, Plan, is_of_system
from .places import TableError, is_hidden, is_uri, system_of
from .schema import VERSION

MANIFEST = "_manifest.json"
# As Spark says that an output is complete.
SUCCESS = "_SUCCESS"
# Tokens in a row group, and bytes: documents that failed have no tokens, but texts.
_GROUP = 200_000
_GROUP_BYTES = 1 << 26
_COUNTS = b"spacy_dynoracle.counts"
# A run ends if so many documents have failed, and no other one has succeeded.
_MANY = 100


class PartResult(NamedTuple):
    """The numbers of documents and tokens in a part, and of documents that failed.

    Attributes:
        reason: The commonest error, of a part that was parsed just now.
    """

    docs: int
    tokens: int
    errors: int
    reason: str | None = None

    @classmethod
    def of(cls, batch: pa.RecordBatch) -> PartResult:
        """The numbers of a batch of annotations."""
        n_tokens = pc.sum(pc.list_value_length(batch["tokens"])).as_py() or 0
        return cls(len(batch), n_tokens, len(batch) - batch["error"].null_count)

    def and_then(self, other: PartResult) -> PartResult:
        """The numbers of both parts."""
        return PartResult(
            self.docs + other.docs,
            self.tokens + other.tokens,
            self.errors + other.errors,
            self.reason or other.reason,
        )


@dataclass(frozen=True)
class LocalRun:
    """A run on this machine.

    Attributes:
        plan: Its input.
        output: The folder with the files.
        done: Numbers of the parts that were there already.
        missing: Parts that the run makes.
        lock: Keeps other runs out of the folder as long as this one lives.
    """

    plan: Plan
    output: Path
    done: tuple[int, ...]
    missing: tuple[Part, ...]
    lock: FileLock

    @cached_property
    def resumed(self) -> list[PartResult]:
        """The counts of the parts that were there already.

        Raises:
            TableError: For a part that is damaged.
        """
        return [_counts_in(part_file(self.output, number)) for number in self.done]

    def results(self, n_jobs: int = 1) -> Iterator[PartResult]:
        """Parse the missing parts, and yield the counts of each when it is written.

        Args:
            n_jobs: Number of processes. Rows do not depend on it.

        Raises:
            TableError: For a damaged input, and if all documents fail.
            PipelineError: For a pipeline that cannot be used.
            WorkerError: For a worker that was killed.
            OSError: For a part that cannot be written. Parts that are written stay.
        """
        calls = ((self.plan, part, self.output) for part in self.missing)
        jobs = max(1, min(n_jobs, len(self.missing)))
        whole = reduce(PartResult.and_then, self.resumed, PartResult(0, 0, 0))
        results = in_processes(write_part, calls, jobs, ordered=False)
        try:
            # Workers get no more parts before anything is removed.
            with closing(results):
                for result in results:
                    whole = whole.and_then(result)
                    if whole.errors == whole.docs >= _MANY:
                        break
                    yield result
            if whole.errors == whole.docs > 0:
                raise self._without_success(whole)
            replace_file(self.output / SUCCESS, b"")
        finally:
            self.lock.release()

    def _without_success(self, whole: PartResult) -> TableError:
        """Remove what this run has written, so that another one can use the folder.

        Returns:
            An error with the commonest one.
        """
        for part in self.missing:
            part_file(self.output, part.number).unlink(missing_ok=True)
        if not self.done:
            (self.output / MANIFEST).unlink(missing_ok=True)
        return TableError(
            f"{self.plan.source}: all of the first {whole.docs:,} documents failed, "
            f"and nothing was written; most of them: {whole.reason or 'see before'}"
        )


def _counts_in(file: Path) -> PartResult:
    """Raises TableError for a part that is damaged."""
    try:
        metadata = pq.read_metadata(file).metadata
        return PartResult(*json.loads(metadata[_COUNTS]))
    except (pa.ArrowException, KeyError, TypeError, ValueError, OSError) as error:
        if is_of_system(error):
            raise
        raise TableError(
            f"{file}: is damaged, or no part of this package; delete it to have it "
            "made again",
            str(file),
        ) from error


def parse_locally(plan: Plan, output: str | Path) -> LocalRun:
    """Prepare a run on this machine, or one that goes on where an interrupted run
    of the same input and settings was.

    Args:
        output: A folder, which may not exist.

    Raises:
        TableError: If the folder has something else in it, or is part of the input.
        PipelineError: If the pipeline cannot be loaded.
    """
    folder = _folder(plan, str(output))
    plan.parser.load()
    settings = {
        "schema": VERSION,
        "spacy_dynoracle": __version__,
        "model_digest": model_digest(plan.parser.model),
        "code_digest": code_digest(),
        **plan.settings(),
    }
    folder.mkdir(parents=True, exist_ok=True)
    manifest = folder / MANIFEST
    others = [x for x in folder.iterdir() if x.name != LOCK and not is_leftover(x)]
    if not manifest.exists() and others:
        raise TableError(
            f"{folder}: has files in it, and is not the output of an interrupted run; "
            "name a new folder"
        )
    lock = locked(folder, TableError)
    if manifest.exists():
        _check(folder, plan, _read_manifest(manifest), settings)
    else:
        data = json.dumps(settings, indent=2, ensure_ascii=False)
        replace_file(manifest, data.encode())
    # What killed runs and workers have left.
    for rest in filter(is_leftover, folder.iterdir()):
        rest.unlink(missing_ok=True)
    there = {part.number for part in plan.parts}
    done = {n for n in there if part_file(folder, n).exists()}
    missing = tuple(part for part in plan.parts if part.number not in done)
    return LocalRun(plan, folder, tuple(sorted(done)), missing, lock)


def _folder(plan: Plan, output: str) -> Path:
    """The absolute path of the output.

    Raises:
        TableError: For a URI, and for a folder that the next run would read.
    """
    if is_uri(output):
        raise TableError(
            f"{output}: the output is a folder of this machine; name one and copy it, "
            "or write there with Spark or Ray (see the page 'Parse a corpus')"
        )
    system, inner = system_of(plan.source)
    folder, source = Path(output).resolve(), Path(inner).resolve()
    is_inside = isinstance(system, fs.LocalFileSystem) and folder.is_relative_to(source)
    if is_inside and not is_hidden(folder.relative_to(source)):
        raise TableError(
            f"{output}: is in the input {plan.source}, and the next run would read the "
            "results; name a folder outside of it"
        )
    return Path(output).absolute()


def _read_manifest(file: Path) -> dict[str, Any]:
    """Raises TableError for a damaged manifest."""
    try:
        found = json.loads(file.read_text("utf-8"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise TableError(
            f"{file}: is damaged, and without it nobody knows what the parts come "
            "from; name a new folder",
            str(file),
        )
    return found


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
    reasons: Counter[str] = Counter()
    with (
        replacing(path) as stream,
        pq.ParquetWriter(stream, plan.parser.schema, compression="zstd") as writer,
    ):
        group: list[pa.RecordBatch] = []
        size = n_bytes = 0
        for batch in plan.parse(part):
            found = PartResult.of(batch)
            counts = counts.and_then(found)
            if found.errors == len(batch):
                reasons.update(batch["error"].to_pylist())
            group.append(batch)
            size, n_bytes = size + found.tokens, n_bytes + batch.nbytes
            if size > _GROUP or n_bytes > _GROUP_BYTES:
                writer.write_table(pa.Table.from_batches(group))
                group, size, n_bytes = [], 0, 0
        if group:
            writer.write_table(pa.Table.from_batches(group))
        writer.add_key_value_metadata({_COUNTS: json.dumps(counts[:3])})
    reason = reasons.most_common(1)[0][0] if reasons else None
    return counts._replace(reason=reason)


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
    details = {
        "files": "the files of the input have changed",
        "code_digest": "the files of --code have changed",
        "model_digest": f"the pipeline {plan.parser.model!r} has changed",
    }
    detail = details.get(key, f"{key} was {found.get(key)!r} and is {plain[key]!r}")
    raise TableError(
        f"{folder}: has parts of another run ({detail}); name a new folder, or give "
        "the same input and settings to go on"
    )
