"""What the tests of the core share: data, builders, readers and strategies."""

import subprocess
import sys
import zlib
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as st

from spacy_dynoracle import (
    ArcEager,
    DynamicOracle,
    GoldTree,
)
from spacy_dynoracle.core.features.extractor import Extractor
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.core.features.zhang_nivre_2011 import ZHANG_NIVRE_2011
from spacy_dynoracle.core.learners.averaged_perceptron import AveragedPerceptron
from spacy_dynoracle.core.model.model import Model
from spacy_dynoracle.core.search.greedy import GreedySearch
from spacy_dynoracle.core.state.sentence import Sentence
from spacy_dynoracle.core.systems import SYSTEMS as BY_NAME
from spacy_dynoracle.core.systems.actions import Actions
from spacy_dynoracle.core.training.easy_first import EasyFirstTrainer
from spacy_dynoracle.core.training.exploration import NoExploration
from spacy_dynoracle.core.training.trainer import Trainer

ROOTS = ("last", "first", "none")
# Every system with every placement of ROOT it offers.
PARSING = sorted(
    (system for system in BY_NAME.values() if system.builds_trees),
    key=lambda system: not system.projective,
)
SYSTEMS = [make(root) for make in PARSING for root in make.root_places]
every_system = pytest.mark.parametrize(
    "system", SYSTEMS, ids=lambda s: f"{type(s).__name__}-{s.root}"
)


