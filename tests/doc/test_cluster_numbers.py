"""The clusters of forms are those of the table as it is now."""

import gc
import weakref

import numpy as np
from spacy.vocab import Vocab

from spacy_dynoracle.doc import cluster_numbers
from spacy_dynoracle.doc.cluster_numbers import (
    CLUSTER_0,
    CLUSTER_TABLE,
    N_FORMS,
    N_TABLES,
    RememberedClusters,
    bit_prefixes,
    clusters_of,
)


def vocab_with(clusters):
    vocab = Vocab(strings=list(clusters))
    vocab.lookups.add_table(CLUSTER_TABLE, clusters)
    return vocab


def found(vocab, *forms):
    ids = [vocab.strings.add(form) if form else 0 for form in forms]
    return clusters_of(vocab, np.array(ids, dtype=np.uint64)).tolist()


def test_cluster_0_is_one():
    vocab = vocab_with({"a": 0, "b": 7, "c": -1})
    assert found(vocab, "a", "b", "c", "d", "") == [CLUSTER_0, 7, 0, 0, 0]


def test_without_a_table():
    assert found(Vocab(), "a", "b") == [0, 0]
    assert found(vocab_with({}), "a") == [0]


def test_entries_are_added():
    vocab = vocab_with({"a": 1})
    assert found(vocab, "a", "b") == [1, 0]
    vocab.lookups.get_table(CLUSTER_TABLE).set("b", 2)
    assert found(vocab, "a", "b") == [1, 2]


def test_a_table_is_replaced():
    vocab = vocab_with({"a": 1})
    assert found(vocab, "a") == [1]
    vocab.lookups.remove_table(CLUSTER_TABLE)
    gc.collect()
    assert found(vocab, "a") == [0]
    vocab.lookups.add_table(CLUSTER_TABLE, {"a": 2})
    assert found(vocab, "a") == [2]


def test_another_table_with_the_same_address(monkeypatch):
    old, new = vocab_with({"a": 1}), vocab_with({"a": 2})
    tables = [vocab.lookups.get_table(CLUSTER_TABLE) for vocab in (old, new)]
    remembered = {id(tables[1]): RememberedClusters(tables[0])}
    monkeypatch.setattr(cluster_numbers, "_REMEMBERED", remembered)
    assert found(new, "a") == [2]


def test_nothing_is_kept_of_a_table_that_is_gone():
    vocab = vocab_with({"a": 1})
    remembered = RememberedClusters(vocab.lookups.get_table(CLUSTER_TABLE))
    reference = weakref.ref(remembered)
    gc.disable()
    try:
        del remembered
        assert reference() is None
    finally:
        gc.enable()


def test_many_vocabs_in_turns():
    vocabs = [vocab_with({"a": n}) for n in range(1, N_TABLES + 3)]
    for _ in range(2):
        assert [found(vocab, "a") for vocab in vocabs] == [
            [n] for n in range(1, N_TABLES + 3)
        ]


def test_more_forms_than_are_remembered():
    clusters = {str(n): n for n in range(1, N_FORMS + 100)}
    vocab = vocab_with(clusters)
    for _ in range(2):
        assert found(vocab, *clusters) == list(clusters.values())


def test_prefixes():
    clusters = np.array([0, CLUSTER_0, 0b110101, 0b10101], dtype=np.uint64)
    assert bit_prefixes(clusters, 4).tolist() == [0, 16, 21, 21]
    assert bit_prefixes(clusters, 0) is clusters
