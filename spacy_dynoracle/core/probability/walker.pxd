from libcpp.vector cimport vector

from ..state.configuration cimport ConfigurationC, RootRule
from ..model.model cimport Model
from ..search.base cimport Choice, Workspace
from ..state.sentence cimport SentenceC
from ..softmax cimport LogSum


# A configuration on the way. For each pair of neighbours, by its left node, the sum
# over its legal actions and the best of them; other systems have one row, number 0.
cdef cppclass State:
    ConfigurationC c
    vector[LogSum] sums
    vector[Choice] best
    # How many samples are on this way.
    int count


cdef class Walker:
    cdef Model model
    cdef RootRule root_rule
    cdef Workspace work
    cdef double per_temperature
    cdef vector[char] legal
    cdef vector[State*] unused

    cdef State* new_state(self) except NULL nogil
    cdef State* copy_of(self, const State* state) except NULL nogil
    cdef void give_back(self, State* state) noexcept nogil
    cdef int begin(self, State* state, const SentenceC* sentence) except -1 nogil
    cdef bint reach_choice(
        self, State* state, const SentenceC* sentence
    ) noexcept nogil
    cdef void look(
        self, State* state, const SentenceC* sentence, int first, int last
    ) noexcept nogil
    cdef void look_at_row(
        self, State* state, const SentenceC* sentence, int row
    ) noexcept nogil
    cdef LogSum total(self, const State* state) noexcept nogil
    cdef int easiest(self, const State* state) noexcept nogil
    cdef int row_of(self, const State* state, int pair) noexcept nogil
    cdef void apply(
        self, State* state, const SentenceC* sentence, int pair, Choice choice
    ) noexcept nogil
