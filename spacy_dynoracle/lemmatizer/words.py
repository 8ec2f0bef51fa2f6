"""From documents to what the lemmatizer reads of a word: form, part of speech, and
morphological analysis, as ids.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property, reduce

import numpy as np
from spacy.attrs import IS_SPACE, LEMMA, MORPH, SENT_START
from spacy.morphology import Morphology
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..doc.attribute_table import AttributeTable
from ..doc.borders import string_id
from ..doc.columns import flags_with
from ..tagger.lexicon import hashed_pairs
from ..treebank import multiword
from ..util.arrays import IdArray, IntArray
from ..util.typography import normal_form

SOURCES = ("POS", "ORTH:flags")
_LOWER = np.uint64(flags_with(str.islower))
_CAPITAL = np.uint64(flags_with(str.istitle, str.isupper))
# The cases of a neighbour; 0 is that of what is no word.
LOWER, CAPITAL = 1, 2
NO_FEATURES = np.uint64(string_id(Morphology.EMPTY_MORPH))


def word_keys(form: IdArray, *tags: IdArray) -> IdArray:
    """Hash forms with their tags to keys.

    Args:
        tags: The ids of parts of speech, and those of analyses unless any will do.
    """
    return reduce(hashed_pairs, tags, form)


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
        super().__init__(docs, SOURCES, (IS_SPACE, LEMMA, MORPH, SENT_START))
        self.pos: IdArray = self.values[:, 0]
        self.morph = without_empty(self.other(MORPH))
        self.lemma = self.other(LEMMA)
        self.form: IdArray = self.orth
        for number, doc in enumerate(docs):
            for token, form in multiword.own_forms(doc):
                self.form[self.bounds[number] + token] = form

    def change_tags(self, tags: Mapping[str, IdArray], words: IntArray | slice) -> None:
        """Give some tokens other tags, where there are any."""
        if "POS" in tags:
            self.pos[words] = tags["POS"]
        if "MORPH" in tags:
            self.morph[words] = without_empty(tags["MORPH"])

    def normal_forms(self, tokens: IntArray, vocab: Vocab) -> list[str]:
        """The forms of some tokens of documents of one vocab, with plain characters."""
        strings = vocab.strings
        return [normal_form(strings[form]) for form in self.form[tokens].tolist()]

    @cached_property
    def context(self) -> IdArray:
        """The case of the words around each token that has a capital, as a number.

        Beside other capitals, as in a name or in a headline, a capital means something
        else than beside words in lower case. The number tells whether the neighbours in
        the sentence have a capital, are in lower case, or are no words, and whether the
        sentence has more words in lower case, more with a capital, or only such. It is
        0 for tokens without a capital.
        """
        found = np.zeros(len(self), dtype=np.uint64)
        words = self.words
        if not len(words):
            return found
        flags = self.values[words, 1]
        is_capital = (flags & _CAPITAL) != 0
        is_lower = (flags & _LOWER) != 0
        case = np.where(is_capital, np.uint64(CAPITAL), is_lower.astype(np.uint64))
        # A start on whitespace moves to the next word, or to the end of the batch.
        starts = np.searchsorted(words, np.flatnonzero(self.starts == 1))
        sentences = np.union1d(starts, self.word_bounds)
        sentences = sentences[sentences < len(words)]
        begins = np.zeros(len(words), dtype=np.bool_)
        begins[sentences] = True
        left, right = np.zeros_like(case), np.zeros_like(case)
        left[1:] = np.where(begins[1:], 0, case[:-1])
        right[:-1] = np.where(begins[1:], 0, case[1:])
        n_lower = np.add.reduceat(case == LOWER, sentences, dtype=np.int64)
        n_capital = np.add.reduceat(case == CAPITAL, sentences, dtype=np.int64)
        kind = (n_capital > n_lower).astype(np.uint64) + (n_lower == 0)
        kind = np.repeat(kind, np.diff([*sentences, len(words)]))
        found[words] = np.where(is_capital, 9 * (kind + 1) + 3 * left + right, 0)
        return found
