"""Documents in lines of text, CoNLL-U and JSON, as batches of rows."""

import codecs
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import IO, Any, NamedTuple

import pyarrow as pa

from ..treebank.sentence import comment_value
from .batches import BYTES, ROWS
from .documents import NO_BOOLEANS, are_booleans
from .parsing import TableParser, as_text

# A longer paragraph is cut between lines: spaCy takes a million characters at once.
PARAGRAPH_BYTES = 500_000
# A longer line, or sentence of CoNLL-U, is not read: memory stays constant, and spaCy
# would not take its text.
MOST_BYTES = 16_000_000
# Where the names of the columns of JSON lines are looked for.
FIRST_ROWS, FIRST_BYTES = 1000, 4_000_000
TOO_LONG = f"longer than {MOST_BYTES:,} bytes"

# The offset of a line and its bytes; None for a line that is longer than MOST_BYTES.
NumberedLine = tuple[int, bytes | None]


class Record(NamedTuple):
    """A row of the input.

    Attributes:
        kind: Text, tokens or conllu.
        kept: The values of the columns that are kept.
    """

    id: str
    kind: str
    value: str | list[str] | None
    spaces: list[bool] | None = None
    error: str | None = None
    kept: Sequence[str | None] = ()


def in_batches(
    records: Iterable[Record], keep: Sequence[str] = ()
) -> Iterator[pa.RecordBatch]:
    """Records of one kind in small batches.

    Args:
        keep: The names of the columns that are kept.
    """
    rows: list[Record] = []
    size = 0
    for record in records:
        if rows and (len(rows) == ROWS or size > BYTES or record.kind != rows[0].kind):
            yield _batch(rows, keep)
            rows, size = [], 0
        rows.append(record)
        size += len(record.value or ())
    if rows:
        yield _batch(rows, keep)


def _batch(rows: list[Record], keep: Sequence[str]) -> pa.RecordBatch:
    kind = rows[0].kind
    is_list = kind == "tokens"
    columns: dict[str, Any] = {
        "id": pa.array([row.id for row in rows], pa.string()),
        kind: pa.array(
            [row.value for row in rows],
            pa.list_(pa.string()) if is_list else pa.string(),
        ),
        "error": pa.array([row.error for row in rows], pa.string()),
    }
    if is_list:
        spaces = [row.spaces for row in rows]
        columns["spaces"] = pa.array(spaces, pa.list_(pa.bool_()))
    for number, name in enumerate(keep):
        # The output keeps the spaces that the parser reads.
        if name in columns:
            continue
        values = [row.kept[number] if row.kept else None for row in rows]
        columns[name] = pa.array(values, pa.string())
    return pa.RecordBatch.from_pydict(columns)


def numbered_lines(
    stream: IO[bytes], offset: int, length: int | None
) -> Iterator[NumberedLine]:
    """The lines of a range and the offset of each in its file."""
    end = None if length is None else offset + length
    while end is None or offset < end:
        line = stream.readline(MOST_BYTES)
        if not line:
            return
        start = offset
        offset += len(line)
        if len(line) < MOST_BYTES or line.endswith(b"\n"):
            yield start, line.removeprefix(codecs.BOM_UTF8)
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(MOST_BYTES)
            offset += len(line)
        yield start, None


def paragraphs(name: str, numbered: Iterable[NumberedLine]) -> Iterator[Record]:
    """The paragraphs of a text, without blanks at the ends of lines."""
    block: list[bytes] = []
    first = 0
    for offset, raw in numbered:
        line = b"" if raw is None else _stripped(raw)
        if block and (not line or offset - first > PARAGRAPH_BYTES):
            yield _decoded(f"{name}:{first}", "text", b"\n".join(block))
            block = []
        if raw is None:
            yield Record(f"{name}:{offset}", "text", None, error=f"a line {TOO_LONG}")
        if line:
            first = first if block else offset
            block.append(line)
    if block:
        yield _decoded(f"{name}:{first}", "text", b"\n".join(block))


def _stripped(line: bytes) -> bytes:
    """A line without blanks of any kind at its ends, or of ASCII if it is no UTF-8."""
    try:
        return line.decode().strip().encode()
    except UnicodeDecodeError:
        return line.strip()


