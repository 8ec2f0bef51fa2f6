"""Comparing texts, and naming numbers of things."""

import re

# What a text of several sentences has: the end of a word, of a sentence, another word.
SEVERAL = re.compile(r"\w{3}[.!?…][\"'’”»)\]]*\s+\W*\w|\w[。！？]\W*\w")


def n_alike(a: str, b: str) -> int:
    """The number of characters with which both texts begin."""
    n = min(len(a), len(b))
    return next((i for i in range(n) if a[i] != b[i]), n)


def counted(n: int, noun: str) -> str:
    """A number with its noun, as "1 word" or "2,000 words"."""
    return f"{n:,} {noun}" + ("" if n == 1 else "s")
