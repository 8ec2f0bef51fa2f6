"""CoNLL-U that stands in a test or comes out of a command."""

import io

from spacy_dynoracle.treebank import read_conllu


def sentences_of(text):
    """The sentences of a text."""
    return list(read_conllu("some.conllu", stream=io.BytesIO(text.encode())))
