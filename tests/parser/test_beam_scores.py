"""Losses of beams, on trees made by hand."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_dynoracle.parser.beam_scores import BeamEvaluation
from spacy_dynoracle.parser.best_trees import BestTrees
from spacy_dynoracle.parser.k_best import KBest
from spacy_dynoracle.treebank import TreebankWord

NAMES = ["ROOT", "a", "b", "punct"]


def word(head, label, form="x"):
    return TreebankWord(form, "_", "_", "_", "_", head, label, "_", "_", 1)


def beam(*segments):
    """A document of segments, each a list of trees of (head, label) of every word;
    heads are words 1..n of the document, or 0.
    """
    doc = Doc(
        spacy.blank("xx").vocab, words=["x"] * sum(len(trees[0]) for trees in segments)
    )
    found, start = [], 0
    for trees in segments:
        words = np.arange(start, start + len(trees[0]))
        heads = np.array([[head for head, _ in tree] for tree in trees]) - 1
        numbers = [[NAMES.index(label) for _, label in tree] for tree in trees]
        found.append(
            BestTrees(
                doc,
                words,
                np.where(heads < 0, words, heads),
                np.array(numbers),
                NAMES,
                -np.arange(len(trees), dtype=float),
                None,
            )
        )
        start += len(words)
    return KBest(doc, found)


def losses(gold, trees, **settings):
    evaluation = BeamEvaluation(**settings)
    evaluation.add(gold, trees)
    found = evaluation.losses()
    assert found.total == pytest.approx(found.generation + found.selection)
    assert found.oracle_score == pytest.approx(1 - found.generation)
    return found


GOLD = [word(2, "a"), word(0, "root"), word(2, "b"), word(3, "punct", ".")]
# Two words wrong; one, with the right label and without; one, another one.
TREES = [
    [(3, "a"), (0, "ROOT"), (1, "b"), (3, "punct")],
    [(2, "a"), (0, "ROOT"), (1, "b"), (3, "punct")],
    [(3, "b"), (0, "ROOT"), (2, "b"), (3, "punct")],
]


def test_losses_of_heads():
    found = losses(GOLD, beam(TREES))
    assert found.words == 4
    assert found.total == pytest.approx(2 / 4)
    assert found.generation == pytest.approx(1 / 4)
    # Both of the best differ from the first tree in one head.
    assert found.mean_distance == pytest.approx(1 / 4)


def test_losses_of_heads_and_labels():
    """The root has the label ROOT in documents and root in treebanks."""
    found = losses(GOLD, beam(TREES), labelled=True)
    assert found.total == pytest.approx(2 / 4)
    assert found.generation == pytest.approx(1 / 4)
    assert found.mean_distance == pytest.approx((1 / 4 + 2 / 4) / 2)
    trees = beam([[(2, "b"), *TREES[1][1:]]])
    assert losses(GOLD, trees, labelled=True).total == pytest.approx(2 / 4)
    assert losses(GOLD, trees).total == pytest.approx(1 / 4)


def test_what_is_scored():
    assert losses(GOLD, beam(TREES), scored="ud").words == 3
    assert losses(GOLD, beam(TREES), scored="ud").total == pytest.approx(2 / 3)
    unknown = [word(None, None), *GOLD[1:]]
    assert losses(unknown, beam(TREES)).words == 3
    assert losses(unknown, beam(TREES)).total == pytest.approx(1 / 3)
    no_label = [word(2, None), *GOLD[1:]]
    assert losses(no_label, beam(TREES)).words == 4
    assert losses(no_label, beam(TREES), labelled=True).words == 3
    strange = [word(2, "unheard-of"), *GOLD[1:]]
    assert losses(strange, beam([TREES[1]]), labelled=True).total == pytest.approx(0.5)


def test_segments_and_sentences_add_up():
    gold = [*GOLD, word(0, "root"), word(5, "a")]
    second = [[(6, "a"), (0, "ROOT")], [(0, "ROOT"), (5, "a")]]
    found = losses(gold, beam(TREES, second))
    assert found.words == 6
    assert found.total == pytest.approx(4 / 6)
    assert found.generation == pytest.approx(1 / 6)
    assert found.mean_distance == pytest.approx((1 + 2) / 6)
    evaluation = BeamEvaluation()
    evaluation.add(GOLD, beam(TREES))
    evaluation.add([word(0, "root"), word(1, "a")], beam([[(0, "ROOT"), (1, "a")]]))
    assert evaluation.losses().words == 6
    assert evaluation.losses().total == pytest.approx(2 / 6)


def test_nothing_to_score():
    found = BeamEvaluation().losses()
    assert (found.words, found.total, found.oracle_score) == (0, 0, 1)


def test_errors():
    with pytest.raises(ValueError, match="3 gold words for a document of 4"):
        BeamEvaluation().add(GOLD[:3], beam(TREES))
    with pytest.raises(ValueError, match="no definition"):
        BeamEvaluation("nothing")
