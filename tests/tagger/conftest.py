"""A trained tagger that the tests share and do not change."""

import pytest

from .tagged import examples, make_nlp, tagger_of, train


@pytest.fixture(scope="session")
def trained_nlp():
    nlp = make_nlp("en")
    train(nlp, examples(nlp.vocab))
    return nlp


@pytest.fixture(scope="session")
def nlp_bytes(trained_nlp):
    """The trained tagger as bytes."""
    return tagger_of(trained_nlp).to_bytes(exclude=["vocab"])
