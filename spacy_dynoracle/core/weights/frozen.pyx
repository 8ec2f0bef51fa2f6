# cython: boundscheck=False, wraparound=False
"""Frozen weights: immutable, flat, shared by all threads."""
import numpy as np

from ...errors import ModelFileError
from ...util.arrays import aligned_bytes
from .aligned import address_of
from .training_rows cimport TrainingRows


MAX_SIZE = 0xFFFFFFFF
SIZES = ("n_actions", "n_features", "n_parameters")  # type: tuple[str, ...]
# What only training that starts from the weights needs; it may be empty.
RESUME = "resume"
# The names of the arrays, in the order of the file, and the bytes of their items.
ARRAYS = {  # type: dict[str, int]
    "buckets": 64,
    "rows": 1,
    "pilots": 2,
    "lines": 64,
    "overflow": 1,
    RESUME: 1,
}
# What `fixed_point_scale` gives for weights from nothing to a thousand million.
SMALLEST_SCALE = 2.0**-16  # type: float
LARGEST_SCALE = 1024.0

cdef enum:
    # More actions than this do not fit the 16 bits of an action number.
    MAX_STRIDE = 0x10000


cdef object copy_of(const void* data, size_t n_bytes):
    # Rows and buckets are to lie in as few cache lines as they can.
    array = aligned_bytes(n_bytes)
    if n_bytes:
        array[:] = <const uint8_t[:n_bytes]>data
    # Nobody changes them once `are_sound` has looked at them.
    array.flags.writeable = False
    return array


def check_sizes(sizes: Mapping[str, object]) -> None:
    """Raise ModelFileError unless the sizes of a model are possible ones."""
    for key in SIZES:
        if not isinstance(sizes[key], int) or not 0 <= sizes[key] <= MAX_SIZE:
            raise ModelFileError(
                f"the header states an impossible {key}: {sizes[key]!r}"
            )
    if not 0 <= sizes["n_actions"] <= MAX_STRIDE - 32:
        raise ModelFileError(f"a model cannot have {sizes['n_actions']} actions")
    if not SMALLEST_SCALE <= sizes["scale"] <= LARGEST_SCALE:
        raise ModelFileError(
            f"the scale {sizes['scale']!r} of the weights is impossible"
        )


