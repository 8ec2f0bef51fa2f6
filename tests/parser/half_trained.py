"""Pipelines of every transition system that make mistakes, and their derivations."""

from functools import cache

from spacy_dynoracle.explain.trace import trace

from . import treebank
from .treebank import (
    NAME,
    NONPROJECTIVE,
    SENTENCES,
    example,
    examples,
    make_nlp,
    train,
    update,
)
from .treebank import block as system

ARC_EAGER = system("ArcEager", root="last")
SYSTEMS = [
    *treebank.SYSTEMS,
    system("ArcEager", root="last", root_label_constraint=True),
    system("ArcStandard", root="last", root_label_constraint=True),
]
CONSTRAINED = [
    system("ArcEager", root="last", tree_constraint=True),
    system("ArcEager", root="first", tree_constraint=True),
    system("ArcEager", root="none", tree_constraint=True),
    system("ArcHybrid", root="last", single_root=True),
    system("EasyFirst", single_root=True),
]


def name_of(block):
    values = (str(value) for value in block.values())
    return "-".join(values).removeprefix("spacy_dynoracle.")


def half_trained(block, n_epochs=1, sentences="predict"):
    """A pipeline that knows all labels and makes mistakes."""
    return _half_trained(tuple(block.items()), n_epochs, sentences)


@cache
def _half_trained(block, n_epochs, sentences):
    nlp = make_nlp(system=dict(block), features=None, sentences=sentences)
    nlp.initialize(lambda: examples(nlp.vocab))
    update(nlp, examples(nlp.vocab)[:7], n_epochs)
    return nlp


@cache
def crossing():
    """A pipeline and an example with crossing arcs, which it finds."""
    nlp = make_nlp()
    train(nlp, examples(nlp.vocab, SENTENCES + NONPROJECTIVE * 4))
    return nlp, example(nlp.vocab, NONPROJECTIVE[0])


def traced(nlp, eg, **settings):
    """The derivations of an example, with its gold tree."""
    return trace(nlp.get_pipe(NAME), eg.predicted.copy(), eg.reference, **settings)
