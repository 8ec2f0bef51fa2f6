"""Derivations: the one recorded is the one that the component takes, and its costs."""

import random

import pytest
from spacy.tokens import Doc

from spacy_dynoracle.core.search.beam_search import BeamSearch
from spacy_dynoracle.core.search.inspect import offered_actions
from spacy_dynoracle.core.state.gold import GoldTree
from spacy_dynoracle.doc.attribute_table import AttributeTable
from spacy_dynoracle.explain.derivation import Limits
from spacy_dynoracle.explain.trace import trace
from spacy_dynoracle.treebank import heads_and_labels

from ..core.builders import action_scores
from ..parser.half_trained import (
    ARC_EAGER,
    CONSTRAINED,
    SYSTEMS,
    crossing,
    half_trained,
    name_of,
    system,
    traced,
)
from ..parser.treebank import (
    BLANKS,
    NAME,
    SENTENCES,
    SWAP,
    VOCABULARY,
    analysis,
    example,
    examples,
    make_doc,
    make_nlp,
)

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def nlp():
    return half_trained(ARC_EAGER)


# ---- the derivation is the one that the component takes ------------------------------


@pytest.mark.parametrize("sentences", ["predict", "preset"])
@pytest.mark.parametrize("block", SYSTEMS + CONSTRAINED, ids=name_of)
def test_trees_are_those_of_the_component(block, sentences):
    nlp = half_trained(block, sentences=sentences)
    for eg in examples(nlp.vocab)[4:]:
        doc = eg.predicted.copy()
        (derivation,) = trace(nlp.get_pipe(NAME), doc)
        heads, labels = heads_and_labels(nlp(eg.predicted.copy()))
        assert heads_and_labels(doc) == (heads, labels)
        assert derivation.restored == (tuple(heads), tuple(labels))


@pytest.mark.parametrize("threshold", [0, 0.3])
def test_the_derivation_of_a_beam(threshold):
    nlp = half_trained(ARC_EAGER)
    nlp = nlp.from_config(nlp.config, vocab=nlp.vocab).from_bytes(nlp.to_bytes())
    nlp.get_pipe(NAME).change(search=BeamSearch(4, threshold=threshold))
    n_against = 0
    for eg in examples(nlp.vocab):
        doc = eg.predicted.copy()
        (derivation,) = trace(nlp.get_pipe(NAME), doc)
        assert heads_and_labels(doc) == heads_and_labels(nlp(eg.predicted.copy()))
        n_against += sum(step.chosen != step.predicted for step in derivation.steps)
    assert n_against > 0


@pytest.mark.parametrize("block", SYSTEMS[::3], ids=name_of)
def test_ties_go_to_the_action_that_the_component_takes(block):
    nlp = half_trained(block, n_epochs=0)
    for eg in examples(nlp.vocab)[:3]:
        doc = eg.predicted.copy()
        trace(nlp.get_pipe(NAME), doc)
        assert analysis(doc) == analysis(nlp(eg.predicted))


@pytest.mark.parametrize("block", [ARC_EAGER, system("EasyFirst")], ids=name_of)
def test_a_model_without_labels_is_followed_too(block):
    nlp = make_nlp(system=block, features=None)
    nlp.get_pipe(NAME).initialize(lambda: examples(nlp.vocab), labels=[])
    doc = examples(nlp.vocab)[0].predicted
    (derivation,) = trace(nlp.get_pipe(NAME), doc.copy())
    assert derivation.restored.heads == tuple(heads_and_labels(nlp(doc))[0])
    assert set(derivation.derived.labels) <= {None, "root", "ROOT"}


def test_documents_are_cut_as_the_component_cuts_them(nlp):
    choice = random.Random(1)
    again = 0
    for _ in range(60):
        words = choice.choices([*VOCABULARY, *BLANKS], k=choice.randint(1, 12))
        starts = choice.choices([None, None, True, False], k=len(words))
        doc = make_doc(nlp.vocab, words, starts)
        copy = doc.copy()
        derivations = trace(nlp.get_pipe(NAME), copy)
        assert analysis(copy) == analysis(nlp(doc))
        again += sum(derivation.parsed_again for derivation in derivations)
        final = [d for d in derivations if not d.parsed_again]
        words = {token.i for token in doc if not token.is_space}
        assert {k for d in derivations for k in d.tokens} == words
        for derivation in final:
            assert derivation.words[1:] == tuple(doc[k].text for k in derivation.tokens)
    assert again


def test_a_gold_head_in_another_sentence_is_an_error(nlp):
    eg = example(nlp.vocab, SENTENCES[0])
    words = [token.text for token in eg.predicted]
    doc = Doc(nlp.vocab, words, sent_starts=[i in (0, 1) for i in range(len(words))])
    found = trace(nlp.get_pipe(NAME), doc, eg.reference)
    expected = [
        token.i
        for token, gold in zip(nlp(doc), eg.reference, strict=True)
        if (token.head.i, token.dep) != (gold.head.i, gold.dep)
    ]
    assert any(derivation.outside for derivation in found)
    assert [d.tokens[k - 1] for d in found for k in d.errors] == expected


