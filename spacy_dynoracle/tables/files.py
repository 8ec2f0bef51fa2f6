"""Files with texts, cut into parts that workers read and parse on their own.

A part is a range of a file: of bytes between blank lines or lines, or of rows of a
Parquet file. The same input and the same size of parts give the same parts, whatever
parses them.
"""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePath
from typing import IO, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from ..treebank.corpora import begins_with_sentence, corpus_suffix, is_packed
from ..treebank.files import SUFFIXES as CONLLU
from . import records
from .batches import decoded, joined
from .parsing import TableParser, input_columns, parsed_column
from .places import TableError, inside, is_hidden, is_uri, system_of

PARQUET = ".parquet"
JSON_LINES = (".jsonl", ".ndjson")
TEXT = (".txt",)
# The files that are read in a folder. A file that is named may have any other suffix,
# which makes it a text, but those of other tables.
SUFFIXES = (PARQUET, *JSON_LINES, *TEXT, *CONLLU)
OTHER_TABLES = (".csv", ".tsv", ".json", ".arrow", ".feather", ".orc", ".spacy")
# Rows of Parquet that are read at a time, and about how many bytes. Each may be long,
# although the file is small.
_ROWS_READ, _BYTES_READ = 16, 8_000_000
# Bytes of text in a part: seconds of work.
PART_BYTES = 4_000_000


class Part(NamedTuple):
    """A part of the input.

    Attributes:
        number: Counted from 0.
        path: The file, or its URI.
        name: The file in ids, relative to the folder.
        start, end: Its bytes, or rows of Parquet; an end of -1 is that of the file.
    """

    number: int
    path: str
    name: str
    start: int
    end: int


class InputFile(NamedTuple):
    """A file of the input, as a manifest knows it.

    Attributes:
        modified: Seconds since 1970.
    """

    path: str
    name: str
    size: int
    modified: float


@dataclass(frozen=True)
class Plan:
    """An input and how it is parsed.

    Attributes:
        source: The absolute path of the input, or its URI.
        parser: What parses the rows.
        files: The files of the input.
        parts: Its parts, in order.
    """

    source: str
    parser: TableParser
    part_bytes: int
    files: tuple[InputFile, ...]
    parts: tuple[Part, ...]

    def settings(self) -> dict[str, Any]:
        """All that the rows depend on besides the pipeline, as values of JSON."""
        settings = asdict(self.parser)
        # A digest stands for the pipeline, and the number of Docs changes no row.
        del settings["model"], settings["batch_size"]
        return {
            **settings,
            "part_bytes": self.part_bytes,
            "files": [[f.name, f.size, f.modified] for f in self.files],
        }

    def read(self, part: Part) -> Iterator[pa.RecordBatch]:
        """The rows of a part, in small batches.

        Raises:
            TableError: If the file cannot be read to its end.
        """
        parser = self.parser
        with _reading(part.path):
            if _is_parquet(part):
                yield from joined(_parquet_rows(part, parser))
            else:
                yield from records.in_batches(_records(part, parser), parser.keep)

    def parse(self, part: Part) -> Iterator[pa.RecordBatch]:
        """The annotation of the rows of a part."""
        parser = self.parser
        if not _is_parquet(part):
            # Records have these names, whatever those of the input are.
            parser = replace(parser, id="id", text="text")
        return parser.batches(self.read(part))


def plan(
    source: str | Path, parser: TableParser, *, part_bytes: int = PART_BYTES
) -> Plan:
    """Cut an input into parts.

    Args:
        source: A file or a folder, or its URI as pyarrow knows them (s3://, gs://,
            hdfs://): .parquet, .jsonl, .ndjson, .txt, .conllu and .conll files, the
            last five also with .gz.
        part_bytes: Bytes of text in a part. A packed file is one part.

    Raises:
        TableError: If there is nothing to read, a Parquet file is damaged, or a table
            lacks a column that the parser needs.
    """
    name = str(source)
    # Workers may have another working directory.
    name = name if is_uri(name) else str(Path(name).absolute())
    files = tuple(_find(name))
    cuts = [(f, *bounds) for f in files for bounds in _cut(f, parser, part_bytes)]
    parts = tuple(
        Part(number, file.path, file.name, start, end)
        for number, (file, start, end) in enumerate(cuts)
    )
    named = (parser.id, parser.text, *parser.keep) != ("id", "text")
    suffixes = {corpus_suffix(file.name) for file in files}
    if named and suffixes.isdisjoint((PARQUET, *JSON_LINES)):
        raise TableError(
            f"{source}: has no column, as {PARQUET}, {' and '.join(JSON_LINES)} files "
            f"have: leave out the names of columns (--id-column, --text-column, --keep)"
        )
    return Plan(name, parser, part_bytes, files, parts)


