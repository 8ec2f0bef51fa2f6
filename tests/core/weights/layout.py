"""The arrays of frozen weights, as the tests read and write them."""

import math
from io import BytesIO

import numpy as np

from spacy_dynoracle.core.weights.frozen import FrozenWeights

# A line of features with few weights, and the cells of lists.
CELL = np.dtype([("column", "u1"), ("weight", "i1")])
WIDE_CELL = np.dtype([("column", "<u2"), ("weight", "<i2")])
LINE = np.dtype([("heads", "<u4", 6), ("cells", CELL, 20)])
HEAD_BITS = 27
# From so many lines on, features in lines have one byte in `highs`.
MANY_LINES = 8192
IN_LIST = -128
# Columns of a row.
BOUND, FACTOR, FIRST_ACTION = 0, 1, 8


def stride_of(n_actions):
    """The number of columns of a row."""
    return (FIRST_ACTION + n_actions + 31) // 32 * 32


def read_weights(frozen):
    """{(key, action): weight}, decoded from the arrays as frozen_rows.hpp
    describes them."""
    n_actions = frozen.sizes()["n_actions"]
    arrays = {name: array.tobytes() for name, array in frozen.arrays().items()}
    buckets = np.frombuffer(arrays["common"], dtype="<u4").reshape(-1, 2, 8)
    rows = np.frombuffer(arrays["rows"], dtype="i1").reshape(-1, stride_of(n_actions))
    highs = BytesIO(arrays["highs"])
    numbers = {}
    for (bucket, slot), start in np.ndenumerate(buckets[:, 1]):
        if start:
            key = long_high(highs) | int(buckets[bucket, 0, slot])
            row = rows[int(start) // rows.shape[1]].tolist()
            for action, number in enumerate(row[FIRST_ACTION:][:n_actions]):
                numbers[key, action] = row[FACTOR] * number
    n_lines = len(arrays["lines"]) // LINE.itemsize - 1
    pilots = np.frombuffer(arrays["pilots"], "<u2").tolist()
    for line, head, cells in read_lines(arrays, is_wide=n_actions > 256):
        if n_lines < MANY_LINES:
            key = long_high(highs) | head
        else:
            key = key_in_line(head, highs.read(1)[0], line, n_lines, pilots)
        for action, weight in cells:
            numbers[key, action] = numbers.get((key, action), 0) + weight
    assert not highs.read()
    return {
        feature: number / frozen.scale for feature, number in numbers.items() if number
    }


def long_high(highs):
    """The upper 24 bits of a key, at their place in the key."""
    return int.from_bytes(highs.read(3), "little") << 24


def key_in_line(head, high, line, n_lines, pilots):
    """The key of a feature in one of many lines, from its lowest 27 bits and a byte, as
    key_highs.hpp and static_hash.hpp describe it."""
    low = head | (high & 31) << HEAD_BITS
    bucket = (low * low >> 32) * len(pilots) >> 32
    folded = low ^ low >> 16 ^ pilots[bucket] * 0x9E3779B1 % 2**32
    # The first numbers in the line whose lower half is that of all such keys.
    first = -((-line << 32) // n_lines)
    first += (folded * 0x85EBCA77 - first) % 2**16
    found = (first + (high >> 5 << 16)) * pow(0x85EBCA77, -1, 2**32) % 2**32
    return low | (found ^ folded) >> 16 << 32


def read_lines(arrays, is_wide):
    """Of each feature the number of its line, the lowest bits of its key, its cells."""
    lines = np.frombuffer(arrays["lines"], LINE)[:-1]
    is_used = (lines["heads"] >> HEAD_BITS < lines["cells"].shape[1]).any(axis=1)
    for number in np.flatnonzero(is_used).tolist():
        line = lines[number]
        starts = [*(line["heads"] >> HEAD_BITS).tolist(), len(line["cells"])]
        for slot, head in enumerate(line["heads"].tolist()):
            cells = line["cells"][starts[slot] : starts[slot + 1]]
            if len(cells) and cells["weight"][0] == IN_LIST:
                start, count = place_of_list(cells)
                kind = WIDE_CELL if is_wide else CELL
                cells = np.frombuffer(arrays["lists"], kind, count, start)
            if len(cells):
                yield number, head & (1 << HEAD_BITS) - 1, cells.tolist()


def old_arrays(numbers, weight=7):
    """The arrays and sizes of a model of version 0.1 from {key: number of weights},
    where a number is odd. All weights are the same."""
    n = len(numbers)
    slots = np.full((8 + n + -n % 8 + 8, 2), 0xFFFFFFFF, "<u4")
    highs = np.zeros(len(slots), "<u2")
    highs[8 : 8 + n] = [key >> 32 for key in numbers]
    rows = bytearray()
    for slot, (key, n_weights) in enumerate(numbers.items(), start=8):
        slots[slot] = key & 0xFFFFFFFF, len(rows) // 2
        # A count, the actions, and the weights.
        rows += bytes([n_weights, *range(n_weights), *[weight, 0] * n_weights])
    arrays = {"slots": slots.tobytes(), "highs": highs.tobytes(), "rows": bytes(rows)}
    return (
        {name: np.frombuffer(array, "u1") for name, array in arrays.items()},
        {
            "n_actions": 88,
            "scale": 1.0,
            "multiplier": 0,
            "n_dense_slots": 8,
            "n_features": n,
            "n_parameters": sum(numbers.values()),
        },
    )


def place_of_list(cells):
    """The first byte of a list and its length, from the cells in its line."""
    (start,) = np.frombuffer(cells["column"].tobytes(), "<u4").tolist()
    (count,) = np.frombuffer(cells["weight"][1:3].tobytes(), "<u2").tolist()
    return 4 * start, count


LARGEST_WEIGHT = 4095
# If some weights are large, the perceptron drops features with smaller numbers only.
SMALLEST_NUMBER = 16
# Weights are rounded to 16 bits first, in units of the last of 13 bits.
FINE_ROUNDING = 0.5 / 8 + 1e-6
# By how much a number of 13 bits may differ from its weight.
ROUNDING = 0.5 + FINE_ROUNDING


def rounding_of(weights, frozen):
    """By how much frozen weights may differ from those in {(key, action): weight}."""
    sizes = {}
    for (key, _), weight in weights.items():
        # It is in doubt whether the number is this one or the next larger one.
        sizes.setdefault(key, []).append(abs(weight) * frozen.scale + ROUNDING)
    n_actions = frozen.sizes()["n_actions"]
    largest = {
        key: max(0.5, rounding_in_row(numbers, n_actions)) + FINE_ROUNDING
        for key, numbers in sizes.items()
    }
    return {(key, action): largest[key] / frozen.scale for key, action in weights}


def factor_of(largest):
    """The factor of a row with this largest number: its numbers have 8 bits."""
    factor = 1
    while factor < 32 and largest > 127 * factor:
        factor *= 2
    return factor


def keeps_bits(numbers, n_actions):
    """Whether weights have all their bits; a number of 8 bits is a part of a weight."""
    n_parts = sum(math.ceil(abs(number) / 127) for number in numbers)
    most_without_row = max(8, stride_of(n_actions) // 12)
    return len(numbers) <= 12 and (len(numbers) <= most_without_row or n_parts <= 16)


def rounding_in_row(numbers, n_actions):
    """By how much a row may change numbers, unless they keep their bits."""
    largest = max(numbers)
    factor = factor_of(round(largest))
    if keeps_bits(numbers, n_actions) or factor == 1:
        return 0
    return max(factor / 2, largest - 127 * factor)


def frozen_of(weights, n_actions, scale=1024.0, n_lines=None):
    """FrozenWeights from {(key, action): weight}, laid out as frozen_rows.hpp
    describes. All weights are in lists.

    n_lines: number of lines; by default many for each key."""
    by_key = {}
    for (key, action), weight in weights.items():
        by_key.setdefault(key, {})[action] = round(weight * scale)
    n_lines = n_lines or 64 * len(by_key) + 1
    pilot, places = pilot_of(list(by_key), n_lines)
    lines, lists = np.zeros(n_lines + 1, LINE), b""
    lines["heads"] = 20 << HEAD_BITS
    in_order = sorted(zip(places, by_key, strict=True))
    for place, key in in_order:
        cells = cells_of(by_key[key], n_actions > 256)
        lines[place]["heads"][0] = 16 << HEAD_BITS | key & (1 << HEAD_BITS) - 1
        count = len(cells).to_bytes(2, "little")
        lines[place]["cells"]["column"][16:] = list(
            (len(lists) // 4).to_bytes(4, "little")
        )
        lines[place]["cells"]["weight"][16:] = np.frombuffer(
            b"\x80" + count + b"\0", "i1"
        )
        lists += cells.tobytes() + bytes(-len(cells.tobytes()) % 4)
    arrays = {
        "common": np.zeros(64, "u1"),
        "rows": np.zeros(stride_of(n_actions), "u1"),
        "pilots": np.array([pilot], "<u2"),
        "lines": lines,
        "lists": np.frombuffer(lists + bytes(64), "u1"),
        "highs": np.frombuffer(
            b"".join(high_of(key, at, n_lines, pilot) for at, key in in_order), "u1"
        ),
    }
    return FrozenWeights.from_arrays(
        {name: np.frombuffer(array.tobytes(), "u1") for name, array in arrays.items()},
        {
            "n_actions": n_actions,
            "scale": scale,
            "n_features": len(by_key),
            "n_parameters": len(weights),
        },
    )


def high_of(key, line, n_lines, pilot):
    """What the line of a feature does not say of its key."""
    if n_lines < MANY_LINES:
        return (key >> 24).to_bytes(3, "little")
    candidates = (key % 2**32) + (np.arange(2**16, dtype=np.uint64) << np.uint64(32))
    mixed = mixed_keys(candidates, pilot)
    here = mixed * np.uint64(n_lines) >> np.uint64(32) == line
    number = int((mixed[here] < mixed[key >> 32]).sum())
    return bytes([number << 5 | key >> HEAD_BITS & 31])


def cells_of(row, is_wide):
    """The cells of {action: fixed-point number}."""
    if is_wide:
        return np.array(sorted(row.items()), WIDE_CELL)
    cells = []
    for action, number in sorted(row.items()):
        while number:
            part = max(-127, min(127, number))
            cells.append((action, part))
            number -= part
    return np.array(cells, CELL)


def pilot_of(keys, n_lines):
    """The first pilot with which all keys have lines of their own, and these."""
    for pilot in range(1 << 16):
        mixed = mixed_keys(np.array(keys, np.uint64), pilot)
        places = (mixed * np.uint64(n_lines)) >> np.uint64(32)
        if len(set(places.tolist())) == len(keys):
            return pilot, places.tolist()
    raise ValueError("the keys have no pilot")


def mixed_keys(keys, pilot):
    """Of an array of keys, what their lines depend on. pilot: one, or one for each."""
    low = np.uint64(2**32 - 1)
    spread = np.asarray(pilot, np.uint64) * np.uint64(0x9E3779B1)
    return ((keys ^ keys >> np.uint64(16) ^ spread) & low) * np.uint64(0x85EBCA77) & low
