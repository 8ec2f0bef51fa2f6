"""From the tokens of a tokenizer to the words of a treebank."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from spacy.attrs import LEMMA, MORPH, NORM, ORTH, POS, SPACY, TAG
from spacy.lang.lex_attrs import like_email, like_url
from spacy.lang.tokenizer_exceptions import URL_MATCH
from spacy.tokens import Doc

from ..treebank import multiword
from ..util.typography import composed
from .asking import Rules
from .boundaries import Ends, WordBoundaries, ends_of
from .joining import numbers_in, with_numbers, with_pieces
from .pretokens import places_of, pretokens, token_texts
from .splits import Split
from .splitter import Splitter

# What tokenizers set on tokens; those of some languages tag.
_KEPT = [NORM, TAG, POS, MORPH, LEMMA]

# How many pretokens are remembered, and of how many tokens.
_REMEMBERED = 1 << 16
_SHORT = 8


# A date and time as computers write it.
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?")
# Shorter tokens are no addresses; longer ones are not looked at.
_ADDRESS = range(6, 2000)


def is_address(text: str) -> bool:
    """Whether a token is a URL, an e-mail address, or a time of computers."""
    if len(text) not in _ADDRESS or text.isalnum():
        return False
    is_url = "://" in text or text.startswith("www.")
    host, slash, _ = text.partition("/")
    return (
        (is_url and like_url(text))
        or (slash and "." in host and URL_MATCH(text) is not None)
        or ("@" in text and like_email(text))
        or (text[0].isdigit() and _TIME.fullmatch(text) is not None)
    )


def _with_whole_times(text: str, ends: Ends) -> Ends:
    """The ends of words, with the times of computers as words, as in "(...T12:30Z)"."""
    times = list(_TIME.finditer(text)) if "T" in text and ":" in text else ()
    if not times:
        return ends
    starts = [time.start() for time in times]
    found = {place for time in times for place in time.span()} - {0, len(text)}
    for end in ends:
        time = bisect_left(starts, end) - 1
        if time < 0 or end >= times[time].end():
            found.add(end)
    return tuple(sorted(found))


class Rewritten(NamedTuple):
    """The words that replace the tokens of a pretoken.

    Attributes:
        words: The tokens that the treebank would have, multiword tokens as one.
        to_split: The numbers of those that may be multiword tokens.
    """

    words: tuple[str, ...]
    to_split: tuple[int, ...]


class Rewriter:
    """Gives Docs the words that a treebank would have.

    Args:
        boundaries: Knows where words begin and end between two blanks.
        splitter: Finds the multiword tokens. Neither may change as long as the rewriter
            is in use, because it remembers what they find.
        cases: The texts of tokens that stay as they are.
        rules: Knows where the boundaries have to see what the rules find.
        joins_numbers: Whether a number with blanks, such as 10 000, is one word.
    """

    def __init__(
        self,
        boundaries: WordBoundaries,
        splitter: Splitter,
        cases: Sequence[tuple[str, ...]] = (),
        rules: Rules | None = None,
        joins_numbers: bool = False,
    ) -> None:
        self.boundaries = boundaries
        self.splitter = splitter
        self.cases = tuple(cases)
        self.rules = rules or Rules()
        self.joins_numbers = joins_numbers
        # Special cases stay, also those of digits.
        self._apart = {token for case in self.cases for token in case}
        # By the forms of the tokens of a pretoken; None if nothing changes there.
        self._remembered: dict[int | tuple[int, ...], Rewritten | None] = {}

    def __bool__(self) -> bool:
        return bool(self.boundaries or self.splitter) or self.joins_numbers

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies for other processes begin without memory.
        return type(self), (
            self.boundaries,
            self.splitter,
            self.cases,
            self.rules,
            self.joins_numbers,
        )

    def forget(self) -> None:
        """Forget what pretokens become, because the rules have changed."""
        self._remembered.clear()

    def __call__(self, doc: Doc) -> Doc:
        """The Doc with other tokens, or itself if it has the right ones.

        A new Doc takes one pass. The retokenizer of spaCy moves all later tokens at
        each change.
        """
        changes = list(self._changes(doc))
        if not changes and not self.joins_numbers:
            return doc
        old, old_followed = token_texts(doc)
        words: list[str] = []
        followed: list[bool] = []
        to_split: list[int] = []
        done = 0
        for start, stop, found in (*changes, (len(old), len(old), None)):
            words += old[done:start]
            followed += old_followed[done:start]
            done = stop
            if found is not None:
                to_split += [len(words) + i for i in found.to_split]
                words += found.words
                followed += [False] * (len(found.words) - 1) + [old_followed[stop - 1]]
        words, followed, marked = self.finished(words, followed, to_split)
        made = doc if words == old else _remade(doc, words, followed)
        multiword.mark(made, marked)
        return made

    def finished(
        self, words: list[str], followed: list[bool], to_split: list[int]
    ) -> tuple[list[str], list[bool], list[tuple[int, list[str]]]]:
        """The words with numbers joined and multiword tokens split, whether a blank
        follows each, and what `multiword.mark` takes.
        """
        numbers = numbers_in(words, followed, self._apart) if self.joins_numbers else []
        if numbers:
            old = words
            words, followed, sources = with_numbers(words, followed, numbers)
            now = {i: k for k, i in enumerate(sources) if words[k] == old[i]}
            to_split = [now[i] for i in to_split if i in now]
        splits = self.splitter.find(words, to_split)
        found = [(i, *_split(split, words[i])) for i, split in splits]
        if found:
            words, followed = with_pieces(words, followed, found)
        marked, more = [], 0
        for i, pieces, forms in found:
            marked.append((i + more, forms))
            more += len(pieces) - 1
        return words, followed, marked

    def _changes(self, doc: Doc) -> Iterator[tuple[int, int, Rewritten]]:
        """Yield the first token of each pretoken that changes or may change, the token
        after it, and what becomes of it.
        """
        table = doc.to_array([ORTH, SPACY]).reshape(len(doc), 2)
        forms = table[:, 0].tolist()
        stops = (np.flatnonzero(table[:, 1]) + 1).tolist()
        remembered = self._remembered
        start = 0
        for stop in (*stops, len(forms)):
            # Most pretokens are one token, for which a tuple would take longer.
            key = forms[start] if stop - start == 1 else tuple(forms[start:stop])
            try:
                found = remembered[key]
            except KeyError:
                words = [doc.vocab.strings[form] for form in forms[start:stop]]
                found = self.rewritten(words)
                if len(remembered) >= _REMEMBERED:
                    remembered.clear()
                if len(words) <= _SHORT:
                    remembered[key] = found
            if found is not None:
                yield start, stop, found
            start = stop

    def rewritten(self, old: Sequence[str]) -> Rewritten | None:
        """The words that replace tokens without blanks between them; None if the tokens
        are certain to stay.
        """
        words: list[str] = []
        fixed: set[int] = set()
        done = 0
        for first, stop, is_fixed in self._parts(old):
            # Whitespace stays.
            words += old[done:first]
            text, ends = "".join(old[first:stop]), ends_of(old[first:stop])
            found = ends
            if is_fixed:
                fixed.update(range(len(words), len(words) + stop - first))
            elif len(ends) > 1 and is_address(text):
                found = ()
            elif self.boundaries:
                are_needed = self.rules.are_needed(text)
                found = self.boundaries.find(text, ends if are_needed else None)
                found = _with_whole_times(text, found)
            words += (text[i:j] for i, j in pairwise((0, *found, len(text))))
            done = stop
        words += old[done:]
        can_split = self.splitter.can_split if self.splitter else lambda _: False
        to_split = tuple(
            i for i, word in enumerate(words) if i not in fixed and can_split(word)
        )
        if not to_split and words == list(old):
            return None
        return Rewritten(tuple(words), to_split)

    def _parts(self, old: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
        """Yield parts of the pretokens of some tokens: the first token, the one after
        the last, and whether they are a special case, which stays.
        """
        for start, stop in pretokens(old, [False] * len(old)):
            first = i = start
            while i < stop:
                length = self._fixed(old, i, stop)
                if length and first < i:
                    yield first, i, False
                if length:
                    yield i, i + length, True
                    first = i + length
                i += length or 1
            if first < stop:
                yield first, stop, False

    def _fixed(self, old: Sequence[str], i: int, stop: int) -> int:
        """The number of tokens from token i on that stay as they are: those of a
        special case, or an address that the rules have found.
        """
        lengths = (
            len(case)
            for case in self.cases
            if i + len(case) <= stop and tuple(old[i : i + len(case)]) == case
        )
        return max(lengths, default=int(is_address(old[i])))


def _split(split: Split, token: str) -> tuple[list[str], list[str]]:
    """The pieces of a multiword token, and the forms of its words."""
    text, places = composed(token)
    pieces, forms = split.words(text)
    if not places:
        return pieces, forms
    given = cut_like(pieces, token, places)
    same = [piece == form for piece, form in zip(pieces, forms, strict=True)]
    # A form that is its piece has the characters of the text.
    return given, [g if s else f for g, f, s in zip(given, forms, same, strict=True)]


def cut_like(pieces: Iterable[str], text: str, places: Sequence[int]) -> list[str]:
    """Cut a text where its composed form is cut.

    Args:
        pieces: Of the composed form.
        places: What `composed` gives with it.
    """
    cuts = [places[end] for end in accumulate(map(len, pieces), initial=0)]
    return [text[start:end] for start, end in pairwise(cuts)]


def _remade(doc: Doc, words: list[str], followed: list[bool]) -> Doc:
    """A Doc of these words, each with the attributes of the token that it begins in.

    NORM belongs to a text, so only the same text at the same place keeps it.
    """
    made = Doc(doc.vocab, words=words, spaces=followed, user_data=doc.user_data)
    places = np.array(places_of(*token_texts(doc)))
    at = np.array(places_of(words, followed)[:-1])
    sources = np.searchsorted(places, at, side="right") - 1
    kept: Any = doc.to_array(_KEPT)[sources]
    forms, old_forms = made.to_array(ORTH), doc.to_array(ORTH)
    kept[(places[sources] != at) | (forms != old_forms[sources]), 0] = 0
    return made.from_array(_KEPT, kept)
