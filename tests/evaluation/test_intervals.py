"""95 % intervals of scores."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle.evaluation import evaluate_files
from spacy_dynoracle.evaluation.attachment import Evaluation
from spacy_dynoracle.evaluation.conll2018 import score_texts
from spacy_dynoracle.evaluation.intervals import Sample
from spacy_dynoracle.evaluation.texts import text_of
from spacy_dynoracle.reports.significance import bootstrap
from spacy_dynoracle.treebank import TreebankSentence, TreebankWord


def sentence(words, heads=None, newdoc=False):
    heads = heads or [i for i, _ in enumerate(words)]
    rows = (
        TreebankWord(form, "_", "X", "_", "_", head, "dep", "_", "SpaceAfter=No", i)
        for i, (form, head) in enumerate(zip(words, heads, strict=True))
    )
    return TreebankSentence("", 1, None, 1, ("# newdoc",) * newdoc, tuple(rows))


def test_the_interval_of_a_share_is_that_of_statistics():
    """400 sentences of one word, of which 80 % are right: .8 ± 1.96 * .02."""
    sample = Sample.of(sentence(["a"]) for _ in range(400))
    right = np.arange(400) % 5 > 0
    (low, high) = sample.intervals({"x": (right, np.ones(400))})["x"]
    assert (low, high) == pytest.approx((0.7608, 0.8392), abs=0.005)
    assert sample.intervals({"x": (right, np.ones(400))})["x"] == (low, high)


def test_documents_are_drawn_whole():
    """Sentences of a document are all right or all wrong: there are only 20 draws."""
    sentences = [sentence(["a"], newdoc=i % 20 == 0) for i in range(400)]
    by_document = Sample.of(sentences)
    assert (by_document.unit, by_document.n_units) == ("document", 20)
    right = np.repeat(np.arange(20) % 5 > 0, 20)
    low, high = by_document.intervals({"x": (right, np.ones(400))})["x"]
    assert high - low > 4 * 0.0784
    # Nineteen documents are too few to say how much documents vary.
    few = Sample.of(sentences[:380])
    assert (few.unit, few.n_units) == ("sentence", 380)
    assert "over 380 sentences" in few.note()
    assert "one sentence has no interval" in Sample.of(sentences[:1]).note()


def test_sentences_in_another_order_stay_in_their_documents():
    sample = Sample.of(sentence(["a"], newdoc=i % 2 == 0) for i in range(40))
    right = np.repeat(np.arange(20) % 5 > 0, 2)
    order = np.random.default_rng(0).permutation(40)
    shuffled = replace(sample, unit_of=sample.unit_of[order])
    assert shuffled.n_units == 20
    found = [
        each.intervals({"x": (values, np.ones(40))})
        for each, values in ((sample, right), (shuffled, right[order]))
    ]
    assert found[0] == found[1]


def test_what_cannot_be_drawn_has_no_interval():
    counts = np.ones(1), np.ones(1)
    assert Sample.of([sentence(["a"])]).intervals({"x": counts}) == {}
    assert Sample.of([]).intervals({"x": (np.ones(0), np.ones(0))}) == {}
    nothing = np.zeros(2), np.zeros(2)
    two = Sample.of([sentence(["a"])] * 2)
    assert two.intervals({"x": nothing}) == {"x": (0.0, 0.0)}


def test_sums_of_draws():
    drawn = bootstrap([[1, 1, 1], [0, 1, 5]], draws=500, seed=3)
    assert drawn.shape == (2, 500)
    assert set(drawn[0]) == {3.0}
    assert {0.0, 3.0, 15.0} <= set(drawn[1]) <= {0, 1, 2, 3, 5, 6, 7, 10, 11, 15}
    assert not np.array_equal(drawn, bootstrap([[1, 1, 1], [0, 1, 5]], draws=500))


CUTS = st.lists(st.integers(1, 4), min_size=1, max_size=8)


def cut(cuts, total=12):
    """A text of the letter a in words of these lengths, sentences of two words."""
    words = [length * "a" for length in cuts]
    words.append((total * 4 - sum(cuts)) * "a")
    return text_of(sentence(words[i : i + 2]) for i in range(0, len(words), 2))


@given(CUTS, CUTS)
def test_counts_of_sentences_add_up(gold, predicted):
    """Whatever words and sentences there are."""
    for name, score in score_texts(cut(gold), cut(predicted)).items():
        numerator, denominator = score.counts
        assert len(numerator) == len(denominator) == (len(gold) + 2) // 2, name
        assert numerator.sum() == 2 * score.correct
        assert denominator.sum() == score.gold + score.predicted


def test_counts_of_attachment_are_those_of_sentences():
    evaluation = Evaluation()
    evaluation.add(sentence(["a", "b"]).words, [0, 1], ["dep", "x"])
    evaluation.add(sentence(["a"]).words, [None], [None])
    scores = evaluation.scores()
    found = {name: [x.tolist() for x in pair] for name, pair in scores.counts.items()}
    assert found["uas"] == [[2, 0], [2, 1]]
    assert found["las"] == [[1, 0], [2, 1]]
    assert found["root_accuracy"] == found["exact_unlabelled"] == [[1, 0], [1, 1]]
    assert "counts" not in scores.as_dict()


def test_files_with_other_sentences(tmp_path):
    """The parse has one sentence; intervals are over those of the treebank."""
    row = "{}\ta\t_\tX\t_\t_\t0\troot\t_\t_\n"
    gold, predicted = tmp_path / "gold.conllu", tmp_path / "predicted.conllu"
    gold.write_text("\n".join([row.format(1)] * 9 + [""]), encoding="utf-8")
    predicted.write_text("".join(map(row.format, range(1, 10))) + "\n", "utf-8")
    result = evaluate_files(gold, predicted)
    assert result.sample.n_units == 9
    assert result.scores["Sentences"].interval == (0.0, 0.0)
    low, high = result.scores["UPOS"].interval
    assert low == high == 1
    assert result.as_dict()["scores"]["UPOS"]["interval"] == (1, 1)
