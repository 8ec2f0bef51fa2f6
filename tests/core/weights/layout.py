"""The arrays of frozen weights, as the tests read and write them."""

import math

import numpy as np

# A line of features with few weights, and the cells of the overflow.
CELL = np.dtype([("column", "u1"), ("weight", "i1")])
WIDE_CELL = np.dtype([("column", "<u2"), ("weight", "<i2")])
LINE = np.dtype([("heads", "<u4", 6), ("cells", CELL, 20)])
FINGERPRINT_BITS = 27
IN_OVERFLOW = -128
# Columns of a row.
BOUND, FACTOR, FIRST_ACTION = 0, 1, 8


def stride_of(n_actions):
    """The number of columns of a row."""
    return (FIRST_ACTION + n_actions + 31) // 32 * 32


def read_weights(frozen):
    """{(key, action): weight}, decoded from the arrays as frozen_arrays.hpp
    describes them.
    """
    n_actions = frozen.sizes()["n_actions"]
    arrays = {name: array.tobytes() for name, array in frozen.arrays().items()}
    buckets = np.frombuffer(arrays["buckets"], dtype="<u4").reshape(-1, 2, 8)
    rows = np.frombuffer(arrays["rows"], dtype="i1").reshape(-1, stride_of(n_actions))
    upper = np.frombuffer(arrays["resume"], "u1").reshape(-1, 3).tolist()
    keys = iter([sum(b << 24 + 8 * i for i, b in enumerate(bits)) for bits in upper])
    weights = {}
    for (bucket, slot), start in np.ndenumerate(buckets[:, 1]):
        if start:
            key = next(keys) | int(buckets[bucket, 0, slot]) % 2**24
            row = rows[int(start) // rows.shape[1]].tolist()
            for action, byte in enumerate(row[FIRST_ACTION:][:n_actions]):
                weights[key, action] = row[FACTOR] * byte
    for fingerprint, cells in read_lines(arrays, is_wide=n_actions > 256):
        key = next(keys) | fingerprint % 2**24
        for action, weight in cells:
            weights[key, action] = weights.get((key, action), 0) + weight
    assert next(keys, None) is None
    return {
        feature: weight / frozen.scale for feature, weight in weights.items() if weight
    }


def read_lines(arrays, is_wide):
    """Of each feature in a line the lowest bits of its key, and its cells."""
    lines = np.frombuffer(arrays["lines"], LINE)[:-1]
    is_used = (lines["heads"] >> FINGERPRINT_BITS < lines["cells"].shape[1]).any(axis=1)
    for line in lines[is_used]:
        starts = [*(line["heads"] >> FINGERPRINT_BITS).tolist(), len(line["cells"])]
        for slot, head in enumerate(line["heads"].tolist()):
            cells = line["cells"][starts[slot] : starts[slot + 1]]
            if len(cells) and cells["weight"][0] == IN_OVERFLOW:
                start, count = overflow_place(cells)
                kind = WIDE_CELL if is_wide else CELL
                cells = np.frombuffer(arrays["overflow"], kind, count, start)
            if len(cells):
                yield head & (1 << FINGERPRINT_BITS) - 1, cells.tolist()


def overflow_place(cells):
    """The first byte and the number of the cells of a feature in the overflow, from its
    cells in a line.
    """
    (start,) = np.frombuffer(cells["column"].tobytes(), "<u4").tolist()
    (count,) = np.frombuffer(cells["weight"][1:3].tobytes(), "<u2").tolist()
    return 4 * start, count


LARGEST_WEIGHT = 4095
# Weights are rounded to 16 bits first, in units of the last of 13 bits.
FINE_ROUNDING = 0.5 / 8 + 1e-6
# By how much a frozen weight may differ from its weight, times the scale.
ROUNDING = 0.5 + FINE_ROUNDING


def rounding_of(weights, frozen):
    """By how much frozen weights may differ from those in {(key, action): weight}."""
    sizes = {}
    for (key, _), weight in weights.items():
        # It is in doubt whether the frozen weight is this one or the next larger one.
        sizes.setdefault(key, []).append(abs(weight) * frozen.scale + ROUNDING)
    n_actions = frozen.sizes()["n_actions"]
    largest = {
        key: max(0.5, rounding_in_row(row, n_actions)) + FINE_ROUNDING
        for key, row in sizes.items()
    }
    return {(key, action): largest[key] / frozen.scale for key, action in weights}


def factor_of(largest):
    """The factor of a row with this largest weight: it has 8 bits for each."""
    factor = 1
    while factor < 32 and largest > 127 * factor:
        factor *= 2
    return factor


def keeps_bits(sizes, n_actions):
    """Whether weights of these sizes keep all their bits; a part of a weight has 8."""
    n_parts = sum(math.ceil(size / 127) for size in sizes)
    most_without_row = max(8, stride_of(n_actions) // 12)
    return len(sizes) <= 12 and (len(sizes) <= most_without_row or n_parts <= 16)


def rounding_in_row(sizes, n_actions):
    """By how much a row may change weights of these sizes."""
    largest = max(sizes)
    factor = factor_of(round(largest))
    if keeps_bits(sizes, n_actions) or factor == 1:
        return 0
    return max(factor / 2, largest - 127 * factor)
