"""The clusters of forms are those of the table of the vocab."""

import numpy as np
import pytest
from spacy.vocab import Vocab

from spacy_dynoracle.doc.cluster_numbers import (
    CLUSTER_0,
    CLUSTER_TABLE,
    add_clusters,
    bit_prefixes,
    clusters_of,
)
from spacy_dynoracle.doc.columns import plain_forms


def vocab_with(clusters):
    vocab = Vocab()
    add_clusters(vocab.lookups, clusters)
    return vocab


def found(vocab, *forms):
    ids = [vocab.strings.add(form) if form else 0 for form in forms]
    return clusters_of(vocab, np.array(ids, dtype=np.uint64)).tolist()


def test_cluster_0_is_one():
    vocab = vocab_with({"a": 0, "b": 7})
    assert found(vocab, "a", "b", "d", "") == [CLUSTER_0, 7, 0, 0]


def test_forms_with_plain_characters_count_first():
    vocab = vocab_with({"n't": 1, "x’s": 2, "x's": 3, "l’y": 4})
    raw = np.array([vocab.strings.add(f) for f in ("n’t", "x’s", "l’y")], np.uint64)
    assert clusters_of(vocab, plain_forms(vocab, raw), raw).tolist() == [1, 3, 4]


def test_without_a_table():
    assert found(Vocab(), "a", "b") == [0, 0]
    assert found(vocab_with({}), "a") == [0]


def test_a_table_is_replaced():
    vocab = vocab_with({"a": 1})
    add_clusters(vocab.lookups, {vocab.strings.add("b"): 2})
    assert found(vocab, "a", "b") == [0, 2]


def test_many_forms():
    clusters = {str(n): n % 100 for n in range(1, 40_000)}
    vocab = vocab_with(clusters)
    numbers = [number or CLUSTER_0 for number in clusters.values()]
    assert found(vocab, *clusters) == numbers
    copy = Vocab().from_bytes(vocab.to_bytes())
    assert found(copy, *clusters, "x") == [*numbers, 0]


@pytest.mark.parametrize("entry", ["forms", "places", "numbers"])
def test_a_damaged_table_is_refused(entry):
    vocab = vocab_with({"a": 1, "b": 2})
    vocab.lookups.get_table(CLUSTER_TABLE)[entry] = b""
    with pytest.raises(
        ValueError, match="'dynoracle_clusters' of the vocab is damaged"
    ):
        found(vocab, "a")


def test_forms_in_another_order_are_refused():
    vocab = vocab_with({"a": 1, "b": 2})
    table = vocab.lookups.get_table(CLUSTER_TABLE)
    table["forms"] = table["forms"][8:] + table["forms"][:8]
    with pytest.raises(ValueError, match=r"is damaged \(the keys are not ascending\)"):
        found(vocab, "a")


def test_prefixes():
    clusters = np.array([0, CLUSTER_0, 0b110101, 0b10101], dtype=np.uint64)
    assert bit_prefixes(clusters, 4).tolist() == [0, 16, 21, 21]
    assert bit_prefixes(clusters, 0) is clusters
