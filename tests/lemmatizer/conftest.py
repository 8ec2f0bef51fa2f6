import pytest

from .words import make_nlp


@pytest.fixture(scope="session")
def trained():
    """A pipeline with a trained lemmatizer, which tests do not change."""
    return make_nlp()
