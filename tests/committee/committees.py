"""Builders of committees."""

import spacy

from ..parser.treebank import block

NAME = "dynoracle_committee"
LEARNER = block("AveragedPerceptron", margin=0.0)
MEMBERS = {
    "eager": {"system": block("ArcEager"), "learner": LEARNER},
    "backward": {
        "direction": "backward",
        "system": block("ArcHybrid"),
        "learner": LEARNER,
    },
    "swap": {"system": block("ArcHybridSwap"), "learner": LEARNER},
}


def make_committee(**settings):
    """A blank pipeline with a committee that reads POS."""
    nlp = spacy.blank("xx")
    config = {"tag_attr": "POS", "members": MEMBERS, **settings}
    nlp.add_pipe(NAME, config=config)
    return nlp


def train(nlp, examples, epochs=12):
    """Initialize and train; returns the losses of the last epoch."""
    nlp.initialize(lambda: examples)
    losses = {}
    for _ in range(epochs):
        losses = {}
        nlp.update(examples, losses=losses)
    return losses
