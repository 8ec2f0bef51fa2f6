"""The tokens of a Doc to be made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice

from spacy.tokens import Doc

from .joining import with_numbers
from .stretches import token_texts


def unchanged(
    words: Sequence[str], old: Sequence[str], sources: Sequence[int]
) -> dict[int, int]:
    """Where the old words are now that are no part of a number.

    Args:
        words, sources: As `with_numbers` gives them.
    """
    pairs = zip(words, sources, strict=True)
    return {i: now for now, (word, i) in enumerate(pairs) if word == old[i]}


@dataclass
class Tokens:
    """The tokens of a Doc to be made.

    Attributes:
        words: Their texts.
        followed: Whether a blank follows each.
        sources, is_new: As in `rewriting.Rewritten`, with the indices of the old Doc.
    """

    words: list[str] = field(default_factory=list)
    followed: list[bool] = field(default_factory=list)
    sources: list[int] = field(default_factory=list)
    is_new: list[bool] = field(default_factory=list)

    @classmethod
    def of(cls, doc: Doc) -> Tokens:
        """The tokens of a Doc, as they are."""
        words, followed = token_texts(doc)
        return cls(words, followed, list(range(len(doc))), [False] * len(doc))

    def take(self, other: Tokens, start: int, stop: int) -> None:
        """Append some tokens of another list."""
        self.words += other.words[start:stop]
        self.followed += other.followed[start:stop]
        self.sources += other.sources[start:stop]
        self.is_new += other.is_new[start:stop]

    def append(
        self, words: Sequence[str], sources: list[int], is_new: list[bool], blank: bool
    ) -> None:
        """Append new tokens without blanks between them.

        Args:
            blank: Whether one follows.
        """
        self.words += words
        self.followed += [False] * (len(words) - 1) + [blank]
        self.sources += sources
        self.is_new += is_new

    def with_numbers(
        self, numbers: list[tuple[int, int]], to_split: list[int]
    ) -> tuple[Tokens, list[int]]:
        """The tokens with whole numbers, and the indices of those that may be split.

        Args:
            numbers: What `numbers_in` gives.
        """
        words, followed, old = with_numbers(self.words, self.followed, numbers)
        stayed = unchanged(words, self.words, old)
        is_new = [i not in stayed or self.is_new[i] for i in old]
        made = Tokens(words, followed, [self.sources[i] for i in old], is_new)
        return made, [stayed[i] for i in to_split if i in stayed]

    def keep_attributes(self, old: Tokens) -> None:
        """Let tokens that were joined and then cut as they had been before keep their
        attributes.

        Args:
            old: The tokens of the same text before.
        """
        if not any(self.is_new):
            return
        at = dict(zip(old.starts(), enumerate(old.words), strict=True))
        for i, start in enumerate(self.starts()):
            if self.is_new[i] and start in at and at[start][1] == self.words[i]:
                self.sources[i], self.is_new[i] = at[start][0], False

    def starts(self) -> Iterator[int]:
        """Yield the first character of each token."""
        lengths = map(len, self.words)
        steps = (n + f for n, f in zip(lengths, self.followed, strict=True))
        return islice(accumulate(steps, initial=0), len(self.words))
