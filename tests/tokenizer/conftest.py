"""A tokenizer that has learnt the words of a small treebank."""

import pytest
import spacy
from spacy.training import Example

from spacy_dynoracle.tokenizer import WordTokenizer

from .builders import TEXTS, reference


@pytest.fixture(scope="module")
def nlp():
    nlp = spacy.blank("en")
    nlp.tokenizer = WordTokenizer(nlp.tokenizer)
    docs = [reference(nlp.vocab, text) for text in TEXTS]
    nlp.tokenizer.initialize(lambda: [Example(doc, doc) for doc in docs])
    assert nlp.tokenizer.boundaries
    assert nlp.tokenizer.splitter
    return nlp
