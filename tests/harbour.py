"""The treebank of the repository, with fewer sentences to train on.

Some are enough to see that training works and what it leaves behind.
"""

import shutil
from itertools import islice
from pathlib import Path

import spacy
from spacy.training import Example

from spacy_dynoracle.treebank import read_conllu, to_doc

from .programs import ROOT

BANK = "English-Harbour"
DIRECTORY = ROOT / "treebanks" / BANK
FILE, TEST = DIRECTORY / "dev.conllu", DIRECTORY / "test.conllu"
# The settings of a parser that gives probabilities.
RDA = {
    "learner": {"@misc": "spacy_dynoracle.AdaGradRDA.v1"},
    "exploration": {"@misc": "spacy_dynoracle.SamplingExploration.v1"},
}


def examples(vocab, n_sentences=None, file=FILE):
    """The first sentences of a file, as examples whose predictions have no tree."""
    sentences = islice(read_conllu(file), n_sentences)
    return [Example(to_doc(s, vocab, tree=False), to_doc(s, vocab)) for s in sentences]


def parser(*before, **settings):
    """An untrained pipeline: some components, and a parser with these settings."""
    nlp = spacy.blank("en")
    for name in before:
        nlp.add_pipe(name)
    nlp.add_pipe("dynoracle_parser", config=settings)
    return nlp


def train(nlp, n_sentences=None, epochs=1):
    """Train a pipeline on the first sentences, and return it."""
    data = examples(nlp.vocab, n_sentences)
    nlp.initialize(lambda: data)
    for _ in range(epochs):
        nlp.update(data)
    return nlp


def copy_some(treebanks, n_sentences=150):
    """Copy the treebank into a directory of treebanks, with the first sentences of the
    training data alone; returns its directory.
    """
    directory = Path(treebanks) / BANK
    shutil.copytree(DIRECTORY, directory)
    train = directory / "train.conllu"
    sentences = train.read_text(encoding="utf8").split("\n\n")
    text = "\n\n".join([*sentences[:n_sentences], ""])
    train.write_text(text, encoding="utf8")
    return directory
