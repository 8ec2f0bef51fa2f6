# cython: boundscheck=False, wraparound=False
"""Multinomial logistic regression with set-valued targets, learned by AdaGrad-RDA."""
from libc.math cimport INFINITY
from libc.stdint cimport int64_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from ..weights.frozen cimport (
    FineRounding,
    FrozenArrays,
    FrozenBuilder,
    FrozenWeights,
    Smallest,
    fixed_point_scale,
)
from ..weights.training_rows cimport TrainingRows
from ..softmax cimport LogSum, add_to, share_of
from .base cimport Alternatives, Decision, Learner


ctypedef TrainingRows[float, float] RdaRows

cdef extern from "learners/adagrad_rda.hpp" namespace "dynoracle" nogil:
    cdef struct RdaWeight:
        float alpha
        float rho
        float threshold

    cdef struct FineRdaWeight:
        RdaWeight weight
        FineRounding fine

    void thaw_rda(
        const FrozenArrays& frozen, double scale, RdaWeight weight, RdaRows& rows
    ) except +
    void add_gradient(
        RdaRows& rows, uint64_t key, const float* gradient, const int* large, int n
    )


# A gradient smaller than this makes no new coordinate.
SMALLEST_GRADIENT = 1e-3
# Of the parameters; beyond them weights do not fit into a model.
SMALLEST = 1e-6
LARGEST = 1e3


cdef struct Occurrence:
    uint64_t key
    int row


cdef bint comes_first(const Occurrence& a, const Occurrence& b) noexcept nogil:
    return a.key < b.key if a.key != b.key else a.row < b.row


