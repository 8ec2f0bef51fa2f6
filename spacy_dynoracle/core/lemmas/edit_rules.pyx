# cython: boundscheck=False, wraparound=False
"""Rules that make a lemma of a form.

A rule, an `EditRule`, changes the case of the form, cuts characters before and behind,
and adds others: "lower case, -ies +y" makes "body" of "Bodies". It has the characters
that it cuts, so it fits only forms that have them. A form and a lemma without a common
character give a rule that cuts all of the form: "-is +be". Training leaves it out.

Source: Chrupala et al. 2008, "Learning morphology with Morfette", and Straka et al.
2016, "UDPipe", for lemmas as edits that are labels.
"""
from ..features.lexical cimport hash_text
from ..hashing cimport mix

from ...util.typography import lower_case
from ..results import EditRule

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
    lower = lower_case(form)
    return lower, form, form[:1].upper() + lower[1:], form.upper()


cdef int set_rule(Rule* c, rule) except -1:
    """Read an `EditRule`; raise ValueError for a case that does not exist."""
    cdef str text
    c.case_number, cut_before, add_before, cut_behind, add_behind = rule
    if not 0 <= c.case_number < len(CASES):
        raise ValueError(f"case = {c.case_number}: expected 0 to 3")
    set_text(&c.cut_before, cut_before)
    set_text(&c.add_before, add_before)
    set_text(&c.cut_behind, cut_behind)
    set_text(&c.add_behind, add_behind)
    c.key = mix(c.case_number + 1)
    for text in (cut_before, add_before, cut_behind, add_behind):
        c.key = mix(hash_text(text, 0, len(text), c.key) + FACTOR)
    return 0


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
