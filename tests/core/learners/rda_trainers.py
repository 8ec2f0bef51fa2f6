"""What the tests of AdaGrad-RDA share: trainers, comparisons, weights by hand."""

from spacy_dynoracle import DynamicOracle, GoldTree, NoExploration
from spacy_dynoracle.core.features.extractor import Extractor
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.core.learners.adagrad_rda import AdaGradRDA
from spacy_dynoracle.core.systems.actions import Actions
from spacy_dynoracle.core.training.easy_first import EasyFirstTrainer
from spacy_dynoracle.core.training.trainer import Trainer

from ..builders import add_labels, examples, sentence
from ..weights.layout import read_weights, rounding_of

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
    actions = Actions(system)
    make = EasyFirstTrainer if system.chooses_pair else Trainer
    trainer = make(
        system,
        Extractor(FeatureTemplates(templates)),
        actions,
        oracle or DynamicOracle(),
        exploration or NoExploration(),
        AdaGradRDA(len(actions), **({"smallest_gradient": 0} | parameters)),
        seed=seed,
    )
    add_labels(trainer, labels)
    return trainer


def train_both(trainer, naive, trees, iterations):
    for iteration in iterations:
        pairs = examples(trees, trainer)
        trainer.train(pairs, iteration)
        naive.train(pairs, iteration)


def assert_same_weights(trainer, naive):
    """The frozen weights are the naive ones, rounded; none of those that are stored is
    zero, and all others are rounded to zero."""
    frozen = trainer.learner.freeze()
    found, expected = read_weights(frozen), naive.learner.all_weights()
    assert found.keys() <= expected.keys()
    allowed = rounding_of(expected, frozen)
    for feature, weight in expected.items():
        difference = abs(found.get(feature, 0) - weight)
        assert difference <= allowed[feature] + 1e-6, feature
    assert len(found) == frozen.n_parameters
    assert len({key for key, _ in found}) == frozen.n_features
    assert trainer.learner.n_updates == naive.learner.n_updates
    for count in ("n_decisions", "n_errors", "n_given_up"):
        assert getattr(trainer, count) == getattr(naive, count)


# The only template of trainers whose decisions share no feature.
PAIR = ("S0w.N0w",)


def two_words(trainer, words, heads, labels=(None, None)):
    """An example of two words; the configuration in which the first is on the stack,
    which with arc-eager and no ROOT is the only one with a choice; its only feature."""
    words = sentence(words)
    c = trainer.system.initial(2)
    while c.stack[-1:] != (1,):
        trainer.system.apply(c, "SHIFT")
    gold = GoldTree(heads, labels, inventory=trainer.actions.labels)
    (key,) = trainer.extractor.keys(c, words)
    return (words, gold), c, key
