"""Entries of a lexicon that later documents contradict.

A lexicon is made of the documents that are there when training begins. An update, or a
stream, brings others.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from operator import attrgetter

import numpy as np
from spacy.attrs import MORPH, ORTH, POS, TAG
from spacy.tokens import Doc

from ..util.arrays import IdArray, Int32Array
from .input import WordBatch
from .lexicon import (
    ANY_FORM,
    FORM_SHARE,
    PAIR_SHARE,
    TAG_SHARE,
    UNKNOWN,
    TagLexicon,
    pair_keys,
)

# So many exceptions never remove an entry that had some in training.
FEW = 5


# What a tagger learns of a document.
_LEARNT = (ORTH, TAG, POS, MORPH)


def fingerprint(reference: Doc, learnt: Sequence[int] = _LEARNT) -> int:
    """A hash of the attributes of a document that are learnt, ORTH among them."""
    return hash(reference.to_array(list(learnt)).tobytes())


class Contradictions:
    """Removes labels from a lexicon where new documents contradict them. A few
    exceptions remove nothing: the documents that it was made of had some, too.

    Args:
        lexicon: It is changed.
        counted: The fingerprints of the documents that it was made of.
        learnt: The attributes that make a fingerprint.
        word_keys: Makes the keys by which `TagLexicon.forms` knows the words of a
            batch.
        share: The share of the words of an entry of `forms` that have its label.
    """

    def __init__(
        self,
        lexicon: TagLexicon,
        counted: Container[int] = (),
        *,
        learnt: Sequence[int] = _LEARNT,
        word_keys: Callable[[WordBatch], IdArray] = attrgetter("plain_orth"),
        share: float = FORM_SHARE,
    ) -> None:
        self.lexicon = lexicon
        self.counted = counted
        self.learnt = learnt
        self.word_keys = word_keys
        forms, pairs = lexicon.forms, lexicon.pairs
        # Each table with the share that its entries need, and with two counts for each
        # label: how often new documents had its entry, and had another label there.
        self._of = [
            (table, kept, np.zeros((2, *table.labels.shape), dtype=np.int64))
            for table, kept in ((forms, share), (pairs, PAIR_SHARE), (pairs, TAG_SHARE))
        ]

    def is_new(self, reference: Doc) -> bool:
        """Whether the lexicon was made without a document, or without what is learnt of
        it now.
        """
        if self.lexicon.is_empty:
            return False
        return fingerprint(reference, self.learnt) not in self.counted

    def count(self, keys: IdArray, labels: Int32Array) -> None:
        """Count the words of a new document.

        Args:
            keys: The keys of the words in `TagLexicon.forms`.
            labels: Gold labels of shape (n attributes, n words), -1 for unknown.
        """
        first, others = labels[:1], labels[1:]
        # Where the first label is not known, that of the lexicon leads to the others.
        leading = np.where(first == UNKNOWN, self.lexicon.forms.find(keys), first)[0]
        asked = (
            (keys, first),
            (pair_keys(keys, leading), others),
            (pair_keys(np.uint64(ANY_FORM), leading), others),
        )
        for (table, share, counts), (own, gold) in zip(self._of, asked, strict=True):
            found = table.find(own)
            columns, words = ((found != UNKNOWN) & (gold != UNKNOWN)).nonzero()
            places = columns, np.searchsorted(table.keys, own[words])
            np.add.at(counts[0], places, 1)
            np.add.at(counts[1], places, found[columns, words] != gold[columns, words])
            few = 0 if share == 1 else FEW
            most = np.maximum(few, 2 * (1 - share) * counts[0][places])
            too_many = counts[1][places] > most
            table.labels[columns[too_many], places[1][too_many]] = UNKNOWN
