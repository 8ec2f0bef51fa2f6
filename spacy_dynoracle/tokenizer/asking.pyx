# cython: boundscheck=False, wraparound=False
"""The choice of the pretokens about which the rules of a language are asked."""

import re

from ..util.typography import plain

cdef enum:
    # So many marks before and behind a special case are left out, one after the other.
    MOST_MARKS = 4

cdef object ADDRESS = re.compile(r"://|www\.|\.[^\W\d_]+(:\d|/)")


cdef class Rules:
    """Knows where the rules of spaCy's tokenizer are needed.

    The boundaries learn from a treebank where words end beside marks. The rules alone
    know the apostrophes and units of a language, its special cases, such as
    abbreviations, emoticons and contractions with their NORM, and addresses. To ask
    them takes as long as everything else together.

    Attributes:
        always: Whether they are asked about all pretokens, as the rules of a tokenizer
            of another kind and rules whose settings somebody has changed.
        special: The special cases, by their text.
        cases: The texts of those that somebody has added, which count inside a
            pretoken, too.
    """

    cdef public bint always
    cdef public dict special  # type: dict[str, Any]
    cdef public tuple cases  # type: tuple[str, ...]

    def __init__(
        self, bint always = True, cases not None: tuple[str, ...] = ()
    ):
        self.always = always
        self.special = {}
        self.cases = cases

    def __reduce__(self) -> tuple[Any, ...]:
        # The special cases of the tokenizer are in its own copies.
        return type(self), (self.always, self.cases)

    def are_needed(self, str text not None) -> bool:
        """Whether the rules are asked about a pretoken."""
        cdef bint was_digit = False
        cdef Py_ssize_t start = 0, stop, i, j
        cdef Py_UCS4 c
        if self.always:
            return True
        if not text.isascii():
            text = plain(text)
        if text in self.special:
            return True
        for case in self.cases:
            if case in text:
                return True
        # Most are one word of letters, which have nothing of what follows.
        if text.isalpha():
            return False
        for c in text:
            # Apostrophes, addresses, and a unit behind a number.
            if c in u"'@" or (was_digit and c.isalnum() and not c.isdecimal()):
                return True
            was_digit = c.isdecimal()
        if (u"/" in text or u"www." in text) and ADDRESS.search(text):
            return True
        stop = len(text)
        while start < stop and not (<Py_UCS4>text[start]).isalnum():
            start += 1
        while start < stop and not (<Py_UCS4>text[stop - 1]).isalnum():
            stop -= 1
        # A special case may have some of the marks.
        for i in range(min(start, MOST_MARKS) + 1):
            for j in range(max(stop, len(text) - MOST_MARKS), len(text) + 1):
                if text[i:j] in self.special:
                    return True
        return False
