"""Keys among ascending ones: as a dictionary finds them."""

import pickle
import random

import numpy as np
import pytest

from spacy_dynoracle.core.sorted_keys import SortedKeys

LARGEST = (1 << 64) - 1


def table(keys):
    """The keys with two values each."""
    n = len(keys)
    values = np.array([range(n), range(n, 0, -1)], dtype=np.int32)
    return SortedKeys(np.array(keys, dtype=np.uint64)), values


def random_keys(n, seed=0):
    return sorted({random.Random(seed + i).getrandbits(64) for i in range(n)})


@pytest.mark.parametrize(
    "keys",
    [
        [],
        [0],
        [LARGEST],
        [0, 1, 2, 3, LARGEST - 1, LARGEST],
        # All begin alike, which is slow, but no mistake.
        list(range(1000, 2000, 3)),
        random_keys(1),
        random_keys(2),
        random_keys(1023),
        random_keys(1024),
    ],
    ids=len,
)
def test_what_is_found(keys):
    near = {(key + step) % (1 << 64) for key in keys for step in (-1, 0, 1)}
    wanted = [*near, *random_keys(50, seed=5000), 0, LARGEST]
    random.Random(1).shuffle(wanted)
    index, values = table(keys)
    numbers = {key: i for i, key in enumerate(keys)}
    expected = [numbers.get(key, -7) for key in wanted]
    for again in (index, pickle.loads(pickle.dumps(index))):
        found = again.pick(values, np.array(wanted, dtype=np.uint64), -7)
        assert found.dtype == np.int32
        assert found[0].tolist() == expected
        second = [-7 if i == -7 else len(keys) - i for i in expected]
        assert found[1].tolist() == second
        held = again.hold(np.array(wanted, dtype=np.uint64))
        assert held.tolist() == [i != -7 for i in expected]


def test_no_columns_and_nothing_wanted():
    index, values = table([3, 5])
    assert index.pick(values[:0], np.array([3], dtype=np.uint64), -1).shape == (0, 1)
    assert index.pick(values, np.zeros(0, dtype=np.uint64), -1).shape == (2, 0)


@pytest.mark.parametrize("keys", [[1, 1], [2, 1], [1, 3, 2]])
def test_keys_that_are_not_ascending(keys):
    with pytest.raises(ValueError, match="not ascending"):
        table(keys)


def test_values_of_other_keys():
    index, _ = table([3, 5])
    with pytest.raises(ValueError, match="values of 3 keys, but there are 2"):
        index.pick(np.zeros((1, 3), dtype=np.int32), np.zeros(1, dtype=np.uint64), -1)
