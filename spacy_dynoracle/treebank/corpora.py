"""Reading corpora in every kind of file: CoNLL-U, spaCy's own, packed, and piped.

A corpus is a ``.conllu`` or ``.conll`` file, a ``.spacy`` file, one of these packed
with gzip (``.conllu.gz``), or ``-`` for standard input, which may be any of these.
CoNLL-U is seen from its content, whatever the name of the file. Commands read a corpus
several times, so standard input and named pipes are kept in memory.
"""

import codecs
import gzip
import io
import os
import re
import sys
import warnings
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TextIO
from weakref import WeakKeyDictionary

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from ..doc.reference import group_sentences, mend_sentence_starts
from ..errors import TreebankError
from ..util.texts import SEVERAL
from .docs import to_doc
from .files import SUFFIXES
from .reader import COLUMNS, OnProblem, check_exists, raise_problem, read_conllu
from .sentence import Problem, TreebankSentence
from .writer import doc_to_conllu

# Suffix of the files that `spacy convert` writes and `spacy train` reads.
SPACY = ".spacy"
PACKED = ".gz"
STDIN = "-"
KINDS = "a .conllu, .conll or .spacy file, one of these with .gz, or - (standard input)"

_GZIP = b"\x1f\x8b"
# A .spacy file is packed by zlib, whose first bytes are not UTF-8.
_ZLIB = b"\x78\x9c"
# A line of CoNLL-U begins with the number of a word, two numbers, or a decimal one.
_FIRST_COLUMN = re.compile(rb"[0-9]+([-.][0-9]+)?")
# The same of the first line of a sentence, and the number of a head.
_FIRST_ROW = re.compile(rb"1(-[0-9]+)?|[01]\.1")
_HEAD_COLUMN = re.compile(rb"[0-9]+|_")

_NO_BOUNDARIES = (
    "{}: {!r} has no sentence boundaries, so that it is read as one sentence: set "
    "token.is_sent_start of every token, True where a sentence begins, False elsewhere"
)

# What was read from standard input, all of it or its first lines. Tests put other
# streams in its place.
_piped: WeakKeyDictionary[TextIO, bytes] = WeakKeyDictionary()
_begun: WeakKeyDictionary[TextIO, list[bytes]] = WeakKeyDictionary()
# What was read from named pipes, by name, device and number of the file.
_named: dict[tuple[str, int, int], bytes] = {}


def read_treebank(
    path: str | Path, *, on_problem: OnProblem | None = None, is_conllu: bool = False
) -> Iterator[TreebankSentence]:
    """Yield the sentences of a corpus; CoNLL-U is read in constant memory.

    The first sentence of each document of a .spacy file has the comment ``# newdoc``.
    Whitespace tokens are left out.

    Args:
        path: A .conllu, .conll or .spacy file, one of these packed with gzip (.gz), or
            ``-`` for standard input, which may be any of these.
        on_problem: See `read_conllu`.
        is_conllu: Whether the file is known to be CoNLL-U, whatever it looks like.

    Raises:
        TreebankError: At once for anything else, and otherwise as `read_conllu`.
    """
    if not is_conllu and is_spacy(path):
        return _sentences(path, on_problem)
    if Path(path).is_file() and not is_packed(path):
        return read_conllu(path, on_problem=on_problem)
    name = corpus_name(path)
    return read_conllu(name, on_problem=on_problem, stream=open_corpus(path))


def read_docs(path: str | Path, vocab: Vocab, n_sents: int = 1) -> list[Doc]:
    """The documents of a corpus.

    Args:
        path: As for `read_treebank`.
        n_sents: Sentences of CoNLL-U in a document; those with some unknown heads are
            documents of their own.

    Raises:
        TreebankError: For other files, files that cannot be read and empty files.
    """
    if is_spacy(path):
        docs = read_doc_bin(path, vocab)
    else:
        docs = [to_doc(sentence, vocab) for sentence in read_treebank(path)]
        docs = list(group_sentences(docs, n_sents)) if n_sents > 1 else docs
    if not docs:
        raise TreebankError(
            f"{corpus_name(path)}: the file contains no document", str(path)
        )
    return docs


