"""Builders of committees."""

import spacy

from .. import harbour
from ..parser.treebank import block, train  # noqa: F401

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


# The settings of a member that learns from whole derivations.
BEAM = {
    "search": block("BeamSearch", beam_size=2),
    "learner": block("StructuredPerceptron"),
    "exploration": block("NoExploration"),
}


def make_committee(**settings):
    """A blank pipeline with a committee that reads POS."""
    nlp = spacy.blank("xx")
    config = {"tag_attr": "POS", "members": MEMBERS, **settings}
    nlp.add_pipe(NAME, config=config)
    return nlp


def committee_of(nlp):
    """The committee of a pipeline."""
    return nlp.get_pipe(NAME)


def harbour_committee(n_sentences=40, epochs=2):
    """A pipeline with a committee that still makes many mistakes on the treebank of the
    repository.
    """
    nlp = spacy.blank("en")
    nlp.add_pipe(NAME, config={"tag_attr": "POS", "members": MEMBERS})
    return harbour.train(nlp, n_sentences, epochs)
