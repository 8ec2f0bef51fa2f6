# cython: boundscheck=False, wraparound=False
"""The weights of a finished model: immutable, flat, shared by all threads."""
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp cimport bool as cbool

import numpy as np

from ...errors import ModelFileError
from .aligned import aligned_bytes, check_aligned

from .scorer cimport Scorer

MAX_SIZE = 0xFFFFFFFF
SIZES = ("n_actions", "multiplier", "n_dense_slots", "n_features", "n_parameters")
# What `fixed_point_scale` gives for weights from nothing to a thousand million.
SMALLEST_SCALE = 2.0**-16
LARGEST_SCALE = 1024.0

cdef enum:
    # More actions than this do not fit the 16 bits of an action number.
    MAX_STRIDE = 0x10000
    SLOT_BYTES = 8
    HIGH_BYTES = 2


cdef object copy_of(const void* data, size_t n_bytes):
    cdef uint8_t[::1] view
    # Dense rows are to lie in as few cache lines as they can.
    array = aligned_bytes(n_bytes)
    if n_bytes:
        view = array
        memcpy(&view[0], data, n_bytes)
    # Nobody changes them once `is_sound` has looked at them.
    array.flags.writeable = False
    return array


def check_sizes(sizes):
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
    """Immutable weights, made by `Learner.freeze` or `FrozenWeights.from_arrays`.

    scale: what the fixed-point weights have to be divided by.
    n_features, n_parameters: features with a weight, and non-zero weights.

    A feature with more than 12 weights has 8-bit ones, times a power of two of its own,
    so that each is right to half a percent of the largest one; weights that are smaller
    than that are zero. Other features have weights of 16 bits. A model that is trained
    further starts from the rounded weights.
    """

    @staticmethod
    cdef FrozenWeights from_builder(FrozenRowsBuilder* builder, double scale):
        if not builder.finish():
            raise OverflowError("the model has more weights than its format can hold")
        cdef const FrozenRows* rows = &builder.result()
        return FrozenWeights.from_arrays(
            {
                "slots": copy_of(rows.slots, rows.n_slots * SLOT_BYTES),
                "highs": copy_of(rows.highs, rows.n_slots * HIGH_BYTES),
                "rows": copy_of(rows.rows, rows.n_row_bytes),
            },
            {
                "n_actions": rows.n_actions,
                "multiplier": rows.multiplier,
                "n_dense_slots": rows.n_dense_slots,
                "scale": scale,
                "n_features": builder.n_features(),
                "n_parameters": builder.n_parameters(),
            },
        )

    @staticmethod
    def from_arrays(arrays, sizes):
        """Weights that lie in the given memory, which is not copied.

        arrays: "slots", "highs" and "rows" as one-dimensional arrays of bytes that are
            aligned to 8 bytes. sizes: what `sizes` returns.

        Raises ModelFileError for arrays that are not aligned, and when anything in them
        could lead outside of them.
        """
        cdef FrozenWeights self = FrozenWeights.__new__(FrozenWeights)
        cdef const uint8_t[::1] slots = arrays["slots"]
        cdef const uint8_t[::1] highs = arrays["highs"]
        cdef const uint8_t[::1] rows = arrays["rows"]
        cdef size_t n_slots = slots.shape[0] // SLOT_BYTES
        if (
            n_slots < 1
            or n_slots > 0xFFFFFFFF
            or slots.shape[0] != n_slots * SLOT_BYTES
            or highs.shape[0] != n_slots * HIGH_BYTES
        ):
            raise ModelFileError("the weight table has the wrong size")
        check_aligned("slots", <size_t>&slots[0])
        check_aligned("highs", <size_t>&highs[0])
        if rows.shape[0]:
            check_aligned("rows", <size_t>&rows[0])
        check_sizes(sizes)
        self.buffers = (arrays["slots"], arrays["highs"], arrays["rows"])
        self.rows.n_actions = sizes["n_actions"]
        self.rows.stride = FrozenRows.stride_for(self.rows.n_actions)
        self.rows.wide = FrozenRows.wide_for(self.rows.n_actions)
        self.rows.multiplier = <uint32_t>sizes["multiplier"]
        self.rows.n_slots = n_slots
        self.rows.n_dense_slots = sizes["n_dense_slots"]
        self.rows.n_row_bytes = rows.shape[0]
        self.rows.slots = <const FrozenSlot*>&slots[0]
        self.rows.highs = <const uint16_t*>&highs[0]
        self.rows.rows = <const char*>&rows[0] if rows.shape[0] else NULL
        self.scale = sizes["scale"]
        self.n_features = sizes["n_features"]
        self.n_parameters = sizes["n_parameters"]
        if not self.rows.is_sound():
            raise ModelFileError("the weight table points outside of itself")
        return self

    def sums(self, keys, *, vectorized=True):
        """The fixed-point scores of all actions for features, given by their keys: the
        sums of their weights times `scale`, as int32.

        vectorized: use AVX2 where the processor has it. It changes no sum.

        Raises ValueError for more keys than a set of templates can give.
        """
        cdef const uint64_t[::1] view = np.asarray(keys, dtype=np.uint64)
        if view.shape[0] > MAX_KEYS:
            raise ValueError(f"{view.shape[0]} keys, expected at most {MAX_KEYS}")
        # No sum is larger than 2**24, up to which floats have all whole numbers.
        sums = np.zeros(self.rows.stride, dtype=np.float32)
        cdef float[::1] out = sums
        cdef cbool use_all = vectorized
        if view.shape[0] and out.shape[0]:
            self.rows.sum_scores(
                &view[0], <int>view.shape[0], 1.0, &out[0], use_all
            )
        return sums[:self.rows.n_actions].astype(np.int32)

    def arrays(self):
        """The memory of the weights, as arrays of bytes."""
        slots, highs, rows = self.buffers
        return {"slots": slots, "highs": highs, "rows": rows}

    def sizes(self):
        """What else `from_arrays` has to know."""
        return {
            "n_actions": self.rows.n_actions,
            "multiplier": self.rows.multiplier,
            "n_dense_slots": self.rows.n_dense_slots,
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
        return self.rows.stride

    cdef void score(
        self, const uint64_t* keys, int n_keys, float* scores
    ) noexcept nogil:
        cdef float unit = <float>(1.0 / self.scale)
        self.rows.sum_scores(keys, n_keys, unit, scores)

    def __reduce__(self):
        return FrozenWeights.from_arrays, (self.arrays(), self.sizes())