def spacy_files(path: str | Path) -> list[Path]:
    """The .spacy files below a folder, as spaCy's corpora have them, or the one file
    that is named.

    Raises:
        TreebankError: For a folder without any.
    """
    folder = Path(path)
    if not folder.is_dir():
        return [folder]
    found = sorted(folder.rglob(f"*{SPACY}"))
    if not found:
        raise TreebankError(f"{path}: no .spacy file in it", str(path))
    return found


def read_doc_bin(path: str | Path, vocab: Vocab) -> list[Doc]:
    """The documents of a .spacy file.

    Raises:
        TreebankError: If it cannot be read.
    """
    with open_corpus(path) as stream:
        try:
            return list(DocBin().from_bytes(stream.read()).get_docs(vocab))
        except Exception as error:
            raise TreebankError(
                f"{corpus_name(path)}: cannot be read as a .spacy file "
                f"({type(error).__name__}: {error})",
                str(path),
            ) from error


def corpus_name(path: str | Path) -> str:
    """The name of a corpus in messages and tables."""
    return "standard input" if str(path) == STDIN else str(path)


def corpus_suffix(path: str | Path) -> str:
    """The suffix of a file below ``.gz``, in lower case: ``.txt`` of ``A.TXT.gz``."""
    path = Path(str(path).lower())
    return path.with_suffix("").suffix if path.suffix == PACKED else path.suffix


def is_corpus(path: str | Path) -> bool:
    """Whether a name is that of a corpus: by its suffix, ``-``, that of a pipe, as the
    shell makes them of ``<(command)``, or that of a file with CoNLL-U.
    """
    if str(path) == STDIN or corpus_suffix(path) in (*SUFFIXES, SPACY):
        return True
    return is_pipe(path) or (Path(path).is_file() and has_sentences(path))


def is_pipe(path: str | Path) -> bool:
    """Whether a name is that of a named pipe or a device."""
    file = Path(path)
    return file.exists() and not file.is_file() and not file.is_dir()


def has_sentences(path: str | Path) -> bool:
    """Whether an input has the sentences of a treebank, rather than text: by its
    suffix, or else by its content.

    Raises:
        TreebankError: If a packed file is damaged.
    """
    if str(path) == STDIN:
        return stdin_is_corpus()
    if corpus_suffix(path) in (*SUFFIXES, SPACY):
        return True
    if not is_packed(path) or is_pipe(path):
        with open_corpus(path) as stream:
            return begins_with_sentence(stream)
    # Only the beginning is unpacked.
    with gzip.open(path) as packed, _unpacking(path):
        return begins_with_sentence(packed)


def begins_with_sentence(lines: Iterable[bytes]) -> bool:
    """Whether the first line that is neither empty nor a comment has the columns of
    CoNLL-U. Blanks in place of tabs count as well, so that the reader can say so.
    """
    for line in lines:
        row = line.removeprefix(codecs.BOM_UTF8)
        if not row.strip() or row.startswith(b"#"):
            continue
        separator = b"\t" if b"\t" in row else None
        columns = row.strip(b" \r\n").split(separator, COLUMNS)
        if len(columns) != COLUMNS or not _FIRST_COLUMN.fullmatch(columns[0]):
            return False
        # A line of a text may have ten words, too, the first of which is a number.
        return separator is not None or bool(
            _FIRST_ROW.fullmatch(columns[0]) and _HEAD_COLUMN.fullmatch(columns[6])
        )
    return False


def is_packed(path: str | Path) -> bool:
    """Whether a name is that of a file packed with gzip."""
    return Path(path).suffix.lower() == PACKED


def is_spacy(path: str | Path) -> bool:
    """Whether a corpus is in spaCy's format; otherwise it is CoNLL-U.

    Raises:
        TreebankError: Unless it is there, and is one that can be read.
    """
    check_corpus(path)
    if str(path) == STDIN:
        return _standard_input()[:2] == _ZLIB
    if is_pipe(path):
        return _pipe(path)[:2] == _ZLIB
    return corpus_suffix(path) == SPACY


