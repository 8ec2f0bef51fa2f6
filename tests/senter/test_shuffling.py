"""Documents with their sentences in another order."""

from itertools import chain, pairwise
from types import SimpleNamespace

import pytest
import spacy
from spacy.tokens import Doc

from spacy_dynoracle.core.random import Random
from spacy_dynoracle.senter.recipe import SenterRecipe
from spacy_dynoracle.senter.shuffling import half_shuffled
from spacy_dynoracle.senter.splitting import LABELS
from spacy_dynoracle.tagger.attributes import START
from spacy_dynoracle.tagger.gold_tags import gold_tree
from spacy_dynoracle.tagger.input import WordBatch
from spacy_dynoracle.tagger.training import tag_actions

SOURCES = tuple(SenterRecipe().sources.values())
VOCAB = spacy.blank("xx").vocab


def document(*lengths):
    """A Doc of sentences of so many words, each before a line break, and the gold
    labels of its tokens.
    """
    labels = [label for n in lengths for label in (*"S".ljust(n, "I"), None)]
    return Doc(VOCAB, words=["a" if label else "\n" for label in labels]), labels


def half_of(documents, seed=0):
    """The tokens of each sentence of each document that has another order, by the
    number of the document.
    """
    actions = tag_actions(LABELS)
    words = WordBatch([doc for doc, _ in documents], SOURCES)
    labels = list(chain(*(labels for _, labels in documents)))
    batch = []
    for sequence, cut in zip(words.sequences, pairwise(words.cuts), strict=True):
        own = [labels[token] for token in words.words[slice(*cut)]]
        batch.append((sequence, [gold_tree(own, actions.labels)]))
    parts = []
    words.sentences = lambda found: parts.extend(found) or found
    trainer = SimpleNamespace(random=Random(seed), actions=actions)
    found = {}
    for number, (tokens, (gold,)) in enumerate(half_shuffled(words, batch, trainer)):
        if tokens is not batch[number][0]:
            assert list(gold.labels) == [labels[token] for token in tokens]
            starts = [i for i, label in enumerate(gold.labels) if label == START]
            cuts = pairwise([*starts, len(tokens)])
            found[number] = [tokens[start:end].tolist() for start, end in cuts]
    assert len(found) == len(parts)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_sentences_change_places(seed):
    """Those at the ends of documents stay at ends."""
    lengths = [(1, 2, 3, 91), (4, 5, 92), (6, 93), (7, 94)]
    found = half_of([document(*of) for of in lengths], seed)
    assert len(found) == 2
    for number, sentences in found.items():
        assert len(sentences) == len(lengths[number])
        is_last = [len(tokens) > 90 for tokens in sentences]
        assert is_last == [False] * (len(sentences) - 1) + [True]
        for tokens in sentences:
            assert tokens == list(range(tokens[0], tokens[-1] + 1))
    used = list(chain(*chain(*found.values())))
    assert len(set(used)) == len(used)


def test_one_document_is_shuffled_every_second_time():
    found = [half_of([document(1, 2, 3, 4)], seed) for seed in range(40)]
    assert 10 < sum(map(len, found)) < 30
    assert len({str(of[0]) for of in found if of}) == 6


def test_documents_of_one_sentence_stay():
    assert not any(half_of([document(5), document()], seed) for seed in range(5))


def test_unknown_words_stay_with_those_before_them():
    doc, labels = document(2, 2, 2, 2)
    labels[6:8] = None, None
    found = [half_of([(doc, labels)], seed) for seed in range(9)]
    orders = {str(of[0]) for of in found if of}
    first, second, last = [0, 1], [3, 4, 6, 7], [9, 10]
    assert orders == {str([first, second, last]), str([second, first, last])}
