"""From documents to what the lemmatizer reads of a word: form, part of speech, and
morphological analysis, as ids.
"""

from __future__ import annotations

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
from ..util.arrays import BoolArray, IdArray
from ..util.typography import normal_form

SOURCES = ("ORTH", "LOWER", "POS")
NO_FEATURES = np.uint64(get_string_id(Morphology.EMPTY_MORPH))


def word_keys(form: IdArray, *tags: IdArray) -> IdArray:
    """Hash forms with their tags to keys.

    Args:
        tags: The ids of parts of speech, and those of analyses unless any will do.
    """
    return reduce(hashed_pairs, tags, form)


class LemmaBatch(AttributeTable):
    """The tokens of some documents, as the lemmatizer reads them.

    Args:
        docs: The documents.

    Attributes:
        form, lower: The ids of the forms and of the forms in lower case. The form of a
            word of a multiword token is that of the word and not its characters.
        pos, morph: The ids of parts of speech and of analyses, 0 for none and for an
            analysis without features.
        lemma: The ids of the lemmas that the tokens have already.
    """

    def __init__(self, docs: Sequence[Doc]) -> None:
        super().__init__(docs, SOURCES, (IS_SPACE, LEMMA, MORPH))
        self.form: IdArray = self.values[:, 0]
        self.lower: IdArray = self.values[:, 1]
        self.pos: IdArray = self.values[:, 2]
        morph = self.other(MORPH)
        self.morph: IdArray = np.where(morph == NO_FEATURES, np.uint64(0), morph)
        self.lemma = self.other(LEMMA)
        # By the number of a token the form of a word of a multiword token.
        self._forms: dict[int, str] = {}
        for number, doc in enumerate(docs):
            if multiword.MULTIWORD in doc.spans:
                self._read_multiword_tokens(doc, self.bounds[number])

    def _read_multiword_tokens(self, doc: Doc, first: int) -> None:
        for start, _, forms in multiword.spans(doc):
            for token, given in enumerate(forms, first + start):
                form = self._forms[token] = normal_form(given)
                self.form[token] = get_string_id(form)
                self.lower[token] = get_string_id(form.lower())

    def form_of(self, token: int, vocab: Vocab) -> str:
        """The form of a token, by its number in the batch.

        Args:
            vocab: Of its document.
        """
        known = self._forms.get(token)
        if known is not None:
            return known
        return normal_form(vocab.strings[int(self.orth[token])])

    @property
    def is_lacking(self) -> BoolArray:
        """For each token whether it has no lemma."""
        lacking: BoolArray = self.lemma == 0
        return lacking