cdef class AdaGradRDA(Learner):
    """Log-linear model with an L1 penalty, so that most weights are exactly zero.

    With f and p the probabilities of an action among the correct ones (0 for others)
    and among all, the log-likelihood of the correct actions has the gradient f - p for
    every feature of the decision; for a feature of several pairs in easy-first, the sum
    over these. Over the updates so far g sums up the gradients of a coordinate and G
    their squares; J being the number of updates less one, its weight is

        w = alpha sign(g) max(|g| - J lambda, 0) / sqrt(G + rho)

    It is computed from g and G whenever it is asked for, so that the threshold grows
    for all coordinates at once and at no cost.

    Source: Goldberg 2013, sections 3.1 and 3.2.

    Args:
        n_actions: How many actions there are at the start.
        alpha: Step size.
        rho: Added to the sum of squares.
        l1: Lambda, the penalty per update.
        smallest_gradient: A coordinate comes into being with its first gradient that is
            at least as large, or when about a quarter of the actions have one for the
            same feature; 0 keeps all, at the price of a dense row for each feature of
            the training data.

    Raises:
        ValueError: For values out of range.
    """

    cdef RdaRows* rows
    cdef readonly int64_t n_updates
    cdef readonly double alpha
    cdef readonly double rho
    cdef readonly double l1
    cdef readonly double smallest_gradient
    # f - p of each row of a decision, and where each feature occurs.
    cdef vector[float] gradients
    cdef vector[Occurrence] occurrences
    # The gradient of a feature of several rows, and the actions for which it is large.
    cdef vector[float] total
    cdef vector[int] large
    # The weights as they would be frozen, and after how many updates they were found.
    cdef FineRdaWeight frozen
    cdef int64_t looked_at

    def __cinit__(
        self,
        int n_actions,
        double alpha=1.0,
        double rho=0.01,
        double l1=0.0,
        double smallest_gradient=SMALLEST_GRADIENT,
    ):
        for name, value in (("alpha", alpha), ("rho", rho)):
            if not SMALLEST <= value <= LARGEST:
                raise ValueError(
                    f"{name} = {value}: expected a number from {SMALLEST} to {LARGEST}"
                )
        for name, value in (("l1", l1), ("smallest_gradient", smallest_gradient)):
            if not 0 <= value <= LARGEST:
                raise ValueError(
                    f"{name} = {value}: expected a number from 0 to {LARGEST}"
                )
        self.rows = new RdaRows(n_actions, 0)
        self.size = n_actions
        self.is_probabilistic = True
        self.alpha = alpha
        self.rho = rho
        self.l1 = l1
        self.smallest_gradient = smallest_gradient
        self.looked_at = -1

    def __dealloc__(self):
        del self.rows

    cdef int n_scores(self) noexcept nogil:
        return self.rows.stride()

    cdef RdaWeight _weight(self) noexcept nogil:
        cdef RdaWeight weight
        weight.alpha = <float>self.alpha
        weight.rho = <float>self.rho
        weight.threshold = <float>(max(self.n_updates - 1, 0) * self.l1)
        return weight

    cdef void score(
        self, const uint64_t* keys, int n_keys, float* scores
    ) noexcept nogil:
        self.rows.set_scores(keys, n_keys, scores, self._weight())

    cdef void update(self, const Decision* decision) noexcept nogil:
        """g += f - p and G += (f - p)^2 for every feature and action."""
        cdef const Alternatives* row
        cdef LogSum every, correct
        cdef int r, a, i
        cdef double d
        cdef float* gradient
        cdef Occurrence occurrence
        every = correct = LogSum(largest=-INFINITY, mass=0)
        for r in range(decision.n_rows):
            row = &decision.rows[r]
            for a in range(self.size):
                add_to(&every, row.scores[a])
                if row.correct[a]:
                    add_to(&correct, row.scores[a])
        self.gradients.resize(<size_t>decision.n_rows * self.rows.stride())
        self.occurrences.clear()
        for r in range(decision.n_rows):
            row = &decision.rows[r]
            gradient = &self.gradients[<size_t>r * self.rows.stride()]
            for a in range(self.size):
                d = -share_of(every, row.scores[a])
                if row.correct[a]:
                    d += share_of(correct, row.scores[a])
                gradient[a] = <float>d
            for i in range(row.n_keys):
                occurrence.key = row.keys[i]
                occurrence.row = r
                self.occurrences.push_back(occurrence)
        if decision.n_rows > 1:
            sort(self.occurrences.begin(), self.occurrences.end(), comes_first)
        self._add_gradients()
        self.n_updates += 1

    cdef void _add_gradients(self) noexcept nogil:
        """Add up the gradients of all occurrences of a feature, which lie together, and
        move its coordinates.
        """
        cdef size_t stride = self.rows.stride()
        cdef size_t i = 0
        cdef uint64_t key
        cdef const float* gradient
        cdef const float* looked_at = NULL
        cdef int a
        self.total.resize(stride)
        while i < self.occurrences.size():
            key = self.occurrences[i].key
            gradient = &self.gradients[self.occurrences[i].row * stride]
            i += 1
            while i < self.occurrences.size() and self.occurrences[i].key == key:
                self._add(gradient, &self.gradients[self.occurrences[i].row * stride])
                gradient = self.total.data()
                i += 1
            if gradient != looked_at or gradient == self.total.data():
                self.large.clear()
                for a in range(self.size):
                    if abs(gradient[a]) >= self.smallest_gradient:
                        self.large.push_back(a)
                looked_at = gradient
            add_gradient(
                self.rows[0],
                key,
                gradient,
                self.large.data(),
                <int>self.large.size(),
            )

    cdef void _add(self, const float* one, const float* other) noexcept nogil:
        """Set `total`, which may be one of them, to the sum of two gradients."""
        cdef int a
        for a in range(self.size):
            self.total[a] = one[a] + other[a]

    cdef void prepare(self) noexcept nogil:
        if self.looked_at == self.n_updates:
            return
        self.frozen.weight = self._weight()
        # A weight that was read from a model may have been rounded up a little.
        self.frozen.fine.scale = fixed_point_scale(
            (1 - 1e-6) * self.rows.largest(self.frozen.weight)
        )
        self.looked_at = self.n_updates

    cdef void score_frozen(
        self, const uint64_t* keys, int n_keys, float* scores
    ) noexcept nogil:
        # Only zeros are left out.
        self.rows.set_frozen_scores(
            keys, n_keys, self.size, Smallest(), scores, self.frozen
        )

    def resize(self, int n_actions) -> None:
        Learner.resize(self, n_actions)
        self.rows.resize(n_actions)
        # What lies behind the last action must be zero.
        self.gradients.clear()
        self.total.clear()

    def resume(self, FrozenWeights weights not None) -> None:
        """Start from the weights of a saved model, as if each came from gradients of
        size 1 with one sign: the least squares that a weight can have. The sums of the
        first training are not in a model, so this is not its exact continuation.

        Raises:
            ValueError: When they are for more actions than the learner has, or were
                saved without the part `resume`.
        """
        weights.check_start(self.size)
        thaw_rda(weights.c, weights.scale, self._weight(), self.rows[0])
        self.looked_at = -1

    def freeze(self) -> FrozenWeights:
        """The weights that are not zero, as `FrozenWeights`."""
        cdef FrozenBuilder builder
        self.prepare()
        with nogil:
            self.rows.freeze(self.frozen, self.size, Smallest(), builder)
        return FrozenWeights.from_builder(&builder, self.frozen.fine.scale)
