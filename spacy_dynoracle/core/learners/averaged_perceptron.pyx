# cython: boundscheck=False, wraparound=False
"""The averaged perceptron, with exact lazy averaging."""
from libc.math cimport INFINITY

from ..weights.frozen cimport (
    LARGEST_WEIGHT,
    FrozenArrays,
    FrozenBuilder,
    FrozenWeights,
    fixed_point_scale,
)
from ..systems.actions cimport ScoredTransition
from .base cimport Alternatives


cdef extern from "learners/averaged_perceptron.hpp" namespace "dynoracle" nogil:
    double largest_average(const PerceptronRows& rows, AveragedWeight average)
    void thaw_rows(
        const FrozenArrays& frozen, double scale, PerceptronRows& rows
    ) except +


# Weights in single precision count without errors up to 2 ** 24 and then stop growing.
# A larger margin would drive them there.
MAX_MARGIN = 2 ** 20  # type: int
# A row counts its updates in a byte.
MAX_MIN_UPDATES = 255  # type: int
cdef double LARGEST_COUNT = 2.0 ** 24


cdef ScoredTransition best_wrong(
    const Decision* decision, int n_actions
) noexcept nogil:
    """The legal action with the highest score that is not correct, without its
    transition; action -1 if there is none.
    """
    cdef ScoredTransition best = ScoredTransition(
        score=0, row=0, action=-1, transition=-1
    )
    cdef const Alternatives* row
    cdef float score = -INFINITY
    cdef int r, a
    for r in range(decision.n_rows):
        row = &decision.rows[r]
        for a in range(n_actions):
            # Few actions pass the first test; there may be thousands of tags.
            if row.scores[a] > score and row.legal[a] and not row.correct[a]:
                score = row.scores[a]
                best.row = r
                best.action = a
    best.score = score
    return best


cdef class AveragedPerceptron(Learner):
    """Averaged perceptron.

    After decision m the weights are w(m), and the averaged weights are their average
    over all M decisions, (w(1) + ... + w(M)) / M. For each weight w and u are kept; an
    update by delta at decision m does w += delta and u += (m - 1) delta, and the
    average is w - u / M at any time.

    Source: Goldberg & Nivre 2013, section 5; Freund & Schapire 1999 for averaging; Li
    et al. 2002 for the margin, here the same for all actions; Goldberg & Elhadad 2011
    for `min_updates`.

    Args:
        n_actions: How many actions there are at the start.
        margin: 0 for the perceptron of the paper, which learns from its errors alone.
            Otherwise it also learns where a wrong action comes closer to the correct
            one than this, in the sum of weights: from the wrong legal action with the
            highest score. An update moves the two apart by twice the number of
            features.
        prune: Frozen weights lack the averaged weights that are smaller than this share
            of the largest one, and all weights of a feature none of which is twice as
            large.
        min_updates: A feature is unknown, in training and in the frozen weights, until
            its weights have changed this often. An update changes two of them. So the
            other features learn to do without those that are rare.

    Raises:
        ValueError: For a margin that is not in 0..MAX_MARGIN, a `prune` that is not
            in 0..1, or a `min_updates` that is not in 0..MAX_MIN_UPDATES.
    """

    def __cinit__(self):
        self.rows = new PerceptronRows(0, 0)

    def __init__(
        self,
        int n_actions,
        double margin=0.0,
        double prune=0.0,
        int min_updates=0,
    ):
        if not 0 <= margin <= MAX_MARGIN:
            raise ValueError(f"margin = {margin}: expected 0 to {MAX_MARGIN}")
        if not 0 <= prune <= 1:
            raise ValueError(f"prune = {prune}: expected a share, 0 to 1")
        if not 0 <= min_updates <= MAX_MIN_UPDATES:
            raise ValueError(
                f"min_updates = {min_updates}: expected 0 to {MAX_MIN_UPDATES}"
            )
        self.margin = margin
        self.prune = prune
        del self.rows
        self.rows = new PerceptronRows(n_actions, min_updates)
        self.size = n_actions

    def __dealloc__(self):
        del self.rows

    cdef int n_scores(self) noexcept nogil:
        return self.rows.stride()

    cdef void score(
        self, const uint64_t* keys, int n_keys, float* scores
    ) noexcept nogil:
        self.rows.set_scores(keys, n_keys, scores, CurrentWeight())

    cdef void update(self, const Decision* decision) noexcept nogil:
        """w += phi(c, target) - phi(c, predicted), unless the prediction is correct;
        then the best wrong action may take its place.
        """
        cdef ScoredTransition wrong = decision.predicted
        self.skip()
        if decision.is_correct:
            if self.margin == 0:
                return
            wrong = best_wrong(decision, self.size)
            if (
                wrong.action == -1
                or decision.target.score - wrong.score >= self.margin
            ):
                return
        add_all(self, &decision.rows[decision.target.row], decision.target.action, 1)
        add_all(self, &decision.rows[wrong.row], wrong.action, -1)

    cdef void skip(self) noexcept nogil:
        self.n_decisions += 1
        self.has_changed = True

    cdef void add(self, uint64_t key, int action, float delta) noexcept nogil:
        """Add to a weight, as a part of the update of the decision that was counted
        last.
        """
        cdef PerceptronRows.Entry entry = self.rows.entry(key, action)
        entry.hot[0] += delta
        entry.cold[0] += (self.n_decisions - 1) * delta
        self.largest = max(self.largest, abs(<double>entry.hot[0]))

    cdef void prepare(self) noexcept nogil:
        cdef double largest
        # No average is larger than the largest absolute weight there has ever been.
        self.average.n_decisions = max(self.n_decisions, 1)
        self.average.fine.scale = fixed_point_scale(self.largest)
        if self.prune > 0 and self.has_changed:
            largest = largest_average(self.rows[0], self.average)
            self.smallest = Smallest(self.prune * largest, self.average.fine.scale)
        self.has_changed = False

    cdef void score_frozen(
        self, const uint64_t* keys, int n_keys, float* scores
    ) noexcept nogil:
        self.rows.set_frozen_scores(
            keys, n_keys, self.size, self.smallest, scores, self.average
        )

    @property
    def has_stopped_growing(self) -> bool:
        """Whether some weight is so large that adding 1 to it changes nothing."""
        return self.largest >= LARGEST_COUNT

    def resize(self, int n_actions) -> None:
        Learner.resize(self, n_actions)
        self.rows.resize(n_actions)

    def resume(self, FrozenWeights weights not None) -> None:
        """Start from the weights of a saved model; averaging starts anew.

        Raises:
            ValueError: When they are for more actions than the learner has, or were
                saved without the part `resume`.
        """
        weights.check_start(self.size)
        thaw_rows(weights.c, weights.scale, self.rows[0])
        self.has_changed = True
        self.largest = max(self.largest, LARGEST_WEIGHT / weights.scale)

    def freeze(self) -> FrozenWeights:
        """The averaged weights, as `FrozenWeights`."""
        cdef FrozenBuilder builder
        self.prepare()
        with nogil:
            self.rows.freeze(self.average, self.size, self.smallest, builder)
        return FrozenWeights.from_builder(&builder, self.average.fine.scale)


cdef void add_all(
    AveragedPerceptron learner, const Alternatives* row, int action, float delta
) noexcept nogil:
    """Add to the weights of all features of a row."""
    cdef int i
    for i in range(row.n_keys):
        learner.add(row.keys[i], action, delta)
