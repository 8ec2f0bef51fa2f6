"""What a Doc of a treebank tells about words."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from spacy.tokens import Doc, Span

from ..treebank import multiword
from ..util.typography import is_blank, plain
from .joining import MOST_GROUPS
from .splits import Split
from .splitter import KnownToken

# A number with blanks between groups of three digits, such as 10 000. In French,
# Swedish, Czech and many other treebanks it is one word.
_NUMBER = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?!\d)")


def surface_of(doc: Doc) -> Iterator[Span]:
    """The tokens of the text of a Doc: its multiword tokens and its other words."""
    ends = {start: end for start, end, _ in multiword.spans(doc)}
    i = 0
    while i < len(doc):
        words = doc[i : ends.get(i, i + 1)]
        yield words
        i += len(words)


def pairs_without_blanks(texts: list[str]) -> Iterator[tuple[str, str]]:
    """The pairs of neighbours without whitespace in them.

    In some texts they stand together: ``l'`` and ``homme``, or a word and the comma
    behind it.
    """
    for pair in pairwise(texts):
        if not any(map(str.isspace, "".join(pair))):
            yield pair


def known_tokens(doc: Doc) -> list[KnownToken]:
    """The tokens of the text of a Doc, with the splits of its multiword tokens."""
    found: list[KnownToken] = []
    forms = multiword.word_forms(doc)
    for words in surface_of(doc):
        split = None
        if len(words) > 1:
            pieces = [word.text for word in words]
            split = Split.of(pieces, forms[words.start : words.end])
        if not is_blank(words.text):
            found.append((words.text, split))
    return found


def surplus_of_numbers(text: str, words: Iterable[str]) -> int:
    """By how many the numbers with blanks that are one word outnumber the others.

    Args:
        text: Of a document.
        words: The texts of its words, multiword tokens as one.
    """
    n_found = _n_numbers(text)
    # Most documents have none, so that their words need not be searched.
    if not n_found:
        return 0
    return 2 * sum(map(_n_numbers, words)) - n_found


def _n_numbers(text: str) -> int:
    """How many numbers with blanks are in a text. Longer runs are rows of a table."""
    runs = _NUMBER.findall(plain(text))
    return sum(1 for run in runs if run.count(" ") <= MOST_GROUPS)