def test_lifted_arcs_are_shown_and_put_back():
    nlp, eg = crossing()
    (derivation,) = traced(nlp, eg)
    assert "nsubj||acl" not in derivation.restored.labels
    assert derivation.derived != derivation.restored
    assert derivation.restored == derivation.treebank
    assert derivation.restored == tuple(map(tuple, heads_and_labels(nlp(eg.predicted))))
    assert derivation.errors == ()
    assert derivation.gold != derivation.treebank
    assert derivation.derived == derivation.gold


# ---- costs ---------------------------------------------------------------------------


@pytest.mark.parametrize("block", [b for b in SYSTEMS if b != SWAP], ids=name_of)
def test_costs_add_up_to_the_errors(block):
    nlp = half_trained(block)
    total = 0
    for eg in examples(nlp.vocab):
        # Trees with crossing arcs may lie in one another; then their parts follow.
        derivation, *_ = traced(nlp, eg)
        # What is attached to ROOT after the last transition gets its label for free.
        pairs = enumerate(
            zip(*derivation.derived, *derivation.treebank, strict=True), 1
        )
        wrong = [
            head != gold_head or (label != gold_label and k not in derivation.attached)
            for k, (head, label, gold_head, gold_label) in pairs
        ]
        assert derivation.total_cost == sum(wrong)
        total += derivation.total_cost
    assert total


@pytest.mark.parametrize("block", SYSTEMS + CONSTRAINED, ids=name_of)
def test_following_the_oracle_leads_to_the_gold_tree(block):
    nlp = half_trained(block)
    for eg in examples(nlp.vocab)[6:]:
        (derivation,) = traced(nlp, eg, follow="oracle", limits=Limits(1, 1))
        assert derivation.derived.heads == derivation.treebank.heads
        assert derivation.total_cost == 0
        for step in derivation.steps:
            # UNSHIFT has no cost.
            assert step.is_correct(step.chosen) is not False
            assert {step.chosen, step.predicted} <= set(step.candidates)


def test_candidates_and_their_costs_are_those_of_the_core(nlp):
    model = nlp.get_pipe(NAME).model
    eg = examples(nlp.vocab)[1]
    heads, labels = heads_and_labels(eg.reference)
    gold = GoldTree(heads, labels)
    (derivation,) = traced(nlp, eg)
    c = model.system.initial(len(eg.reference))
    for label in model.labels:
        c.labels.add(label)
    sentence = sentence_of(nlp, eg.predicted)
    for step in derivation.steps:
        found = offered_actions(model, c, sentence, gold)
        assert {x.transition for x in found} == set(model.system.legal(c))
        if not step.forced:
            scores = action_scores(model, c, sentence)
            keys = [key for key in scores if key[0] in model.system.legal(c)]
            assert [(x.transition, x.label) for x in found] == keys
            assert [x.score for x in found] == [scores[key] for key in keys]
            assert step.predicted.score == max(scores[key] for key in keys)
        for x in found:
            known = model.system.cost(c, gold, x.transition, label=x.label)
            gold_label = None if x.arc is None else labels[x.arc[1] - 1]
            if (x.transition, gold_label) in model.actions:
                assert x.cost == known
            else:
                assert x.cost in (known, known - 1)
        assert set(step.candidates) == set(found)
        model.system.apply(c, step.chosen.transition, step.chosen.label)


def sentence_of(nlp, doc):
    sources = nlp.get_pipe(NAME).recipe.sources
    return AttributeTable([doc], list(sources.values())).sentence(None)


def test_unknown_heads_and_labels_cost_nothing(nlp):
    eg = example(nlp.vocab, SENTENCES[0])
    for token in eg.reference:
        token.dep_ = ""
    (derivation,) = traced(nlp, eg)
    heads = [k for k, head in enumerate(derivation.treebank.heads, 1) if head]
    wrong = [
        k
        for k in heads
        if derivation.derived.heads[k - 1] != derivation.treebank.heads[k - 1]
    ]
    assert set(derivation.treebank.labels) == {None}
    assert derivation.total_cost == len(wrong) == len(derivation.errors)


def test_there_is_no_cost_where_unshift_has_begun():
    block = system("ArcEager", root="none", tree_constraint=True)
    nlp = half_trained(block, n_epochs=0)
    choices = 0
    for eg in examples(nlp.vocab):
        (derivation,) = traced(nlp, eg)
        names = [step.chosen.transition for step in derivation.steps]
        first = names.index("UNSHIFT")
        assert all(step.chosen.cost is not None for step in derivation.steps[:first])
        for step in derivation.steps[first:]:
            legal = {x.transition for x in step.candidates}
            if len(legal) > 1 or legal == {"UNSHIFT"}:
                assert {x.cost for x in step.candidates} == {None}
                choices += len(legal) > 1
    assert choices


def test_no_more_candidates_are_kept_than_wanted(nlp):
    (derivation,) = traced(nlp, examples(nlp.vocab)[1], limits=Limits(labels=2))
    for step in derivation.steps:
        names = [x.transition for x in step.candidates]
        # Two and the best correct one.
        assert all(names.count(name) <= 3 for name in names)
        assert step.n_candidates >= len(step.candidates)
        scores = [x.score for x in step.candidates if x.score is not None]
        assert scores == sorted(scores, reverse=True)
    easy_first, limits = half_trained(system("EasyFirst")), Limits(1, 3)
    (derivation,) = traced(easy_first, examples(nlp.vocab)[1], limits=limits)
    assert all(len(step.candidates) <= 4 for step in derivation.steps)
    assert {step.chosen.position for step in derivation.steps} > {1}
