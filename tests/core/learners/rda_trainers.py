"""What the tests of AdaGrad-RDA share: trainers, comparisons, weights by hand."""

from functools import partial

from spacy_dynoracle import GoldTree
from spacy_dynoracle.core.learners.adagrad_rda import AdaGradRDA

from .. import naive
from ..builders import build_trainer, examples, sentence

SMALL = ("S0w", "S0p", "N0w", "N0p", "N1p", "S0p.N0p", "S0w.vr", "S0p.sl", "S0p.d")
OF_PAIRS = ("P0w", "P1t", "P0t.P1t", "P-1t.P0t", "P1t.P2t", "P0t.P0lt.P0rt", "P0nc")


def build_rda(
    system,
    labels,
    *,
    oracle=None,
    exploration=None,
    seed=0,
    templates=None,
    **parameters,
):
    """A Trainer of AdaGrad-RDA that keeps every coordinate, if not told otherwise."""
    if templates is None:
        templates = OF_PAIRS if system.chooses_pair else SMALL
    return build_trainer(
        labels,
        system=system,
        oracle=oracle,
        exploration=exploration,
        seed=seed,
        templates=templates,
        learner=partial(AdaGradRDA, **({"smallest_gradient": 0} | parameters)),
    )


def train_both(trainer, naive_trainer, trees, iterations):
    for iteration in iterations:
        pairs = examples(trees, trainer)
        trainer.train(pairs, iteration)
        naive_trainer.train(pairs, iteration)


def assert_same_weights(trainer, naive_trainer):
    """The frozen weights are the naive ones, rounded; none of those that are stored is
    zero, and all others are rounded to zero.
    """
    naive.assert_same_weights(trainer, naive_trainer, tolerance=1e-6)
    assert trainer.learner.n_updates == naive_trainer.learner.n_updates


# The only template of trainers whose decisions share no feature.
PAIR = ("S0w.N0w",)


def two_words(trainer, words, heads, labels=(None, None)):
    """An example of two words; the configuration in which the first is on the stack,
    which with arc-eager and no ROOT is the only one with a choice; its only feature.
    """
    words = sentence(words)
    c = trainer.system.initial(2)
    while c.stack[-1:] != (1,):
        trainer.system.apply(c, "SHIFT")
    gold = GoldTree(heads, labels, inventory=trainer.actions.labels)
    (key,) = trainer.extractor.keys(c, words)
    return (words, gold), c, key
