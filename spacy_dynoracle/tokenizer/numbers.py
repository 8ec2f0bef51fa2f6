"""Numbers with blanks between groups of three digits, such as 10 000.

In French, Swedish, Czech and many other treebanks they are one word.
"""

import re
from collections.abc import Iterable

from ..util.typography import plain

_NUMBER = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?![\d])")
CUT_NUMBERS = (
    "numbers with blanks, such as 10 000, are cut at the blanks, although they are "
    "words of the treebank, because the tokenizer has special cases with blanks; "
    "remove these to find the numbers"
)


def surplus(text: str, words: Iterable[str]) -> int:
    """By how many the numbers with blanks that are one word outnumber the others.

    Args:
        text: Of a document.
        words: Its words.
    """
    n_found = sum(1 for _ in _NUMBER.finditer(plain(text)))
    if not n_found:
        return 0
    n_joined = sum(1 for word in words if _NUMBER.fullmatch(plain(word)))
    return 2 * n_joined - n_found
