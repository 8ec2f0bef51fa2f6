# cython: boundscheck=False, wraparound=False
"""The weights of a finished model: immutable, flat, shared by all threads."""
from libc.stdint cimport int8_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from ...errors import ModelFileError
from .aligned import aligned_bytes, check_aligned

from .scorer cimport Scorer

MAX_SIZE = 0xFFFFFFFF
SIZES = ("n_actions", "n_features", "n_parameters")
# The names of the arrays, in the order of the file, and the bytes of their items.
ARRAYS = {
    "common": 64,
    "rows": 1,
    "pilots": 2,
    "lines": 64,
    "lists": 1,
    "highs": 1,
}
# The arrays and sizes of models that versions 0.1 and 0.2 saved.
OLD_ARRAYS = {"slots": 8, "highs": 2, "rows": 1}
OLD_SIZES = ("n_actions", "multiplier", "n_dense_slots", "n_features", "n_parameters")
# What `fixed_point_scale` gives for weights from nothing to a thousand million.
SMALLEST_SCALE = 2.0**-16
LARGEST_SCALE = 1024.0

cdef enum:
    # More actions than this do not fit the 16 bits of an action number.
    MAX_STRIDE = 0x10000


cdef object copy_of(const void* data, size_t n_bytes):
    cdef uint8_t[::1] view
    # Rows and buckets are to lie in as few cache lines as they can.
    array = aligned_bytes(n_bytes)
    if n_bytes:
        view = array
        memcpy(&view[0], data, n_bytes)
    # Nobody changes them once `is_sound` has looked at them.
    array.flags.writeable = False
    return array


cdef size_t address_of(name, array) except? 0:
    """Where an array of bytes begins; 0 if it is empty."""
    cdef const uint8_t[::1] view = array
    if not view.shape[0]:
        return 0
    check_aligned(name, <size_t>&view[0])
    return <size_t>&view[0]


cdef object checked_keys(keys):
    """Keys as an array; raises ValueError for more than a set of templates can give."""
    found = np.asarray(keys, dtype=np.uint64)
    if len(found) > MAX_KEYS:
        raise ValueError(f"{len(found)} keys, expected at most {MAX_KEYS}")
    return found


