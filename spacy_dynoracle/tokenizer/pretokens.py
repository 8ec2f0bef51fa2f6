"""Pretokens: the parts of a text between two blanks, each of one or several words."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from operator import add

from spacy.attrs import ORTH, SPACY
from spacy.tokens import Doc

from ..util.typography import is_blank
from .boundaries import Ends, ends_of


def token_texts(doc: Doc) -> tuple[list[str], list[bool]]:
    """The texts of the tokens, and whether a blank follows each."""
    table = doc.to_array([ORTH, SPACY]).reshape(len(doc), 2)
    strings = doc.vocab.strings
    texts = [strings[number] for number in table[:, 0].tolist()]
    return texts, (table[:, 1] != 0).tolist()


def pretokens(
    texts: Sequence[str], followed: Sequence[bool]
) -> Iterator[tuple[int, int]]:
    """Yield the first token of each pretoken, and the token after it.

    Whitespace tokens belong to none.
    """
    first = 0
    for i, text in enumerate(texts):
        if is_blank(text):
            if first < i:
                yield first, i
            first = i + 1
        elif followed[i]:
            yield first, i + 1
            first = i + 1
    if first < len(texts):
        yield first, len(texts)


def places_of(words: Sequence[str], followed: Sequence[bool]) -> list[int]:
    """Where words begin in their text, in characters, and where it ends.

    Args:
        followed: Whether a blank follows each.
    """
    return list(accumulate(map(add, map(len, words), followed), initial=0))


def placed(
    texts: Sequence[str], followed: Sequence[bool]
) -> Iterator[tuple[int, tuple[str, Ends]]]:
    """Yield for each pretoken the place where it begins in the text, the pretoken, and
    the ends of its words.
    """
    starts = places_of(texts, followed)
    for first, stop in pretokens(texts, followed):
        words = texts[first:stop]
        yield starts[first], ("".join(words), ends_of(words))
