# cython: boundscheck=False, wraparound=False
"""Rules that make a lemma of a form.

A rule changes the case of the form, cuts characters before and behind, and adds others:
"lower case, -ies +y" makes "body" of "Bodies". It has the characters that it cuts, so
it fits only forms that have them. A form and a lemma without a common character give a
rule for this form alone: "-is +be".

Source: Chrupala et al. 2008, "Learning morphology with Morfette", and Straka et al.
2016, "UDPipe", for lemmas as edits that are labels.
"""
from ..features.lexical cimport hash_text
from ..hashing cimport mix

from typing import Any

# What a rule makes of the case of the form. Where two of them make the same, the first
# counts.
CASES = ("lower", "keep", "title", "upper")
# Longer forms are URLs and the like.
LONGEST = 100  # type: int
cdef uint64_t FACTOR = 0x9E3779B97F4A7C15

cdef extern from *:
    Py_UCS4* PyUnicode_AsUCS4(
        object text, Py_UCS4* buffer, Py_ssize_t length, int copy_null
    ) except NULL
    str PyUnicode_FromKindAndData(int kind, const void* buffer, Py_ssize_t size)


cdef int set_text(Text* text, str value) except -1:
    """Copy the code points of a string."""
    text.resize(len(value))
    if value:
        PyUnicode_AsUCS4(value, <Py_UCS4*>&text[0][0], len(value), False)
    return 0


cdef str str_of(const Text& text):
    """The string of some code points."""
    return PyUnicode_FromKindAndData(sizeof(Py_UCS4), &text[0], text.size())


def in_cases(str form not None) -> tuple[str, ...]:
    """The form in each of the `CASES`."""
    return form.lower(), form, form[:1].upper() + form[1:].lower(), form.upper()


cdef class EditRule:
    """A rule that makes a lemma of a form.

    Args:
        case: The number of one of the `CASES`, which comes first.
        cut_before, add_before: What is then cut and added at the beginning.
        cut_behind, add_behind: The same at the end.

    Raises:
        ValueError: For a case that does not exist.
    """

    def __init__(
        self,
        int case,
        str cut_before not None,
        str add_before not None,
        str cut_behind not None,
        str add_behind not None,
    ):
        if not 0 <= case < len(CASES):
            raise ValueError(f"case = {case}: expected 0 to 3")
        self.cut_before = cut_before
        self.add_before = add_before
        self.cut_behind = cut_behind
        self.add_behind = add_behind
        self.c.case_number = case
        set_text(&self.c.cut_before, cut_before)
        set_text(&self.c.add_before, add_before)
        set_text(&self.c.cut_behind, cut_behind)
        set_text(&self.c.add_behind, add_behind)
        self.c.key = mix(case + 1)
        for text in self.parts()[1:]:
            self.c.key = mix(hash_text(text, 0, len(text), self.c.key) + FACTOR)

    @property
    def case(self) -> int:
        """The number of the case, which comes first."""
        return self.c.case_number

    @property
    def key(self) -> int:
        """A hash of all parts, the same in every process."""
        return self.c.key

    def parts(self) -> tuple[int, str, str, str, str]:
        """The arguments that make the rule."""
        return (
            self.case, self.cut_before, self.add_before, self.cut_behind,
            self.add_behind,
        )

    def apply(self, str form not None) -> str | None:
        """The lemma of a form, or None if the rule does not fit it."""
        cdef Text cased, lemma
        set_text(&cased, in_cases(form)[self.c.case_number])
        if not self.c.fits(cased):
            return None
        self.c.apply(cased, lemma)
        return str_of(lemma)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EditRule) and self.parts() == other.parts()

    def __hash__(self) -> int:
        return hash(self.parts())

    def __repr__(self) -> str:
        return f"EditRule{self.parts()!r}"

    def __reduce__(self) -> Any:
        return EditRule, self.parts()


def rule_of(str form not None, str lemma not None) -> EditRule:
    """The rule that makes the lemma of a form with the fewest characters cut and added.

    What stays is the longest text that both have in common.
    """
    cdef int best = -1
    cdef int case, cost, n, at, to
    cdef tuple cased = in_cases(form)
    cdef str text
    cdef tuple found = ()
    for case in range(len(CASES)):
        text = cased[case]
        n, at, to = common(text, lemma)
        cost = len(text) + len(lemma) - 2 * n
        if best < 0 or cost < best:
            best = cost
            found = case, n, at, to
    case, n, at, to = found
    text = cased[case]
    if n == 0:
        return EditRule(case, text, lemma, "", "")
    return EditRule(case, text[:at], lemma[:to], text[at + n:], lemma[to + n:])


cdef tuple common(str a, str b):
    """The length of the longest common substring of two texts, and where it begins in
    each; of equally long ones the first in `a`.
    """
    cdef Py_ssize_t i, j, k, n = 0, at = 0, to = 0
    for i in range(len(a)):
        if len(a) - i <= n:
            break
        for j in range(len(b)):
            k = 0
            while i + k < len(a) and j + k < len(b) and a[i + k] == b[j + k]:
                k += 1
            if k > n:
                n, at, to = k, i, j
    return n, at, to
