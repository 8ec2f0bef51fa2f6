"""What documents are to the parser: columns made from tags, and parts for threads."""

import numpy as np
import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_dynoracle import ArcEager, EasyFirst, Extractor, FeatureTemplates
from spacy_dynoracle.doc.attribute_table import AttributeTable
from spacy_dynoracle.doc.columns import source_of, tag_attribute

from .treebank import make_nlp

ATTRIBUTES = ["ORTH", "TAG", "TAG:lexical", "TAG:adposition"]
# Which tags mark adpositions and conjunctions.
ADPOSITIONS = {"TAG": ["ADP", "IN"], "POS": ["ADP"]}
CONJUNCTIONS = {"TAG": ["CCONJ", "CONJ", "CC"], "POS": ["CCONJ", "CONJ"]}
# What is known of the tokens of a document.
MEMBERS = ("values", "orth", "characters", "is_space", "starts")


def columns(tag_attr, words, tags):
    """For each column its values, word by word."""
    names = ["ORTH", tag_attr, f"{tag_attr}:lexical", f"{tag_attr}:adposition"]
    key = "pos" if tag_attr == "POS" else "tags"
    tokens = AttributeTable([Doc(Vocab(), words=words, **{key: tags})], names)
    assert tokens.nullable == [3]
    return {name[-7:].lstrip(":"): tokens.values[:, i].tolist()
            for i, name in enumerate(["orth", "tag", "lexical", "adp"])}  # fmt: skip


# ---- names ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ({"w": "ORTH"}, None),
        ({}, None),
        ({"w": "ORTH", "p": "TAG"}, "TAG"),
        ({"t": "POS:lexical"}, "POS"),
        ({"w": "ORTH", "a": "TAG:adposition"}, "TAG"),
    ],
)
def test_attribute_behind_the_tags(sources, expected):
    assert tag_attribute(sources) == expected


# ---- values --------------------------------------------------------------------------


@pytest.mark.parametrize("tag_attr", ["TAG", "POS"])
def test_other_words_keep_their_tag(tag_attr):
    found = columns(tag_attr, ["cats", "sleep", "on", "it"], ["NOUN", "VERB", "", "X"])
    assert found["lexical"] == found["tag"]
    assert found["adp"] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("tag_attr", "tag"), [(a, tag) for a in ADPOSITIONS for tag in ADPOSITIONS[a]]
)
def test_adpositions(tag_attr, tag):
    """The form is joined with the tag, and stands alone in the other column."""
    words = ["on", "by", "on", "on", "cats"]
    found = columns(tag_attr, words, [tag, tag, tag, "NOUN", "NOUN"])
    on, by, again, noun, cats = found["lexical"]
    assert on == again
    assert len({on, by, noun, *found["tag"]}) == 4
    assert noun == cats
    assert found["adp"] == [*found["orth"][:3], 0, 0]


@pytest.mark.parametrize(
    ("tag_attr", "tag"), [(a, tag) for a in CONJUNCTIONS for tag in CONJUNCTIONS[a]]
)
def test_conjunctions(tag_attr, tag):
    """Their form is joined with the tag; they are no adpositions."""
    found = columns(tag_attr, ["and", "or", "and"], [tag, tag, tag])
    one, other, again = found["lexical"]
    assert one == again
    assert len({one, other, *found["tag"]}) == 3
    assert found["adp"] == [0, 0, 0]


@pytest.mark.parametrize("tag_attr", ["TAG", "POS"])
def test_the_same_form_with_different_tags(tag_attr):
    """ "for" as an adposition and as a conjunction."""
    found = columns(tag_attr, ["for", "for", "for"], ["ADP", "CCONJ", "ADV"])
    assert len(set(found["lexical"])) == 3
    assert len(set(found["adp"])) == 2


def test_a_batch_is_read_as_its_documents_one_by_one():
    """Two vocabs, blanks, preset boundaries, no words and no tags."""
    first, second = make_nlp().vocab, make_nlp().vocab
    docs = [
        Doc(second),
        Doc(first, words=["on", "it"], tags=["IN", "PRP"]),
        Doc(first),
        Doc(second, words=["\n", "on", "and"], tags=["_SP", "IN", "CC"]),
        Doc(first, words=["on", "it", "."], sent_starts=[True, True, None]),
        Doc(first, words=["it", "on"], tags=["PRP", ""], sent_starts=[True, None]),
        Doc(first),
        Doc(second),
    ]
    sources = [*ATTRIBUTES, "LOWER:suf2", "ORTH:flags"]
    batch = AttributeTable(docs, sources)
    assert batch.missing == [[], [], [], [], ["TAG"], [], [], []]
    assert batch.docs_with_starts() == [4]
    assert batch.words.tolist() == [0, 1, 3, 4, 5, 6, 7, 8, 9]
    sentences = batch.sentences_of_words(batch.word_bounds)
    for i, doc in enumerate(docs):
        alone = AttributeTable([doc], sources)
        part = batch.part(i)
        assert seen(sentences[i]) == seen(alone.sentence(alone.words))
        assert len(alone) == part.stop - part.start == len(doc)
        for name in MEMBERS:
            members = getattr(batch, name)[part], getattr(alone, name)
            assert np.array_equal(*members), name
        assert [batch.missing[i]] == alone.missing
        assert alone.docs_with_starts() == ([0] if i == 4 else [])
        assert batch.nullable == alone.nullable


def seen(sentence):
    """What features see of the words of a sentence of up to three."""
    columns = ["w", "p", "t", "a", "suf2", "flags"]
    templates = FeatureTemplates([f"N{i}{c}" for c in columns for i in range(3)])
    c = ArcEager().initial(len(sentence))
    return Extractor(templates).atom_values(c, sentence)


# ---- features ------------------------------------------------------------------------


def features(templates, tags):
    """What two words give for templates that a pair of easy-first sees."""
    extractor = Extractor(FeatureTemplates(templates))
    attributes = [source_of(c, "TAG") for c in extractor.templates.columns]
    doc = Doc(Vocab(), words=["on", "time"], tags=tags)
    system = EasyFirst()
    c = system.initial(2)
    system.focus(c, 2)
    words = AttributeTable([doc], attributes).sentence(None)
    return dict(extractor.atom_values(c, words))


def test_templates_of_adpositions_are_left_out_elsewhere():
    """Also where the other atoms say something."""
    templates = ["P0a.P1w", "P1a.P0w", "P0t.P1t"]
    assert list(features(templates, ["IN", "NN"])) == ["P0a.P1w", "P0t.P1t"]
    assert list(features(templates, ["RB", "NN"])) == ["P0t.P1t"]
    found = features(["P0a.P0w", "P0t.P0p"], ["IN", "NN"])
    # The form as an adposition is another value than the form as a word.
    assert len(set(found["P0a.P0w"])) == len(set(found["P0t.P0p"])) == 2
