"""The sentences of CoNLL-U and CoNLL-X files, and what can be wrong with them."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from ..errors import TreebankError

# What both formats write for "no value" and "unknown".
UNKNOWN = "_"

_TEXT = re.compile(r"#\s*text\s*=\s*(.*?)\s*$")


class Token(NamedTuple):
    """One word of the tree: the ten columns as read.

    head is the id of the head, 0 for the artificial root and None where the
    file has ``_`` (unknown); deprel is None where it has ``_``. line is the
    1-based line of the file. In CoNLL-X the last two columns are PHEAD and
    PDEPREL; they are carried along under the CoNLL-U names.
    """

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int | None
    deprel: str | None
    deps: str
    misc: str
    line: int


class Range(NamedTuple):
    """A multiword token: the surface form of the words first..last (1-based)."""

    first: int
    last: int
    form: str
    misc: str
    line: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a file.

    kind is one of ``file``, ``encoding``, ``columns``, ``ids``, ``range``,
    ``form``, ``head``, ``deprel``, ``words``, ``root`` and ``cycle``. line is
    1-based, or 0 where the file as a whole is meant; sentence is then empty.
    """

    path: str
    line: int
    sentence: str
    kind: str
    message: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        sentence = f" sentence {self.sentence}:" if self.sentence else ""
        return f"{place}:{sentence} {self.message}"

    def error(self) -> TreebankError:
        """The same as an exception."""
        return TreebankError(
            str(self), self.path, self.line or None, self.sentence or None
        )


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a file.

    ordinal counts the sentences of the file from 1; line is the 1-based line of
    its first comment or token; comments are whole lines. insertions are the
    whole lines of ranges and empty nodes, each with the number of words before
    it. problems is empty unless the reader was asked to collect them; a sentence
    with problems may lack tokens.
    """

    path: str
    ordinal: int
    sent_id: str | None
    line: int
    comments: tuple[str, ...]
    tokens: tuple[Token, ...]
    ranges: tuple[Range, ...] = ()
    insertions: tuple[tuple[int, str], ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def name(self) -> str:
        """The sent_id, or ``#`` and the ordinal, for messages."""
        return self.sent_id or f"#{self.ordinal}"

    @property
    def forms(self) -> list[str]:
        """The words."""
        return [token.form for token in self.tokens]

    @property
    def heads(self) -> list[int | None]:
        """Head ids (0: the artificial root, None: unknown), one per word."""
        return [token.head for token in self.tokens]

    @property
    def deprels(self) -> list[str | None]:
        """Dependency labels (None: unknown), one per word."""
        return [token.deprel for token in self.tokens]

    @property
    def text(self) -> str | None:
        """The ``# text`` comment, None without one."""
        matches = (_TEXT.match(comment) for comment in self.comments)
        return next((match[1] for match in matches if match), None)
