"""Frozen weights: rounding, layout and sums."""

import random
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle.core.features.extractor import Extractor
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.core.learners.adagrad_rda import AdaGradRDA
from spacy_dynoracle.core.learners.averaged_perceptron import AveragedPerceptron
from spacy_dynoracle.core.model.model import Model
from spacy_dynoracle.core.search.tagging import tag_words
from spacy_dynoracle.core.state.sentence import Sentence
from spacy_dynoracle.core.systems.actions import Actions
from spacy_dynoracle.core.systems.tagging import Tagging
from spacy_dynoracle.core.weights.frozen import FrozenWeights
from spacy_dynoracle.errors import ModelFileError
from spacy_dynoracle.util.arrays import aligned_bytes

from ...programs import new_process
from .layout import (
    FINGERPRINT_BITS,
    LARGEST_WEIGHT,
    LINE,
    overflow_place,
    read_lines,
    read_weights,
    rounding_in_row,
    stride_of,
)

ACTIONS = (1, 5, 15, 16, 17, 64, 88, 96, 200, 256, 257, 300)


def frozen_from(rows, n_actions):
    """FrozenWeights of {key: {action: whole number}}."""
    weights = {(key, a): v for key, row in rows.items() for a, v in row.items()}
    return FrozenWeights.from_weights(weights, n_actions, scale=1.0)


def weights_of(rows):
    """{(key, action): weight} of {key: {action: whole number}}."""
    return {(key, a): v for key, row in rows.items() for a, v in row.items() if v}


@st.composite
def rows_of(draw):
    """{key: {action: weight}} and the number of actions; keys crowd in places, and
    weights are of any size.
    """
    n_actions = draw(st.sampled_from(ACTIONS))
    random = draw(st.randoms(use_true_random=False))
    crowd = random.getrandbits(48)
    found = {}
    for _ in range(draw(st.integers(0, 60))):
        key = random.choice([random.getrandbits(48), crowd + random.randrange(99)])
        largest = random.choice([1, 15, 16, 127, 300, LARGEST_WEIGHT])
        n = random.randint(1, random.choice([min(n_actions, 9), n_actions]))
        found[key % 2**48] = {
            a: random.choice([-largest, largest, random.randint(-largest, largest)])
            for a in random.sample(range(n_actions), n)
        }
    return found, n_actions


@pytest.mark.heavy
@given(rows_of())
def test_weights_are_rounded(example):
    rows, n_actions = example
    frozen = frozen_from(rows, n_actions)
    found = read_weights(frozen)
    assert {key for key, _ in found} == {key for key, _ in weights_of(rows)}
    assert found.keys() <= weights_of(rows).keys()
    for (key, a), weight in weights_of(rows).items():
        sizes = [abs(v) for v in rows[key].values() if v]
        allowed = rounding_in_row(sizes, n_actions)
        assert abs(found.get((key, a), 0) - weight) <= allowed
    assert frozen.n_parameters == len(found)
    assert frozen.n_features == len({key for key, _ in weights_of(rows)})


@pytest.mark.parametrize(
    ("prune", "kept"),
    [
        (0, {(1, 0), (1, 1), (1, 2), (2, 0), (2, 1)}),
        (0.25, {(1, 0), (1, 1)}),
        (0.375, {(1, 0)}),
        (0.51, set()),
    ],
)
def test_pruning(prune, kept):
    """Small weights go, and all those of a feature that has no large one."""
    learner = AveragedPerceptron(3, prune=prune)
    weights = {(1, 0): 4.0, (1, 1): -1.0, (1, 2): 0.5, (2, 0): 1.5, (2, 1): -1.9375}
    learner.resume(FrozenWeights.from_weights(weights, 3, scale=16.0))
    frozen = learner.freeze()
    assert read_weights(frozen).keys() == kept
    assert frozen.n_features == len({key for key, _ in kept})
    assert frozen.n_parameters == len(kept)


@pytest.mark.heavy
@given(rows_of())
def test_what_is_rounded_stays_so(example):
    rows, n_actions = example
    weights = read_weights(frozen_from(rows, n_actions))
    assert read_weights(FrozenWeights.from_weights(weights, n_actions, 1.0)) == weights


def test_keys_that_look_alike():
    """The table of common features grows until it tells them apart."""
    alike = [5 + (i << 32) for i in range(1 << 15, 1 << 16, 1 << 10)]
    rows = {key: dict.fromkeys(range(20), 60 + i) for i, key in enumerate(alike)}
    frozen = frozen_from(rows, 30)
    assert read_weights(frozen) == weights_of(rows)
    for key, row in rows.items():
        assert frozen.sums([key])[:20].tolist() == list(row.values())