# ---- finding files -------------------------------------------------------------------


def _find(source: str) -> Iterator[InputFile]:
    system, path = system_of(source)
    info = system.get_file_info(path)
    if info.type == fs.FileType.NotFound:
        raise TableError(
            f"{source}: no such file; name a {', '.join(SUFFIXES)} file or a folder"
        )
    if info.type == fs.FileType.File:
        yield InputFile(source, info.base_name, info.size, _modified(info))
        return
    selected = system.get_file_info(fs.FileSelector(path, recursive=True))
    found = sorted(selected, key=lambda info: info.path)
    n_found = 0
    for info in found:
        name = info.path[len(path.rstrip("/")) + 1 :]
        is_read = corpus_suffix(name) in SUFFIXES and not is_hidden(PurePath(name))
        if info.type == fs.FileType.File and is_read:
            n_found += 1
            own = inside(source, name)
            yield InputFile(own, name, info.size, _modified(info))
    if not n_found:
        raise TableError(f"{source}: no {' or '.join(SUFFIXES)} file in it")


def _modified(info: fs.FileInfo) -> float:
    return info.mtime.timestamp() if info.mtime is not None else 0.0


def _open(path: str) -> IO[bytes]:
    system, name = system_of(path)
    # Files of Arrow have no lines.
    return io.BufferedReader(system.open_input_file(name), 1 << 16)


@contextmanager
def _unpacked(file: InputFile | Part) -> Iterator[IO[bytes]]:
    """The bytes of a file, or those that are packed in it."""
    with _open(file.path) as stream:
        packed: Any = gzip.GzipFile(fileobj=stream) if is_packed(file.name) else stream
        yield packed


def _is_parquet(part: Part) -> bool:
    return corpus_suffix(part.name) == PARQUET


# ---- cutting files -------------------------------------------------------------------


def _cut(
    file: InputFile, parser: TableParser, part_bytes: int
) -> Iterator[tuple[int, int]]:
    """The ranges of the parts of a file."""
    if corpus_suffix(file.name) == PARQUET:
        with _reading(file.path), _parquet(file.path) as table:
            _, column = _parquet_columns(table, file.path, parser)
            yield from _cut_rows(table, column, part_bytes)
        return
    if corpus_suffix(file.name) in JSON_LINES:
        _check_rows(file, parser)
    elif corpus_suffix(file.name) not in CONLLU:
        _check_text(file)
    if is_packed(file.name) or file.size <= part_bytes:
        yield 0, -1
    else:
        with _open(file.path) as stream:
            yield from _cut_bytes(stream, file, part_bytes)


def _check_text(file: InputFile) -> None:
    """Raise an error for a file whose rows would be taken for sentences of a text."""
    path = file.path
    with _reading(path), _unpacked(file) as stream:
        is_treebank = begins_with_sentence(stream)
    if is_treebank:
        raise TableError(f"{path}: is CoNLL-U; let its name end with .conllu", path)
    if corpus_suffix(file.name) in OTHER_TABLES:
        raise TableError(
            f"{path}: make it one of the files that are read: {', '.join(SUFFIXES)}",
            path,
        )


def _check_rows(file: InputFile, parser: TableParser) -> None:
    """Raise an error for JSON lines whose first rows lack a column of the parser."""
    wanted = {parser.text, *parser.keep, parser.id} - {"id"}
    with _reading(file.path), _unpacked(file) as stream:
        names = records.first_names(stream, wanted)
    if not names:
        # Each row says what is wrong with it.
        return
    try:
        parsed_column(names, parser, ("text", "tokens"))
    except ValueError as error:
        most = f"{records.FIRST_ROWS:,} rows or {records.FIRST_BYTES:,} bytes"
        where = f"in its first {most}"
        raise TableError(f"{file.path}: {where}, {error}", file.path) from error


