# cython: boundscheck=False, wraparound=False
"""Anything that scores the actions for a set of feature keys."""


cdef class Scorer:
    """Base class: gives every action the score 0."""

    cdef int n_actions(self) noexcept nogil:
        """The number of actions it has weights for."""
        return 0

    cdef int n_scores(self) noexcept nogil:
        return 0

    cdef void prepare(self) noexcept nogil:
        """Called before a series of `score`, during which nothing changes."""

    cdef void score(
        self, const uint64_t* keys, int n_keys, float* scores
    ) noexcept nogil:
        """Set scores[a] = w . phi(keys, a) for every action a."""

    cdef Scoring new_scoring(self):
        """What scores the actions for one set of features at a time."""
        return Scoring(self)


cdef class Scoring:
    """Scores the actions for a set of features in two steps.

    While the memory arrives that the second step needs, another scoring can do its
    first step.
    """

    def __cinit__(self, Scorer weights not None, *_):
        self.weights = weights

    cdef void begin(self, const uint64_t* keys, int n_keys) noexcept nogil:
        """Look up the keys of a set of features, which stay where they are."""
        self.keys = keys
        self.n_keys = n_keys

    cdef void write(self, float* scores) noexcept nogil:
        """Set scores[a] for every action a, as `Scorer.score` does."""
        self.weights.score(self.keys, self.n_keys, scores)

    cdef int best(self, const float* mask, float* score) noexcept nogil:
        """The action with the largest score of those where `mask` is 0 and not minus
        infinity, the first of equals; -1 if there is none.

        Args:
            score: Set to that of the action.
        """
        cdef int found
        # It is empty at first.
        self.scores.resize(self.weights.n_scores())
        self.write(self.scores.data())
        found = argmax(self.scores.data(), mask, <int>self.scores.size())
        if found >= 0:
            score[0] = self.scores[found]
        return found