def test_a_crowd_in_one_bucket():
    """Features that find their bucket full are treated like those with few weights."""
    rows = {(1 << 47) + i: dict.fromkeys(range(20), 60 + i) for i in range(40)}
    frozen = frozen_from(rows, 30)
    assert len(frozen.arrays()["rows"]) == (1 + 7) * 64
    assert read_weights(frozen) == weights_of(rows)
    for key, row in rows.items():
        assert frozen.sums([key])[:20].tolist() == list(row.values())


def test_keys_that_are_not_there():
    frozen = frozen_from({5: {0: 99}, (1 << 40) + 7: dict.fromkeys(range(20), 30)}, 88)
    assert not frozen.sums([0, 6, 1 << 39, (5 << 32) + 3]).any()
    assert not frozen.sums([]).any()


@pytest.mark.heavy
@given(rows_of(), st.integers(0, 512), st.booleans())
def test_sums(example, n_keys, some_unknown):
    """Sums are what the weights say, for any keys in any number."""
    rows, n_actions = example
    frozen = frozen_from(rows, n_actions)
    draw = random.Random(n_keys)
    weights = read_weights(frozen)
    known = list(dict.fromkeys(key for key, _ in weights))
    # A key that is not in the model is taken for one with the same lowest bits.
    heads = {key % (1 << FINGERPRINT_BITS) for key in known}
    unknown = [
        key for key in (7, (1 << 47) + 9) if key % (1 << FINGERPRINT_BITS) not in heads
    ]
    keys = draw.choices(known + (unknown if some_unknown else []) or [7], k=n_keys)
    expected = np.zeros(n_actions, int)
    for (key, a), weight in weights.items():
        expected[a] += keys.count(key) * weight * frozen.scale
    found = frozen.sums(keys)
    assert found.dtype == np.int32
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("weight", "rounded"),
    [
        *((63, 63), (-63, -63), (64, 64), (65, 65), (127, 127), (128, 128)),
        *((255, 256), (4000, 4000), (LARGEST_WEIGHT, 4064), (-LARGEST_WEIGHT, -4064)),
    ],
)
def test_the_largest_sums(weight, rounded):
    """No sum within the loops is too large for its type."""
    frozen = frozen_from({5: dict.fromkeys(range(40), weight)}, 40)
    assert frozen.sums([5] * 512).tolist() == [512 * rounded] * 40


def test_weights_in_rows_have_8_bits():
    """They are multiples of the least power of two that suffices; halves are rounded
    away from zero.
    """
    weights = [300, 1, 2, 3, -2, -5, 6, 250, -300, *[9] * 4]
    rounded = [300, 0, 4, 4, -4, -4, 8, 252, -300, *[8] * 4]
    frozen = frozen_from({5: dict(enumerate(weights))}, 88)
    assert frozen.sums([5])[:13].tolist() == rounded
    assert frozen.n_parameters == 12


@pytest.mark.parametrize(
    ("row", "has_row", "is_rounded"),
    [
        ([300, *[45] * 7], False, False),
        ([127, *[45] * 8], True, False),
        ([128, *[45] * 8], False, False),
        ([127, *[45] * 11], True, False),
        # Sixteen parts of 8 bits have room in a line.
        ([*[254] * 4, *[45] * 8], False, False),
        ([*[254] * 5, *[45] * 7], True, True),
        ([128, *[45] * 12], True, True),
    ],
)
def test_which_features_have_rows(row, has_row, is_rounded):
    """Those with more weights than a line can hold, and those with more than eight that
    a row holds as they are. Only the former are rounded.
    """
    frozen = frozen_from({5: dict(enumerate(row))}, 88)
    assert len(frozen.arrays()["rows"]) == (2 if has_row else 1) * stride_of(88)
    assert frozen.sums([5])[len(row) - 1] == (46 if is_rounded else 45)


def test_with_many_actions_fewer_features_have_rows():
    """With long rows, twelve weights have none, and so they keep all their bits."""
    frozen = frozen_from({5: dict.fromkeys(range(12), 255)}, 150)
    assert len(frozen.arrays()["rows"]) == stride_of(150)
    assert frozen.sums([5])[:12].tolist() == [255] * 12


def test_weights_of_a_row_are_rounded_once():
    """To 13 bits and then to 8, a weight of 2.5 would become 4."""
    weights = dict.fromkeys(range(15), 2) | {0: 200, 1: 2.5, 2: -2.5, 3: 3}
    frozen = frozen_from({2: weights}, 88)
    assert frozen.sums([2])[:15].tolist() == [200, 2, -2, 4, *[2] * 11]


