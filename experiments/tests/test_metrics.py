"""What is measured of a pipeline."""

from types import SimpleNamespace

import numpy as np
import pytest
import spacy
from spacy.training import Example

from experiments import metrics
from experiments.metrics import MEASURES, crossing_counts, without_punctuation
from experiments.papers import DISTANCE, papers
from experiments.parsing import relative_speeds
from spacy_dynoracle.treebank import TreebankWord, read_conllu, to_doc
from tests.core.builders import candidates_of
from tests.harbour import FILE


def value(counts):
    return counts["unit"] * sum(counts["parts"]) / sum(counts["wholes"])


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        # 1 <- 3 passes over the root 2, no descendant of 3.
        ([3, 0, 2], [3, 0, 2], (1, 1, 1, 1, 1)),
        ([3, 0, 2], [2, 0, 2], (1, 0, 0, 0, 0)),
        # An arc over its own descendants is projective.
        ([3, 1, 0], [3, 1, 0], (0, 0, 0, 0, 0)),
        # Found, although the predicted tree makes it projective.
        ([3, 0, 2], [3, 3, 0], (1, 1, 0, 0, 0)),
        # Right, although it is projective in the gold tree.
        ([3, 3, 0], [3, 0, 2], (0, 0, 1, 1, 0)),
        # A wrong one.
        ([2, 0, 2, 3], [2, 0, 2, 1], (0, 0, 1, 0, 0)),
        # An unknown gold head does not count.
        ([None, 0, 2], [3, 0, 2], (0, 0, 0, 0, 0)),
    ],
)
def test_crossing_arcs(gold, predicted, expected):
    assert crossing_counts(gold, predicted) == expected


@pytest.mark.parametrize(
    ("form", "label", "is_scored"),
    [
        ("boat", "obj", True),
        (".", "punct", False),
        ("...and", "conj", False),
        ("\u3002", "p", False),
        ("\u3002", "punct", False),
        ("\u2013", "dep", True),
    ],
)
def test_punctuation_is_told_by_first_character_and_label(form, label, is_scored):
    word = TreebankWord(form, "_", "X", "_", "_", 1, label, "_", "_", 1)
    (seen,) = without_punctuation([word])
    assert (seen.head is not None) == is_scored
    assert seen.deprel == label


def test_measures_of_the_papers_have_names():
    assert {t.measure for paper in papers() for t in paper.tables} <= MEASURES.keys()


@pytest.mark.heavy
def test_scores_size_and_derivations(pipeline):
    nlp = spacy.load(pipeline)
    (own,) = metrics.scores(nlp, FILE, pipeline).values()
    assert 0 < value(own["las"]) <= value(own["uas"]) < 100
    assert sum(own["uas"]["wholes"]) > sum(own["uas_no_punct"]["wholes"])
    (sizes,) = metrics.size(nlp, FILE, pipeline).values()
    file = pipeline / "dynoracle_parser" / "model"
    assert value(sizes["megabytes"]) == pytest.approx(file.stat().st_size / 1e6)
    assert value(sizes["parameters"]) > 0
    # Arc-eager with ROOT first: up to four transitions for each word.
    (steps,) = metrics.derivations(nlp, FILE, pipeline).values()
    assert 1 < value(steps["transitions"]) <= 4
    assert set(own) | set(sizes) | set(steps) <= MEASURES.keys()


def test_rows_of_bins():
    """Ten items of 0.7, of which six are right, are 15 points off."""
    bins = [
        SimpleNamespace(count=10 if i == 7 else 0, accuracy=0.6 if i == 7 else 0.0)
        for i in range(11)
    ]
    found = metrics.rows_of_bins(SimpleNamespace(bins=bins))
    assert value(found["0.7"]["calibration"]) == pytest.approx(60)
    assert value(found[DISTANCE]["calibration"]) == pytest.approx(15)
    assert list(found) == [*(f"{i / 10:.1f}" for i in range(11)), DISTANCE]


def losses_of(gold, choice):
    """The losses of the choice among three trees: the numbers that tables show."""
    losses = pytest.importorskip("dynoracle_hcsearch").losses
    trees = [([2, 0, 2, 3], 4 * [0]), ([2, 0, 4, 2], 4 * [0]), ([0, 1, 1, 3], 4 * [0])]
    gold_heads = losses.GoldHeads(np.array(gold, dtype=np.int32))
    found = metrics._losses_of(candidates_of(trees), gold_heads, choice)
    names = ("words", "generation", "selection", "mean_distance", "total", "trees")
    return [found[name] for name in names]


def test_losses_of_a_choice():
    # The third tree is 3 words from the first and 4 from the second one, which are
    # equally good. The mean distance does not add up with the generation loss.
    assert losses_of([2, 0, 2, 2], 2) == [4, 1, 3, 3.5, 4, 3]
    # By the paper's reported measure even a best tree loses.
    assert losses_of([2, 0, 2, 2], 0) == [4, 1, 0, 1, 1, 3]
    # Only words with a gold head count.
    assert losses_of([-1, 0, -1, 2], 0) == [2, 0, 1, 1, 1, 3]
    assert losses_of([-1, -1, -1, -1], 1) == [0, 0, 0, 0, 0, 3]


@pytest.mark.heavy
def test_losses_add_up_to_the_score(tmp_path):
    pytest.importorskip("dynoracle_hcsearch")
    nlp = spacy.blank("en")
    config = {
        "tag_attr": "POS",
        "nonprojective": "drop",
        # Losses are those of the search.
        "never_govern": None,
        "system": {"@misc": "spacy_dynoracle.ArcStandard.v1"},
        "search": {"@misc": "spacy_dynoracle.BeamSearch.v1", "beam_size": 4},
    }
    nlp.add_pipe("dynoracle_parser", config=config)
    docs = [to_doc(sentence, nlp.vocab) for sentence in read_conllu(FILE)]
    plain = [to_doc(s, nlp.vocab, tree=False) for s in read_conllu(FILE)]
    examples = [Example(*pair) for pair in zip(plain, docs, strict=True)]
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    (own,) = metrics.losses(nlp, FILE, tmp_path).values()
    losses = {name: value(counts) for name, counts in own.items()}
    assert losses["generation"] + losses["selection"] == pytest.approx(losses["total"])
    (scored,) = metrics.scores(nlp, FILE, tmp_path).values()
    assert value(scored["uas"]) == pytest.approx(100 - losses["total"])
    assert min(own["trees"]["parts"]) >= 1
    in_beam = [part == 0 for part in own["generation"]["parts"]]
    assert in_beam == list(own["gold"]["parts"])


@pytest.mark.heavy
def test_speeds_are_relative(pipeline):
    found = relative_speeds({"one": pipeline, "two": pipeline}, "one", FILE, repeats=2)
    assert found["one"] == 1
    assert 0.2 < found["two"] < 5
