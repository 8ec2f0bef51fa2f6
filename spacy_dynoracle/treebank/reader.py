"""Reading CoNLL-U and CoNLL-X files, one sentence at a time.

Both formats have the same ten tab-separated columns; CoNLL-U adds comments,
multiword ranges (id ``1-2``) and empty nodes (id ``1.1``), which are no words of
the tree: they are skipped for parsing and kept for writing. Formats:
https://universaldependencies.org/format.html; Buchholz & Marsi 2006.

spaCy's own converter reads well-formed files only and knows no line numbers;
here each problem names its file, line and sentence.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from ..errors import TreebankError
from .sentence import UNKNOWN, Problem, Range, Sentence, Token

COLUMNS = 10

_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_EMPTY_NODE = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})")
_SENT_ID = re.compile(r"#\s*sent_id\s*=\s*(.*?)\s*$")
_BOM = b"\xef\xbb\xbf"


OnProblem = Callable[[Problem], None]


def read_conllu(
    path: str | Path,
    *,
    on_problem: OnProblem | None = None,
    stream: BinaryIO | None = None,
) -> Iterator[Sentence]:
    """The sentences of a ``.conllu`` or ``.conll`` file, in constant memory.

    path: the file; or only its name in messages, when stream is given.
    on_problem: called with each problem instead of raising at the first. The
        sentences concerned are yielded too, with ``problems`` set.
    stream: open binary file to read instead.

    Raises TreebankError at once for a missing file or a directory, and while
    reading for the first problem unless on_problem is given.
    """
    name = str(path)
    report = on_problem or _raise
    if stream is None:
        file = Path(path)
        if file.is_dir():
            raise TreebankError(
                f"{name}: is a directory where a .conllu or .conll file was expected; "
                "name one of its files",
                name,
            )
        if not file.is_file():
            raise TreebankError(
                f"{name}: no such file; check the path of the treebank", name
            )
    return _read(name, stream, report)


def _raise(problem: Problem) -> None:
    raise problem.error()


def _read(name: str, stream: BinaryIO | None, report: OnProblem) -> Iterator[Sentence]:
    ordinal = 0
    with stream or Path(name).open("rb") as source:
        for block in _blocks(name, source, report):
            ordinal = block.ordinal
            yield block.sentence()
    if ordinal == 0:
        report(
            Problem(
                name,
                0,
                "",
                "file",
                "contains no sentence; expected lines of ten tab-separated columns, "
                "with a blank line after each sentence",
            )
        )


def _blocks(name: str, source: BinaryIO, report: OnProblem) -> Iterator["_Block"]:
    """The lines of each sentence. Comments without tokens are dropped."""
    block = _Block(name, 1, report)
    offset = 0
    for number, raw in enumerate(source, 1):
        start = len(_BOM) if number == 1 and raw.startswith(_BOM) else 0
        try:
            line = raw[start:].decode("utf-8")
        except UnicodeDecodeError as error:
            where = start + error.start
            block.add_problem(
                number,
                "encoding",
                f"byte 0x{raw[where]:02x} at offset {offset + where} of the file is "
                "not UTF-8; convert the file to UTF-8 (for example with iconv)",
            )
            line = raw[start:].decode("utf-8", errors="replace")
        offset += len(raw)
        line = line.rstrip("\r\n")
        if line.strip(" "):
            block.add_line(number, line)
        else:
            if block.rows:
                yield block
                block = _Block(name, block.ordinal + 1, report)
            else:
                block.clear()
    if block.rows:
        yield block


class _Block:
    """The lines of one sentence on their way to a Sentence."""

    def __init__(self, path: str, ordinal: int, report: OnProblem) -> None:
        self.path = path
        self.ordinal = ordinal
        self.report = report
        self.problems: list[Problem] = []
        self.clear()

    def clear(self) -> None:
        """Forget the lines seen so far."""
        self.first_line = 0
        self.sent_id: str | None = None
        self.comments: list[str] = []
        self.rows: list[tuple[int, str]] = []

    def add_line(self, number: int, line: str) -> None:
        self.first_line = self.first_line or number
        if not line.startswith("#"):
            self.rows.append((number, line))
            return
        self.comments.append(line)
        match = _SENT_ID.match(line)
        if match:
            self.sent_id = match[1] or None

    def add_problem(self, line: int, kind: str, message: str) -> None:
        name = self.sent_id or f"#{self.ordinal}"
        problem = Problem(self.path, line, name, kind, message)
        self.problems.append(problem)
        self.report(problem)

    def sentence(self) -> Sentence:
        tokens: list[Token] = []
        ranges: list[Range] = []
        insertions: list[tuple[int, str]] = []
        expected = 1
        whole = True
        for number, line in self.rows:
            columns = line.split("\t")
            if len(columns) != COLUMNS:
                self.add_problem(number, "columns", _columns_message(columns))
                whole = False
                # The row most likely stands for a word: without counting it,
                # every later id would be reported as well.
                expected += 1
                continue
            word_id = columns[0]
            if word_id != str(expected):
                if self._insertion(number, columns, expected, ranges):
                    insertions.append((len(tokens), line))
                    continue
                if whole:
                    # After a first broken row the numbers say nothing new.
                    self.add_problem(
                        number,
                        "ids",
                        f"word id {word_id!r} where {expected} was expected; number "
                        "the words of each sentence 1, 2, 3, ... and end it with a "
                        "blank line",
                    )
                whole = False
                expected = int(word_id) if _is_number(word_id) else expected
            tokens.append(self._token(number, columns))
            expected += 1
        if not tokens and whole:
            self.add_problem(
                self.first_line, "words", "no word; every sentence needs at least one"
            )
        elif whole:
            self._check_tree(tokens)
            if ranges and ranges[-1].last > len(tokens):
                self.add_problem(
                    ranges[-1].line,
                    "range",
                    f"range {ranges[-1].first}-{ranges[-1].last} goes beyond the "
                    f"{len(tokens)} words of the sentence",
                )
        return Sentence(
            self.path,
            self.ordinal,
            self.sent_id,
            self.first_line,
            tuple(self.comments),
            tuple(tokens),
            tuple(ranges),
            tuple(insertions),
            tuple(self.problems),
        )

    def _insertion(
        self, line: int, columns: list[str], expected: int, ranges: list[Range]
    ) -> bool:
        """Whether the row is a multiword range (then noted) or an empty node."""
        match = _RANGE.fullmatch(columns[0])
        if match is None:
            return _EMPTY_NODE.fullmatch(columns[0]) is not None
        first, last = int(match[1]), int(match[2])
        covered = ranges[-1].last if ranges else 0
        if first != expected or last < first or first <= covered:
            self.add_problem(
                line,
                "range",
                f"range {columns[0]} is out of place; it must stand before its first "
                f"word (here {expected}), end no earlier and overlap no other range",
            )
        else:
            ranges.append(Range(first, last, columns[1], columns[9], line))
        return True

    def _token(self, line: int, columns: list[str]) -> Token:
        _, form, lemma, upos, xpos, feats, head, deprel, deps, misc = columns
        if not form.strip():
            self.add_problem(
                line, "form", "empty form (column 2); every word needs a form"
            )
        if not deprel.strip():
            self.add_problem(
                line, "deprel", "empty label (column 8); write '_' where it is unknown"
            )
        head_id: int | None = None
        if _is_number(head):
            head_id = int(head)
        elif head != UNKNOWN:
            self.add_problem(
                line,
                "head",
                f"head {head!r} (column 7) is not an integer; expected the id of a "
                "word, 0 for the root or '_' where it is unknown",
            )
        label = None if deprel == UNKNOWN else deprel
        return Token(form, lemma, upos, xpos, feats, head_id, label, deps, misc, line)

    def _check_tree(self, tokens: Sequence[Token]) -> None:
        """Report heads out of range, a missing root and cycles."""
        in_range = True
        for token in tokens:
            if token.head is not None and token.head > len(tokens):
                in_range = False
                self.add_problem(
                    token.line,
                    "head",
                    f"head {token.head} (column 7) is out of range; the sentence has "
                    f"{len(tokens)} words, so heads go from 0 (root) to {len(tokens)}",
                )
        if not in_range:
            return
        heads = [token.head for token in tokens]
        cycle = find_cycle(heads)
        if cycle is None:
            return
        path = " -> ".join(str(word) for word in [*cycle, cycle[0]])
        line = tokens[cycle[0] - 1].line
        if 0 not in heads and None not in heads:
            # Where all heads are known, a tree that lacks a root has a cycle.
            self.add_problem(
                line,
                "root",
                "no root: no word has head 0, and following the heads ends in the "
                f"cycle {path}; give one word of the sentence head 0",
            )
        else:
            self.add_problem(
                line,
                "cycle",
                f"cycle: following the heads leads {path}; every word must lead to "
                "the root (head 0)",
            )


def _columns_message(columns: list[str]) -> str:
    found = f"{len(columns)} tab-separated column{'s' if len(columns) > 1 else ''}"
    hint = "write '_' for empty columns"
    if len(columns) == 1 and len(columns[0].split()) >= COLUMNS:
        hint = "this line is separated by blanks: replace them by tabs"
    return f"{found} where {COLUMNS} were expected; {hint}"


def _is_number(text: str) -> bool:
    # Nine digits are plenty, and int() refuses very long numbers.
    return text.isascii() and text.isdigit() and len(text) <= 9


def find_cycle(heads: Sequence[int | None]) -> list[int] | None:
    """The ids of the words of a cycle, from its first word along the heads.

    heads: head id of each word (0: root, None: unknown), all within the
        sentence. None is returned when there is no cycle.
    """
    done = [True] + [False] * len(heads)
    for start in range(1, len(heads) + 1):
        path: dict[int, None] = {}
        word: int | None = start
        while word is not None and not done[word]:
            if word in path:
                cycle = list(path)[list(path).index(word) :]
                first = cycle.index(min(cycle))
                return cycle[first:] + cycle[:first]
            path[word] = None
            word = heads[word - 1]
        for visited in path:
            done[visited] = True
    return None
