"""Annotation that the features use: who is told when nothing sets it, and what."""

from functools import partial

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_dynoracle.doc.cluster_numbers import add_clusters

from ..warned import said
from .treebank import (
    NAME,
    SENTENCES,
    bare,
    example,
    examples,
    feature_templates,
    update,
)

# What the features of the parser use, as templates, and what is missing then.
USES = {
    "TAG": ["S0p", "N0p", "d"],
    "LEMMA": ["S0lemma", "N0w"],
    "MORPH": ["S0mCase", "N0w"],
    "CLUSTER": ["S0cl4", "N0w"],
}


@Language.component("test_missing_sets_anything")
def sets_anything(doc):
    return doc


@Language.component("test_missing_sets_tags", assigns=["token.tag"])
def sets_tags(doc):
    for token in doc:
        token.tag_ = "X"
    return doc


def make(attribute, *before, **settings):
    nlp = spacy.blank("xx")
    for name in before:
        nlp.add_pipe(name)
    templates = feature_templates(*USES[attribute])
    settings = {"features": templates, "sentences": "preset", **settings}
    nlp.add_pipe(NAME, config=settings)
    return nlp


def initialize(nlp, data):
    nlp.initialize(lambda: data)
    return nlp


# ---- initialize ----------------------------------------------------------------------


@pytest.mark.parametrize("attribute", ["TAG", "LEMMA", "MORPH"])
def test_nothing_sets_it(attribute):
    """It is said when training is prepared, and not again."""
    nlp = make(attribute, "sentencizer")
    data = bare(nlp.vocab)
    (message,) = said(initialize, nlp, data)
    assert f"use {attribute}, but the training data do not have it" in message
    assert f'TaggedCorpus.v1 and attrs = ["{attribute}"]' in message
    assert ("tag_attr = null" in message) == (attribute == "TAG")
    assert said(update, nlp, data, epochs=2) == []


@pytest.mark.parametrize("before", ["test_missing_sets_tags", "tagger",
                                    "test_missing_sets_anything"])  # fmt: skip
def test_something_may_set_it(before):
    """Until training shows that it does not."""
    nlp = make("TAG", before)
    data = bare(nlp.vocab)
    init = partial(nlp.get_pipe(NAME).initialize, jackknife_folds=0)
    assert said(init, lambda: data, nlp=nlp) == []
    (message,) = said(nlp.get_pipe(NAME).update, data)
    assert "no token has a TAG" in message
    named = f"add '{before}', which sets it, to annotating_components"
    assert (named in message) == (before != "test_missing_sets_anything")


def test_what_stands_behind_the_parser_sets_nothing():
    nlp = make("TAG")
    nlp.add_pipe("test_missing_sets_tags")
    (message,) = said(initialize, nlp, bare(nlp.vocab))
    assert "no component before the parser sets it" in message


def test_annotating_components():
    nlp = make("TAG", "test_missing_sets_tags")
    data = bare(nlp.vocab)
    assert said(initialize, nlp, data) == []
    annotates = ["test_missing_sets_tags"]
    assert said(update, nlp, data, epochs=2, annotates=annotates) == []
    assert said(nlp, "Rain fell .") == []


def test_annotation_in_the_data():
    nlp = make("TAG")
    data = examples(nlp.vocab)
    assert said(initialize, nlp, data) == []
    assert said(update, nlp, data) == []
    # One document is enough at first, but not later.
    data = [example(nlp.vocab, SENTENCES[0]), *bare(nlp.vocab)[1:]]
    assert said(initialize, nlp, data) == []
    (message,) = said(update, nlp, data, epochs=2)
    n = len(data)
    assert f"a TAG, which the features use, in {n - 1} of {n} documents" in message


def test_pipelines_that_are_only_put_together():
    """`spacy assemble` initializes with an example that has no tree."""
    (message,) = said(make("TAG").initialize)
    assert "no training example has a tree" in message


def test_without_a_pipeline():
    nlp = make("TAG")
    data = bare(nlp.vocab)
    assert said(nlp.get_pipe(NAME).initialize, lambda: data) == []
    assert len(said(nlp.get_pipe(NAME).update, data)) == 1


