"""Fingerprints tell models and parses apart, and are the same twice."""

from itertools import islice

import pytest

from benchmarks import fingerprints

pytestmark = pytest.mark.heavy


def rows(n_train, n=2):
    found = fingerprints.of_treebank(fingerprints.HARBOUR, n_train, 4)
    return list(islice(found, n))


def test_same_data_same_fingerprints():
    assert rows(12) == rows(12)


def test_other_data_other_fingerprints():
    assert [row[1] for row in rows(12, 1)] != [row[1] for row in rows(13, 1)]
