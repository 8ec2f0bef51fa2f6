"""Greedy search: what every parse is, whatever the weights are."""

import pickle
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle import EasyFirst
from spacy_dynoracle.core.search.greedy import GreedySearch
from spacy_dynoracle.core.state.configuration import RootRule
from spacy_dynoracle.core.training.exploration import ErrorExploration

from ..builders import (
    SYSTEMS,
    TREEBANK,
    Tree,
    batches,
    build_trainer,
    every_system,
    examples,
    is_projective_tree,
    is_tree,
    labels_of,
    model_of,
    parse,
    run_python,
    sentence,
    sentences,
    small_treebanks,
    trained,
)
from ..naive_derivations import greedy, initial
from ..random_models import random_heads

# The templates of a list see stack and buffer of any system.
TEMPLATES = (
    "P0w", "P0p", "P1w", "P1p", "P0p.P1p", "P0w.vr", "P1p.sl", "P0p.P0P1d", "P-2w",
    "P-1p.P2p", "P3p", "P-2len", "P3nc", "P-1rl", "P2lp.P3l2p", "P-2P-1d", "P2P3d",
)  # fmt: skip
# What changes farthest away from a new arc: the dependents of the outermost nodes.
FAR = (
    "P-2rw", "P-2lw", "P-2len", "P-2nc", "P-2rl.P0w", "P-2w.P-1rw", "P2lw.P2rw",
    "P3rw", "P3lw", "P3len", "P3nc", "P3rl.P1w", "P3rp", "P-2lp",
)  # fmt: skip
LABELS = ("a", "b", "c")


@st.composite
def random_models(draw):
    """Models of any system, with weights that were learnt from noise."""
    trainer = build_trainer(
        LABELS,
        system=draw(st.sampled_from(SYSTEMS)),
        exploration=ErrorExploration(k=0, p=0.5),
        templates=TEMPLATES,
    )
    for iteration in range(draw(st.integers(0, 2))):
        trainer.train(examples(draw(small_treebanks(LABELS)), trainer), iteration + 1)
    return model_of(trainer, root_label=draw(st.sampled_from(["a", "unknown", None])))


# ---- which derivation ----------------------------------------------------------------


def greedy_reference(model, item, rule=None):
    """Heads and labels of the best legal action at each step, lowest first."""
    c = initial(model, len(item), rule)
    for _ in greedy(model, item, c):
        pass
    return c.heads, tuple(label for _, label, _ in c.arcs)


@pytest.mark.heavy
@settings(max_examples=3 * settings().max_examples)
@given(random_models(), batches(), st.sampled_from(list(RootRule)))
def test_takes_the_best_legal_action(model, batch, rule):
    """Of easy-first as if all pairs were scored anew in every configuration."""
    expected = [greedy_reference(model, item, rule) for item in batch]
    assert parse(model, batch, rule) == expected


def random_tree(rng, n):
    """A projective tree over few words."""
    words, tags, labels = (rng.choices(x, k=n) for x in ("xyz", "NV", LABELS))
    heads = random_heads(rng, n, single_root=True)
    return Tree(*map(tuple, (words, tags, heads, labels)))


@pytest.mark.parametrize("seed", range(4))
def test_every_pair_that_an_arc_touches_is_scored_again(seed):
    """Two nodes to the left of it and two to the right, with their dependents."""
    rng = random.Random(seed)
    trainer = build_trainer(
        LABELS,
        system=EasyFirst(single_root=seed % 2 == 1),
        exploration=ErrorExploration(k=0, p=0.5),
        templates=FAR,
    )
    trainer.train(examples([random_tree(rng, 9) for _ in range(30)], trainer), 1)
    model = model_of(trainer)
    batch = sentences([random_tree(rng, 14) for _ in range(20)])
    assert parse(model, batch) == [greedy_reference(model, item) for item in batch]


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(3))
def test_a_tournament_of_many_pairs_is_a_linear_scan(seed):
    """Texts of more pairs than a linear scan is for, with many equal scores."""
    rng = random.Random(seed)
    trainer = build_trainer(
        LABELS,
        system=EasyFirst(single_root=seed == 1),
        templates=(FAR if seed else (FAR[0], FAR[-1])),
    )
    trainer.train(examples([random_tree(rng, 9) for _ in range(10)], trainer), 1)
    model = model_of(trainer)
    batch = sentences([random_tree(rng, n) for n in (130, 3, 101, 99, 150)])
    assert parse(model, batch) == [greedy_reference(model, item) for item in batch]


# ---- interface -----------------------------------------------------------------------


def test_types(small_model):
    heads, labels = GreedySearch().parse(small_model, sentences(TREEBANK))
    n = sum(len(t.words) for t in TREEBANK)
    for array in (heads, labels):
        assert array.dtype == np.int32
        assert array.shape == (n,)


@pytest.mark.parametrize(("columns", "n"), [(("xy",), 1), (("xy", "xy", "xy"), 3)])
def test_other_columns(small_model, columns, n):
    good = sentence("xy", "xy")
    with pytest.raises(
        ValueError,
        match=f"the model reads 2 attributes of a word, the sentence has {n}",
    ):
        GreedySearch().parse(small_model, [good, sentence(*columns)])


@pytest.mark.parametrize("wrong", [None, "a sentence", 1])
def test_what_is_no_sentence(small_model, wrong):
    with pytest.raises(TypeError):
        GreedySearch().parse(small_model, [wrong])


@every_system
@pytest.mark.parametrize("single_root", [False, True])
def test_a_very_long_sentence(system, single_root):
    trainer = trained(TREEBANK, system=system, templates=TEMPLATES)
    model = model_of(trainer)
    rule = RootRule.ONE if single_root else RootRule.ANY
    words = [w for t in TREEBANK for w in t.words] * 400
    tags = [p for t in TREEBANK for p in t.tags] * 400
    ((heads, labels),) = parse(model, [sentence(words, tags)], rule)
    assert len(heads) == 10_000
    assert is_tree(heads)
    assert is_projective_tree(heads) or not system.projective
    assert set(labels) <= set(labels_of(TREEBANK))
    if single_root:
        assert heads.count(0) == 1


def test_repr_and_pickle(small_model):
    search = pickle.loads(pickle.dumps(GreedySearch()))
    assert repr(search) == "GreedySearch()"
    batch = sentences(TREEBANK)
    expected = GreedySearch().parse(small_model, batch)[0].tolist()
    assert search.parse(small_model, batch)[0].tolist() == expected
    copy = pickle.loads(pickle.dumps(small_model))
    assert search.parse(copy, batch)[0].tolist() == expected


# Trains a model, and prints what it finds.
PROGRAM = """
from tests.core.builders import TREEBANK, model_of, parse, sentences, trained
print(parse(model_of(trained(TREEBANK, 3)), sentences(TREEBANK * 5)))
"""


@pytest.mark.heavy
def test_without_vectors():
    """Parses do not depend on the instructions that a processor has."""
    found = [
        run_python(PROGRAM, timeout=300, DYNORACLE_PORTABLE=portable)
        for portable in ("", "1")
    ]
    assert found[0]
    assert found[0] == found[1]
