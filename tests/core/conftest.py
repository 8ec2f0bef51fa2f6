"""Fixtures for the tests of the core."""

import pytest

from . import builders


@pytest.fixture(scope="session")
def small_model():
    """A model trained on the hand-written treebank."""
    return builders.model_of(builders.trained(builders.TREEBANK, iterations=5))
