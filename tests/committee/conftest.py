"""Committees that the tests share and do not change."""

import pytest

from ..parser.treebank import NONPROJECTIVE, SENTENCES, examples
from .committees import committee_of, make_committee, train


@pytest.fixture(scope="session")
def trained_nlp():
    """Trained for so short a time that its members differ."""
    nlp = make_committee()
    train(nlp, examples(nlp.vocab, SENTENCES + NONPROJECTIVE), epochs=2)
    return nlp


@pytest.fixture(scope="session")
def committee_bytes(trained_nlp):
    """The trained component as bytes."""
    return committee_of(trained_nlp).to_bytes(exclude=["vocab"])


@pytest.fixture
def own_nlp(committee_bytes):
    """The same as a pipeline of one's own, which a test may change."""
    nlp = make_committee()
    committee_of(nlp).from_bytes(committee_bytes)
    return nlp
