from libc.stddef cimport size_t
from libcpp.vector cimport vector

from ..state.configuration cimport ConfigurationC
from ..systems.base cimport TransitionSystem


cdef extern from "search/node_blocks.hpp" namespace "dynoracle" nogil:
    cppclass NodeBlocks:
        void start(int n) except +
        void copy_from(const NodeBlocks& other) except +
        void touch(int node) except +
        void copy_nodes(
            char* to, NodeBlocks& other, const char* source, size_t node_bytes
        )


cdef enum:
    TOUCHED = 4


# One transition of a derivation.
cdef struct Step:
    # The number of the step before, or -1.
    int before
    # -1 if the transition was taken without asking the model.
    int action
    int transition
    # The nodes that it changed; NO_NODE stands for none.
    int[TOUCHED] touched


# A configuration in a beam, with the score of its derivation and the number of the last
# step of it.
cdef cppclass BeamState:
    ConfigurationC c
    double score
    int last
    # The rank of its ancestor in an earlier beam, one to two generations ago.
    # States of one lineage differ little.
    int lineage
    # The same for the latest of these beams.
    int next_lineage
    # The number of the sentence.
    int sentence
    # From this place on its buffer is as it was at the start.
    int reach
    # In very long texts: the hashes of its nodes, and the number of the step after
    # which they were computed, but for the nodes that `blocks` was told of.
    NodeBlocks blocks
    int hashed_at


ctypedef BeamState* BeamStateP


cdef class Lineages:
    cdef TransitionSystem system
    # Whether transitions move words back to the buffer.
    cdef bint puts_back
    cdef int n_sentences
    cdef bint is_long
    cdef bint is_very_long
    # The beam, best first.
    cdef vector[BeamStateP] states
    # All steps of the sentence.
    cdef vector[Step] steps
    # For each state of the next beam the number of the state that it comes from.
    cdef vector[int] parents
    cdef vector[BeamStateP] following
    # States that are not in a beam, by lineage, and a bound for the first of them.
    cdef vector[vector[BeamStateP]] unused
    cdef int first_unused
    # Number of beams since the start of the sentence.
    cdef int n_beams
    cdef vector[int] last_use

    cdef BeamState* start_lineages(self, int length) except NULL nogil
    cdef int inherit(self) except -1 nogil
    cdef int _inherit_from_anybody(self) except -1 nogil
    cdef int _inherit_from_relatives(self) except -1 nogil
    cdef int follow(
        self, BeamState* state, int action, int transition, int label
    ) except -1 nogil
    cdef int _copy(self, BeamState* to, BeamState* state) except -1 nogil
    cdef int _copy_all(self, BeamState* to, const BeamState* state) except -1 nogil
    cdef int _copy_since(
        self, BeamState* to, BeamState* state, int limit
    ) except -1 nogil
    cdef void _copy_touched(
        self, BeamState* to, const BeamState* state, int n_steps
    ) noexcept nogil
    cdef int _copy_blocks(self, BeamState* to, BeamState* state) except -1 nogil
    cdef int _touch_since(
        self, BeamState* state, int last, int before
    ) except -1 nogil
    cdef void _put_away(self, BeamState* state) noexcept nogil
    cdef void _put_all_away(self) noexcept nogil
    cdef BeamState* _relative(self, const BeamState* of) noexcept nogil
    cdef BeamState* _unused(self) noexcept nogil
    cdef BeamState* _new_state(self) except NULL nogil
    cdef void derivation(self, int last, vector[Step]* steps) noexcept nogil
