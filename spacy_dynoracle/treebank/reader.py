"""Reading CoNLL-U and CoNLL-X files, one sentence at a time.

Both formats have the same ten tab-separated columns; CoNLL-U adds comments,
multiword tokens (id ``1-2``) and empty nodes (id ``1.1``). These are not words of
the tree: the parser does not see them, and they are written back with the sentence.

Every problem names its file, line and sentence. spaCy's own converter reads
well-formed files only.

Sources: https://universaldependencies.org/format.html; Buchholz & Marsi 2006.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from ..core.state.projectivity import find_cycle
from ..errors import TreebankError
from .sentence import (
    UNKNOWN,
    MultiwordToken,
    Problem,
    TreebankSentence,
    TreebankWord,
    comment_value,
)
from .text import starts_text

COLUMNS = 10

_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_EMPTY_NODE = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})")
_BOM = b"\xef\xbb\xbf"


OnProblem = Callable[[Problem], None]


def read_conllu(
    path: str | Path,
    *,
    on_problem: OnProblem | None = None,
    stream: BinaryIO | None = None,
) -> Iterator[TreebankSentence]:
    """Yield the sentences of a ``.conllu`` or ``.conll`` file, in constant memory.

    Args:
        path: The file. If a stream is given, path is only its name in messages.
        on_problem: Called with each problem, instead of an error at the first one.
            Sentences with problems are yielded too, with their ``problems``.
        stream: An open binary file to read instead.

    Raises:
        TreebankError: At once for a missing file or a directory and, without
            on_problem, at the first problem.
    """
    name = str(path)
    report = on_problem or raise_problem
    if stream is None:
        check_exists(path)
    return _read(name, stream, report)


def check_exists(path: str | Path) -> None:
    """Raise TreebankError for a missing file and for a directory."""
    file, name = Path(path), str(path)
    if file.is_dir():
        raise TreebankError(
            f"{name}: is a directory where a .conllu or .conll file was expected; name "
            "one of its files",
            name,
        )
    if not file.exists():
        raise TreebankError(
            f"{name}: no such file; check the path of the treebank", name
        )


def raise_problem(problem: Problem) -> None:
    """Raise the error of a problem."""
    raise problem.error()


def _read(
    name: str, stream: BinaryIO | None, report: OnProblem
) -> Iterator[TreebankSentence]:
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
    """Yield the lines of each sentence.

    Comments without words are dropped, but for those that say that a document or a
    paragraph begins.
    """
    block = _Block(name, 1, report)
    offset = 0
    for number, raw in enumerate(source, 1):
        # Files that were joined have one in the middle.
        start = len(_BOM) if raw.startswith(_BOM) else 0
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
        elif block.rows:
            yield block
            block = _Block(name, block.ordinal + 1, report)
        else:
            # Where a document begins counts, wherever the blank lines are.
            block.clear(keep=[c for c in block.comments if starts_text(c)])
    if block.rows:
        yield block


class _Block:
    """The lines of a sentence, from which `sentence` makes a TreebankSentence."""

    def __init__(self, path: str, ordinal: int, report: OnProblem) -> None:
        self.path = path
        self.ordinal = ordinal
        self.report = report
        self.problems: list[Problem] = []
        self.clear()

    def clear(self, keep: Sequence[str] = ()) -> None:
        """Forget the lines seen so far, except for some comments."""
        self.first_line = 0
        self.sent_id: str | None = None
        self.comments: list[str] = list(keep)
        self.rows: list[tuple[int, str]] = []

    def add_line(self, number: int, line: str) -> None:
        self.first_line = self.first_line or number
        if not line.startswith("#"):
            self.rows.append((number, line))
            return
        self.comments.append(line)
        value = comment_value(line, "sent_id")
        if value is not None:
            self.sent_id = value or None

    def add_problem(self, line: int, kind: str, message: str) -> None:
        name = self.sent_id or f"#{self.ordinal}"
        problem = Problem(self.path, line, name, kind, message)
        self.problems.append(problem)
        self.report(problem)

    def sentence(self) -> TreebankSentence:
        words: list[TreebankWord] = []
        multiword: list[MultiwordToken] = []
        insertions: list[tuple[int, str]] = []
        expected = 1
        is_whole = True
        for number, line in self.rows:
            columns = line.split("\t")
            if len(columns) != COLUMNS:
                self.add_problem(number, "columns", _columns_message(columns))
                is_whole = False
                # The row most likely stands for a word. If it were not counted,
                # every later id would be reported as well.
                expected += 1
                continue
            word_id = columns[0]
            if word_id != str(expected):
                if self._is_insertion(number, columns, expected, multiword):
                    insertions.append((len(words), line))
                    continue
                if is_whole:
                    # After a first broken row the numbers say nothing new.
                    self._add_wrong_id(number, word_id, expected)
                is_whole = False
                expected = int(word_id) if _is_number(word_id) else expected
            words.append(self._word(number, columns))
            expected += 1
        if is_whole:
            self._check(words, multiword)
        return TreebankSentence(
            self.path,
            self.ordinal,
            self.sent_id,
            self.first_line,
            tuple(self.comments),
            tuple(words),
            tuple(token for token in multiword if token.last <= len(words)),
            tuple(insertions),
            tuple(self.problems),
        )

    def _add_wrong_id(self, line: int, word_id: str, expected: int) -> None:
        self.add_problem(
            line,
            "ids",
            f"word id {word_id!r} where {expected} was expected; number the words of "
            "each sentence 1, 2, 3, ... and end it with a blank line",
        )

    def _is_insertion(
        self,
        line: int,
        columns: list[str],
        expected: int,
        multiword: list[MultiwordToken],
    ) -> bool:
        """Whether the row is a multiword token, which is added to `multiword`, or an
        empty node.
        """
        match = _RANGE.fullmatch(columns[0])
        if match is None:
            return _EMPTY_NODE.fullmatch(columns[0]) is not None
        first, last = int(match[1]), int(match[2])
        covered = multiword[-1].last if multiword else 0
        if not columns[1].strip():
            self.add_problem(
                line,
                "form",
                "empty form (column 2) of a range; write what the text has there",
            )
        if first != expected or last <= first or first <= covered:
            self.add_problem(
                line,
                "range",
                f"range {columns[0]} is out of place; it must stand before its first "
                f"word (here {expected}), end later and overlap no other range",
            )
        else:
            multiword.append(MultiwordToken(first, last, columns[1], columns[9], line))
        return True

    def _word(self, line: int, columns: list[str]) -> TreebankWord:
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
        return TreebankWord(
            form, lemma, upos, xpos, feats, head_id, label, deps, misc, line
        )

    def _check(
        self, words: Sequence[TreebankWord], multiword: Sequence[MultiwordToken]
    ) -> None:
        """Report what can only be seen when all rows are read."""
        if not words:
            self.add_problem(
                self.first_line, "words", "no word; every sentence needs at least one"
            )
            return
        if self._heads_are_in_range(words):
            self._check_tree(words)
        if multiword and multiword[-1].last > len(words):
            last = multiword[-1]
            self.add_problem(
                last.line,
                "range",
                f"range {last.first}-{last.last} goes beyond the {len(words)} words of "
                "the sentence",
            )

    def _heads_are_in_range(self, words: Sequence[TreebankWord]) -> bool:
        in_range = True
        for word in words:
            if word.head is not None and word.head > len(words):
                in_range = False
                self.add_problem(
                    word.line,
                    "head",
                    f"head {word.head} (column 7) is out of range; the sentence has "
                    f"{len(words)} words, so heads go from 0 (root) to {len(words)}",
                )
        return in_range

    def _check_tree(self, words: Sequence[TreebankWord]) -> None:
        """Report a missing root and cycles."""
        heads = [word.head for word in words]
        cycle = find_cycle(heads)
        if not cycle:
            return
        path = _path_round(cycle[0], heads)
        line = words[cycle[0] - 1].line
        if 0 not in heads and None not in heads:
            # If all heads are known and none is 0, there is a cycle.
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


def _path_round(first: int, heads: Sequence[int | None]) -> str:
    """The cycle that a word is in, followed along the heads: ``2 -> 5 -> 2``."""
    path = [first]
    while len(path) == 1 or path[-1] != first:
        path.append(heads[path[-1] - 1] or 0)
    return " -> ".join(map(str, path))


def _columns_message(columns: list[str]) -> str:
    found = f"{len(columns)} tab-separated column{'s' if len(columns) > 1 else ''}"
    hint = "write '_' for empty columns"
    if len(columns) == 1 and len(columns[0].split()) >= COLUMNS:
        hint = "this line is separated by blanks: replace them by tabs"
    return f"{found} where {COLUMNS} were expected; {hint}"


def _is_number(text: str) -> bool:
    # Nine digits are plenty, and int() refuses very long numbers.
    return text.isascii() and text.isdigit() and len(text) <= 9