def check_sizes(sizes, names=SIZES):
    """Raise ModelFileError unless the sizes of a model are possible ones."""
    for key in names:
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
    """Immutable weights, made by `Learner.freeze` or `FrozenWeights.from_arrays`.

    scale: what the fixed-point weights have to be divided by.
    n_features, n_parameters: features with a weight, and non-zero weights.

    Weights have 13 bits; see fixed_point.hpp for how they are rounded. A model that is
    trained further starts from the rounded weights.
    """

    @staticmethod
    cdef FrozenWeights from_builder(FrozenRowsBuilder* builder, double scale):
        if not builder.finish():
            raise OverflowError("the model has more weights than its format can hold")
        cdef const FrozenRows* rows = &builder.result()
        # Behind the lines there is an empty one.
        n_lines = rows.hash.n_lines + 1
        return FrozenWeights.from_arrays(
            {
                "common": copy_of(rows.common.buckets, 64 * rows.common.size),
                "rows": copy_of(rows.rows, rows.n_rows * <uint64_t>rows.stride),
                "pilots": copy_of(rows.hash.pilots, 2 * rows.hash.n_buckets),
                "lines": copy_of(rows.lines, 64 * n_lines),
                "lists": copy_of(rows.lists, rows.n_list_bytes),
                "highs": copy_of(rows.highs, rows.n_high_bytes),
            },
            {
                "n_actions": rows.n_actions,
                "scale": scale,
                "n_features": builder.n_features(),
                "n_parameters": builder.n_parameters(),
            },
        )

    @staticmethod
    def from_arrays(arrays, sizes):
        """Weights that lie in the given memory, which is not copied.

        arrays: by name (see `ARRAYS`) one-dimensional arrays of bytes that are aligned
            to 8 bytes. Those of an older format (see `OLD_ARRAYS`) are converted, and
            their weights rounded to 13 bits. sizes: what `sizes` returns.

        Raises ModelFileError for arrays that are not aligned, and when anything in them
        could lead outside of them.
        """
        if "slots" in arrays:
            return converted(arrays, sizes)
        cdef FrozenWeights self = FrozenWeights.__new__(FrozenWeights)
        check_sizes(sizes)
        addresses = {name: address_of(name, arrays[name]) for name in ARRAYS}
        length = {name: len(arrays[name]) // size for name, size in ARRAYS.items()}
        cdef FrozenRows* rows = &self.rows
        rows.n_actions = sizes["n_actions"]
        rows.stride = stride_for(rows.n_actions)
        rows.wide = FrozenRows.wide_for(rows.n_actions)
        rows.common.size = length["common"]
        rows.n_rows = length["rows"] // rows.stride
        rows.hash.n_buckets = length["pilots"]
        rows.hash.n_lines = max(length["lines"], 1) - 1
        rows.n_list_bytes = length["lists"]
        rows.n_high_bytes = length["highs"]
        rows.n_features = sizes["n_features"]
        if (
            any(len(arrays[name]) % size for name, size in ARRAYS.items())
            or length["rows"] != rows.n_rows * <uint64_t>rows.stride
            or max(length.values()) > MAX_SIZE
        ):
            raise ModelFileError("an array of the weights has the wrong size")
        rows.common.buckets = <const Bucket*><size_t>addresses["common"]
        rows.rows = <const int8_t*><size_t>addresses["rows"]
        rows.hash.pilots = <const uint16_t*><size_t>addresses["pilots"]
        rows.lines = <const Line*><size_t>addresses["lines"]
        rows.lists = <const char*><size_t>addresses["lists"]
        rows.highs = <const uint8_t*><size_t>addresses["highs"]
        self.buffers = {name: arrays[name] for name in ARRAYS}
        self.vectorized = has_vectors()
        self.scale = sizes["scale"]
        self.n_features = sizes["n_features"]
        self.n_parameters = sizes["n_parameters"]
        if not rows.is_sound():
            raise ModelFileError("the weights do not fit their arrays")
        return self

    def sums(self, keys, *, vectorized=True):
        """The fixed-point scores of all actions for features, given by their keys: the
        sums of their weights times `scale`, as int32.

        vectorized: use AVX2 where the processor has it. It changes no sum.

        Raises ValueError for more keys than a set of templates can give.
        """
        cdef const uint64_t[::1] view = checked_keys(keys)
        # No sum is larger than 2**24, up to which floats have all whole numbers.
        sums = np.zeros(self.rows.n_scores(), dtype=np.float32)
        cdef float[::1] out = sums
        cdef FrozenScoring scoring = FrozenScoring(self, vectorized)
        if view.shape[0] and out.shape[0]:
            scoring.frozen.begin(&view[0], <int>view.shape[0])
            scoring.frozen.write(1.0, &out[0])
        return sums[:self.rows.n_actions].astype(np.int32)

    def best_of(self, keys, counts, *, vectorized=True):
        """The action with the largest score for features, the first of equals, and its
        score times `scale`; None if no action counts. For tests.

        counts: for each action whether it counts. Else as for `sums`.
        """
        cdef const uint64_t[::1] view = checked_keys(keys)
        cdef float[::1] mask = np.full(self.rows.n_scores(), -np.inf, dtype=np.float32)
        cdef FrozenScoring scoring = FrozenScoring(self, vectorized)
        cdef float score = 0
        cdef int best
        for action in range(self.rows.n_actions):
            if counts[action]:
                mask[action] = 0
        scoring.begin(&view[0], <int>view.shape[0])
        best = scoring.best(&mask[0], &score)
        return None if best < 0 else (best, round(score * self.scale))

    def arrays(self):
        """The memory of the weights, as arrays of bytes."""
        return dict(self.buffers)

    def sizes(self):
        """What else `from_arrays` has to know."""
        return {
            "n_actions": self.rows.n_actions,
            "scale": self.scale,
            "n_features": self.n_features,
            "n_parameters": self.n_parameters,
        }

    def freeze(self):
        """Frozen weights are frozen already."""
        return self

    cdef int n_actions(self) noexcept nogil:
        return self.rows.n_actions

    cdef int n_scores(self) noexcept nogil:
        return self.rows.n_scores()

    cdef void score(
        self, const uint64_t* keys, int n_keys, float* scores
    ) noexcept nogil:
        write_scores(
            self.rows,
            keys,
            n_keys,
            <float>(1.0 / self.scale),
            scores,
            self.vectorized,
        )

    cdef Scoring new_scoring(self):
        return FrozenScoring(self)

    def __reduce__(self):
        return FrozenWeights.from_arrays, (self.arrays(), self.sizes())


cdef class FrozenScoring(Scoring):
    """The scores of frozen weights.

    vectorized: use AVX2 where the processor has it.
    """

    def __cinit__(self, FrozenWeights weights not None, bint vectorized=True):
        self.frozen = new FrozenScores(weights.rows, vectorized and weights.vectorized)
        self.unit = <float>(1.0 / weights.scale)

    def __dealloc__(self):
        del self.frozen

    cdef void begin(self, const uint64_t* keys, int n_keys) noexcept nogil:
        self.frozen.begin(keys, n_keys)

    cdef void write(self, float* scores) noexcept nogil:
        self.frozen.write(self.unit, scores)

    cdef int best(self, const float* mask, float* score) noexcept nogil:
        return self.frozen.best(mask, self.unit, score)


cdef FrozenWeights converted(arrays, sizes):
    """Weights of an older format, as this version lays them out.

    Raises ModelFileError like `FrozenWeights.from_arrays`.
    """
    cdef OldRows old
    cdef FrozenRowsBuilder* builder
    cdef int divisor
    check_sizes(sizes, OLD_SIZES)
    addresses = {name: address_of(name, arrays[name]) for name in OLD_ARRAYS}
    old.n_slots = len(arrays["slots"]) // OLD_ARRAYS["slots"]
    if (
        not 0 < old.n_slots <= MAX_SIZE
        or len(arrays["slots"]) % OLD_ARRAYS["slots"]
        or len(arrays["highs"]) != old.n_slots * OLD_ARRAYS["highs"]
    ):
        raise ModelFileError("an array of the weights has the wrong size")
    old.n_actions = sizes["n_actions"]
    old.stride = OldRows.stride_for(old.n_actions)
    old.wide = OldRows.wide_for(old.n_actions)
    old.multiplier = <uint32_t>sizes["multiplier"]
    old.n_dense_slots = sizes["n_dense_slots"]
    old.n_row_bytes = len(arrays["rows"])
    old.slots = <const OldSlot*><size_t>addresses["slots"]
    old.highs = <const uint16_t*><size_t>addresses["highs"]
    old.rows = <const char*><size_t>addresses["rows"]
    if not old.is_sound():
        raise ModelFileError("the weights do not fit their arrays")
    builder = new FrozenRowsBuilder(old.n_actions)
    try:
        with nogil:
            divisor = add_old_rows(old, builder[0])
        return FrozenWeights.from_builder(
            builder, max(sizes["scale"] / divisor, SMALLEST_SCALE)
        )
    except OverflowError as error:
        raise ModelFileError(str(error)) from error
    finally:
        del builder
