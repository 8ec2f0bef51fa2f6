"""Documents in lines of text, CoNLL-U and JSON, as batches of rows."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from typing import IO, Any, NamedTuple

import pyarrow as pa

from .parsing import BYTES, ROWS, TableParser

# A longer paragraph is cut between lines: spaCy takes a million characters at once.
PARAGRAPH_BYTES = 500_000

_SENT_ID = re.compile(rb"^# sent_id *= *(\S.*?)\s*$", re.M)


class Record(NamedTuple):
    """A row of the input.

    Attributes:
        kind: Text, tokens or conllu.
    """

    id: str
    kind: str
    value: str | list[str] | None
    spaces: list[bool] | None = None
    error: str | None = None


def in_batches(records: Iterable[Record]) -> Iterator[pa.RecordBatch]:
    """Records of one kind in small batches."""
    rows: list[Record] = []
    size = 0
    for record in records:
        if rows and (len(rows) == ROWS or size > BYTES or record.kind != rows[0].kind):
            yield _batch(rows)
            rows, size = [], 0
        rows.append(record)
        size += len(record.value or ())
    if rows:
        yield _batch(rows)


def _batch(rows: list[Record]) -> pa.RecordBatch:
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
    return pa.RecordBatch.from_pydict(columns)


def numbered_lines(
    stream: IO[bytes], offset: int, length: int | None
) -> Iterator[tuple[int, bytes]]:
    """The lines of a range and the offset of each in its file."""
    end = None if length is None else offset + length
    while end is None or offset < end:
        line = stream.readline()
        if not line:
            return
        start = offset
        offset += len(line)
        yield start, line.removeprefix(codecs.BOM_UTF8) if start == 0 else line


def paragraphs(name: str, numbered: Iterable[tuple[int, bytes]]) -> Iterator[Record]:
    """The paragraphs of a text, with blanks for line breaks."""
    block: list[bytes] = []
    first = 0
    for offset, raw in numbered:
        line = raw.strip()
        if block and (not line or offset - first > PARAGRAPH_BYTES):
            yield _decoded(f"{name}:{first}", "text", b" ".join(block))
            block = []
        if line:
            first = first if block else offset
            block.append(line)
    if block:
        yield _decoded(f"{name}:{first}", "text", b" ".join(block))


def sentences(name: str, numbered: Iterable[tuple[int, bytes]]) -> Iterator[Record]:
    """The sentences of CoNLL-U: blocks with a line that is no comment."""
    block: list[bytes] = []
    first, has_words = 0, False
    for offset, raw in numbered:
        line = raw.rstrip(b"\r\n")
        if line.strip(b" "):
            first = first if block else offset
            block.append(line)
            has_words = has_words or not line.startswith(b"#")
            continue
        if has_words:
            yield _sentence(name, first, block)
        block, has_words = [], False
    if has_words:
        yield _sentence(name, first, block)


def _sentence(name: str, offset: int, block: list[bytes]) -> Record:
    text = b"\n".join(block)
    found = _SENT_ID.search(text)
    own = found[1].decode(errors="replace") if found else f"{name}:{offset}"
    return _decoded(own, "conllu", text + b"\n\n")


def _decoded(own: str, kind: str, data: bytes) -> Record:
    try:
        return Record(own, kind, data.decode())
    except UnicodeDecodeError as error:
        bad = f"byte 0x{data[error.start]:02x} is not UTF-8"
        return Record(own, kind, None, error=bad)


def json_rows(
    name: str, numbered: Iterable[tuple[int, bytes]], parser: TableParser
) -> Iterator[Record]:
    """The objects of JSON lines."""
    for offset, raw in numbered:
        line = raw.strip()
        if not line:
            continue
        place = f"{name}:{offset}"
        try:
            row = json.loads(line)
            yield _json_row(place, row, parser)
        except ValueError as error:
            text = " ".join(str(error).split())
            yield Record(place, "text", None, error=f"not a row of JSON: {text}")


def _json_row(place: str, row: Any, parser: TableParser) -> Record:
    """Raises ValueError for anything that is no row."""
    if not isinstance(row, dict):
        raise ValueError("expected an object")
    own = str(row.get(parser.id, place))
    text, words, spaces = (row.get(x) for x in (parser.text, "tokens", "spaces"))
    # Characters that UTF-8 does not have, such as one half of a pair.
    json.dumps([own, text, words], ensure_ascii=False).encode()
    if text is not None:
        if not isinstance(text, str):
            raise ValueError(f"{parser.text!r} is no text")
        return Record(own, "text", text)
    if words is None:
        return Record(own, "text", None, error=f"the row has no {parser.text!r}")
    if not isinstance(words, list) or not all(isinstance(w, str) for w in words):
        raise ValueError("'tokens' is no list of texts")
    if spaces is not None and not isinstance(spaces, list):
        raise ValueError("'spaces' is no list")
    return Record(own, "tokens", words, spaces and list(map(bool, spaces)))
