"""Training state, and one sentence's worth of training."""
from libc.stdint cimport uint64_t

from ..systems.actions cimport Actions
from ..state.configuration cimport ConfigurationC, RootRule
from .exploration cimport Exploration
from ..features.extractor cimport MAX_TEMPLATES, Extractor
from ..state.gold cimport Gold
from ..learners.base cimport Learner
from ..oracles.base cimport Oracle
from ..random cimport Random
from ..state.sentence cimport SentenceC
from ..systems.base cimport Costs, TransitionSystem


cdef class Trainer:
    cdef readonly TransitionSystem system
    cdef readonly RootRule root_rule
    cdef readonly Extractor extractor
    cdef readonly Actions actions
    cdef readonly Oracle oracle
    cdef readonly Exploration exploration
    cdef readonly Learner learner
    cdef readonly Random random
    cdef readonly uint64_t n_decisions
    cdef readonly uint64_t n_errors
    cdef readonly uint64_t n_given_up
    cdef Costs costs
    cdef ConfigurationC c
    cdef uint64_t[MAX_TEMPLATES] keys
    cdef float* scores
    cdef char* correct
    cdef char* legal

    cdef int fit(self) except -1
    cdef int train_sentence(
        self, const SentenceC* sentence, const Gold* gold, int iteration
    ) except -1 nogil
