"""Columns of typographic forms are those of their plain forms."""

import pytest
import spacy
from spacy.tokens import Doc

from spacy_dynoracle.doc.attribute_table import AttributeTable
from spacy_dynoracle.doc.cluster_numbers import add_clusters
from spacy_dynoracle.doc.columns import SOURCES

OF_FORM = [
    source
    for source in SOURCES.values()
    if source.partition(":")[0] in ("ORTH", "LOWER", "SHAPE")
]
PAIRS = [
    ("don’t", "don't"),
    ("“", '"'),
    ("«", '"'),
    ("—", "-"),
    ("…", "..."),
    ("？", "?"),
    ("e\u0301te\u0301", "été"),
]


def values(words, sources):
    doc = Doc(spacy.blank("xx").vocab, words)
    table = AttributeTable([doc], sources)
    return table.values[:, : len(sources)].tolist()


@pytest.mark.parametrize(("other", "plain"), PAIRS)
def test_columns_are_those_of_the_plain_form(other, plain):
    words = ["Go", other, "X1"]
    expected = values(["Go", plain, "X1"], OF_FORM)
    assert values(words, OF_FORM) == expected
    # One column alone, which is read from the same place as the ids of forms.
    for source in OF_FORM:
        assert values(words, [source]) == values(["Go", plain, "X1"], [source])


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("source", ["TAG:lexical", "TAG:adposition", "CLUSTER"])
def test_forms_that_are_joined_or_looked_up_have_plain_characters(source, alone):
    vocab = spacy.blank("xx").vocab
    add_clusters(vocab.lookups, {"d'": 5})
    sources = [source] if alone else [source, "ORTH"]
    found = []
    for words in (["d'", "l"], ["d’", "l"]):
        doc = Doc(vocab, words, tags=["ADP", "NOUN"])
        found.append(AttributeTable([doc], sources).values[:, 0].tolist())
    assert found[0] == found[1]
    assert found[0][0] != 0


def test_plain_forms_have_the_values_of_spacy():
    doc = Doc(spacy.blank("xx").vocab, ["Go", "home", "X1", "été", "."])
    found = values([t.text for t in doc], ["ORTH", "LOWER", "SHAPE"])
    assert found == [[t.orth, t.lower, t.shape] for t in doc]


def test_brackets_and_quotes_have_one_shape():
    found = values(["(", ")", '"', "«", "["], ["SHAPE", "ORTH:flags"])
    assert len({tuple(row) for row in found}) == 1
