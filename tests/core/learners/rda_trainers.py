"""What the tests of AdaGrad-RDA share: trainers, comparisons, weights by hand."""

import numpy as np

from spacy_dynoracle import DynamicOracle, GoldTree, NoExploration
from spacy_dynoracle.core.features.extractor import Extractor
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.core.learners.adagrad_rda import AdaGradRDA
from spacy_dynoracle.core.systems.actions import Actions
from spacy_dynoracle.core.training.easy_first import EasyFirstTrainer
from spacy_dynoracle.core.training.trainer import Trainer
from spacy_dynoracle.core.weights.frozen import FrozenWeights

from ..builders import (
    CELL,
    HEAD_BITS,
    LINE,
    MANY_LINES,
    WIDE_CELL,
    add_labels,
    examples,
    read_weights,
    rounding_of,
    sentence,
    stride_of,
)

SMALL = ("S0w", "S0p", "N0w", "N0p", "N1p", "S0p.N0p", "S0w.vr", "S0p.sl", "S0p.d")
OF_PAIRS = ("P0w", "P1t", "P0t.P1t", "P-1t.P0t", "P1t.P2t", "P0t.P0lt.P0rt", "P0nc")


def build_rda(
    system,
    labels,
    *,
    oracle=None,
    exploration=None,
    seed=0,
    templates=None,
    **parameters,
):
    """A Trainer of AdaGrad-RDA that keeps every coordinate, if not told otherwise."""
    if templates is None:
        templates = OF_PAIRS if system.chooses_pair else SMALL
    actions = Actions(system)
    make = EasyFirstTrainer if system.chooses_pair else Trainer
    trainer = make(
        system,
        Extractor(FeatureTemplates(templates)),
        actions,
        oracle or DynamicOracle(),
        exploration or NoExploration(),
        AdaGradRDA(len(actions), **({"smallest_gradient": 0} | parameters)),
        seed=seed,
    )
    add_labels(trainer, labels)
    return trainer


def train_both(trainer, naive, trees, iterations):
    for iteration in iterations:
        pairs = examples(trees, trainer)
        trainer.train(pairs, iteration)
        naive.train(pairs, iteration)


def assert_same_weights(trainer, naive):
    """The public weights are the naive ones, rounded to fixed-point numbers; none of
    those that are stored is zero, and all others are rounded to zero."""
    frozen = trainer.learner.freeze()
    found, expected = read_weights(frozen), naive.learner.all_weights()
    assert found.keys() <= expected.keys()
    allowed = rounding_of(expected, frozen.scale)
    for feature, weight in expected.items():
        difference = abs(found.get(feature, 0) - weight)
        assert difference <= allowed[feature] + 1e-6, feature
    assert len(found) == frozen.n_parameters
    assert len({key for key, _ in found}) == frozen.n_features
    assert trainer.learner.n_updates == naive.learner.n_updates
    for count in ("n_decisions", "n_errors", "n_given_up"):
        assert getattr(trainer, count) == getattr(naive, count)


def frozen_of(weights, n_actions, scale=1024.0):
    """FrozenWeights from {(key, action): weight}, laid out as frozen_rows.hpp
    describes. All weights are in lists."""
    by_key = {}
    for (key, action), weight in weights.items():
        by_key.setdefault(key, {})[action] = round(weight * scale)
    n_lines = 64 * len(by_key) + 1
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


# The only template of trainers whose decisions share no feature.
PAIR = ("S0w.N0w",)


def two_words(trainer, words, heads, labels=(None, None)):
    """An example of two words; the configuration in which the first is on the stack,
    which with arc-eager and no ROOT is the only one with a choice; its only feature."""
    words = sentence(words)
    c = trainer.system.initial(2)
    while c.stack[-1:] != (1,):
        trainer.system.apply(c, "SHIFT")
    gold = GoldTree(heads, labels, inventory=trainer.actions.labels)
    (key,) = trainer.extractor.keys(c, words)
    return (words, gold), c, key
