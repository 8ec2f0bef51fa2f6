"""A trained tagger that the tests share and do not change."""

import pytest

from .tagged import make_nlp, tagger_of


@pytest.fixture(scope="session")
def trained_nlp():
    return make_nlp("en", epochs=12)


@pytest.fixture
def own_nlp(trained_nlp):
    """The same as a pipeline of one's own, which a test may change."""
    return make_nlp("en").from_bytes(trained_nlp.to_bytes())


@pytest.fixture(scope="session")
def nlp_bytes(trained_nlp):
    """The trained tagger as bytes."""
    return tagger_of(trained_nlp).to_bytes(exclude=["vocab"])
