"""From documents to what the lemmatizer reads of a word: form, part of speech, and
morphological analysis, as ids.
"""

from collections.abc import Sequence
from functools import reduce

import numpy as np
from spacy.attrs import IS_SPACE, LEMMA, MORPH
from spacy.morphology import Morphology
from spacy.strings import get_string_id
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..doc.attribute_table import AttributeTable
from ..tagger.lexicon import hashed_pairs
from ..treebank import multiword
from ..util.arrays import BoolArray, IdArray, IntArray
from ..util.typography import normal_form

SOURCES = ("POS",)
NO_FEATURES = np.uint64(get_string_id(Morphology.EMPTY_MORPH))


def word_keys(form: IdArray, *tags: IdArray) -> IdArray:
    """Hash forms with their tags to keys.

    Args:
        tags: The ids of parts of speech, and those of analyses unless any will do.
    """
    return reduce(hashed_pairs, tags, form)


def string_ids(strings: list[str]) -> IdArray:
    """The ids by which spaCy knows strings."""
    return np.array(list(map(get_string_id, strings)), dtype=np.uint64)


def without_empty(morph: IdArray) -> IdArray:
    """Ids of analyses, with 0 for those without features."""
    return np.where(morph == NO_FEATURES, np.uint64(0), morph)


class LemmaBatch(AttributeTable):
    """The tokens of some documents, as the lemmatizer reads them.

    Args:
        docs: The documents.

    Attributes:
        form: The ids of the forms, as they are in the text. The form of a word of a
            multiword token is that of the word and not its characters.
        pos, morph: The ids of parts of speech and of analyses, 0 for none and for an
            analysis without features.
        lemma: The ids of the lemmas that the tokens have already.
    """

    def __init__(self, docs: Sequence[Doc]) -> None:
        super().__init__(docs, SOURCES, (IS_SPACE, LEMMA, MORPH))
        self.pos: IdArray = self.values[:, 0]
        self.morph = without_empty(self.other(MORPH))
        self.lemma = self.other(LEMMA)
        self.form: IdArray = self.orth
        for number, doc in enumerate(docs):
            for token, form in multiword.own_forms(doc):
                self.form[self.bounds[number] + token] = form

    def normal_forms(self, tokens: IntArray, vocab: Vocab) -> list[str]:
        """The forms of some tokens of documents of one vocab, with plain characters."""
        strings = vocab.strings
        return [normal_form(strings[form]) for form in self.form[tokens].tolist()]

    @property
    def is_lacking(self) -> BoolArray:
        """For each token whether it has no lemma."""
        lacking: BoolArray = self.lemma == 0
        return lacking
