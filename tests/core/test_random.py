"""The random numbers of training."""

from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle.core.random import Random

from .mersenne import Mersenne


def shuffled(random, n):
    items = list(range(n))
    random.shuffle(items)
    return items


def test_the_reference_is_the_standard_one():
    """The 10,000th number of a generator with seed 5489, as in the C++ standard."""
    engine = Mersenne(5489)
    for _ in range(9_999):
        engine()
    assert engine() == 9981545732273789042


@given(st.integers(-(2**70), 2**70), st.integers(0, 40))
def test_shuffles_are_those_of_the_standard_engine(seed, n):
    random, reference = Random(seed), Mersenne(seed)
    for _ in range(3):
        assert shuffled(random, n) == shuffled(reference, n)


@given(st.integers(0, 2**64 - 1), st.lists(st.integers(), max_size=50))
def test_a_shuffle_is_a_permutation(seed, items):
    items_before = list(items)
    Random(seed).shuffle(items)
    assert sorted(items) == sorted(items_before)


def test_other_seeds_give_other_shuffles():
    shuffles = {tuple(shuffled(Random(seed), 20)) for seed in range(50)}
    assert len(shuffles) == 50


def test_all_permutations_occur():
    random = Random(1)
    counts = {}
    for _ in range(600):
        key = tuple(shuffled(random, 3))
        counts[key] = counts.get(key, 0) + 1
    assert len(counts) == 6
    # The expected count is 100 with a standard deviation of 9.
    assert all(50 < count < 150 for count in counts.values())
