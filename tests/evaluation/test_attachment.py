"""Attachment scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle.evaluation.attachment import (
    SCORED_WORDS,
    Evaluation,
    evaluate_sentences,
    scored_words,
)
from spacy_dynoracle.treebank import TreebankWord


def word(form, head, deprel, upos="X", xpos="_"):
    """A gold word."""
    return TreebankWord(form, "_", upos, xpos, "_", head, deprel, "_", "_", 1)


GOLD = [
    word("She", 2, "nsubj"),
    word("reads", 0, "root"),
    word("books", 2, "obj:long"),
    word(".", 2, "punct", "PUNCT"),
]


def test_perfect_parse():
    scores = evaluate_sentences([(GOLD, [2, 0, 2, 2], [w.deprel for w in GOLD])])
    for name, words in (("all", 4), ("ud", 3)):
        assert scores[name].words == scores[name].labelled_words == words
        assert scores[name].uas == scores[name].las == 1
        assert scores[name].exact_labelled == scores[name].root_accuracy == 1


def test_errors_by_hand():
    heads = [2, 0, 1, 2]
    labels = ["obj:long", "ROOT", "obj:long", "punct"]
    scores = evaluate_sentences([(GOLD, heads, labels)])
    assert scores["all"].uas == 3 / 4
    assert scores["all"].las == 2 / 4
    assert scores["all"].label_accuracy == 3 / 4
    assert scores["all"].root_accuracy == 1
    assert scores["all"].exact_unlabelled == 0
    assert scores["ud"].uas == 2 / 3
    assert scores["ud"].las == 1 / 3


def test_base_labels_and_case_of_root():
    scores = evaluate_sentences([(GOLD, [2, 0, 2, 2], ["Nsubj", "Root", "obj", "p"])])
    assert scores["all"].las == 1 / 4
    assert scores["all"].las_base == 2 / 4


def test_unknown_gold_heads_and_labels():
    gold = [word("a", None, None), word("b", 0, None), word("c", 2, "x")]
    evaluation = Evaluation()
    evaluation.add(gold, [2, 0, 1], ["y", "ROOT", "x"])
    scores = evaluation.scores()
    assert (scores.words, scores.labelled_words) == (2, 1)
    assert scores.uas == 1 / 2
    assert scores.las == 0
    assert scores.label_accuracy == 1
    # The unscored first word cannot make the set of roots wrong.
    assert scores.root_accuracy == 1


def test_missing_predictions_are_wrong():
    evaluation = Evaluation()
    evaluation.add(GOLD, [None] * 4, [None] * 4)
    assert evaluation.scores().uas == evaluation.scores().las == 0
    assert evaluation.scores().root_accuracy == 0


def test_two_roots_are_no_right_set_of_roots():
    evaluation = Evaluation()
    evaluation.add(GOLD, [0, 0, 2, 2], ["root", "root", "obj", "punct"])
    assert evaluation.scores().root_accuracy == 0


def test_sentences_without_scored_words_match_nothing():
    evaluation = Evaluation("ud")
    evaluation.add([word("!", 0, "root", "PUNCT")], [0], ["root"])
    evaluation.add(GOLD, [2, 0, 2, 2], [w.deprel for w in GOLD])
    assert evaluation.scores().sentences == 2
    assert evaluation.scores().exact_labelled == 1


def test_nothing_scored_is_zero():
    scores = Evaluation().scores()
    assert scores.uas == scores.las == scores.exact_labelled == 0


@pytest.mark.parametrize(
    ("name", "excluded", "scored"),
    [
        ("all", [], [word(".", 1, "punct", "PUNCT", ".")]),
        (
            "ud",
            [word("x", 1, "dep", "PUNCT"), word("x", 1, "punct:mid")],
            [word(".", 1, "p", ".")],
        ),
        ("unicode", [word("«...»", 1, "x")], [word("$", 1, "x"), word(":-P", 1, "x")]),
        ("first-char", [word(":-P", 1, "x")], [word("«", 1, "x"), word("$", 1, "x")]),
        (
            "ptb",
            [word("x", 1, "x", "X", "``"), word("x", 1, "x", ":")],
            [word(".", 1, "x", "PUNCT", "-LRB-"), word("x", 1, "x", ".", "SYM")],
        ),
        ("ctb", [word("x", 1, "x", "_", "PU")], [word(".", 1, "punct", "PUNCT")]),
        ("spacy", [word("x", 1, "P"), word("x", 1, "punct")], [word(".", 1, "dep")]),
    ],
)
def test_scored_words(name, excluded, scored):
    predicate = scored_words(name)
    assert not any(predicate(token) for token in excluded)
    assert all(predicate(token) for token in scored)


def test_unknown_definition():
    with pytest.raises(ValueError, match=r"'conll'.*unicode"):
        Evaluation("conll")
    assert all(predicate.__doc__ for predicate in SCORED_WORDS.values())


def test_decorated_labels_and_lengths():
    evaluation = Evaluation()
    with pytest.raises(ValueError, match="decorated"):
        evaluation.add(GOLD, [2, 0, 2, 2], ["a||b", "root", "obj", "punct"])
    with pytest.raises(ValueError, match=r"4 gold words, 3 predicted heads"):
        evaluation.add(GOLD, [2, 0, 2], ["a", "b", "c", "d"])


labels = st.sampled_from(["root", "a", "b:c", None])
parses = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(0, 5)), labels), min_size=5, max_size=5
)


@given(parses, parses)
def test_relations(gold, predicted):
    evaluation = Evaluation()
    evaluation.add(
        [word("x", *pair) for pair in gold],
        [head for head, _ in predicted],
        [label for _, label in predicted],
    )
    scores = evaluation.scores()
    values = [scores.uas, scores.las, scores.las_base, scores.label_accuracy]
    assert all(0 <= value <= 1 for value in values)
    assert scores.las <= scores.las_base
    assert scores.las <= scores.label_accuracy
