"""What the ranker takes for prepositions and so on."""

import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab

from dynoracle_hcsearch.template_sets import LIU_2015, LIU_2015_UD
from dynoracle_hcsearch.word_classes import attachment_templates, word_classes
from spacy_dynoracle.doc.attribute_table import AttributeTable

VOCAB = Vocab()


def doc_of(**columns):
    nlp = spacy.blank("en")
    return Doc(nlp.vocab, words=["in", "(", "towns", "and", ")", "."], **columns)


def members(tag_attr, doc):
    """For each class which words of a document are in it."""
    forms, tags = AttributeTable([doc], ["ORTH", tag_attr]).values.T.tolist()
    classes = word_classes(tag_attr)
    openings, closings = zip(*classes.pairs, strict=True)
    return [
        [i for i, tag in enumerate(tags) if tag in classes.prepositions],
        [i for i, tag in enumerate(tags) if tag in classes.punctuation],
        [i for i, tag in enumerate(tags) if tag in classes.conjunctions],
        [i for i, form in enumerate(forms) if form in openings],
        [i for i, form in enumerate(forms) if form in closings],
    ]


def test_universal_tags():
    tags = ["ADP", "PUNCT", "NOUN", "CCONJ", "PUNCT", "PUNCT"]
    expected = [[0], [1, 4, 5], [3], [1], [4]]
    assert members("POS", doc_of(pos=tags)) == expected
    assert members("TAG", doc_of(tags=tags)) == expected


def test_penn_tags():
    tags = ["IN", "-LRB-", "NNS", "CC", "-RRB-", "."]
    assert members("TAG", doc_of(tags=tags)) == [[0], [5], [3], [1], [4]]


def test_style_of_prepositions():
    def docs(*heads):
        tags = ["NOUN", "ADP", "NOUN"]
        return [
            Doc(VOCAB, words=["x"] * 3, pos=tags, heads=h, deps=["x"] * 3)
            for h in heads
        ]

    # "dog of men", with the preposition as head and as dependent.
    head, dependent = [0, 0, 1], [0, 2, 0]
    assert attachment_templates(docs(head), "POS") == LIU_2015
    assert attachment_templates(docs(dependent), "POS") == LIU_2015_UD
    assert attachment_templates(docs(head, head, dependent), "POS") == LIU_2015
    assert attachment_templates(docs(head, dependent, dependent), "POS") == LIU_2015_UD
    assert attachment_templates([], "POS") == LIU_2015_UD
    # Other tags: there are no prepositions.
    assert attachment_templates(docs(head), "TAG") == LIU_2015_UD
