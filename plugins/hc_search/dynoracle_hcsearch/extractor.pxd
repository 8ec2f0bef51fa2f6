"""The extractor that makes hashed feature keys from parts of trees."""
from libc.stdint cimport uint64_t

from spacy_dynoracle.core.state.sentence cimport SentenceC
from .parts cimport N_KINDS, Part

cdef enum:
    MAX_TEMPLATES = 512
    MAX_ARCS = 3

cdef struct CompiledTemplate:
    uint64_t salt
    int first
    int n_atoms

# A column of a word, or of the one beside it; see WordAtom in templates.py.
cdef struct CompiledWord:
    int role
    int step
    int other
    int column

# The templates of a kind of part, and the words that their atoms need. The words are in
# three groups: words of the part, words beside them, and pairs of words with a common
# value. Templates with a pair come after the other templates.
cdef struct CompiledKind:
    int first
    int n_always
    int n_templates
    int first_word
    int n_plain
    int n_beside
    int n_common
    int n_roles
    int n_arcs
    int[2 * MAX_ARCS] arcs


cdef class PartExtractor:
    cdef readonly object templates
    cdef readonly tuple columns
    # Where the compiled templates, which are sorted by kind, are among the given ones.
    cdef list order
    cdef CompiledTemplate* compiled
    cdef int* atoms
    cdef CompiledWord* words
    # By kind, then by kind with labels.
    cdef CompiledKind[2 * N_KINDS] kinds

    cdef void fill_context(
        self, const SentenceC* sentence, const Part* part, uint64_t* context
    ) noexcept nogil
    cdef uint64_t key_of(
        self, const CompiledTemplate* template, const uint64_t* context
    ) noexcept nogil
    cdef bint applies(
        self,
        const CompiledKind* kind,
        const CompiledTemplate* template,
        const uint64_t* context,
    ) noexcept nogil
    cdef int extract(
        self, const SentenceC* sentence, const Part* part, uint64_t* keys
    ) noexcept nogil
