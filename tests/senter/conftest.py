"""A trained sentence splitter that the tests share and do not change."""

import pytest

from ..parser.treebank import block
from .split import make_nlp, senter_of


@pytest.fixture(scope="session")
def trained_nlp():
    return make_nlp(epochs=12)


@pytest.fixture(scope="session")
def nlp_bytes(trained_nlp):
    """The trained component as bytes."""
    return senter_of(trained_nlp).to_bytes(exclude=["vocab"])


@pytest.fixture(scope="session")
def log_linear_nlp():
    """A splitter with probabilities."""
    return make_nlp(learner=block("AdaGradRDA"), probabilities=True, epochs=12)
