"""The tables of arc-standard's costs stay small in texts of many sentences."""

import random

import pytest

from spacy_dynoracle import ArcStandard, ErrorExploration, GoldTree

from ..builders import build_trainer, sentence
from ..random_models import random_heads, random_sentence, random_trainer

EVERY_ROOT = pytest.mark.parametrize("root", ["first", "last"])


def cells_per_word(trainer, words, heads):
    """The cells of the tables of a pass over one text, for each of its words."""
    before = trainer.costs.n_cells
    gold = GoldTree(heads, inventory=trainer.actions.labels)
    trainer.train([(words, gold)], 1)
    return (trainer.costs.n_cells - before) / len(words)


def heads_of_sentences(rng, n_sentences):
    """The heads of a text in which each sentence of ten words has one root."""
    heads = []
    for _ in range(n_sentences):
        of_sentence = random_heads(rng, 10, single_root=True)
        heads += [len(heads) + head if head else 0 for head in of_sentence]
    return heads


@EVERY_ROOT
def test_tables_do_not_grow_with_the_number_of_sentences(root):
    rng = random.Random(1)
    trainer = random_trainer(ArcStandard(root))
    few, many = (
        cells_per_word(
            trainer, random_sentence(rng, 10 * n), heads_of_sentences(rng, n)
        )
        for n in (20, 200)
    )
    assert many < 1.5 * few


def shifting_trainer(root):
    """A trainer that predicts SHIFT wherever that is legal and follows it.

    Every configuration has a feature of its own, so that nothing is ever learnt, and of
    equal scores the first action is the best one.
    """
    exploration = ErrorExploration(k=0, p=1.0)
    return build_trainer(
        ["x"],
        system=ArcStandard(root),
        exploration=exploration,
        templates=["S0w.N0w"],
    )


def distinct_words(n, prefix=""):
    return sentence([f"{prefix}{i}" for i in range(n)])


def heads_of_pairs(n):
    """Each second word depends on the one before it."""
    return [d - 1 if d % 2 == 0 else 0 for d in range(1, n + 1)]


@EVERY_ROOT
def test_training_that_only_shifts_turns_round(root):
    trainer = shifting_trainer(root)
    few, many = (
        cells_per_word(trainer, distinct_words(n), heads_of_pairs(n))
        for n in (300, 900)
    )
    assert many < 1.5 * few


@EVERY_ROOT
def test_words_that_can_be_attached_at_any_time_are_in_no_table(root):
    n = 300
    cells = cells_per_word(shifting_trainer(root), distinct_words(n), [None] * n)
    assert cells < 20


@EVERY_ROOT
def test_nothing_is_kept_from_one_text_to_the_next(root):
    n = 60
    new, used = shifting_trainer(root), shifting_trainer(root)
    # All words wait for ROOT.
    cells_per_word(used, distinct_words(n, "before "), [0] * n)
    text = distinct_words(n), heads_of_pairs(n)
    n_errors = used.n_errors
    assert cells_per_word(used, *text) == cells_per_word(new, *text)
    assert used.n_errors - n_errors == new.n_errors
