# cython: boundscheck=False, wraparound=False
"""The base class of all learners."""
from ..weights.frozen cimport FrozenWeights
from ..weights.scorer cimport argmax


cdef class Learner(Scorer):
    """Training state: weights that can be updated.

    There are two views of the weights. Training scores with the weights in force
    (`score`); everything outside sees the frozen weights (`score_frozen`, `freeze`),
    which for an averaging learner are the averages. They are rounded as in a model. A
    model that has a learner in the place of frozen weights scores exactly as they
    would, without making them.

    Attributes:
        learns_derivations: Whether it learns from whole derivations (see `BeamTrainer`)
            and not from single decisions.
        is_probabilistic: Whether exp(score) is proportional to a probability. Such
            learners learn from correct predictions and from all actions of a decision.
        margin: By how much a correct action is to be ahead of the wrong ones. A learner
            with a margin above 0 learns from correct predictions too.
    """

    learns_derivations = False

    cdef void update(self, const Decision* decision) noexcept nogil:
        """Learn from one decision.

        predicted: the legal action with the highest score; target: the correct one
        with the highest score; is_correct: whether they need not differ.
        """

    cdef void skip(self) noexcept nogil:
        """Count a decision from which nothing is learned."""

    cdef void score(
        self, const uint64_t* keys, int n_keys, float* scores
    ) noexcept nogil:
        """Set scores[a] = w . phi(keys, a) for every action a, with the weights in
        force.
        """

    cdef void score_frozen(
        self, const uint64_t* keys, int n_keys, float* scores
    ) noexcept nogil:
        """As `score`, with the weights that `freeze` would give. `prepare` comes
        before.
        """

    cdef int n_actions(self) noexcept nogil:
        return self.size

    cdef Scoring new_scoring(self):
        return LearnerScoring(self, True)

    def resize(self, int n_actions) -> None:
        """Make room for actions that were added.

        Raises:
            ValueError: For fewer actions than there are.
        """
        if n_actions < self.size:
            raise ValueError(f"{self.size} actions cannot become {n_actions}")
        self.size = n_actions

    def resume(self, FrozenWeights weights not None) -> None:
        """Start from the weights of a saved model.

        Raises:
            ValueError: When they are for more actions than the learner has, or were
                saved without the part `resume`.
        """

    def freeze(self) -> FrozenWeights:
        """The present weights, averaged if the learner does so, as `FrozenWeights`."""


cdef class LearnerScoring(Scoring):
    """The scores of a learner.

    Args:
        is_frozen: Whether they are those of the frozen weights.
    """

    def __cinit__(self, Learner learner not None, bint is_frozen):
        self.learner = learner
        self.is_frozen = is_frozen

    cdef void begin(self, const uint64_t* keys, int n_keys) noexcept nogil:
        self.keys = keys
        self.n_keys = n_keys

    cdef void write(self, float* scores) noexcept nogil:
        if self.is_frozen:
            self.learner.score_frozen(self.keys, self.n_keys, scores)
        else:
            self.learner.score(self.keys, self.n_keys, scores)

    cdef int best(self, const float* mask, float* score) noexcept nogil:
        cdef int found
        self.scores.resize(self.learner.n_scores())
        self.write(self.scores.data())
        found = argmax(self.scores.data(), mask, <int>self.scores.size())
        if found >= 0:
            score[0] = self.scores[found]
        return found
