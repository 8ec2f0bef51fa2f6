"""Training state, and one sentence's worth of training."""
from libc.stdint cimport uint64_t

from ..features.extractor cimport Extractor
from ..learners.base cimport Decision, Learner
from ..oracles.base cimport Oracle
from ..random cimport Random
from ..state.configuration cimport RootRule
from ..state.gold cimport Gold
from ..state.sentence cimport SentenceC
from ..systems.actions cimport Actions, ScoredTransition
from ..systems.base cimport TransitionSystem
from .exploration cimport Exploration
from .oracle_stepper cimport OracleStepper


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
    cdef OracleStepper stepper

    cdef int fit(self) except -1
    cdef int train_sentence(
        self, const SentenceC* sentence, const Gold* gold, int iteration
    ) except -1 nogil
    cdef bint move(
        self, const Decision* decision, ScoredTransition chosen
    ) except -1 nogil
