"""Error analysis and comparison of files, by hand."""

import pytest

from spacy_dynoracle.errors import TreebankError
from spacy_dynoracle.evaluation import compare, evaluate_files
from spacy_dynoracle.evaluation.errors import OUTSIDE, ErrorAnalysis
from spacy_dynoracle.evaluation.systems import predictions

GOLD = """\
# sent_id = one
1\tNora\tNora\tPROPN\tNNP\tNumber=Sing|Own=1\t4\tnsubj\t_\t_
2-3\tdidn't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdid\tdo\tAUX\tVBD\tTense=Past\t4\taux:pass\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod:neg\t_\t_
4\tsing\tsing\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
5\t.\t_\tPUNCT\t.\t_\t4\tpunct\t_\t_

# sent_id = two
1\tSam\tSam\tPROPN\tNNP\tNumber=Sing\t2\tnsubj\t_\t_
2\twaved\twave\tVERB\tVBD\tTense=Past\t0\troot\t_\t_

"""
# Other own feature, other subtype: right. A wrong lemma; a wrong tag of a function
# word; another label; the last sentence begins too early.
PREDICTED = """\
1\tNora\tNora\tPROPN\tNNP\tOwn=2|Number=Sing\t4\tnsubj\t_\t_
2-3\tdidn't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdid\tdo\tVERB\tVBD\tTense=Past\t4\taux\t_\t_
3\tn't\tnever\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tsing\tsing\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No

1\t.\tx\tPUNCT\t.\t_\t3\tpunct\t_\t_
2\tSam\tSam\tPROPN\tNNP\tNumber=Sing\t3\tobj\t_\t_
3\twaved\twave\tVERB\tVBD\tTense=Past\t0\troot\t_\t_

"""


@pytest.fixture
def files(tmp_path):
    paths = tmp_path / "gold.conllu", tmp_path / "predicted.conllu"
    for path, text in zip(paths, (GOLD, PREDICTED), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def test_every_measure_of_files(files):
    result = evaluate_files(*files)
    found = {
        name: (score.gold, score.predicted, score.correct)
        for name, score in result.scores.items()
    }
    assert found == {
        "Tokens": (6, 6, 6),
        "Sentences": (2, 2, 0),
        "Words": (7, 7, 7),
        "UPOS": (7, 7, 6),
        "XPOS": (7, 7, 7),
        # Features of the treebank alone do not count.
        "UFeats": (7, 7, 7),
        "AllTags": (7, 7, 6),
        # An unknown gold lemma is right.
        "Lemmas": (7, 7, 6),
        "UAS": (7, 7, 6),
        "LAS": (7, 7, 5),
        "CLAS": (5, 5, 4),
        # "sing" has the function word "did" with a wrong tag.
        "MLAS": (5, 5, 3),
        "BLEX": (5, 5, 3),
    }
    assert result.n_words == 7
    assert result.errors is None
    assert result.as_dict()["scores"]["LAS"]["f1"] == pytest.approx(5 / 7)


def test_errors_of_files(files):
    errors = evaluate_files(*files, errors=True).errors
    # Whole labels are compared, and subtypes matter here.
    assert [tuple(pair) for pair in errors.confusion()] == [
        ("advmod:neg", "advmod", 1, 1.0),
        ("aux:pass", "aux", 1, 1.0),
        ("nsubj", "obj", 1, 0.5),
    ]
    labels = errors.by("label")
    assert list(labels)[:2] == ["nsubj", "root"]
    nsubj = labels["nsubj"]
    assert (nsubj.gold, nsubj.predicted) == (2, 1)
    assert (nsubj.recall, nsubj.precision) == (0.5, 1.0)
    assert nsubj.unlabelled_recall == 1.0
    distances = errors.by("distance")
    assert list(distances) == ["root", "1", "2", "3-6"]
    # The head of the full stop is outside: it has no distance.
    assert (distances["1"].gold, distances["1"].predicted) == (3, 2)
    assert distances["2"].recall == 0.0
    assert errors.by("length")["1-10"].gold == 7
    assert errors.by("pos")["PUNCT"].recall == 0.0
    first, second = errors.worst(5)
    assert (first.sentence, first.words, first.wrong_heads) == ("one", 5, 1)
    assert first.text == "Nora didn't sing."
    assert [error.form for error in first.errors] == ["did", "n't", "."]
    assert (first.errors[-1].gold_head, first.errors[-1].head) == (4, OUTSIDE)
    assert (second.sentence, len(second.errors)) == ("two", 1)
    assert errors.worst(1) == [first]
    values = errors.as_dict(["pos"], confusion=False, worst=1)
    assert list(values) == ["scored", "by", "worst"]
    assert values["worst"][0]["errors"][0]["form"] == "did"


def test_an_unknown_gold_label_cannot_be_missed(files):
    gold, predicted = files
    gold.write_text(GOLD.replace("nsubj", "_", 1), encoding="utf-8")
    predicted.write_text(PREDICTED.replace("nsubj", "obj", 1), encoding="utf-8")
    # The other one is for a subject.
    obj = evaluate_files(*files, errors=True).errors.by("label")["obj"]
    assert (obj.gold, obj.predicted) == (0, 1)


def test_other_groups_are_an_error():
    with pytest.raises(ValueError, match="expected label, distance, length, pos"):
        ErrorAnalysis().by("size")


def test_words_that_a_system_does_not_have(files, tmp_path):
    """The head of a word without counterpart is unknown; the head of a word whose head
    has none is outside.
    """
    text = PREDICTED.replace("3\twaved\twave", "3\tw\twave").replace(
        "0\troot\t_\t_\n\n", "0\troot\t_\t_\n4\taved\t_\t_\t_\t_\t3\tdep\t_\t_\n\n"
    )
    path = tmp_path / "split.conllu"
    path.write_text(text, encoding="utf-8")
    last = list(predictions(path, files[0]).parses())[-1]
    assert last.heads == [OUTSIDE, None]
    assert last.labels == ["obj", None]


def test_other_text_is_an_error(files, tmp_path):
    path = tmp_path / "other.conllu"
    path.write_text(PREDICTED.replace("Sam", "Tim"), encoding="utf-8")
    with pytest.raises(TreebankError, match="'Timwaved' instead of 'Samwaved'"):
        evaluate_files(files[0], path)


def test_comparison_of_files(files):
    result = compare(files[1], files[0], files[0], trials=500, seed=3)
    rows = {(row.measure, row.scored): row for row in result.rows}
    assert list(rows) == [("UAS", "all"), ("LAS", "all"), ("UAS", "ud"), ("LAS", "ud")]
    las = rows["LAS", "all"]
    assert (las.words, las.a, las.b) == (7, 3 / 7, 1.0)
    assert las.difference == pytest.approx(4 / 7)
    assert (las.better, las.worse) == (2, 0)
    # Two sentences: half of the swaps leave them as far apart.
    assert las.p == pytest.approx(0.5, abs=0.1)
    assert rows["UAS", "ud"].difference == 0.0
    assert rows["UAS", "ud"].p == 1.0
    assert (result.sentences, result.trials, result.seed) == (2, 500, 3)
    again = compare(files[1], files[0], files[0], trials=500, seed=3)
    assert again == result
    assert again.as_dict()["rows"][0]["difference"] == rows["UAS", "all"].difference


def test_trials_are_needed(files):
    with pytest.raises(ValueError, match="0 trials"):
        compare(files[1], files[0], files[0], trials=0)
