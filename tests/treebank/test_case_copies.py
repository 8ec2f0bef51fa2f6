"""Copies of training documents in lower and in upper case."""

import numpy as np
import pytest
import spacy
from spacy.attrs import SENT_START
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import registry

from spacy_dynoracle.doc.records import CASE_COPY
from spacy_dynoracle.treebank import multiword
from spacy_dynoracle.treebank.case_copies import case_copies, changed


def annotated(vocab):
    doc = Doc(
        vocab,
        words=["Va", "d", "u", "Nord", ".", "Oui"],
        spaces=[True, False, True, False, True, False],
        tags=["V", "P", "D", "N", ".", "I"],
        pos=["VERB", "ADP", "DET", "NOUN", "PUNCT", "INTJ"],
        morphs=["Mood=Imp", "", "Gender=Masc", "", "", ""],
        lemmas=["aller", "de", "le", "nord", ".", "oui"],
        heads=[0, 3, 3, 0, 0, 5],
        deps=["ROOT", "case", "det", "obl", "punct", "ROOT"],
    )
    multiword.mark(doc, [(1, ["de", "le"])])
    return doc


def annotation(doc):
    return [
        (t.tag_, t.pos_, str(t.morph), t.lemma_, t.head.i, t.dep_, t.is_sent_start)
        for t in doc
    ]


def test_unknown_boundaries_stay_unknown():
    """Those of partly annotated trees have been mended."""
    doc = annotated(spacy.blank("fr").vocab)
    doc.from_array([SENT_START], np.array([1, 0, 0, 0, 0, 0], dtype=np.uint64))
    copy = changed(doc, str.upper)
    assert [t.is_sent_start for t in copy] == [True] + [None] * 5
    assert [t.head.i for t in copy] == [t.head.i for t in doc]


def test_nothing_but_the_forms_changes():
    doc = annotated(spacy.blank("fr").vocab)
    upper = changed(doc, str.upper)
    assert upper.text == "VA DU NORD. OUI"
    assert annotation(upper) == annotation(doc)
    assert list(multiword.spans(upper)) == [(1, 3, ["DE", "LE"])]
    assert multiword.word_forms(upper) == ["VA", "DE", "LE", "NORD", ".", "OUI"]
    assert doc.text == "Va du Nord. Oui"
    assert CASE_COPY in upper.user_data
    assert CASE_COPY not in doc.user_data


def test_what_other_components_learn_stays():
    doc = Doc(spacy.blank("de").vocab, words=["Große", "Straße", "in", "Bad", "Ems"])
    doc.set_ents([Span(doc, 3, 5, "LOC", kb_id="Q1", span_id="x")])
    doc.spans["sc"] = [Span(doc, 0, 2, "WAY"), Span(doc, 3, 5, "PLACE", span_id="y")]
    doc.cats = {"travel": 1.0}
    upper = changed(doc, str.upper)
    (place,) = upper.ents
    assert (place.text, place.label_, place.kb_id_) == ("BAD EMS", "LOC", "Q1")
    assert (place.id_, [t.ent_iob_ for t in upper]) == ("x", [t.ent_iob_ for t in doc])
    assert [(s.text, s.label_, s.id_) for s in upper.spans["sc"]] == [
        ("GROSSE STRASSE", "WAY", ""),
        ("BAD EMS", "PLACE", "y"),
    ]
    assert upper.cats == doc.cats


def test_forms_that_become_longer():
    doc = Doc(spacy.blank("de").vocab, words=["Straße", "."], spaces=[False, False])
    assert [token.text for token in changed(doc, str.upper)] == ["STRASSE", "."]


@pytest.mark.parametrize("starts", [None, [True, None, False, True, None, None]])
def test_documents_without_trees(starts):
    words = list("AbCdEf")
    doc = Doc(spacy.blank("xx").vocab, words=words, sent_starts=starts)
    lower = changed(doc, str.lower)
    assert annotation(lower) == annotation(doc)
    assert not lower.has_annotation("DEP")


def texts(lower, upper, n=400):
    nlp = spacy.blank("xx")
    augment = case_copies(lower, upper)
    found = []
    for i in range(n):
        doc = nlp.make_doc(f"Abc {i}")
        found += [e.reference.text for e in augment(nlp, Example(doc.copy(), doc))]
    return found


def test_the_shares():
    found = texts(0.25, 0.5)
    counts = [sum(t.startswith(form) for t in found) for form in ("Abc", "abc", "ABC")]
    assert counts[0] == 400
    assert 70 < counts[1] < 130
    assert 160 < counts[2] < 240
    assert texts(0.25, 0.5) == found
    assert len(texts(0, 0)) == 400
    assert len(texts(0, 1)) == 800


def test_both_documents_of_an_example_change():
    nlp = spacy.blank("fr")
    reference = annotated(nlp.vocab)
    example = Example(nlp.make_doc(reference.text), reference)
    _, copy = case_copies(lower=1, upper=0)(nlp, example)
    assert copy.predicted.text == copy.reference.text == "va du nord. oui"


@pytest.mark.parametrize("shares", [(-0.1, 0), (0, -0.1), (0.6, 0.6)])
def test_wrong_shares(shares):
    with pytest.raises(Exception, match="expected shares of at least 0"):
        case_copies(*shares)


def test_it_is_registered():
    make = registry.augmenters.get("spacy_dynoracle.CaseCopies.v1")
    assert callable(make(lower=0.1, upper=0.1))