class Tree(NamedTuple):
    """A sentence with its tree; heads are words 1..n or 0 for ROOT."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]


def tree(text):
    """A Tree from lines of word, tag, head and label."""
    rows = [line.split() for line in text.strip().splitlines()]
    words, tags, heads, labels = zip(*rows, strict=True)
    return Tree(words, tags, tuple(map(int, heads)), labels)


TREEBANK = [
    tree("""
        She   PRON 2 nsubj
        ate   VERB 0 root
        cold  ADJ  4 amod
        soup  NOUN 2 obj
    """),
    tree("""
        Nobody PRON 2 nsubj
        knows  VERB 0 root
        why    ADV  6 advmod
        the    DET  5 det
        boat   NOUN 6 nsubj
        left   VERB 2 ccomp
        so     ADV  8 advmod
        early  ADV  6 advmod
        .      PUNCT 2 punct
    """),
    tree("""
        We    PRON 2 nsubj
        saw   VERB 0 root
        dogs  NOUN 2 obj
        very  ADV  5 advmod
        late  ADV  2 advmod
    """),
    tree("""
        The   DET  2 det
        cook  NOUN 5 nsubj
        from  ADP  4 case
        Lyon  PROPN 2 nmod
        left  VERB 0 root
        town  NOUN 5 obj
    """),
    tree("""
        Run VERB 0 root
    """),
]


def code(text):
    """A 64-bit code of a string that is the same in every process."""
    return zlib.crc32(text.encode()) << 32 | zlib.adler32(text.encode())


def sentence(*columns):
    """A Sentence from its columns of strings (words, tags)."""
    rows = [[code(text) for text in row] for row in zip(*columns, strict=True)]
    matrix = np.array(rows, dtype=np.uint64).reshape(len(rows), len(columns))
    return Sentence(matrix)


def sentences(trees):
    return [sentence(t.words, t.tags) for t in trees]


def examples(trees, trainer):
    """The trees as the trainer wants them."""
    return [
        (
            sentence(t.words, t.tags),
            GoldTree(t.heads, t.labels, inventory=trainer.actions.labels),
        )
        for t in trees
    ]


def add_labels(trainer, labels):
    """Add LEFT and RIGHT with each label, in the order of a real training."""
    for label in labels:
        for name in ("LEFT", "RIGHT"):
            trainer.add_action(name, label)


def build_trainer(
    labels,
    *,
    root="last",
    system=None,
    oracle=None,
    exploration=None,
    seed=0,
    templates=ZHANG_NIVRE_2011,
    margin=0.0,
):
    """A Trainer of the averaged perceptron that knows some labels.

    system: arc-eager with its ROOT at `root` by default.
    """
    system = ArcEager(root=root) if system is None else system
    actions = Actions(system)
    make = EasyFirstTrainer if system.chooses_pair else Trainer
    trainer = make(
        system,
        Extractor(FeatureTemplates(templates)),
        actions,
        oracle or DynamicOracle(),
        exploration or NoExploration(),
        AveragedPerceptron(len(actions), margin),
        seed=seed,
    )
    add_labels(trainer, labels)
    return trainer


def labels_of(trees):
    return sorted({label for t in trees for label in t.labels})


def model_of(trainer, *, public=False, root_label="root"):
    """The frozen model of a trainer, or one that follows the training."""
    learner = trainer.learner
    return Model(
        trainer.system,
        trainer.extractor,
        trainer.actions,
        learner.public_view() if public else learner.freeze(),
        {column: column.upper() for column in trainer.extractor.templates.columns},
        root_label,
        "AveragedPerceptron",
    )


def trained(trees, iterations=3, **settings):
    """A Trainer after some iterations."""
    trainer = build_trainer(labels_of(trees), **settings)
    for iteration in range(1, iterations + 1):
        trainer.train(examples(trees, trainer), iteration)
    return trainer


def with_system(model, system):
    """The same model with another system."""
    return Model(
        system,
        model.extractor,
        model.actions,
        model.weights,
        model.sources,
        model.root_label,
        model.learner,
        model.temperature,
        model.is_fitted,
        model.ranker,
    )


def restricted(system, single_root):
    """The same system with another `single_root`."""
    return type(system)(system.root, single_root, system.root_label_constraint)


def parse(model, batch, root_rule=None):
    """(heads, label strings) of each sentence."""
    heads, labels = GreedySearch().parse(model, batch, root_rule)
    names = [None if k == -1 else model.labels[k] for k in labels.tolist()]
    parsed, start = [], 0
    for item in batch:
        end = start + len(item)
        parsed.append((tuple(heads[start:end].tolist()), tuple(names[start:end])))
        start = end
    return parsed


# A line of features with few weights, and the cells of lists.
CELL = np.dtype([("column", "u1"), ("weight", "i1")])
WIDE_CELL = np.dtype([("column", "<u2"), ("weight", "<i2")])
LINE = np.dtype([("heads", "<u4", 6), ("cells", CELL, 20)])
HEAD_BITS = 27
# From so many lines on, keys have a byte beside what their lines say.
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
    """The line of each feature in a line, the lowest bits of its key, and its cells."""
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
# The perceptron drops features whose weights are all smaller, if some are large.
SMALLEST_WEIGHT = 8


def rounding_of(weights, scale):
    """By how much each weight of {(key, action): weight} may change in a model."""
    sizes = {}
    for (key, _), weight in weights.items():
        sizes.setdefault(key, []).append(abs(weight) * scale)
    # Half of the last bit, and half of the 16th of it that numbers are rounded to before;
    # a little more where it is in doubt how the learner rounds.
    return {
        (key, action): (0.532 + rounding_in_row(sizes[key])) / scale
        for key, action in weights
    }


def factor_of(largest):
    """The factor of a row with this largest number: its numbers have 8 bits."""
    factor = 1
    while factor < 32 and largest > 127 * factor:
        factor *= 2
    return factor


def rounding_in_row(numbers):
    """By how much a row may change fixed-point numbers; few of them have no row."""
    factor = factor_of(max(numbers))
    if len(numbers) <= 8 or factor == 1:
        return 0
    return max(factor / 2, max(numbers) - 127 * factor)


def is_tree(heads):
    """Whether every word reaches ROOT."""
    good = {0}
    for word in range(1, len(heads) + 1):
        path = []
        while word not in good and word not in path:
            path.append(word)
            word = heads[word - 1]
        if word not in good:
            return False
        good.update(path)
    return True


def is_projective_tree(heads):
    """Whether every word and its descendants form an interval; linear in time."""
    n = len(heads)
    depth = [0] * (n + 1)
    for word in range(1, n + 1):
        path = []
        while word and not depth[word]:
            path.append(word)
            word = heads[word - 1]
        for k in reversed(path):
            depth[k] = depth[heads[k - 1]] + 1
    low, high, size = list(range(n + 1)), list(range(n + 1)), [1] * (n + 1)
    for word in sorted(range(1, n + 1), key=depth.__getitem__, reverse=True):
        if high[word] - low[word] + 1 != size[word]:
            return False
        head = heads[word - 1]
        low[head] = min(low[head], low[word])
        high[head] = max(high[head], high[word])
        size[head] += size[word]
    return True


def run_python(code):
    """Run code that may kill its process; raises with its output if it fails."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        # Only an endless loop takes that long.
        timeout=20,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stderr}"


