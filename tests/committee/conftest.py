"""Committees that the tests share and do not change."""

import pytest

from ..parser.treebank import NONPROJECTIVE, SENTENCES, examples
from .committees import make_committee, train


@pytest.fixture(scope="session")
def trained_nlp():
    """Trained for so short a time that its members differ."""
    nlp = make_committee()
    train(nlp, examples(nlp.vocab, SENTENCES + NONPROJECTIVE), epochs=2)
    return nlp


@pytest.fixture(scope="session")
def committee_bytes(trained_nlp):
    """The trained component as bytes."""
    return trained_nlp.get_pipe("dynoracle_committee").to_bytes(exclude=["vocab"])