def test_too_many_keys():
    frozen = frozen_from({5: {0: 99}}, 3)
    with pytest.raises(ValueError, match="513 keys, expected at most 512"):
        frozen.sums([5] * 513)


def test_layout():
    """Features with many weights have rows, in buckets that are two thirds full; of the
    others those with up to sixteen cells have them in lines, which are nearly full.
    """
    draw = random.Random(1)
    rows = {
        draw.getrandbits(48): dict.fromkeys(draw.sample(range(88), n), 99)
        for n in (1, 4, 5, 8, 17, 40)
        for _ in range(100)
    }
    frozen = frozen_from(rows, 88)
    arrays = frozen.arrays()
    assert len(arrays["buckets"]) == (3 * 200 // 2 // 7 + 1) * 64
    # A few find their bucket full.
    n_rows = len(arrays["rows"]) // 96 - 1
    assert 180 < n_rows <= 200
    features = list(read_lines(arrays, is_wide=False))
    assert len(features) == 600 - n_rows
    in_overflow = [cells for *_, cells in features if len(cells) > 16]
    assert len(in_overflow) == 200 - n_rows
    assert len(arrays["overflow"]) == 64 + sum(
        (n + n % 2) * 2 for n in map(len, in_overflow)
    )
    n_cells = sum(4 if len(cells) > 16 else len(cells) for *_, cells in features)
    assert n_cells < 20 * (len(arrays["lines"]) // 64 - 1) < 1.3 * n_cells
    assert len(arrays["resume"]) == 3 * 600


@pytest.mark.parametrize(
    ("largest", "cells"),
    [
        (127, [(0, 1), (2, 127)]),
        (-127, [(0, 1), (2, -127)]),
        (-128, [(0, 1), (2, -127), (2, -1)]),
        (300, [(0, 1), (2, 127), (2, 127), (2, 46)]),
    ],
)
def test_a_weight_of_more_than_8_bits_has_several_cells(largest, cells):
    frozen = frozen_from({5: {0: 1, 2: largest}}, 88)
    assert list(read_lines(frozen.arrays(), is_wide=False)) == [(5, cells)]
    assert frozen.sums([5])[:3].tolist() == [1, 0, largest]


@pytest.mark.parametrize("n", [1, 15, 16, 17, 31, 32, 33, 60])
@pytest.mark.parametrize("weight", [120, 1000])
def test_any_number_of_cells(n, weight):
    rows = {5: dict.fromkeys(range(n), weight), 1 << 40: {3: -99, 4: 99}}
    frozen = frozen_from(rows, 250)
    assert read_weights(frozen) == weights_of(rows)
    expected = [2 * weight * (a < n) for a in range(250)]
    expected[3] -= 99
    expected[4] += 99
    assert frozen.sums([5, 1 << 40, 6, 5]).tolist() == expected


@pytest.mark.parametrize("name", ["buckets", "resume", "lines"])
def test_arrays_must_be_aligned(name):
    frozen = frozen_from({5: {0: 99}}, 3)
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


def test_cells_cannot_overlap():
    """A small file with many features that have many cells in common would take the
    square of its length to load.
    """
    rows = {key: {a: 50 + a for a in range(5 + key % 60)} for key in range(1, 200)}
    sound = frozen_from(rows, 300)
    arrays = {name: array.copy() for name, array in sound.arrays().items()}
    lines = arrays["lines"].view(LINE)
    listed = [
        cells[start : start + 4]
        for cells, heads in zip(lines["cells"], lines["heads"], strict=True)
        for start in set((heads >> FINGERPRINT_BITS).tolist()) - {20}
    ]
    assert len(listed) > 100
    longest = max(listed, key=lambda cells: overflow_place(cells)[1]).copy()
    for cells in listed:
        cells[:] = longest
    with pytest.raises(ModelFileError, match="do not fit their arrays"):
        FrozenWeights.from_arrays(arrays, sound.sizes())


@pytest.mark.parametrize(
    ("n_bytes", "unit"), [(1, 64), (1 << 20, 64), (1 << 21, 1 << 21)]
)
def test_memory_begins_where_lines_and_large_pages_do(n_bytes, unit):
    memory = aligned_bytes(n_bytes)
    assert memory.shape == (n_bytes,)
    assert memory.ctypes.data % unit == 0


@pytest.mark.parametrize("n_weights", [1, 4, 7, 8])
def test_features_of_which_few_share_a_line(n_weights):
    """A line has room for twenty cells, so only for one feature with seven weights of
    two cells each; there are as many lines as it takes until all have a place, and not
    many more.
    """
    keys = random.Random(n_weights).sample(range(1 << 48), 20000)
    rows = {key: dict.fromkeys(range(n_weights), 200) for key in keys}
    frozen = frozen_from(rows, 88)
    assert read_weights(frozen) == weights_of(rows)
    n_lines = len(frozen.arrays()["lines"]) // LINE.itemsize
    assert n_lines < 1.4 * len(keys) / min(20 // (2 * n_weights), 6)


def test_keys_that_were_made_to_find_no_place():
    """Keys that are equal once they are folded share a line if they share a group,
    whatever its pilot is. The search for a hash function is given up.
    """
    middles = random.Random(1).sample(range(1 << 16), 20000)
    keys = [(i ^ 5) << 32 | i << 16 | i ^ 7 for i in middles]
    with pytest.raises(OverflowError, match="more weights than its format can hold"):
        frozen_from({key: {0: 7} for key in keys}, 88)


# ---- training that goes on -----------------------------------------------------------


@pytest.fixture(scope="module")
def many():
    """Fifty thousand features, of which every hundredth has a row."""
    keys = random.Random(1).sample(range(1 << 48), 50_000)
    counts = [1 if i % 100 else 15 for i in range(len(keys))]
    rows = {
        key: dict.fromkeys(range(n), 70) for key, n in zip(keys, counts, strict=True)
    }
    return frozen_from(rows, 88)


@pytest.mark.heavy
def test_whole_keys_come_back(many):
    """Training that goes on finds each feature, and freezing gives the same."""
    learner = AveragedPerceptron(88)
    learner.resume(many)
    again = learner.freeze()
    for name, array in many.arrays().items():
        assert again.arrays()[name].tobytes() == array.tobytes()


@pytest.mark.parametrize("n_bytes", [-3, -1, 1, 3])
def test_keys_are_there_for_all_features_or_for_none(many, n_bytes):
    resume = many.arrays()["resume"]
    changed = np.append(resume, np.zeros(max(n_bytes, 0), "u1"))
    arrays = {**many.arrays(), "resume": changed[: len(resume) + n_bytes]}
    with pytest.raises(ModelFileError, match="do not fit their arrays"):
        FrozenWeights.from_arrays(arrays, many.sizes())


def test_training_needs_the_keys(many):
    """Scoring does not."""
    without = many.without_resume()
    assert not len(without.arrays()["resume"])
    for key in random.Random(2).sample(sorted(read_weights(many)), 100):
        assert without.sums(key[:1]).tolist() == many.sums(key[:1]).tolist()
    for learner in (AveragedPerceptron(88), AdaGradRDA(88)):
        with pytest.raises(ValueError, match="saved without its part 'resume'"):
            learner.resume(without)


# ---- the best action -----------------------------------------------------------------


@pytest.mark.parametrize("n_actions", [1, 8, 15, 40, 230, 1100])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_best_action(n_actions, sign):
    """The first of equals; few different weights make many of them. What lies behind
    the last action, where sums are 0, does not count.
    """
    draw = random.Random(n_actions)
    system = Tagging()
    extractor = Extractor(FeatureTemplates(["N0w", "N0p"]))
    actions = Actions(system)
    for i in range(n_actions):
        actions.add("TAG", str(i))
    columns = np.array([[draw.randrange(4) + 1, k] for k in range(1, 30)], np.uint64)
    item = Sentence(columns)
    c = system.initial(len(item))
    keys = []
    for _ in range(len(item)):
        keys.append(extractor.keys(c, item))
        system.apply(c, "TAG", "0")
    rows = {
        key: {a: sign * draw.choice([40, 60, 80]) for a in range(n_actions)}
        for key in chain.from_iterable(keys)
    }
    frozen = frozen_from(rows, n_actions)
    sources = {"w": "ORTH", "p": "TAG"}
    model = Model(system, extractor, actions, frozen, sources, None, "")
    unknown = np.full(len(item), -1, np.int32)
    expected = [int(np.argmax(frozen.sums(own))) for own in keys]
    assert len(set(expected)) > 3 or n_actions < 15
    assert tag_words(model, [item], unknown).tolist() == expected


@pytest.mark.heavy
def test_without_vectors():
    """Both ways to score do the same: the tests above hold for the other one, too."""
    options = ["-q", "-n0", "-p", "no:cacheprovider", "-k", "not without_vectors"]
    child = new_process("-m", "pytest", __file__, *options, DYNORACLE_PORTABLE="1")
    assert child.returncode == 0, child.stdout[-2000:]