def check_corpus(path: str | Path) -> None:
    """Raise TreebankError unless something of the right name is there."""
    file, name = Path(path), str(path)
    if name == STDIN:
        return
    if file.is_dir() or not file.suffix or corpus_suffix(file) in (*SUFFIXES, SPACY):
        check_exists(path)
    if not is_corpus(file):
        raise TreebankError(f"{name}: expected {KINDS}", name)


def open_corpus(path: str | Path) -> BinaryIO:
    """The bytes of a file or of standard input, unpacked.

    Raises:
        TreebankError: If a packed file is damaged.
    """
    if str(path) == STDIN:
        return io.BytesIO(_standard_input())
    if is_pipe(path):
        return io.BytesIO(_pipe(path))
    if not is_packed(path):
        return Path(path).open("rb")
    # All at once, so that a damaged file is found here and nowhere else.
    with _unpacking(path):
        return io.BytesIO(gzip.decompress(Path(path).read_bytes()))


def text_lines(path: str | Path) -> Iterator[bytes]:
    """Yield the lines of a text file or of standard input, unpacked; those of a text
    are not kept in memory.
    """
    if str(path) == STDIN and sys.stdin not in _piped and not _is_packed_stdin():
        yield from chain(_begun.pop(sys.stdin, []), sys.stdin.buffer)
        return
    with open_corpus(path) as stream:
        yield from stream


def stdin_is_corpus() -> bool:
    """Whether standard input is a treebank, rather than text: a .spacy file, or
    CoNLL-U (see `begins_with_sentence`).
    """
    if sys.stdin in _piped or _is_packed_stdin():
        data = _standard_input()
        return data[:2] == _ZLIB or begins_with_sentence(io.BytesIO(data))
    return begins_with_sentence(_lines_read())


def _is_packed_stdin() -> bool:
    return next(_lines_read(), b"")[:2] in (_GZIP, _ZLIB)


def _lines_read() -> Iterator[bytes]:
    """Yield the lines of standard input, which are kept as far as they are read."""
    lines = _begun.setdefault(sys.stdin, [])
    yield from lines
    for line in sys.stdin.buffer:
        lines.append(line)
        yield line


def unpacked(data: bytes, path: str | Path) -> bytes:
    """Data of a pipe, unpacked if they are packed with gzip."""
    with _unpacking(path):
        return gzip.decompress(data) if data[:2] == _GZIP else data


@contextmanager
def _unpacking(path: str | Path) -> Iterator[None]:
    """Turn an error of gzip into a TreebankError that names the corpus."""
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TreebankError(
            f"{corpus_name(path)}: cannot be unpacked as a .gz file ({error})",
            str(path),
        ) from error


def _standard_input() -> bytes:
    """All of standard input, unpacked."""
    stream = sys.stdin
    if stream not in _piped:
        begun = _begun.pop(stream, [])
        _piped[stream] = unpacked(b"".join(begun) + stream.buffer.read(), STDIN)
    return _piped[stream]


def _pipe(path: str | Path) -> bytes:
    """The content of a named pipe, unpacked. It can be read only once."""
    found = os.stat(path)
    key = str(path), found.st_dev, found.st_ino
    if key not in _named:
        _named[key] = unpacked(Path(path).read_bytes(), path)
    return _named[key]


def _sentences(
    path: str | Path, on_problem: OnProblem | None
) -> Iterator[TreebankSentence]:
    """The sentences of a .spacy file, in the form that they have in CoNLL-U."""
    name = corpus_name(path)
    given = on_problem or raise_problem

    def report(problem: Problem) -> None:
        # There are no lines in the file.
        given(replace(problem, line=0))

    numbers = iter(range(1, sys.maxsize))
    ordinal = 0
    is_told = False
    for doc in read_docs(path, Vocab()):
        has_boundaries = doc.has_annotation("SENT_START")
        if not (is_told or has_boundaries) and SEVERAL.search(doc.text):
            warnings.warn(_NO_BOUNDARIES.format(name, doc.text[:60]), stacklevel=2)
            is_told = True
        mend_sentence_starts(doc)
        text = doc_to_conllu(doc, sent_ids=numbers)
        if not text:
            continue
        stream = io.BytesIO(f"# newdoc\n{text}".encode())
        for sentence in read_conllu(name, on_problem=report, stream=stream):
            ordinal += 1
            yield replace(sentence, ordinal=ordinal)
