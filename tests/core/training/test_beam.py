"""Global training, against the same by definition."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle import (
    ArcEager,
    ArcStandard,
    DynamicOracle,
    EasyFirst,
    GoldTree,
    NonDeterministicOracle,
    StaticOracle,
)
from spacy_dynoracle.core.features.extractor import Extractor
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.core.learners.averaged_perceptron import AveragedPerceptron
from spacy_dynoracle.core.learners.structured_perceptron import StructuredPerceptron
from spacy_dynoracle.core.search.beam_search import BeamSearch
from spacy_dynoracle.core.systems.actions import Actions
from spacy_dynoracle.core.training.beam import BeamTrainer
from spacy_dynoracle.core.training.exploration import ErrorExploration, NoExploration
from spacy_dynoracle.core.training.trainer import Trainer

from .. import builders
from ..builders import (
    SYSTEMS,
    Tree,
    add_labels,
    bytes_after_training,
    examples,
    labels_of,
    partial_trees,
    projective_heads,
    sentence,
    sentences,
    small_treebanks,
)
from ..builders import heads as any_heads
from ..naive import assert_same_training
from ..naive_beam import NaiveBeamTrainer
from ..weights.layout import read_weights

TEMPLATES = ("S0w", "S1p", "N0w", "N0p", "S0p.N0p", "S1p.S0p", "S1w.vr", "S0p.sl")
RULES = [
    {"update": "early"},
    {"update": "max_violation"},
    {"update": "fall_out"},
    {"update": "fall_out", "negative": "worst"},
]
LEFT_TO_RIGHT = [system for system in SYSTEMS if system.suits_beam]
every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda r: "-".join(r.values()))


def oracles_of(system):
    return [
        *map(StaticOracle, system.static_preferences),
        DynamicOracle(),
        NonDeterministicOracle(),
    ]


def parts(
    labels, *, system=None, oracle=None, templates=TEMPLATES, root_label=None, **rule
):
    """The parts of a trainer that knows some labels, up to its learner."""
    system = ArcStandard() if system is None else system
    actions = Actions(system)
    if root_label is not None:
        actions.constrain_root_label(root_label)
    return [
        system,
        Extractor(FeatureTemplates(templates)),
        actions,
        oracle or StaticOracle(),
        NoExploration(),
        StructuredPerceptron(len(actions), **rule),
    ]


def build(labels, *, beam_size=4, seed=0, root_rule=None, **settings):
    trainer = BeamTrainer(
        *parts(labels, **settings), seed=seed, beam_size=beam_size, root_rule=root_rule
    )
    add_labels(trainer, labels)
    return trainer


def model_of(trainer, **settings):
    return builders.model_of(trainer, learner="StructuredPerceptron", **settings)


# ---- against the definition ----------------------------------------------------------


@pytest.mark.parametrize(
    ("system", "oracle"),
    [(system, oracle) for system in LEFT_TO_RIGHT for oracle in oracles_of(system)],
    ids=repr,
)
@settings(max_examples=12)
@given(
    data=st.data(),
    rule=st.sampled_from(RULES),
    one=st.booleans(),
    beam_size=st.sampled_from([1, 2, 3, 8]),
)
def test_as_the_definition(system, oracle, data, rule, one, beam_size):
    heads = projective_heads if system.projective else any_heads
    trees = data.draw(small_treebanks(labels=("a", "b"), heads=heads, max_words=5))
    trainer = build(
        ("a", "b"),
        system=system,
        root_rule=system.training_root_rule(one),
        oracle=oracle,
        beam_size=beam_size,
        **rule,
    )
    assert_same_training(trainer, NaiveBeamTrainer(trainer), trees)


@every_rule
@pytest.mark.parametrize("oracle", [StaticOracle(), DynamicOracle()], ids=repr)
@pytest.mark.parametrize("system", [ArcStandard(), ArcEager()], ids=repr)
@settings(max_examples=10)
@given(data=st.data(), beam_size=st.sampled_from([1, 2, 5]))
def test_what_is_unknown_is_what_scores_best(rule, system, oracle, data, beam_size):
    trees = data.draw(partial_trees(not oracle.needs_full_tree, max_words=5))
    trainer = build(
        ("a", "b"), system=system, oracle=oracle, beam_size=beam_size, **rule
    )
    assert_same_training(trainer, NaiveBeamTrainer(trainer), trees)


@every_rule
@pytest.mark.parametrize("oracle", [StaticOracle(), DynamicOracle()], ids=repr)
@settings(max_examples=10)
@given(trees=small_treebanks(labels=("a", "b", "root"), max_words=5))
def test_with_the_label_of_the_root(rule, oracle, trees):
    """Only arcs out of ROOT have it; a gold label on the wrong side is unknown."""
    trainer = build(
        ("a", "root"),
        system=ArcStandard(root_label_constraint=True),
        oracle=oracle,
        beam_size=3,
        root_label="root",
        **rule,
    )
    naive = NaiveBeamTrainer(trainer, root_label="root")
    assert_same_training(trainer, naive, trees)


# ---- by hand -------------------------------------------------------------------------

# ROOT is the head of x, x that of y: SHIFT three times, RIGHT twice. At the first two
# there is no choice. Without weights, ties go to the lower rank and then to the lower
# action, which is SHIFT, LEFT a, RIGHT a, LEFT b, RIGHT b.
CHAIN = Tree(("x", "y"), ("N", "N"), (0, 1), ("a", "b"))


def weights_after_one_sentence(beam_size, **rule):
    """{(form of S0, action): weight}"""
    trainer = build(("a", "b"), templates=("S0w",), beam_size=beam_size, **rule)
    ((_, gold),) = examples([CHAIN], trainer)
    item = sentence(CHAIN.words)
    trainer.train([(item, gold)], 1)
    keys = {}
    for node, word in enumerate(CHAIN.words, 1):
        c = trainer.system.configuration(2, stack=[node])
        (key,) = trainer.extractor.keys(c, item)
        keys[key] = word
    return {
        (keys[key], " ".join(filter(None, trainer.actions.keys[action]))): weight
        for (key, action), weight in read_weights(trainer.learner.freeze()).items()
    }


@pytest.mark.parametrize(
    ("rule", "wrong"),
    [
        ({"update": "early"}, "LEFT a"),
        ({"update": "fall_out"}, "LEFT a"),
        ({"update": "fall_out", "negative": "worst"}, "RIGHT a"),
    ],
)
def test_fall_out(rule, wrong):
    """After SHIFT the beam of two takes LEFT a and RIGHT a; both begin as the gold
    derivation does, which cancels.
    """
    expected = {("y", "RIGHT b"): 1, ("y", wrong): -1}
    assert weights_after_one_sentence(2, **rule) == pytest.approx(expected, abs=1e-3)


WHOLE = {
    ("y", "RIGHT b"): 1,
    ("x", "RIGHT a"): 1,
    ("y", "LEFT a"): -1,
    ("y", "RIGHT a"): -1,
}


@pytest.mark.parametrize(
    ("size", "update"), [(2, "max_violation"), (8, "early"), (8, "max_violation")]
)
def test_whole_derivations(size, update):
    """All violations are 0."""
    found = weights_after_one_sentence(size, update=update)
    assert found == pytest.approx(WHOLE, abs=1e-3)


@pytest.mark.parametrize("negative", ["best", "worst"])
def test_the_heuristic_is_content_with_gold_in_the_last_beam(negative):
    rule = {"update": "fall_out", "negative": negative}
    assert weights_after_one_sentence(8, **rule) == {}
    # The whole derivation is the seventh.
    assert weights_after_one_sentence(7, **rule) == {}
    assert weights_after_one_sentence(6, **rule) != {}


# ---- training ------------------------------------------------------------------------


def run(trees, seed, **settings):
    trainer = build(labels_of(trees), seed=seed, **settings)
    return bytes_after_training(trainer, trees)


@every_rule
@settings(max_examples=10)
@given(trees=small_treebanks(), seed=st.integers(0, 2**64 - 1))
def test_same_seed_same_bytes(rule, trees, seed):
    assert run(trees, seed, **rule) == run(trees, seed, **rule)


@every_rule
def test_resume(rule):
    """Training goes on from the averages of a saved model, with new averages."""
    trainer = build(("a", "b"), **rule)
    trees = [CHAIN, Tree("yx", "NV", (2, 0), ("b", "a"))]
    trainer.train(examples(trees, trainer), 1)
    saved = trainer.learner.freeze()
    weights = read_weights(saved)
    other = build(("a", "b"), **rule)
    other.learner.resume(saved)
    assert read_weights(other.learner.freeze()) == pytest.approx(weights)
    naive = NaiveBeamTrainer(other, weights=weights)
    assert_same_training(other, naive, trees, (1, 2))


def test_new_labels():
    trainer = build(["a"])
    trainer.train(examples([CHAIN], trainer), 1)
    # Many, so that all rows must become wider.
    add_labels(trainer, [*map(str, range(40)), "b"])
    for iteration in range(1, 20):
        trainer.train(examples([CHAIN], trainer), iteration)
    assert trainer.train(examples([CHAIN], trainer), 20) == (1, 0)
    model = model_of(trainer)
    _, labels = BeamSearch(4).parse(model, sentences([CHAIN]))
    assert [model.labels[label] for label in labels.tolist()] == ["a", "b"]


def test_nothing_to_learn():
    trainer = build(["a"], oracle=DynamicOracle())
    assert trainer.train([], 1) == (0, 0)
    empty = (sentence((), ()), GoldTree([], inventory=trainer.actions.labels))
    assert trainer.train([empty], 1) == (1, 0)
    unknown = GoldTree([None] * 3, inventory=trainer.actions.labels)
    assert trainer.train([(sentence("abc", "abc"), unknown)], 1) == (1, 0)
    assert trainer.learner.n_decisions == 2


def test_an_inventory_without_what_is_correct():
    """As with single decisions, anything will do then."""
    made = parts([])
    made[2].add("LEFT", "a")
    made[5].resize(len(made[2]))
    trainer = BeamTrainer(*made, beam_size=3)
    assert trainer.train(examples([CHAIN], trainer), 1)[0] == 1


# ---- errors --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"update": "late"}, "update = 'late': expected one of 'early', 'max_viol"),
        ({"negative": "any"}, "negative = 'any': expected one of 'best', 'worst'"),
        ({"negative": "worst"}, "'worst' with update = 'early': it needs 'fall_out'"),
    ],
)
def test_settings_of_the_learner(rule, message):
    with pytest.raises(ValueError, match=message):
        StructuredPerceptron(3, **rule)


def test_trainer_and_learner_suit_each_other():
    made = parts(["a"])
    with pytest.raises(ValueError, match="Trainer cannot train StructuredPerceptron"):
        Trainer(*made)
    with pytest.raises(ValueError, match="BeamTrainer cannot train AveragedPercep"):
        BeamTrainer(*made[:5], AveragedPerceptron(3))
    with pytest.raises(ValueError, match="beam_size = 3: Trainer follows one deriv"):
        Trainer(*made[:5], AveragedPerceptron(3), beam_size=3)


@pytest.mark.parametrize("size", [0, -1, 2**16])
def test_impossible_beams(size):
    with pytest.raises(ValueError, match=f"beam_size = {size}: expected 1 to"):
        BeamTrainer(*parts(["a"]), beam_size=size)


def test_nothing_is_explored():
    made = parts(["a"], oracle=DynamicOracle())
    made[4] = ErrorExploration()
    with pytest.raises(ValueError, match="has nothing to choose: use NoExploration"):
        BeamTrainer(*made, beam_size=3)


def test_pairs_of_neighbours():
    with pytest.raises(ValueError, match="BeamTrainer cannot train EasyFirst"):
        BeamTrainer(*parts(["a"], system=EasyFirst(), oracle=DynamicOracle()))