def _cut_bytes(
    stream: IO[bytes], file: InputFile, part_bytes: int
) -> Iterator[tuple[int, int]]:
    """Ranges that end where a document does."""
    suffix = corpus_suffix(file.name)
    any_line = suffix in JSON_LINES
    # A line of CoNLL-U that has a tab is no blank one.
    blank = b" \r\n" if suffix in CONLLU else None
    start = 0
    while file.size - start > part_bytes:
        stream.seek(start + part_bytes)
        # The rest of a line is no line.
        stream.readline()
        line = b"" if any_line else stream.readline()
        while line.strip(blank):
            line = stream.readline()
        end = stream.tell()
        if end >= file.size:
            break
        yield start, end
        start = end
    yield start, -1


def _cut_rows(
    file: pq.ParquetFile, column: str, part_bytes: int
) -> Iterator[tuple[int, int]]:
    """Ranges of rows. A part never has rows of two row groups."""
    # The sizes in the file are those of its coding, in which equal texts count once.
    sample = next(file.iter_batches(_ROWS_READ, columns=[column]), None)
    row_bytes = 0 if sample is None else decoded(sample).nbytes / max(len(sample), 1)
    size = max(1, round(part_bytes / max(row_bytes, 1)))
    first = 0
    for number in range(file.num_row_groups):
        last = first + file.metadata.row_group(number).num_rows
        for start in range(first, last, size):
            yield start, min(start + size, last)
        first = last


# ---- reading parts -------------------------------------------------------------------


def _records(part: Part, parser: TableParser) -> Iterator[records.Record]:
    """The documents of a part of a file that is not Parquet."""
    with _unpacked(part) as stream:
        stream.seek(part.start)
        length = None if part.end < 0 else part.end - part.start
        numbered = records.numbered_lines(stream, part.start, length)
        suffix = corpus_suffix(part.name)
        if suffix in JSON_LINES:
            yield from records.json_rows(part.name, numbered, parser)
        elif suffix in CONLLU:
            yield from records.sentences(part.name, numbered)
        else:
            yield from records.paragraphs(part.name, numbered)


# ---- Parquet -------------------------------------------------------------------------


def _parquet(path: str) -> pq.ParquetFile:
    system, name = system_of(path)
    # The reader holds one batch, not the whole row group.
    return pq.ParquetFile(name, filesystem=system, pre_buffer=False)


def is_of_system(error: Exception) -> bool:
    """Whether an error is one of files and disks. Arrow raises an OSError without a
    number for data that it cannot read, and so does gzip.
    """
    return isinstance(error, OSError) and error.errno is not None


def _parquet_columns(
    file: pq.ParquetFile, path: str, parser: TableParser
) -> tuple[list[str], str]:
    """The columns to read and the one that is parsed."""
    try:
        _, column, names = input_columns(file.schema_arrow, parser)
    except ValueError as error:
        raise TableError(f"{path}: {error}", path) from error
    # An error of another run is no reason to leave out a text.
    used = (column, parser.id)
    return [name for name in names if name != "error" or name in used], column


def _parquet_rows(part: Part, parser: TableParser) -> Iterator[pa.RecordBatch]:
    with _parquet(part.path) as file:
        columns, _ = _parquet_columns(file, part.path, parser)
        first = 0
        for group in range(file.num_row_groups):
            n_rows = file.metadata.row_group(group).num_rows
            n_bytes = file.metadata.row_group(group).total_byte_size
            if first <= part.start < first + n_rows:
                break
            first += n_rows
        else:
            return
        position = first
        size = max(1, min(_ROWS_READ, _BYTES_READ * n_rows // max(n_bytes, 1)))
        read = file.iter_batches(size, row_groups=[group], columns=columns)
        for batch in read:
            begin = max(part.start - position, 0)
            end = min(part.end - position, len(batch))
            if begin < end:
                rows = decoded(batch.slice(begin, end - begin))
                if parser.id not in columns:
                    numbers = range(position + begin, position + end)
                    ids = [f"{part.name}:{number}" for number in numbers]
                    rows = rows.append_column(parser.id, pa.array(ids))
                yield rows
            position += len(batch)
            if position >= part.end:
                return


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """Raises TableError where a file cannot be read to its end."""
    try:
        yield
    except (EOFError, zlib.error, pa.ArrowException, OSError) as error:
        if is_of_system(error):
            raise
        text = " ".join(str(error).split())
        raise TableError(
            f"{path}: the file is damaged or cut off ({text}); replace or remove it",
            path,
        ) from error
