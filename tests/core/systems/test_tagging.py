"""Tagging as a transition system: one transition, flat trees, a history of tags."""

import pickle

import pytest

from spacy_dynoracle import ErrorExploration, GoldTree, NoExploration, StaticOracle
from spacy_dynoracle.core.features.extractor import Extractor
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.core.systems.tagging import Tagging

from ..builders import TREEBANK, build_trainer, model_of, parse, sentence

SYSTEM = Tagging()
TEMPLATES = ("N0w", "S0l", "S0l.S1l", "S0w.N0w", "N1w")


def tagged(trees, actions):
    """Pairs of a Sentence (its words) and its tags as labels of a flat tree."""
    return [
        (
            sentence(t.words),
            GoldTree([0] * len(t.words), t.tags, inventory=actions.labels),
        )
        for t in trees
    ]


def build(tags, templates=TEMPLATES, exploration=None):
    trainer = build_trainer(
        [], system=SYSTEM, exploration=exploration, templates=templates
    )
    for tag in tags:
        trainer.add_action("TAG", tag)
    return trainer


def train(trainer, trees, iterations=6):
    for iteration in range(1, iterations + 1):
        counts = trainer.train(tagged(trees, trainer.actions), iteration)
    return counts


# ---- the system ----------------------------------------------------------------------


def test_derivation():
    gold, c = GoldTree([0, 0, 0], ["DET", "NOUN", "VERB"]), SYSTEM.initial(3)
    for _ in range(3):
        assert SYSTEM.costs(c, gold) == {"TAG": 0}
        SYSTEM.apply(c, "TAG")
    assert SYSTEM.is_terminal(c)
    assert SYSTEM.legal(c) == []
    assert (c.stack, c.buffer, c.heads) == ((1, 2, 3), (), (0, 0, 0))


def test_a_tag_is_the_label_of_the_front_of_the_buffer():
    c = SYSTEM.initial(2)
    SYSTEM.apply(c, "TAG", "DET")
    assert c.arcs == ((0, "DET", 1),)
    assert (c.stack, c.buffer) == ((1,), (2,))
    SYSTEM.apply(c, "TAG")
    assert c.arcs == ((0, "DET", 1), (0, None, 2))
    assert c.dependents(0) == (1, 2)
    with pytest.raises(ValueError, match="TAG is not legal"):
        SYSTEM.apply(c, "TAG", "NOUN")


def test_only_a_wrong_tag_costs():
    gold = GoldTree([0, None], ["DET", None])
    c = SYSTEM.initial(2)
    assert SYSTEM.cost(c, gold, "TAG", "DET") == 0
    assert SYSTEM.cost(c, gold, "TAG", "NOUN") == 1
    SYSTEM.apply(c, "TAG", "NOUN")
    assert SYSTEM.cost(c, gold, "TAG", "NOUN") == 0


def test_transitions_of():
    assert SYSTEM.is_labelled("TAG")
    assert SYSTEM.transitions_of(0, 3) == ("TAG",)
    assert SYSTEM.transitions_of(1, 3) == ()


def test_copies():
    assert not SYSTEM.builds_trees
    for same in (pickle.loads(pickle.dumps(SYSTEM)), eval(repr(SYSTEM))):
        assert same.settings() == SYSTEM.settings()


@pytest.mark.parametrize(
    "restriction", [{"single_root": True}, {"root_label_constraint": True}]
)
def test_restrictions_of_roots_are_refused(restriction):
    with pytest.raises(ValueError, match="are for parsing"):
        Tagging(**restriction)


def test_static_oracles_are_refused():
    with pytest.raises(ValueError, match="Tagging"):
        StaticOracle().correct(SYSTEM, SYSTEM.initial(1), GoldTree([0], ["X"]))


# ---- features, training, search ------------------------------------------------------


def test_the_stack_is_the_history():
    extractor = Extractor(FeatureTemplates(["S0l.S1l", "S0w", "N0w"]))
    words = sentence(("a", "b", "c"))
    c = SYSTEM.initial(3)
    assert [name for name, _ in extractor.atom_values(c, words)] == ["N0w"]
    SYSTEM.apply(c, "TAG", "X")
    SYSTEM.apply(c, "TAG", "Y")
    values = dict(extractor.atom_values(c, words))
    assert set(values) == {"S0l.S1l", "S0w", "N0w"}
    assert len(set(values["S0l.S1l"])) == 2


@pytest.mark.parametrize("exploration", [NoExploration(), ErrorExploration(0, 1.0)])
def test_learns_its_training_data(exploration):
    tags = sorted({tag for t in TREEBANK for tag in t.tags})
    trainer = build(tags, exploration=exploration)
    n_decisions, n_errors = train(trainer, TREEBANK)
    assert n_decisions == sum(len(t.words) for t in TREEBANK)
    assert n_errors == 0
    found = parse(model_of(trainer), [sentence(t.words) for t in TREEBANK])
    assert found == [((0,) * len(t.words), t.tags) for t in TREEBANK]


@pytest.mark.parametrize(
    ("templates", "learns"), [(("N0w",), False), (("N0w", "S0l"), True)]
)
def test_a_tag_depends_on_the_tag_before(templates, learns):
    """The words are all the same; only the history tells odd from even."""
    trainer = build(["EVEN", "ODD"], templates)
    tags = ["ODD", "EVEN"] * 3
    gold = GoldTree([0] * 6, tags, inventory=trainer.actions.labels)
    for iteration in range(1, 12):
        trainer.train([(sentence(("x",) * 6), gold)], iteration)
    found = parse(model_of(trainer), [sentence(("x",) * 4)])
    assert (found == [((0,) * 4, tuple(tags[:4]))]) is learns


def test_unknown_tags_teach_nothing():
    trainer = build(["A", "B"])
    gold = GoldTree([None, None], [None, None], inventory=trainer.actions.labels)
    assert trainer.train([(sentence(("a", "b")), gold)], 1) == (2, 0)
    assert trainer.learner.freeze().n_features == 0


def test_a_model_without_tags_leaves_words_untagged():
    found = parse(model_of(build([])), [sentence(("a", "b"))])
    assert found == [((0, 0), (None, None))]
