"""Sentences of CoNLL-U and CoNLL-X files, and the problems found in them."""

from dataclasses import dataclass
from typing import NamedTuple

from ..errors import TreebankError

# Both formats write this for "no value" and for "unknown".
UNKNOWN = "_"


def comment_value(comment: str, name: str) -> str | None:
    """The value in a comment ``# name = value``; None for other comments."""
    found, equals, value = comment[1:].partition("=")
    return value.strip() if equals and found.strip() == name else None


class TreebankWord(NamedTuple):
    """A word of a treebank: the ten columns of its line.

    In CoNLL-X the last two columns are PHEAD and PDEPREL; they are kept under the
    CoNLL-U names.

    Attributes:
        head: Id of the head; 0 is the artificial root, None is unknown (``_``).
        deprel: The label; None is unknown (``_``).
        line: Line number in the file, counted from 1.
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


class MultiwordToken(NamedTuple):
    """A multiword token: the surface form of the words first..last.

    Attributes:
        first, last: Ids of words, counted from 1.
    """

    first: int
    last: int
    form: str
    misc: str
    line: int


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in a treebank file. `str()` gives the complete message.

    Attributes:
        line: Line number, counted from 1; 0 for a problem of the whole file.
        sentence: Name of the sentence; empty for a problem of the whole file.
        kind: ``file``, ``encoding``, ``columns``, ``ids``, ``range``, ``form``,
            ``head``, ``deprel``, ``words``, ``root`` or ``cycle``; of warnings
            ``text``, ``sent_id`` or ``root``.
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
        """The problem as an exception."""
        return TreebankError(
            str(self), self.path, self.line or None, self.sentence or None
        )


@dataclass(frozen=True, slots=True)
class TreebankSentence:
    """A sentence of a treebank file.

    Attributes:
        path: The file, as the user named it.
        ordinal: Number of the sentence in the file, counted from 1.
        line: Line number of the first comment or word, counted from 1.
        comments: Whole lines.
        words: Without multiword tokens and empty nodes.
        insertions: The whole lines of multiword tokens and empty nodes, each with the
            number of words before it.
        problems: Empty unless the reader was asked to collect problems. A sentence with
            problems may lack words.
    """

    path: str
    ordinal: int
    sent_id: str | None
    line: int
    comments: tuple[str, ...]
    words: tuple[TreebankWord, ...]
    multiword_tokens: tuple[MultiwordToken, ...] = ()
    insertions: tuple[tuple[int, str], ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def name(self) -> str:
        """The sent_id, or ``#`` and the ordinal if there is none."""
        return self.sent_id or f"#{self.ordinal}"

    @property
    def forms(self) -> list[str]:
        """The forms of the words."""
        return [word.form for word in self.words]

    @property
    def heads(self) -> list[int | None]:
        """The head id of each word; 0 is the artificial root, None is unknown."""
        return [word.head for word in self.words]

    @property
    def deprels(self) -> list[str | None]:
        """The label of each word; None is unknown."""
        return [word.deprel for word in self.words]

    @property
    def text(self) -> str | None:
        """The text in the comment ``# text``; None without that comment."""
        values = (comment_value(comment, "text") for comment in self.comments)
        return next((value for value in values if value is not None), None)

    @property
    def has_tags(self) -> bool:
        """Whether any word has a UPOS or an XPOS tag."""
        return any(word.upos != UNKNOWN or word.xpos != UNKNOWN for word in self.words)
