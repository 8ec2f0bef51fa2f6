"""The extractor that makes hashed feature keys from a configuration."""
from libc.stdint cimport uint64_t

from ..state.configuration cimport Configuration, ConfigurationC
from ..state.sentence cimport Sentence, SentenceC

cdef enum:
    MAX_ADDRESSES = 64
    MAX_SLOTS = 256
    MAX_TEMPLATES = 512

# The addresses without steps: from the top of the stack, from the front of the buffer,
# and in the list around a pair.
cdef enum:
    S0
    S1
    S2
    N0
    N1
    N2
    P_2
    P_1
    P0
    P1
    P2
    P3

# The member of a node that leads from its parent to the node, as a number of integers
# from the start of `Node`; without a parent, a base.
cdef struct Address:
    int parent
    int member

cdef struct Slot:
    int slot
    int address
    int which

cdef struct Template:
    uint64_t salt
    int first
    int n_atoms
    # A slot that must not be null.
    int required


cdef class Extractor:
    cdef readonly object templates
    cdef Address[MAX_ADDRESSES] addresses
    cdef Slot[MAX_SLOTS] slots
    cdef int n_addresses
    cdef int end_of_tokens
    cdef int end_of_labels
    cdef int end_of_valencies
    cdef int end_of_label_sets
    cdef int end_of_sizes
    cdef int end_of_distances
    cdef int n_slots
    cdef Template* compiled
    cdef int* atoms
    cdef int n_templates

    cdef void fill_context(
        self, const ConfigurationC* c, const SentenceC* sentence, uint64_t* context
    ) noexcept nogil
    cdef void fill_tree_atoms(
        self, const ConfigurationC* c, const int* nodes, uint64_t* context
    ) noexcept nogil
    cdef int keys_of(self, const uint64_t* context, uint64_t* keys) noexcept nogil
    cdef int check_sentence(self, Configuration c, Sentence sentence) except -1
    cdef int extract(
        self, const ConfigurationC* c, const SentenceC* sentence, uint64_t* keys
    ) noexcept nogil
