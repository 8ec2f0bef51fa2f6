"""Trained pipelines that the component tests share and do not change."""

import pytest

from .treebank import (
    NONPROJECTIVE,
    SENTENCES,
    example,
    make_nlp,
    mixed_examples,
    train,
)
from .uncertain import uncertain


@pytest.fixture(scope="session")
def trained_nlp():
    """Trained on sentences alone and in pairs, with `sentences = "predict"`."""
    nlp = make_nlp("en")
    train(nlp, mixed_examples(nlp.vocab))
    return nlp


@pytest.fixture(scope="session")
def nonprojective_nlp():
    """Trained on non-projective trees too, with several sentences to a document."""
    nlp = make_nlp()
    data = mixed_examples(nlp.vocab, SENTENCES + NONPROJECTIVE)
    data += [example(nlp.vocab, s, *NONPROJECTIVE) for s in SENTENCES]
    train(nlp, data)
    return nlp


@pytest.fixture(scope="session")
def trained_by_sentences(trained_nlp):
    """A trained pipeline for each value of `sentences`; all share the same weights."""
    pipelines = {"predict": trained_nlp}
    for sentences in ("preset", "doc"):
        nlp = make_nlp(sentences=sentences)
        nlp.get_pipe("dynoracle_parser").from_bytes(
            trained_nlp.get_pipe("dynoracle_parser").to_bytes(exclude=["vocab"])
        )
        pipelines[sentences] = nlp
    return pipelines


@pytest.fixture(scope="session")
def nlp_bytes(trained_nlp):
    """The trained parser as bytes."""
    return trained_nlp.get_pipe("dynoracle_parser").to_bytes(exclude=["vocab"])


@pytest.fixture(scope="session")
def pipelines():
    """Pipelines with settings of one's own, of a parser that has probabilities."""
    return uncertain(SENTENCES)


@pytest.fixture(scope="session")
def lifting():
    """The same of one that lifts crossing arcs and puts them back."""
    return uncertain(SENTENCES + NONPROJECTIVE, epochs=12)
