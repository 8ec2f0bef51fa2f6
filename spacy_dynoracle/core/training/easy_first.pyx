# cython: boundscheck=False, wraparound=False
"""Training of easy-first systems: algorithms 2 and 3 with NEXT(c, t) = c.

After a wrong prediction that is not followed the configuration stays as it is, is
scored with the new weights, and so on until the prediction is correct. An exploration
policy that takes another action than the correct one moves on with it.

The features of a pair of neighbours are extracted once for each change of what it sees.
An update changes weights, not features, so what follows it is only a new dot product.
"""
from ..learners.base cimport Decision
from ..state.gold cimport Gold
from ..state.sentence cimport SentenceC
from ..systems.actions cimport ScoredTransition
from .trainer cimport Trainer

cdef enum:
    UPDATE_LIMIT = 200
    # A text of several sentences has more to learn from than one sentence.
    UPDATES_PER_WORD = 2

# A sentence is given up after this many updates, as in the released program, but not
# before it has had two updates for each word.
MAX_UPDATES = UPDATE_LIMIT  # type: int


cdef class EasyFirstTrainer(Trainer):
    """Training state for easy-first systems.

    Source: Goldberg & Nivre 2013, section 3; Goldberg & Elhadad 2010, section 4.

    Attributes:
        n_given_up: Trees that were left within one pass, after MAX_UPDATES updates or,
            if they have more than half as many words, after two updates for each word.
    """

    cdef int n_updates
    # The number of updates after which the present tree is left.
    cdef int limit

    repeats_decisions = True

    cdef int train_sentence(
        self, const SentenceC* sentence, const Gold* gold, int iteration
    ) except -1 nogil:
        self.n_updates = 0
        self.limit = max(<int>UPDATE_LIMIT, UPDATES_PER_WORD * sentence.length)
        return Trainer.train_sentence(self, sentence, gold, iteration)

    cdef bint move(
        self, const Decision* decision, ScoredTransition chosen
    ) except -1 nogil:
        """Score all pairs with the new weights, and stay at c unless the prediction was
        correct or exploration leads away.
        """
        cdef int row
        self.n_updates += not decision.is_correct
        if self.n_updates == self.limit:
            self.n_given_up += 1
            return False
        if (
            not decision.is_correct
            or self.learner.is_probabilistic
            or self.learner.margin > 0
        ):
            for row in range(decision.n_rows):
                self.stepper.score(self.system.focus_row(&self.stepper.at.c, row))
        if (
            decision.is_correct
            or chosen.row != decision.target.row
            or chosen.action != decision.target.action
        ):
            self.stepper.take(chosen)
        return True
