"""Builders of committees."""

from pathlib import Path

import spacy
from spacy.training import Example

from spacy_dynoracle.treebank import read_conllu, to_doc

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


def committee_of(nlp):
    """The committee of a pipeline."""
    return nlp.get_pipe(NAME)


def train(nlp, examples, epochs=12):
    """Initialize and train; returns the losses of the last epoch."""
    nlp.initialize(lambda: examples)
    losses = {}
    for _ in range(epochs):
        losses = {}
        nlp.update(examples, losses=losses)
    return losses


def harbour_committee(n_sentences=40, epochs=2):
    """A pipeline with a committee that still makes many mistakes on the treebank of the
    repository.
    """
    nlp = spacy.blank("en")
    nlp.add_pipe(NAME, config={"tag_attr": "POS", "members": MEMBERS})
    path = Path(__file__).parents[2] / "treebanks" / "English-Harbour" / "dev.conllu"
    data = [
        Example(to_doc(s, nlp.vocab, tree=False), to_doc(s, nlp.vocab))
        for s in list(read_conllu(path))[:n_sentences]
    ]
    train(nlp, data, epochs)
    return nlp
