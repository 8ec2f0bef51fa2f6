"""Crossing arcs: learned as they are with SWAP, lifted with every other system."""

import copy

import numpy as np
import pytest

from spacy_dynoracle import is_projective
from spacy_dynoracle.core.search.greedy import GreedySearch
from spacy_dynoracle.core.state.configuration import RootRule

from .treebank import (
    NAME,
    NONPROJECTIVE,
    PROJECTIVE,
    SENTENCES,
    SWAP,
    analysis,
    assert_tree,
    examples,
    gold_analysis,
    heads_of,
    make_doc,
    make_nlp,
    mixed_examples,
    model_bytes,
    name_of,
    parse_all,
    parse_sentences,
    parser_of,
    train,
)

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def swap_nlp():
    return make_nlp(system=SWAP, data=mixed_examples, epochs=2)


def test_swap_learns_crossing_arcs():
    """As they are, without a record of lifted arcs in the labels."""
    nlp = make_nlp(system=SWAP)
    data = mixed_examples(nlp.vocab, SENTENCES + NONPROJECTIVE)
    assert train(nlp, data, epochs=20)[NAME] == 0
    assert not any("||" in label for label in parser_of(nlp).model.labels)
    for s in NONPROJECTIVE:
        doc = parse_sentences(nlp, s)
        assert analysis(doc) == gold_analysis(nlp.vocab, s)
        assert_tree(doc)
        assert not is_projective(heads_of(doc))
    loaded = make_nlp(system=SWAP).from_bytes(nlp.to_bytes())
    assert parse_all(loaded, NONPROJECTIVE) == parse_all(nlp, NONPROJECTIVE)


def test_setting_for_nonprojective_trees_does_not_matter_with_swap():
    models = []
    for nonprojective in ("projectivize", "drop"):
        nlp = make_nlp(system=SWAP, nonprojective=nonprojective)
        train(nlp, examples(nlp.vocab, SENTENCES + NONPROJECTIVE), epochs=3)
        models.append(model_bytes(nlp))
    assert models[0] == models[1]


def test_swapped_words_have_labels_in_both_directions():
    nlp = make_nlp(system=SWAP, epochs=0)
    keys = parser_of(nlp).model.actions.keys
    assert {("LEFT", "det"), ("RIGHT", "det"), ("LEFT", "root")} <= set(keys)
    assert ("RIGHT", "root") not in keys
    assert ("SWAP", None) in keys


@pytest.mark.parametrize("system", PROJECTIVE, ids=name_of)
def test_other_systems_projectivize(system):
    nlp = make_nlp(system=system)
    data = mixed_examples(nlp.vocab, SENTENCES + NONPROJECTIVE)
    train(nlp, data, epochs=20)
    assert any("||" in label for label in parser_of(nlp).model.labels)
    assert not any("||" in label for label in parser_of(nlp).labels)
    assert parse_all(nlp, NONPROJECTIVE) == [
        gold_analysis(nlp.vocab, s) for s in NONPROJECTIVE
    ]


# ---- sentences of a document ---------------------------------------------------------


class Tangles(GreedySearch):
    """A search that finds the same trees in every document, and chains where there may
    be one root only.
    """

    def find(self, heads):
        self.heads = heads
        return self

    def parse(self, model, sentences, root_rule=None):
        found = []
        for sentence in sentences:
            chain = range(len(sentence))
            found += chain if root_rule == RootRule.ONE else self.heads
        heads = np.array(found, np.int32)
        return heads, np.full(len(heads), -1, np.int32)


@pytest.mark.parametrize(
    ("heads", "starts", "expected"),
    [
        # Two trees that cross become one, and those beside them stay as they are.
        ([0, 0, 1, 2], [None] * 4, [0, 1, 2, 3]),
        ([0, 1, 0, 0, 3, 4, 0, 7], [None] * 8, [0, 1, 0, 3, 4, 5, 0, 7]),
        # One tree inside of another is a tangle, too.
        ([0, 0, 1], [None] * 3, [0, 1, 2]),
        # What no sentence may start at is joined with what comes before.
        ([0, 0, 0, 2, 3], [None, False, None, None, None], [0, 1, 2, 3, 4]),
        ([0, 0, 1, 2, 0], [None, None, None, None, False], [0, 1, 2, 3, 4]),
        ([0, 0, 1, 2, 0], [None, None, False, None, None], [0, 1, 2, 3, 0]),
        ([0, 0, 1, 2, 0, 0, 5, 6], [None, None, None, None, False, None, None, None],
         [0, 1, 2, 3, 4, 5, 6, 7]),
    ],
)  # fmt: skip
def test_tangles_and_presets_together(swap_nlp, heads, starts, expected):
    """Trees may cross only within a sentence, and presets hold nevertheless."""
    parser = copy.deepcopy(parser_of(swap_nlp))
    parser.change(search=Tangles().find(heads))
    doc = parser(make_doc(parser.vocab, ["Rain"] * len(heads), starts))
    assert_tree(doc)
    assert heads_of(doc) == expected
