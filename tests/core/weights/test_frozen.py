"""Frozen weights: rounding, layout and sums."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle.core.learners.averaged_perceptron import AveragedPerceptron
from spacy_dynoracle.core.weights.frozen import FrozenWeights
from spacy_dynoracle.errors import ModelFileError

from ..builders import LARGEST_WEIGHT, MAX_EXACT, read_weights, shift_of, shifted
from ..learners.rda_trainers import EMPTY, frozen_of

ACTIONS = (1, 5, 31, 32, 33, 64, 88, 200, 256)
LINE = 64


def frozen_from(rows, n_actions):
    """FrozenWeights of {key: {action: fixed-point number}}."""
    weights = {(key, a): v for key, row in rows.items() for a, v in row.items()}
    learner = AveragedPerceptron(n_actions)
    learner.resume(frozen_of(weights, n_actions, scale=1.0))
    return learner.freeze()


def rounded(row):
    """What is to become of {action: fixed-point number} of a feature."""
    row = {a: v for a, v in row.items() if v}
    shift = shift_of(row.values())
    return {a: x << shift for a, v in row.items() if (x := shifted(v, shift))}


@st.composite
def rows_of(draw):
    """{key: {action: number}} and the number of actions; keys crowd in places, and
    numbers are of any size."""
    n_actions = draw(st.sampled_from(ACTIONS))
    random = draw(st.randoms(use_true_random=False))
    crowd = random.getrandbits(48)
    found = {}
    for _ in range(draw(st.integers(0, 60))):
        key = random.choice([random.getrandbits(48), crowd + random.randrange(99)])
        largest = random.choice([1, 2, 127, 128, 300, 5000, LARGEST_WEIGHT])
        # Sparse rows, of which frozen_of makes the weights, hold up to 255.
        n = random.randint(1, min(n_actions, 255))
        found[key % 2**48] = {
            a: random.choice([-largest, largest, random.randint(-largest, largest)])
            for a in random.sample(range(n_actions), n)
        }
    return found, n_actions


@pytest.mark.heavy
@settings(max_examples=40)
@given(rows_of())
def test_weights_are_rounded_by_feature(example):
    rows, n_actions = example
    frozen = frozen_from(rows, n_actions)
    found = read_weights(frozen)
    expected = {
        (key, a): v for key, row in rows.items() for a, v in rounded(row).items()
    }
    assert found == expected
    assert frozen.n_parameters == len(expected)
    assert frozen.n_features == len({key for key, _ in expected})


@pytest.mark.heavy
@settings(max_examples=30)
@given(rows_of())
def test_what_is_rounded_stays_so(example):
    rows, n_actions = example
    frozen = frozen_from(rows, n_actions)
    learner = AveragedPerceptron(n_actions)
    learner.resume(frozen)
    assert read_weights(learner.freeze()) == read_weights(frozen)


@pytest.mark.parametrize("n", [MAX_EXACT, MAX_EXACT + 1])
def test_few_weights_keep_all_bits(n):
    row = {a: 1001 + a for a in range(n)}
    found = read_weights(frozen_from({5: row}, 88))
    assert (list(found.values()) == list(row.values())) == (n == MAX_EXACT)


@pytest.mark.parametrize(
    ("largest", "shift"),
    [(127, 0), (128, 1), (254, 1), (255, 2), (16319, 7), (16320, 8), (32512, 8)],
)
def test_shift_of_a_row(largest, shift):
    """The largest weight decides; small ones beside it are coarse, or zero."""
    row = {0: -largest} | {a: a for a in range(1, 30)}
    found = {a: v for (_, a), v in read_weights(frozen_from({5: row}, 88)).items()}
    assert all(v % 2**shift == 0 for v in found.values())
    assert found == {a: v for a in row if (v := shifted(row[a], shift) * 2**shift)}


def test_keys_that_are_not_there():
    frozen = frozen_from({5: {0: 1}, (1 << 40) + 7: dict.fromkeys(range(20), 3)}, 88)
    assert not frozen.sums([0, 6, 1 << 39, (5 << 32) + 3]).any()
    assert not frozen.sums([]).any()


@pytest.mark.heavy
@settings(max_examples=30)
@given(rows_of(), st.integers(0, 512), st.booleans())
def test_sums(example, n_keys, some_unknown):
    """Both ways to sum up give what the weights say, for any keys in any number."""
    rows, n_actions = example
    frozen = frozen_from(rows, n_actions)
    draw = random.Random(n_keys)
    weights = read_weights(frozen)
    # A key whose weights are all zero is not in the model: it may be taken for another.
    known = list(dict.fromkeys(key for key, _ in weights))
    known += [7, 1 << 47] if some_unknown or not known else []
    keys = draw.choices(known, k=n_keys)
    expected = np.zeros(n_actions, int)
    for (key, a), weight in weights.items():
        expected[a] += keys.count(key) * weight * frozen.scale
    for vectorized in (False, True):
        found = frozen.sums(keys, vectorized=vectorized)
        assert found.dtype == np.int32
        assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(
    "weight", [127, -127, 127 * 4, LARGEST_WEIGHT, -LARGEST_WEIGHT]
)
def test_the_largest_sums(weight):
    """No sum within the loops is too large for its type."""
    frozen = frozen_from({5: dict.fromkeys(range(40), weight)}, 40)
    for vectorized in (False, True):
        found = frozen.sums([5] * 512, vectorized=vectorized)
        assert found.tolist() == [512 * weight] * 40


def test_too_many_keys():
    frozen = frozen_from({5: {0: 1}}, 3)
    with pytest.raises(ValueError, match="513 keys, expected at most 512"):
        frozen.sums([5] * 513)


def test_rows_take_few_lines():
    """Those that fit into one cache line lie in one, if they are sparse; dense ones
    begin where a line or half a line does."""
    draw = random.Random(1)
    rows = {
        draw.getrandbits(48): dict.fromkeys(
            draw.sample(range(88), draw.randint(1, 40)), 9
        )
        for _ in range(500)
    }
    frozen = frozen_from(rows, 88)
    n_dense = sum(len(row) > MAX_EXACT for row in rows.values())
    slots = frozen.arrays()["slots"].view("<u4").reshape(-1, 2)
    first, rest = np.split(slots[:, 1], [frozen.sizes()["n_dense_slots"]])
    assert (first != EMPTY).sum() == n_dense
    assert all(
        len(table) % 8 == 0 and (table == EMPTY).mean() > 0.4 for table in (first, rest)
    )
    data = frozen.arrays()["rows"]
    for row in rest[rest != EMPTY].tolist():
        count = int(data[2 * row])
        length = (count + 2) // 2 * 2 + 2 * count
        assert 2 * row // LINE == (2 * row + length - 1) // LINE


@pytest.mark.parametrize("name", ["slots", "highs", "rows"])
def test_arrays_must_be_aligned(name):
    frozen = frozen_from({5: {0: 1}}, 3)
    arrays = frozen.arrays()
    memory = np.zeros(len(arrays[name]) + 16, dtype=np.uint8)
    start = -memory.ctypes.data % 8
    for excess in range(8):
        arrays[name] = memory[start + excess :][: len(arrays[name])]
        arrays[name][:] = frozen.arrays()[name]
        if excess == 0:
            moved = FrozenWeights.from_arrays(arrays, frozen.sizes())
            assert moved.sums([5]).tolist() == frozen.sums([5]).tolist()
            continue
        with pytest.raises(
            ModelFileError, match=f"'{name}' begins {excess} bytes behind a multiple"
        ):
            FrozenWeights.from_arrays(arrays, frozen.sizes())
