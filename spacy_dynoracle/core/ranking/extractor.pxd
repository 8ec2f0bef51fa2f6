"""From parts of trees to hashed feature keys."""
from libc.stdint cimport uint64_t

from ..sentence cimport SentenceC
from .trees cimport N_KINDS, Part

cdef enum:
    MAX_TEMPLATES = 512
    MAX_ROLES = 4
    MAX_ARCS = 3

cdef struct CompiledTemplate:
    uint64_t salt
    int first
    int n_atoms

# The templates of a kind, and what their atoms need.
cdef struct CompiledKind:
    int first
    int n_templates
    int n_roles
    int n_arcs
    int[2 * MAX_ARCS] arcs


cdef class PartExtractor:
    cdef readonly object templates
    # Where the compiled templates, which are sorted by kind, are among the given ones.
    cdef list order
    cdef CompiledTemplate* compiled
    cdef int* atoms
    # By kind, then by kind with labels.
    cdef CompiledKind[2 * N_KINDS] kinds
    cdef int word_column
    cdef int tag_column

    cdef void fill_context(
        self, const SentenceC* sentence, const Part* part, uint64_t* context
    ) noexcept nogil
    cdef int extract(
        self, const SentenceC* sentence, const Part* part, uint64_t* keys
    ) noexcept nogil
