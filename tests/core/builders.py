"""What the tests of the core share: data, builders, readers and strategies."""

import zlib
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as st

from spacy_dynoracle import ArcEager, DynamicOracle, GoldTree
from spacy_dynoracle.core.features.extractor import Extractor
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.core.features.zhang_nivre_2011 import ZHANG_NIVRE_2011
from spacy_dynoracle.core.learners.averaged_perceptron import AveragedPerceptron
from spacy_dynoracle.core.model.file import write_model
from spacy_dynoracle.core.model.model import Model
from spacy_dynoracle.core.results import Candidates
from spacy_dynoracle.core.search.greedy import GreedySearch
from spacy_dynoracle.core.search.inspect import feature_weights
from spacy_dynoracle.core.state.sentence import Sentence
from spacy_dynoracle.core.systems import SYSTEMS as BY_NAME
from spacy_dynoracle.core.systems.actions import Actions
from spacy_dynoracle.core.training.easy_first import EasyFirstTrainer
from spacy_dynoracle.core.training.exploration import NoExploration
from spacy_dynoracle.core.training.trainer import Trainer
from spacy_dynoracle.core.weights.frozen import FrozenWeights

from ..programs import new_process

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
    learner=None,
):
    """A Trainer that knows some labels.

    Args:
        system: Arc-eager with its ROOT at `root` by default.
        learner: Makes the learner of some actions; an averaged perceptron with a margin
            by default.
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
        learner(len(actions)) if learner else AveragedPerceptron(len(actions), margin),
        seed=seed,
    )
    add_labels(trainer, labels)
    return trainer


def labels_of(trees):
    return sorted({label for t in trees for label in t.labels})


def model_of(
    trainer,
    *,
    public=False,
    root_label="root",
    learner="AveragedPerceptron",
    temperature=None,
):
    """The frozen model of a trainer, or one that follows the training."""
    weights = trainer.learner if public else trainer.learner.freeze()
    return Model(
        trainer.system,
        trainer.extractor,
        trainer.actions,
        weights,
        {column: column.upper() for column in trainer.extractor.templates.columns},
        root_label,
        learner,
        temperature,
    )


def trained(trees, iterations=3, **settings):
    """A Trainer after some iterations."""
    return train(build_trainer(labels_of(trees), **settings), iterations, trees)


def train(trainer, iterations, trees=TREEBANK):
    """The trainer, after some iterations over trees."""
    for iteration in range(1, iterations + 1):
        trainer.train(examples(trees, trainer), iteration)
    return trainer


def bytes_after_training(trainer, trees):
    """The bytes of the model after iterations over shuffled sentences."""
    pairs = examples(trees, trainer)
    for iteration in range(1, 5):
        trainer.random.shuffle(pairs)
        trainer.train(pairs, iteration)
    return write_model(model_of(trainer))


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
        model.parts,
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


def action_scores(model, c, item):
    """{(transition, label): score} of all actions in a configuration, legal or not."""
    keys = model.extractor.keys(c, item)
    if isinstance(model.weights, FrozenWeights):
        scores = model.weights.sums(keys) / model.weights.scale
        return dict(zip(model.actions.keys, scores.tolist(), strict=True))
    return {
        action: sum(x.weight for x in feature_weights(model, c, item, action))
        for action in model.actions.keys
    }


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


@cache
def all_trees(n, *, projective=False, single_root=False):
    """The heads of all trees over n words."""
    return tuple(
        heads
        for heads in product(range(n + 1), repeat=n)
        if is_tree(heads)
        and (not projective or is_projective_tree(heads))
        and (not single_root or n == 0 or heads.count(0) == 1)
    )


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


def run_python(code, timeout=20, **environment):
    """What code prints that may kill its process; raises with its output if it fails.

    Only an endless loop takes longer than the timeout.
    """
    done = new_process("-c", code, timeout=timeout, **environment)
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stderr}"
    return done.stdout


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


def grown(n, pick, single_root=False):
    """Heads of a projective tree; `pick(a, b)` is any number from a to b."""
    found = [0] * n

    def attach(first, last, parent):
        while first <= last:
            end = pick(first, last)
            if single_root and parent == 0:
                end = last
            head = pick(first, end)
            found[head - 1] = parent
            attach(first, head - 1, head)
            attach(head + 1, end, head)
            first = end + 1

    attach(1, n, 0)
    return found


@st.composite
def projective_heads(draw, max_words=8, min_words=0):
    """Heads of a projective tree."""
    n = draw(st.integers(min_words, max_words))
    return tuple(grown(n, lambda a, b: draw(st.integers(a, b))))


@st.composite
def single_root_heads(draw, max_words):
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


@st.composite
def partial_trees(draw, heads_too=True, **settings):
    """Trees with unknown labels, some unknown heads, and labels that are none of a and
    b.
    """
    found = []
    for t in draw(small_treebanks(labels=("a", "b", "unknown"), **settings)):
        is_known = not heads_too
        known = tuple(h if is_known or draw(st.booleans()) else None for h in t.heads)
        labels = tuple(x if draw(st.booleans()) else None for x in t.labels)
        found.append(t._replace(heads=known, labels=labels))
    return found


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


def candidates_of(trees, n=0):
    """Candidates from pairs of heads and labels, the first with the best score."""
    k = len(trees)
    scores = -np.arange(k, dtype=np.float64)
    heads = np.array([h for h, _ in trees], dtype=np.int32)
    labels = np.array([x for _, x in trees], dtype=np.int32)
    n = len(trees[0][0]) if trees else n
    return Candidates(heads.reshape(k, n), labels.reshape(k, n), scores, scores)


def learned(names, c, gold):
    """Those of the correct transitions that training learns.

    Walks of Covington's system end as soon as they may, in long steps; ROOT passes
    words that are not its dependents, if it has any.
    """
    names = set(names)
    for name, longer in [("SHIFT", {"PASS", "JUMP"}), ("JUMP", {"PASS"})]:
        names -= longer if name in names else set()
    if names == {"LEFT", "PASS"} and c.buffer == (0,) and 0 in gold.heads:
        names -= {"PASS" if gold.heads[c.stack[-1] - 1] == 0 else "LEFT"}
    return names


@st.composite
def batches(draw):
    """Sentences, some of them without words, and words that no model knows."""
    found = []
    for _ in range(draw(st.integers(0, 4))):
        n = draw(st.integers(0, 12))
        words = draw(labels_for(n, ("x", "y", "z", "unseen")))
        found.append(sentence(words, draw(labels_for(n, ("N", "V")))))
    return found
