from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

from ..features.extractor cimport Extractor
from ..model.model cimport Model
from ..softmax cimport LogSum
from ..state.configuration cimport ConfigurationC, RootRule
from ..state.sentence cimport SentenceC
from ..systems.actions cimport Actions
from ..systems.base cimport RowRange, TransitionSystem
from ..weights.scorer cimport Scorer, Scoring

cdef extern from "search/tournament.hpp" namespace "dynoracle" nogil:
    cppclass Tournament:
        void start(int n)
        void set(int slot, float score)
        void remove(int slot)
        int best()


cdef enum:
    NOTHING = -1


# What can be taken next. action: NOTHING for a transition that is forced, or that is
# legal although the model has no action for it. transition: NOTHING if none is legal.
cdef struct Choice:
    int row
    int action
    int transition
    float score


# What is known of a row. legal: its legal transitions. is_forced: whether there is
# nothing to choose, so that it was not scored. n_keys: the number of its features.
# total: the sum over its legal actions, if there is a temperature.
cdef struct Row:
    unsigned int legal
    bint is_forced
    int n_keys
    Choice best
    LogSum total


# A configuration, its rows by slot, and which of them its last transition has touched.
cdef cppclass StepperState:
    ConfigurationC c
    vector[Row] rows
    RowRange touched


cdef class Stepper:
    cdef TransitionSystem system
    # Whether a configuration can have several rows, as of the system.
    cdef bint has_rows
    cdef Extractor extractor
    cdef Actions actions
    cdef Scorer weights
    cdef RootRule root_rule
    cdef bint keeps_rows
    # 0 for scores that are not logarithms of probabilities.
    cdef double per_temperature
    # Whether nothing but the best choice of a row is asked for.
    cdef bint needs_best_only
    # Scores a row that is not kept, once its best choice is asked for. Until then, the
    # row is pending.
    cdef Scoring scoring
    cdef bint is_pending
    cdef int n_scores
    cdef const SentenceC* sentence
    cdef StepperState own
    # The state that it works on: `own`, unless somebody sets another one.
    cdef StepperState* at
    cdef vector[uint64_t] keys
    cdef vector[float] scores
    cdef vector[char] legal
    # The terms of a sum over actions.
    cdef vector[double] terms
    # The rows of a long text by their best choices.
    cdef bint has_tournament
    cdef Tournament tournament
    # For each set of legal transitions what `Actions.mask` gives, once it was needed.
    cdef vector[vector[float]] masks

    cdef int fit(self) except -1
    cdef int start(self, const SentenceC* sentence) except -1 nogil
    cdef int start_from(
        self, const ConfigurationC* c, const SentenceC* sentence
    ) except -1 nogil
    cdef int _begin(self, const SentenceC* sentence) except -1 nogil
    cdef bint look(self) except -1 nogil
    cdef void _enter(self, int row) noexcept nogil
    cdef Choice best(self) noexcept nogil
    cdef Choice best_of_rows(self) noexcept nogil
    cdef void take(self, Choice choice) noexcept nogil
    cdef void apply(self, int row, int transition, int label) noexcept nogil

    cdef int n_rows(self) noexcept nogil
    cdef int slot(self, int row) noexcept nogil
    cdef int focus(self, int row) noexcept nogil
    cdef Row* row(self, int row) noexcept nogil
    cdef uint64_t* keys_of(self, int slot) noexcept nogil
    cdef float* scores_of(self, int slot) noexcept nogil
    cdef int look_at(self, int row) except -1 nogil
    cdef void finish(self, int slot) noexcept nogil
    cdef int score_again(self) except -1 nogil
    cdef void choose(self, int slot) noexcept nogil
    cdef void choose_best(self, int slot) noexcept nogil
    cdef unsigned int legal_set(self) except? -1 nogil
    cdef int best_action(self, const float* scores, unsigned int legal) noexcept nogil
    cdef const float* mask_of(self, unsigned int legal) noexcept nogil
    cdef Choice choice(self, int row, int action) noexcept nogil
    cdef LogSum log_sum(
        self, const float* scores, unsigned int legal, double highest
    ) noexcept nogil
    cdef double probability(self, Choice choice) noexcept nogil
    cdef LogSum total(self) noexcept nogil


cdef Stepper stepper_of(Model model, root_rule)
cdef void init_state(StepperState* state) noexcept nogil
