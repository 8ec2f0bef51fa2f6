"""Models of every transition system with weights that mean nothing."""

import random

import pytest

from spacy_dynoracle import (
    ArcEager,
    ArcHybrid,
    ArcHybridSwap,
    ArcStandard,
    EasyFirst,
    GoldTree,
)
from spacy_dynoracle.core.features.extractor import Extractor
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.core.learners.adagrad_rda import AdaGradRDA
from spacy_dynoracle.core.learners.averaged_perceptron import AveragedPerceptron
from spacy_dynoracle.core.model.model import Model
from spacy_dynoracle.core.systems.actions import Actions

from .builders import PARSING, build_trainer, grown, model_of, sentence

LABELS = ("a", "b")
ROOT_LABEL = "r"
WORDS, TAGS = ("x", "y", "z"), ("N", "V")
TEMPLATES = ("S0w", "S0p", "N0w", "N0p", "S0p.N0p", "S0w.vr", "S0p.sl", "S0p.d", "S1p")
OF_PAIRS = ("P0w", "P1t", "P0t.P1t", "P-1t.P0t", "P1t.P2t", "P0t.P0lt.P0rt", "P0nc")

# Every system in every variant.
SYSTEMS = [
    *(
        make(root, one)
        for make in PARSING
        for root in make.root_places
        for one in (False, True)
    ),
    ArcEager("last", False, True),
    ArcEager("none", True, True),
    ArcHybrid("first", True, True),
    ArcStandard("last", False, True),
    ArcHybridSwap("last", True, True),
    EasyFirst("first", True, True),
]
LEFT_TO_RIGHT = [system for system in SYSTEMS if system.suits_beam]
# Without regard to what they say of ROOT.
ONE_OF_EACH = list({type(system): system for system in LEFT_TO_RIGHT}.values())
# One that goes from left to right, one that is not projective, one that chooses pairs.
KINDS = [ArcEager(), ArcHybridSwap(single_root=True), EasyFirst()]
every_system = pytest.mark.parametrize("system", SYSTEMS, ids=repr)
every_kind = pytest.mark.parametrize("system", KINDS, ids=repr)


def random_heads(rng, n, *, projective=True, single_root=False):
    """Heads of a random tree.

    Args:
        single_root: Only for projective ones.
    """
    if projective:
        return grown(n, rng.randint, single_root)
    heads = [0] * n
    order = rng.sample(range(1, n + 1), n)
    for i, word in enumerate(order):
        heads[word - 1] = rng.choice([0, *order[:i]])
    return heads


def random_labels(rng, heads, labels=LABELS):
    return [
        rng.choice(labels or [ROOT_LABEL]) if head else ROOT_LABEL for head in heads
    ]


def random_sentence(rng, n):
    return sentence(rng.choices(WORDS, k=n), rng.choices(TAGS, k=n))


def random_batch(seed, lengths):
    rng = random.Random(seed)
    return [random_sentence(rng, n) for n in lengths]


def random_trainer(system, *, seed=0, labels=LABELS, learner=AdaGradRDA):
    """A trainer that has learnt from noise.

    Args:
        labels: Of words below other words.
    """
    rng = random.Random(seed)
    trainer = build_trainer(
        dict.fromkeys((*labels, ROOT_LABEL)),
        system=system,
        templates=OF_PAIRS if system.chooses_pair else TEMPLATES,
        learner=learner,
    )
    actions = trainer.actions
    if system.root_label_constraint:
        actions.constrain_root_label(ROOT_LABEL)
    for _ in range(12):
        heads = random_heads(rng, rng.randint(1, 6), projective=system.projective)
        chosen = random_labels(rng, heads, labels)
        gold = GoldTree(heads, chosen, inventory=actions.labels)
        trainer.train([(random_sentence(rng, len(heads)), gold)], 1)
    return trainer


def random_model(system, *, temperature=2.0, public=False, **settings):
    """A model that has learnt from noise.

    Args:
        public: Whether it follows its learner.
    """
    trainer = random_trainer(system, **settings)
    return model_of(
        trainer,
        public=public,
        root_label=ROOT_LABEL,
        learner=type(trainer.learner).__name__,
        temperature=temperature,
    )


def model_without_weights(system, keys, root_label=None):
    """A model with some actions, (transition, label), all equally probable."""
    actions = Actions(system)
    for name, label in keys:
        actions.add(name, label)
    if system.root_label_constraint:
        actions.constrain_root_label(root_label)
    return Model(
        system,
        Extractor(FeatureTemplates(["S0w", "N0p"])),
        actions,
        AveragedPerceptron(len(actions)).freeze(),
        {"w": "ORTH", "p": "TAG"},
        root_label,
        "AveragedPerceptron",
        temperature=1.0,
    )