def sentences(name: str, numbered: Iterable[NumberedLine]) -> Iterator[Record]:
    """The sentences of CoNLL-U: blocks with a line that is no comment."""
    block: list[bytes] = []
    first, size, has_words = 0, 0, False
    for offset, raw in numbered:
        if raw is None:
            first = first if size else offset
            size, has_words = MOST_BYTES, True
            continue
        line = raw.rstrip(b"\r\n")
        if line.strip(b" "):
            first = first if size else offset
            size += len(line)
            if size < MOST_BYTES:
                block.append(line)
            has_words = has_words or not line.startswith(b"#")
            continue
        if has_words:
            yield _sentence(name, first, block, size)
        block, size, has_words = [], 0, False
    if has_words:
        yield _sentence(name, first, block, size)


def _sentence(name: str, offset: int, block: list[bytes], size: int) -> Record:
    comments = (line.decode(errors="replace") for line in block if line[:1] == b"#")
    found = (comment_value(line, "sent_id") for line in comments)
    own = next(filter(None, found), f"{name}:{offset}")
    if size >= MOST_BYTES:
        return Record(own, "conllu", None, error=f"a sentence {TOO_LONG}")
    return _decoded(own, "conllu", b"\n".join(block) + b"\n\n")


def _decoded(own: str, kind: str, data: bytes) -> Record:
    try:
        return Record(own, kind, data.decode())
    except UnicodeDecodeError as error:
        bad = f"byte 0x{data[error.start]:02x} is not UTF-8"
        return Record(own, kind, None, error=bad)


def json_rows(
    name: str, numbered: Iterable[NumberedLine], parser: TableParser
) -> Iterator[Record]:
    """The objects of JSON lines."""
    for offset, raw in numbered:
        place = f"{name}:{offset}"
        if raw is None:
            yield Record(place, "text", None, error=f"a line {TOO_LONG}")
            continue
        line = raw.strip()
        if not line:
            continue
        try:
            yield _json_row(place, json.loads(line), parser)
        except RecursionError:
            yield Record(place, "text", None, error="not a row of JSON: too deep")
        except ValueError as error:
            text = " ".join(str(error).split())
            yield Record(place, "text", None, error=f"not a row of JSON: {text}")


def first_names(stream: IO[bytes], wanted: set[str]) -> list[str]:
    """The names in the first rows of JSON lines, up to a row by which all that are
    wanted were there; those of rows that cannot be read are left out.
    """
    names: dict[str, None] = {}
    for _, line in islice(numbered_lines(stream, 0, FIRST_BYTES), FIRST_ROWS):
        try:
            row = json.loads(line or b"null")
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            names |= dict.fromkeys(row)
            if wanted <= names.keys():
                break
    return list(names)


def _json_row(place: str, row: Any, parser: TableParser) -> Record:
    """Raises ValueError for anything that is no row."""
    if not isinstance(row, dict):
        raise ValueError("expected an object")
    given = row.get(parser.id)
    own = place if given is None else str(given)
    kept = [as_text(row.get(name)) for name in parser.keep]
    try:
        value = _json_value(row, parser)
        json.dumps([own, *value, kept], ensure_ascii=False).encode()
        return Record(own, *value, kept=kept)
    except UnicodeEncodeError as error:
        bad = f"the row has {error.object[error.start]!r}, which is no character"
    except ValueError as error:
        bad = str(error)
    kept = [text and _encodable(text) for text in kept]
    return Record(_encodable(own), "text", None, error=bad, kept=kept)


def _encodable(text: str) -> str:
    """A text with ? for what UTF-8 does not have, such as one half of a pair."""
    return text.encode(errors="replace").decode()


def _json_value(
    row: dict[str, Any], parser: TableParser
) -> tuple[str, str | list[str], list[bool] | None]:
    """The kind of a row, its text or words, and the spaces after these.

    Raises:
        ValueError: If there is nothing to parse.
    """
    text, words, spaces = (row.get(x) for x in (parser.text, "tokens", "spaces"))
    if text is not None:
        if not isinstance(text, str):
            raise ValueError(f"{parser.text!r} is no text")
        return "text", text, None
    if words is None:
        raise ValueError(f"the row has no {parser.text!r}")
    if not isinstance(words, list) or not all(isinstance(w, str) for w in words):
        raise ValueError("'tokens' is no list of texts")
    if spaces is not None and not isinstance(spaces, list):
        raise ValueError("'spaces' is no list")
    if not are_booleans(spaces or ()):
        raise ValueError(NO_BOOLEANS)
    return "tokens", words, spaces and list(map(bool, spaces))
