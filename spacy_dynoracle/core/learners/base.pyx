# cython: boundscheck=False, wraparound=False
"""What every learner offers."""
from ..weights.frozen cimport FrozenWeights


cdef class Learner(Scorer):
    """Training state: weights that can be updated.

    There are two views of the weights. Training scores with the weights in force
    (`score`); everything outside sees the frozen weights (`score_frozen`, `freeze`),
    which for an averaging learner are the averages. They are rounded as in a model.

    Attributes:
        learns_derivations: Whether it learns from whole derivations (see `BeamTrainer`)
            and not from single decisions.
        is_probabilistic: Whether exp(score) is proportional to a probability. Such
            learners learn from correct predictions and from all actions of a decision.
        margin: By how much a correct action is to be ahead of the wrong ones. A learner
            with a margin above 0 learns from correct predictions too, and wants to know
            which actions are legal.
    """

    learns_derivations = False

    cdef void update(self, const Decision* decision) noexcept nogil:
        """Learn from one decision.

        predicted: the legal action with the highest score; target: the correct one
        with the highest score; is_correct: whether they need not differ.
        """

    cdef void skip(self) noexcept nogil:
        """Count a decision from which nothing is learned."""

    cdef void prepare_frozen(self) noexcept nogil:
        """Called once before a series of `score_frozen`."""

    cdef void score_frozen(
        self, const uint64_t* keys, int n_keys, float* scores
    ) noexcept nogil:
        """As `score`, with the weights that `freeze` would give."""

    cdef int n_actions(self) noexcept nogil:
        return self.size

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

    def frozen_view(self) -> FrozenView:
        """A scorer with the weights that `freeze` would give at the time."""
        return FrozenView(self)


cdef class FrozenView(Scorer):
    """The frozen weights of a learner that is still learning.

    It scores exactly as they would, without making them.
    """

    def __cinit__(self, Learner learner not None):
        self.learner = learner

    cdef int n_actions(self) noexcept nogil:
        return self.learner.n_actions()

    cdef int n_scores(self) noexcept nogil:
        return self.learner.n_scores()

    cdef void prepare(self) noexcept nogil:
        self.learner.prepare_frozen()

    cdef void score(
        self, const uint64_t* keys, int n_keys, float* scores
    ) noexcept nogil:
        self.learner.score_frozen(keys, n_keys, scores)

    def freeze(self) -> FrozenWeights:
        """The weights of `Learner.freeze`."""
        return self.learner.freeze()
