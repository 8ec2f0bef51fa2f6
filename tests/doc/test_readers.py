"""The corpus reader that gives the parser its tags."""

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import registry
from thinc.api import Config

from spacy_dynoracle.doc.readers import copy_annotation

from ..parser.treebank import SENTENCES, make_nlp, reference, train

READER = "spacy_dynoracle.TaggedCorpus.v1"


def make_reader(*args, **kwargs):
    return registry.readers.get(READER)(*args, **kwargs)


@pytest.fixture
def nlp():
    return spacy.blank("xx")


@pytest.fixture
def corpus(nlp, tmp_path):
    """A file of three documents of two sentences, and one of one."""
    docs = [reference(nlp.vocab, *SENTENCES[i : i + 2]) for i in (0, 2, 4)]
    docs.append(reference(nlp.vocab, SENTENCES[6]))
    path = tmp_path / "corpus.spacy"
    DocBin(attrs=["TAG", "POS", "HEAD", "DEP", "LEMMA"], docs=docs).to_disk(path)
    return path


def attributes(doc, attr):
    return [getattr(token, attr) for token in doc]


def test_tags_are_copied(nlp, corpus):
    data = list(make_reader(corpus)(nlp))
    assert len(data) == 4
    for eg in data:
        assert attributes(eg.predicted, "tag_") == attributes(eg.reference, "tag_")
        assert all(attributes(eg.predicted, "tag_"))
        assert attributes(eg.predicted, "pos_") == attributes(eg.reference, "pos_")
        assert not any(attributes(eg.predicted, "lemma_"))
        assert not eg.predicted.has_annotation("DEP")
        assert not eg.predicted.has_annotation("SENT_START")


@pytest.mark.parametrize("attrs", [["POS"], ["TAG", "POS"], []])
def test_attributes_are_chosen(nlp, corpus, attrs):
    for eg in make_reader(corpus, attrs=attrs)(nlp):
        for attr in ("TAG", "POS"):
            name = f"{attr.lower()}_"
            copied = attributes(eg.predicted, name)
            if attr in attrs:
                assert copied == attributes(eg.reference, name)
            else:
                assert not any(copied)


def test_an_unknown_attribute_is_named(nlp, corpus):
    with pytest.raises(ValueError, match="COLOUR"):
        list(make_reader(corpus, attrs=["COLOUR"])(nlp))


def test_gold_sentences(nlp, corpus):
    data = list(make_reader(corpus, attrs=["POS"], gold_preproc=True)(nlp))
    assert [tuple(attributes(eg.predicted, "text")) for eg in data] == [
        s.words for s in SENTENCES[:7]
    ]
    assert [tuple(attributes(eg.predicted, "pos_")) for eg in data] == [
        s.tags for s in SENTENCES[:7]
    ]


def test_limit_and_max_length(nlp, corpus):
    assert len(list(make_reader(corpus, limit=2)(nlp))) == 2
    short = list(make_reader(corpus, max_length=8)(nlp))
    assert {len(eg.predicted) for eg in short} <= set(range(1, 9))
    assert len(short) > 3


def test_augmenter(nlp, corpus):
    def twice(nlp, example):
        yield example
        yield example

    data = list(make_reader(corpus, augmenter=twice)(nlp))
    assert len(data) == 8
    assert all(all(attributes(eg.predicted, "tag_")) for eg in data)


def test_a_directory_of_files(nlp, corpus):
    assert len(list(make_reader(corpus.parent)(nlp))) == 4
    assert len(list(make_reader(str(corpus.parent))(nlp))) == 4


def test_tokens_that_do_not_align(nlp):
    s = SENTENCES[5]
    words = ["Bring", "me", "the", "sm", "all", "spade!"]
    spaces = [True, True, True, False, True, True]
    gold_spaces = [True] * 4 + [False, False]
    gold = Doc(nlp.vocab, s.words, gold_spaces, tags=s.tags, pos=s.tags)
    eg = Example(Doc(nlp.vocab, words, spaces), gold)
    copy_annotation(eg, ["TAG", "POS"])
    expected = ["VERB", "PRON", "DET", "ADJ", "ADJ", ""]
    assert attributes(eg.predicted, "tag_") == expected
    assert attributes(eg.predicted, "pos_") == expected


def test_an_empty_document(nlp):
    eg = Example(Doc(nlp.vocab), Doc(nlp.vocab))
    copy_annotation(eg, ["TAG"])
    assert len(eg.predicted) == 0


def test_references_without_tags(nlp):
    words = list(SENTENCES[0].words)
    eg = Example(Doc(nlp.vocab, words), Doc(nlp.vocab, words))
    copy_annotation(eg, ["TAG", "POS"])
    assert not any(attributes(eg.predicted, "tag_"))


@pytest.mark.parametrize("path", [None, "nowhere.spacy"])
def test_a_missing_path_is_named(path):
    with pytest.raises(ValueError, match="does not exist") as error:
        make_reader(path)
    assert READER in str(error.value)
    assert repr(str(path)) in str(error.value)


def test_through_a_config(corpus):
    config = Config().from_str(
        f"""
        [corpora]

        [corpora.train]
        @readers = "{READER}"
        path = {str(corpus)!r}
        attrs = ["POS"]
        gold_preproc = true
        """.replace("'", '"')
    )
    filled = registry.fill(config)
    assert filled["corpora"]["train"]["limit"] == 0
    nlp = make_nlp()
    data = list(registry.resolve(config)["corpora"]["train"](nlp))
    assert len(data) == 7
    assert train(nlp, data)[nlp.pipe_names[0]] == 0
    assert nlp.evaluate(data)["dep_las_all"] == 1.0