@pytest.mark.parametrize("attribute", ["TAG", "LEMMA", "MORPH", "CLUSTER"])
def test_resumed_training(attribute):
    """`initialize` is not called, and nothing is known of the other components."""
    nlp = make(attribute)
    said(initialize, nlp, bare(nlp.vocab))
    said(update, nlp, bare(nlp.vocab))
    again = make(attribute, "test_missing_sets_tags")
    again.get_pipe(NAME).from_bytes(nlp.get_pipe(NAME).to_bytes())
    (message,) = said(again.get_pipe(NAME).update, bare(again.vocab))
    assert f"no token has a {attribute}, which the features use" in message


# ---- sentence boundaries -------------------------------------------------------------


@pytest.mark.parametrize(
    ("kinds", "n"),
    [("T", 1), ("TT", 1), ("GT", 1), ("TG", 1), ("ST", 1), ("GG", 0), ("SG", 0)],
)
def test_texts_without_boundaries(trained_by_sentences, kinds, n):
    """A Text, the same with its boundaries Given, and a Sentence."""
    nlp = trained_by_sentences["preset"]
    nlp.get_pipe(NAME)._warned = {"POS"}
    texts = {
        "S": "Mr. A. saw her.",
        "T": (two := "She saw cats. They slept."),
        "G": two,
    }
    docs = [nlp.make_doc(texts[kind]) for kind in kinds]
    for kind, doc in zip(kinds, docs, strict=True):
        doc[4].is_sent_start = True if kind == "G" else None
    messages = said(list, nlp.pipe(docs))
    assert ["no sentence boundaries" in message for message in messages] == [True] * n


# ---- each kind -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attribute", "annotation"),
    [("TAG", {"tags": ["X", "", ""]}), ("LEMMA", {"lemmas": ["", "", "x"]}),
     ("MORPH", {"morphs": ["", "Number=Sing", ""]})],
)  # fmt: skip
def test_one_token_is_enough(attribute, annotation):
    nlp = make(attribute)
    said(initialize, nlp, bare(nlp.vocab))
    parser = nlp.get_pipe(NAME)
    parser.from_bytes(parser.to_bytes())
    words = ["Rain", "fell", "."]
    assert said(parser, Doc(nlp.vocab, words=words, **annotation)) == []
    assert len(said(parser, Doc(nlp.vocab, words=words))) == 1


def test_a_sentence_without_features_among_others():
    """In CoNLL-U, words without features look like words without annotation."""
    nlp = make("MORPH")
    said(initialize, nlp, bare(nlp.vocab))
    parser = nlp.get_pipe(NAME)
    parser.from_bytes(parser.to_bytes())
    inflected = Doc(nlp.vocab, words=["Rain"], morphs=["Number=Sing"])
    batches = [[inflected, Doc(nlp.vocab, words=["Oh"])]]
    assert said(lambda: list(map(parser.predict, batches))) == []
    batches = [[Doc(nlp.vocab, words=["Oh"])] * 2]
    (message,) = said(lambda: list(map(parser.predict, batches)))
    assert "no token has a MORPH" in message


def test_words_without_features_are_annotated_too():
    """A morphologizer says of a word that it has no features."""
    nlp = make("MORPH")
    data = bare(nlp.vocab)
    for item in data:
        for token in item.predicted:
            token.set_morph("")
    assert said(initialize, nlp, data) == []
    assert said(update, nlp, data) == []


def test_clusters_are_in_the_vocab(tmp_path):
    nlp = make("CLUSTER")
    data = bare(nlp.vocab)
    (message,) = said(update, initialize(nlp, data), data)
    assert "add word clusters to the vocab, as ClusterTable.v1 does" in message
    add_clusters(nlp.vocab.lookups, {"Rain": 5, "fell": 6})
    assert said(update, initialize(nlp, data), data) == []
    nlp.to_disk(tmp_path)
    assert said(spacy.load(tmp_path), "Rain fell .") == []