# ---- strategies ----------------------------------------------------------------------


@st.composite
def heads(draw, max_words=8, min_words=0):
    """Heads of any tree, projective or not, with one root or more."""
    n = draw(st.integers(min_words, max_words))
    order = draw(st.permutations(range(1, n + 1)))
    found = [0] * n
    for i, word in enumerate(order):
        found[word - 1] = draw(st.sampled_from([0, *order[:i]]))
    return tuple(found)


@st.composite
def projective_heads(draw, max_words=8, min_words=0):
    """Heads of a projective tree: attached from the inside out by a stack."""
    n = draw(st.integers(min_words, max_words))
    found = [0] * n

    def attach(first, last, parent):
        while first <= last:
            end = draw(st.integers(first, last))
            head = draw(st.integers(first, end))
            found[head - 1] = parent
            attach(first, head - 1, head)
            attach(head + 1, end, head)
            first = end + 1

    attach(1, n, 0)
    return tuple(found)


@st.composite
def single_root_heads(draw, max_words=8):
    """Heads of a projective tree in which ROOT has one dependent."""
    found = draw(projective_heads(max_words, min_words=1))
    roots = [d for d, head in enumerate(found, 1) if head == 0]
    root = draw(st.sampled_from(roots))
    return tuple(
        root if d in roots and d != root else h for d, h in enumerate(found, 1)
    )


def labels_for(n, labels=("a", "b", "c")):
    return st.lists(st.sampled_from(labels), min_size=n, max_size=n).map(tuple)


@st.composite
def small_treebanks(
    draw, labels=("a", "b", "c"), max_trees=4, max_words=6, heads=projective_heads
):
    """Random trees, projective ones by default, over few words and tags."""
    trees = []
    for _ in range(draw(st.integers(1, max_trees))):
        found = draw(heads(max_words))
        n = len(found)
        words = draw(labels_for(n, ("x", "y", "z")))
        tags = draw(labels_for(n, ("N", "V")))
        trees.append(Tree(words, tags, found, draw(labels_for(n, labels))))
    return trees


def options(system, c):
    """(pair in focus or None, transition) for everything that is legal."""
    if not system.chooses_pair:
        return [(None, name) for name in system.legal(c)]
    view, found = c.copy(), []
    for pair in range(1, len(c.stack) + len(c.buffer)):
        system.focus(view, pair)
        found += [(pair, name) for name in system.legal(view)]
    return found


def take(system, c, pair, name, label=None):
    """Carry out one of the options."""
    if pair is not None:
        system.focus(c, pair)
    system.apply(c, name, label=label)


@st.composite
def walks(draw, system, n, labels=("a", "b", None)):
    """The steps of a random legal derivation of n words, up to any point."""
    c = system.initial(n)
    steps = []
    for _ in range(draw(st.integers(0, 4 * n + 4))):
        if system.is_terminal(c):
            break
        pair, name = draw(st.sampled_from(options(system, c)))
        label = draw(st.sampled_from(labels)) if system.is_labelled(name) else None
        take(system, c, pair, name, label)
        steps.append((pair, name, label))
    return steps


def walk(system, n, steps):
    """The configuration after some steps."""
    c = system.initial(n)
    for pair, name, label in steps:
        take(system, c, pair, name, label)
    return c
