"""Models with so many lines that a line says most of the keys of its features."""

import random

import numpy as np
import pytest

from spacy_dynoracle.core.learners.averaged_perceptron import AveragedPerceptron
from spacy_dynoracle.core.weights.frozen import FrozenWeights
from spacy_dynoracle.errors import ModelFileError

from .layout import (
    HEAD_BITS,
    LINE,
    MANY_LINES,
    frozen_of,
    mixed_keys,
    old_arrays,
    read_weights,
)

N_FEATURES = 55_000


@pytest.fixture(scope="module")
def keys():
    random_numbers = random.Random(1)
    return sorted({random_numbers.getrandbits(48) for _ in range(N_FEATURES)})


@pytest.fixture(scope="module")
def frozen(keys):
    """Each feature has one weight, but every hundredth has enough for a row."""
    numbers = {key: 1 if i % 100 else 15 for i, key in enumerate(keys)}
    return FrozenWeights.from_arrays(*old_arrays(numbers, weight=70))


def lines_of(frozen):
    return np.frombuffer(frozen.arrays()["lines"].tobytes(), LINE)[:-1]


def test_a_byte_says_the_rest_of_a_key(frozen, keys):
    """Of the keys that can be meant, sorted by what their line depends on, the upper
    three bits of the byte say which one it is."""
    arrays = {name: array.tobytes() for name, array in frozen.arrays().items()}
    pilots = np.frombuffer(arrays["pilots"], "<u2")
    lines = lines_of(frozen)
    assert len(lines) >= MANY_LINES
    starts = lines["heads"] >> HEAD_BITS
    ends = np.column_stack([starts[:, 1:], np.full(len(lines), 20)])
    in_lines = np.argwhere(starts < ends)
    n_common = frozen.n_features - len(in_lines)
    assert n_common > 100
    highs = np.frombuffer(arrays["highs"], "u1")[3 * n_common :]
    assert len(highs) == len(in_lines)
    uppers = np.arange(2**16, dtype=np.uint64) << np.uint64(32)
    known = set(keys)
    for at in random.Random(2).sample(range(len(in_lines)), 100):
        line, slot = in_lines[at].tolist()
        high = int(highs[at])
        head = int(lines["heads"][line, slot]) & (1 << HEAD_BITS) - 1
        low = head | (high & 31) << HEAD_BITS
        pilot = pilots[(low * low >> 32) * len(pilots) >> 32]
        mixed = mixed_keys(uppers | np.uint64(low), pilot)
        here = mixed * np.uint64(len(lines)) >> np.uint64(32) == line
        order = np.argsort(mixed[here])
        assert int(uppers[here][order][high >> 5]) | low in known


def test_whole_keys_come_back(frozen, keys):
    """Training that goes on finds each feature, and freezing it gives the same."""
    learner = AveragedPerceptron(88)
    learner.resume(frozen)
    again = learner.freeze()
    assert again.n_features == frozen.n_features == len(keys)
    for name, array in frozen.arrays().items():
        assert again.arrays()[name].tobytes() == array.tobytes()
    assert {key for key, _ in read_weights(frozen)} == set(keys)


@pytest.mark.parametrize("n_bytes", [-3, -1, 1, 3])
def test_as_many_bytes_as_features(frozen, n_bytes):
    highs = frozen.arrays()["highs"]
    changed = np.append(highs, np.zeros(max(n_bytes, 0), "u1"))
    arrays = {**frozen.arrays(), "highs": changed[: len(highs) + n_bytes]}
    with pytest.raises(ModelFileError, match="do not fit their arrays"):
        FrozenWeights.from_arrays(arrays, frozen.sizes())


@pytest.mark.parametrize("n_lines", [MANY_LINES - 1, MANY_LINES, MANY_LINES + 1])
def test_how_many_lines_are_many(n_lines):
    """Where they just are, a byte holds the largest number that a key can have, 7."""
    chance = random.Random(n_lines)
    keys = {chance.getrandbits(48) for _ in range(60)}
    frozen = frozen_of({(key, 0): 70 for key in keys}, 3, scale=1.0, n_lines=n_lines)
    highs = frozen.arrays()["highs"].tolist()
    assert len(highs) == (3 if n_lines < MANY_LINES else 1) * len(keys)
    if n_lines >= MANY_LINES:
        assert {high >> 5 for high in highs} == set(range(8))
    assert {key for key, _ in read_weights(frozen)} == keys
    learner = AveragedPerceptron(3)
    learner.resume(frozen)
    assert {key for key, _ in read_weights(learner.freeze())} == keys


def test_lines_that_become_many():
    """The same bytes are too many for a file with some more, empty lines."""
    weights = {(key, 0): 70 for key in range(1, 9)}
    few = frozen_of(weights, 3, scale=1.0, n_lines=MANY_LINES - 1)
    line = few.arrays()["lines"][-64:]
    arrays = {**few.arrays(), "lines": np.append(few.arrays()["lines"], line)}
    with pytest.raises(ModelFileError, match="do not fit their arrays"):
        FrozenWeights.from_arrays(arrays, few.sizes())


@pytest.mark.parametrize("noise", ["zeros", "ones", "random"])
def test_any_bytes_give_keys(frozen, noise):
    """Other bytes change no score, and only bits of keys that the bytes hold."""
    n_bytes = len(frozen.arrays()["highs"])
    highs = {
        "zeros": bytes(n_bytes),
        "ones": b"\xff" * n_bytes,
        "random": random.Random(4).randbytes(n_bytes),
    }
    arrays = {**frozen.arrays(), "highs": np.frombuffer(highs[noise], "u1")}
    other = FrozenWeights.from_arrays(arrays, frozen.sizes())
    before, after = read_weights(frozen), read_weights(other)
    heads = sorted(key % 2**24 for key, _ in before)
    assert sorted(key % 2**24 for key, _ in after) == heads
    learner = AveragedPerceptron(88)
    learner.resume(other)
    assert read_weights(learner.freeze()) == after
    for key in list(before)[:100]:
        assert other.sums([key[0]]).tolist() == frozen.sums([key[0]]).tolist()