cdef class FrozenWeights(Scorer):
    """Immutable weights, made by `Learner.freeze`, `FrozenWeights.from_weights` or
    `FrozenWeights.from_arrays`.

    Weights have 13 bits; see fixed_point.hpp for how they are rounded. A model that is
    trained further starts from the rounded weights.

    Attributes:
        scale: What the weights, which are whole numbers, have to be divided by.
        n_features, n_parameters: Features with a weight, and non-zero weights.
    """

    @staticmethod
    cdef FrozenWeights from_builder(FrozenBuilder* builder, double scale):
        if not builder.finish():
            raise OverflowError("the model has more weights than its format can hold")
        cdef const FrozenArrays* c = &builder.result()
        # Behind the lines there is an empty one.
        n_lines = c.hash.n_lines + 1
        return FrozenWeights.from_arrays(
            {
                "buckets": copy_of(c.buckets.buckets, 64 * c.buckets.size),
                "rows": copy_of(c.rows, c.n_rows * <uint64_t>c.stride),
                "pilots": copy_of(c.hash.pilots, 2 * c.hash.n_groups),
                "lines": copy_of(c.lines, 64 * n_lines),
                "overflow": copy_of(c.overflow, c.n_overflow_bytes),
                "resume": copy_of(c.resume, c.n_resume_bytes),
            },
            {
                "n_actions": c.n_actions,
                "scale": scale,
                "n_features": builder.n_features(),
                "n_parameters": builder.n_parameters(),
            },
        )

    @staticmethod
    def from_weights(weights, int n_actions, double scale=LARGEST_SCALE):
        """The frozen weights of {(key, action): weight}, which `scale` makes whole
        numbers of at most 13 bits.

        Raises:
            OverflowError: For more weights than the format can hold.
        """
        cdef TrainingRows[double, char]* rows = new TrainingRows[double, char](
            n_actions, 0
        )
        cdef FrozenBuilder builder
        cdef FineRounding fine
        fine.scale = scale
        for (key, action), weight in sorted(weights.items()):
            rows.entry(key, action).hot[0] = weight
        rows.freeze(fine, n_actions, Smallest(), builder)
        del rows
        return FrozenWeights.from_builder(&builder, scale)

    @staticmethod
    def from_arrays(
        arrays: Mapping[str, NDArray[np.uint8]], sizes: dict[str, Any]
    ) -> FrozenWeights:
        """Weights that lie in the given memory, which is not copied.

        Args:
            arrays: By name (see `ARRAYS`) one-dimensional arrays of bytes that are
                aligned to 8 bytes.
            sizes: What `sizes` returns.

        Raises:
            ModelFileError: For arrays that are not aligned, and when anything in them
                could lead outside of them.
        """
        cdef FrozenWeights self = FrozenWeights.__new__(FrozenWeights)
        check_sizes(sizes)
        addresses = {name: address_of(name, arrays[name]) for name in ARRAYS}
        length = {name: len(arrays[name]) // size for name, size in ARRAYS.items()}
        cdef FrozenArrays* c = &self.c
        c.set_actions(sizes["n_actions"])
        c.buckets.size = length["buckets"]
        c.n_rows = length["rows"] // c.stride
        c.hash.n_groups = length["pilots"]
        c.hash.n_lines = max(length["lines"], 1) - 1
        c.n_overflow_bytes = length["overflow"]
        c.n_resume_bytes = length["resume"]
        c.n_features = sizes["n_features"]
        if (
            any(len(arrays[name]) % size for name, size in ARRAYS.items())
            or length["rows"] != c.n_rows * <uint64_t>c.stride
            or max(length.values()) > MAX_SIZE
        ):
            raise ModelFileError("an array of the weights has the wrong size")
        c.buckets.buckets = <const Bucket*><size_t>addresses["buckets"]
        c.rows = <const int8_t*><size_t>addresses["rows"]
        c.hash.pilots = <const uint16_t*><size_t>addresses["pilots"]
        c.lines = <const Line*><size_t>addresses["lines"]
        c.overflow = <const char*><size_t>addresses["overflow"]
        c.resume = <const uint8_t*><size_t>addresses["resume"]
        self.buffers = {name: arrays[name] for name in ARRAYS}
        self.scale = sizes["scale"]
        self.n_features = sizes["n_features"]
        self.n_parameters = sizes["n_parameters"]
        if not are_sound(c[0]):
            raise ModelFileError("the weights do not fit their arrays")
        return self

    def sums(self, keys: NDArray[np.uint64] | Sequence[int]) -> NDArray[np.int32]:
        """The scores of all actions for features, given by their keys: the sums of
        their weights times `scale`, as int32.

        Raises:
            ValueError: For more keys than a set of templates can give.
        """
        cdef const uint64_t[::1] view = np.asarray(keys, dtype=np.uint64)
        if len(view) > MAX_KEYS:
            raise ValueError(f"{len(view)} keys, expected at most {MAX_KEYS}")
        # No sum is larger than 2**24, up to which floats have all whole numbers.
        sums = np.zeros(self.c.n_scores(), dtype=np.float32)
        cdef float[::1] out = sums
        cdef FrozenScoring scoring = FrozenScoring(self)
        if view.shape[0] and out.shape[0]:
            scoring.frozen.begin(&view[0], <int>view.shape[0])
            scoring.frozen.write(1.0, &out[0])
        return sums[:self.c.n_actions].astype(np.int32)

    def arrays(self) -> dict[str, NDArray[np.uint8]]:
        """The memory of the weights, as arrays of bytes."""
        return dict(self.buffers)

    def sizes(self) -> dict[str, Any]:
        """The numbers that `from_arrays` needs beside the arrays."""
        return {
            "n_actions": self.c.n_actions,
            "scale": self.scale,
            "n_features": self.n_features,
            "n_parameters": self.n_parameters,
        }

    def freeze(self) -> FrozenWeights:
        """Frozen weights are frozen already."""
        return self

    def without_resume(self):
        """The same weights without what only further training needs."""
        arrays = self.arrays() | {RESUME: np.empty(0, dtype=np.uint8)}
        return FrozenWeights.from_arrays(arrays, self.sizes())

    cdef int check_start(self, int n_actions) except -1:
        """Raise ValueError unless a learner with so many actions can start from these
        weights.
        """
        if self.c.n_actions > n_actions:
            raise ValueError(
                f"a learner for {n_actions} actions cannot start from weights for "
                f"{self.c.n_actions}"
            )
        if not self.c.has_keys():
            raise ValueError(
                "training cannot go on from a model that was saved without its part "
                "'resume': use the model from which it was made, or train a new one"
            )
        return 0

    cdef int n_actions(self) noexcept nogil:
        return self.c.n_actions

    cdef int n_scores(self) noexcept nogil:
        return self.c.n_scores()

    cdef Scoring new_scoring(self):
        return FrozenScoring(self)

    def __reduce__(self):
        return FrozenWeights.from_arrays, (self.arrays(), self.sizes())


cdef class FrozenScoring(Scoring):
    """The scores of frozen weights."""

    cdef FrozenWeights weights
    cdef FrozenScores* frozen
    cdef float unit

    def __cinit__(self, FrozenWeights weights not None):
        self.weights = weights
        self.frozen = new FrozenScores(weights.c)
        self.unit = <float>(1.0 / weights.scale)

    def __dealloc__(self):
        del self.frozen

    cdef void begin(self, const uint64_t* keys, int n_keys) noexcept nogil:
        self.frozen.begin(keys, n_keys)

    cdef void write(self, float* scores) noexcept nogil:
        self.frozen.write(self.unit, scores)

    cdef int best(self, const float* mask, float* score) noexcept nogil:
        return self.frozen.best(mask, self.unit, score)
