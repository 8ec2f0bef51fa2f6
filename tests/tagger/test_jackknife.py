"""Jackknifing: what is tagged by whom."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_dynoracle import FeatureTemplates
from spacy_dynoracle.doc.own_words import without_annotation
from spacy_dynoracle.tagger import DynOracleTagger, jackknife
from spacy_dynoracle.tagger.jackknifing import annotated_attrs, held_out_tags
from spacy_dynoracle.tagger.training_tags import TrainingTags
from spacy_dynoracle.treebank.case_copies import case_copies
from spacy_dynoracle.util.folds import cut_into_folds

from .tagged import ATTRS, SENTENCES, analysis, reference

pytestmark = pytest.mark.heavy

EPOCHS = 3


@pytest.fixture
def docs():
    vocab = spacy.blank("xx").vocab
    return [reference(vocab, s) for s in SENTENCES]


def tags_of_fold(docs, fold, attrs):
    tagger = DynOracleTagger(docs[0].vocab, attrs=attrs)
    examples = [Example(without_annotation(doc), doc) for doc in docs]
    return held_out_tags(examples, fold, tagger, EPOCHS)


def test_a_fold_is_tagged_by_a_tagger_that_has_not_seen_it(docs):
    """A tag that occurs in one document alone is never predicted there."""
    docs[4] = Doc(
        docs[4].vocab, words=[t.text for t in docs[4]], tags=["ONLY"] * len(docs[4])
    )
    only = docs[4].vocab.strings["ONLY"]
    (table,) = tags_of_fold(docs, range(4, 5), ["TAG"])
    assert not (table == only).any()
    (seen,) = tags_of_fold([*docs, docs[4]], range(4, 5), ["TAG"])
    assert (seen == only).any()


def test_each_fold_gets_the_tags_of_its_own_tagger(docs):
    gold = [doc.copy() for doc in docs]
    assert jackknife(docs, 3, EPOCHS) == list(ATTRS)
    for fold in cut_into_folds([len(doc) for doc in docs], 3):
        own = tags_of_fold(gold, fold, list(ATTRS))
        for i, table in zip(fold, own, strict=True):
            assert (docs[i].to_array(list(ATTRS)) == table).all()


def test_copies_in_another_case_are_in_the_fold_of_their_document():
    vocab = spacy.blank("xx").vocab
    only = [Doc(vocab, words=[f"w{i}"], tags=[f"T{i}"]) for i in range(9)]
    copied = [
        example
        for doc in only
        for example in case_copies(0.0, 1.0)(None, Example(doc.copy(), doc))
    ]
    for example in copied:
        example.predicted = Doc(vocab, words=[t.text for t in example.predicted])
    tags = TrainingTags(vocab, ["TAG"], DynOracleTagger(vocab, attrs=["TAG"]), 5)
    tags.jackknife(lambda: copied, 3)
    for epoch in (1, 2, 3):
        found = tags.missing_from([e.predicted for e in copied], epoch)
        assert len(found) == len(copied) == 18
        for i, example in enumerate(copied):
            assert found[i]["TAG"][0] != example.reference[0].tag


def test_other_annotation_stays(docs):
    docs.append(Doc(docs[0].vocab, words=["A", "\n", "gate"], tags=["DT", "", ""]))
    gold = [analysis(doc) for doc in docs]
    assert jackknife(docs, 5, EPOCHS, attrs=["TAG"]) == ["TAG"]
    found = [analysis(doc) for doc in docs]
    assert found[-1][1][0] == "_SP"
    assert found[-1][2][0] != ""
    for old, new in zip(gold, found, strict=True):
        assert [a[1:] for a in old] == [a[1:] for a in new]
    assert gold != found


def test_single_sentences_of_documents():
    """The taggers of the folds see what a tagger behind a splitter will see."""
    vocab = spacy.blank("xx").vocab
    documents = [reference(vocab, *SENTENCES[i : i + 2]) for i in range(0, 10, 2)]
    singles = [reference(vocab, s) for s in SENTENCES]
    for docs in (documents, singles):
        jackknife(docs, 5, 2, sentences="preset")
    assert [a for doc in documents for a in analysis(doc)] == [
        a for doc in singles for a in analysis(doc)
    ]


def test_annotated_attrs(docs):
    assert annotated_attrs(docs) == list(ATTRS)
    vocab = Vocab()
    bare = [s._replace(morphs=("",) * len(s.words)) for s in SENTENCES]
    assert annotated_attrs([reference(vocab, s) for s in bare]) == ["TAG", "POS"]
    assert annotated_attrs([Doc(vocab, words=["a"])]) == []


@pytest.mark.parametrize("n_folds", [1, 11])
def test_impossible_numbers_of_folds(docs, n_folds):
    with pytest.raises(ValueError, match=f"{n_folds} folds of 10 documents"):
        jackknife(docs, n_folds)


def test_features_of_tags_are_refused(docs):
    with pytest.raises(ValueError, match="features use"):
        jackknife(docs, 2, features=FeatureTemplates(["N0lemma"]))
