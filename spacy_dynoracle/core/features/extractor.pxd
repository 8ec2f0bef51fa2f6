"""The extractor that makes hashed feature keys from a configuration."""
from libc.stdint cimport uint16_t, uint64_t
from libcpp.vector cimport vector

from ..state.configuration cimport Configuration, ConfigurationC
from ..state.sentence cimport Sentence, SentenceC

cdef extern from "features/atoms.hpp" namespace "dynoracle" nogil:
    uint64_t label_atom(int label)
    uint64_t valency_atom(bint is_there, int number)
    uint64_t label_set_atom(bint is_there, uint64_t labels)
    uint64_t size_atom(bint is_there, int size)
    uint64_t leaf_atom(bint is_there, bint is_leaf)
    uint64_t distance_atom(int left, int right)
    int word_before(int node)
    int word_after(int node, int n)
    uint64_t template_salt(int number)
    size_t make_keys(
        const uint64_t* salts, const uint64_t* sums, size_t n, uint64_t* keys
    )

cdef extern from "features/straight_line.hpp" namespace "dynoracle" nogil:
    const char** STRAIGHT_LINE_SETS
    const int N_STRAIGHT_LINE_SETS
    void fill_straight(
        int set,
        const ConfigurationC& c,
        const uint64_t* atoms,
        Py_ssize_t n_columns,
        const int* columns,
        uint64_t* context,
    )
    void add_straight(int set, const uint64_t* context, uint64_t* sums)

cdef enum:
    MAX_ADDRESSES = 64
    # The most atoms of a set, the length of a context.
    CONTEXT = 256
    MAX_ATOMS = 6
    MAX_PRODUCTS = MAX_ATOMS * CONTEXT
    MAX_TEMPLATES = 512

# The addresses without steps: from the top of the stack, from the front of the buffer,
# and in the list around a pair.
cdef enum:
    S0, S1, S2, N0, N1, N2, P_2, P_1, P0, P1, P2, P3

# Instead of a member: the neighbours of a node in the sentence.
cdef enum:
    BEFORE = -1
    AFTER = -2

# The member of a node that leads from its parent to the node, as a number of integers
# from the start of `Node`, or a neighbour; without a parent, a base.
cdef struct Address:
    int parent
    int member

# The kinds of atoms, see `KINDS` in templates.py.
cdef enum:
    TOKEN, LABEL, VALENCY, LABEL_SET, SIZE, DISTANCE

# An atom. place: where it is in a context. which: the column or the side, as its kind
# needs it, or a second address.
cdef struct Slot:
    int kind
    int place
    int address
    int which

# An atom times the factor of its place in a template. Templates share products.
cdef struct Product:
    int slot
    uint64_t factor

# The products of the atoms of a template.
cdef struct Template:
    uint16_t[MAX_ATOMS] products

# A template that makes no feature where a slot is null, by its place among the sums.
cdef struct Requirement:
    int place
    int slot


cdef class Extractor:
    cdef readonly object templates  # type: FeatureTemplates
    cdef Address[MAX_ADDRESSES] addresses
    cdef Slot[CONTEXT] slots
    cdef int n_addresses
    cdef int n_slots
    # Those that straight-line code does not compute.
    cdef int n_looped_slots
    # Which of `STRAIGHT_LINE_SETS` the templates begin with, or NO_SET, how many
    # templates it has, and its columns.
    cdef int straight_line_set
    cdef readonly int n_straight
    cdef vector[int] straight_columns
    # The other templates by the number of their atoms, where those with up to so many
    # atoms end, and the products they need.
    cdef vector[Template] looped
    cdef int[MAX_ATOMS + 1] ends
    cdef vector[Product] products
    # The number of the template at each place among the sums, and its salt.
    cdef list order
    cdef vector[uint64_t] salts
    cdef vector[Requirement] required
    # The slots of all atoms of each template, and the addresses of each slot.
    cdef list atoms
    cdef list nodes_of
    cdef int n_templates

    cdef void fill_context(
        self, const ConfigurationC* c, const SentenceC* sentence, uint64_t* context
    ) noexcept nogil
    cdef void add(self, const uint64_t* context, uint64_t* sums) noexcept nogil
    cdef int keys_of(self, const uint64_t* context, uint64_t* keys) noexcept nogil
    cdef int check_sentence(self, Configuration c, Sentence sentence) except -1
    cdef int extract(
        self, const ConfigurationC* c, const SentenceC* sentence, uint64_t* keys
    ) noexcept nogil
