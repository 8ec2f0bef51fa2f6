"""Fingerprints tell models and parses apart, and are the same twice."""

from itertools import islice

import pytest

from ..programs import ROOT

pytestmark = pytest.mark.heavy


@pytest.fixture
def fingerprints(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks import fingerprints

    return fingerprints


def rows(module, n_train):
    """The fingerprints of the first parser, trained on so many sentences."""
    return list(islice(module.of_treebank(module.HARBOUR, n_train, 4), 2))


def test_same_data_same_fingerprints(fingerprints):
    assert rows(fingerprints, 12) == rows(fingerprints, 12)


def test_other_data_other_fingerprints(fingerprints):
    assert rows(fingerprints, 12)[0][1] != rows(fingerprints, 13)[0][1]
