"""Fingerprints tell models and parses apart, and are the same twice."""

from itertools import islice

import pytest

from benchmarks import fingerprints

pytestmark = pytest.mark.heavy


def rows(n_train):
    """The fingerprints of the first parser, trained on so many sentences."""
    return list(islice(fingerprints.of_treebank(fingerprints.HARBOUR, n_train, 4), 2))


def test_same_data_same_fingerprints():
    assert rows(12) == rows(12)


def test_other_data_other_fingerprints():
    assert rows(12)[0][1] != rows(13)[0][1]
