from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

from ..features.extractor cimport Extractor
from ..softmax cimport LogSum
from ..state.configuration cimport ConfigurationC, RootRule
from ..state.sentence cimport SentenceC
from ..systems.actions cimport Actions, ScoredTransition
from ..systems.base cimport RowRange, TransitionSystem
from ..weights.scorer cimport Scorer, Scoring

cdef enum:
    NOTHING = -1


# What is known of a row. legal: its legal transitions. is_forced: whether there is
# nothing to choose, so that it was not scored. n_keys: the number of its features.
# best: with transition NOTHING if none is legal. total: the sum over its legal actions,
# if there is a temperature.
cdef struct Row:
    unsigned int legal
    bint is_forced
    int n_keys
    ScoredTransition best
    LogSum total


# A configuration; a new one has no memory yet. A `RowStepper` also keeps its rows by
# slot, and which of them its last transition has touched.
cdef cppclass StepperState:
    ConfigurationC c
    vector[Row] rows
    RowRange touched


cdef class Stepper:
    cdef TransitionSystem system
    cdef Extractor extractor
    cdef Actions actions
    cdef Scorer weights
    cdef Scoring scoring
    cdef RootRule root_rule
    # 0 for scores that are not logarithms of probabilities.
    cdef double per_temperature
    cdef int n_scores
    cdef const SentenceC* sentence
    cdef StepperState own
    # The state that it works on: `own`, unless somebody sets another one.
    cdef StepperState* at
    # What a system that works from left to right looks at.
    cdef Row known
    cdef vector[uint64_t] keys
    cdef vector[float] scores
    cdef vector[char] legal
    # The terms of a sum over actions.
    cdef vector[double] terms
    # For each set of legal transitions what `Actions.mask` gives, once it was needed.
    cdef vector[vector[float]] masks

    cdef int fit(self) except -1
    cdef int start(self, const SentenceC* sentence) except -1 nogil
    cdef int prepare(self) except -1 nogil
    cdef bint look(self) except -1 nogil
    cdef ScoredTransition best(self) noexcept nogil
    cdef void take(self, ScoredTransition chosen) noexcept nogil
    cdef void apply(self, int row, int transition, int label) noexcept nogil

    cdef void choose(self, Row* row, const float* scores) noexcept nogil
    cdef int best_action(self, const float* scores, unsigned int legal) noexcept nogil
    cdef const float* mask_of(self, unsigned int legal) noexcept nogil

    cdef LogSum log_sum(
        self, const float* scores, unsigned int legal, double highest
    ) noexcept nogil
    cdef double probability(self, ScoredTransition chosen) noexcept nogil
    cdef LogSum total(self) noexcept nogil
    cdef void finish(self) noexcept nogil
    cdef bint is_sure(self, ScoredTransition chosen, float margin) noexcept nogil


cdef class ScoringStepper(Stepper):
    pass


cdef Row row_of(TransitionSystem system, int number, unsigned int legal) noexcept nogil
