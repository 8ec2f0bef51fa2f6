"""The scorer: spaCy's conventions, document by document, and scores over all words."""

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.pipeline.dep_parser import make_parser_scorer as make_spacy_scorer
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.parser.scorer import make_parser_scorer

from .treebank import (
    NAME,
    SENTENCES,
    examples,
    make_nlp,
    mixed_examples,
    reference,
    update,
)

VOCAB = spacy.blank("xx").vocab


score, spacy_score = make_parser_scorer(), make_spacy_scorer()


def doc_of(s, heads=None, labels=None, spaces=None):
    """A Doc of a sentence, perhaps with other heads (1..n, 0 for ROOT) or labels."""
    heads = s.heads if heads is None else heads
    return Doc(
        VOCAB,
        words=s.words,
        spaces=spaces,
        heads=[h - 1 if h else d for d, h in enumerate(heads)],
        deps=list(s.labels if labels is None else labels),
    )


@st.composite
def wrong_parses(draw):
    """Examples with other trees than the gold ones."""
    drawn = []
    for s in draw(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4)):
        root = draw(st.integers(1, len(s.words)))
        heads = [
            0 if d == root else draw(st.sampled_from((root, root, max(d - 1, 0))))
            for d in range(1, len(s.words) + 1)
        ]
        labels = [draw(st.sampled_from((label, "PUNCT", "obj"))) for label in s.labels]
        drawn.append(Example(doc_of(s, heads, labels), reference(VOCAB, s)))
    return drawn


@pytest.mark.heavy
@given(wrong_parses())
def test_the_same_as_spacy_on_complete_annotation(drawn):
    ours, theirs = score(drawn), spacy_score(drawn)
    assert {key: ours[key] for key in theirs} == theirs
    assert set(ours) - set(theirs) == {"dep_uas_all", "dep_las_all"}


def test_scores_over_all_words_include_punctuation():
    s = SENTENCES[0]
    # Only the full stop is wrong.
    eg = Example(doc_of(s, [*s.heads[:-1], 5]), reference(VOCAB, s))
    scores = score([eg])
    assert scores["dep_uas"] == scores["dep_las"] == 1.0
    assert scores["dep_uas_all"] == scores["dep_las_all"] == pytest.approx(5 / 6)
    # Only its label is wrong: now it counts as a predicted arc of no gold word.
    eg = Example(doc_of(s, None, [*s.labels[:-1], "obj"]), reference(VOCAB, s))
    scores = score([eg])
    assert scores["dep_uas_all"] == 1.0
    assert scores["dep_las_all"] == pytest.approx(5 / 6)


def test_labels_are_compared_in_lower_case():
    s = SENTENCES[0]
    eg = Example(doc_of(s, None, [x.upper() for x in s.labels]), reference(VOCAB, s))
    scores = score([eg])
    assert scores["dep_las"] == scores["dep_las_all"] == 1.0


def test_no_annotation_at_all():
    s = SENTENCES[0]
    scores = score([Example(doc_of(s), Doc(VOCAB, words=s.words))])
    assert scores["dep_uas"] is None
    assert scores["dep_las_all"] is None
    assert scores["dep_las_per_type"] is None
    scores = score([])
    assert scores["dep_uas"] is None


def test_tokens_that_do_not_align():
    s = SENTENCES[5]
    gold = doc_of(s)
    words = ["Bring", "me", "the", "sm", "all", "spade", "!"]
    spaces = [True, True, True, False, True, True, True]
    heads = [0, 0, 5, 4, 5, 0, 0]
    deps = ["root", "iobj", "det", "amod", "amod", "obj", "punct"]
    eg = Example(Doc(VOCAB, words, spaces, heads=heads, deps=deps), gold)
    ours, theirs = score([eg]), spacy_score([eg])
    assert {key: ours[key] for key in theirs} == theirs
    # 7 predicted arcs, the 6 gold ones among them.
    assert ours["dep_uas_all"] == pytest.approx(12 / 13)


def test_several_gold_tokens_in_one():
    s = SENTENCES[0]
    gold = doc_of(s, spaces=[True, True, True, True, False, False])
    words = ["The", "gardener", "waters", "the", "roses."]
    eg = Example(Doc(VOCAB, words, heads=[1, 2, 2, 4, 2], deps=s.labels[:5]), gold)
    ours, theirs = score([eg]), spacy_score([eg])
    assert {key: ours[key] for key in theirs} == theirs


def test_sentence_boundaries_are_scored():
    pair = SENTENCES[0], SENTENCES[1]
    gold = reference(VOCAB, *pair)
    heads = [t.head.i for t in gold]
    heads[6 + 1] = 2
    predicted = Doc(
        VOCAB, words=[t.text for t in gold], heads=heads, deps=[t.dep_ for t in gold]
    )
    scores = score([Example(predicted, gold)])
    assert scores["sents_f"] == 0.0
    assert score([Example(gold.copy(), gold)])["sents_f"] == 1.0


def test_scores_of_the_component():
    nlp = make_nlp(data=mixed_examples, epochs=12)
    scores = nlp.evaluate(examples(nlp.vocab))
    assert scores["dep_las_all"] == 1.0
    weights = nlp.config["training"]["score_weights"]
    assert weights["dep_uas"] == weights["dep_las"] == 0.5
    assert set(weights) <= {*scores, "speed"}


def test_a_pipeline_can_have_another_scorer():
    nlp = make_nlp(
        scorer={"@scorers": "spacy.parser_scorer.v1"}, data=mixed_examples, epochs=2
    )
    scores = nlp.evaluate(examples(nlp.vocab))
    assert "dep_uas" in scores
    assert "dep_uas_all" not in scores


def test_a_pipeline_can_have_no_scorer():
    nlp = make_nlp(scorer=None, data=mixed_examples, epochs=0)
    update_all = mixed_examples(nlp.vocab)
    update(nlp, update_all)
    assert "dep_uas" not in nlp.evaluate(examples(nlp.vocab))
    assert nlp.get_pipe(NAME).score(examples(nlp.vocab)) == {}
