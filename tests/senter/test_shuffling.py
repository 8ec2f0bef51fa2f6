"""Documents with their sentences in another order."""

from itertools import chain, pairwise
from types import SimpleNamespace

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_dynoracle.core.random import Random
from spacy_dynoracle.senter.recipe import SenterRecipe
from spacy_dynoracle.senter.shuffling import half_shuffled
from spacy_dynoracle.senter.splitting import LABELS
from spacy_dynoracle.tagger.attributes import START
from spacy_dynoracle.tagger.gold_tags import gold_tree
from spacy_dynoracle.tagger.input import WordBatch
from spacy_dynoracle.tagger.training import tag_actions

SOURCES = tuple(SenterRecipe().sources.values())
VOCAB = Vocab()


def document(*lengths):
    """A Doc of sentences of so many words, and the gold labels of the words."""
    labels = ["SI"[i > 0] for length in lengths for i in range(length)]
    return Doc(VOCAB, words=["a"] * len(labels)), labels


def half_of(documents, seed=0):
    """The tokens of each sentence of each document that has another order, by the
    number of the document.
    """
    actions = tag_actions(LABELS)
    docs, golds = zip(*documents, strict=True)
    words = WordBatch(docs, SOURCES)
    trees = [[gold_tree(labels, actions.labels)] for labels in golds]
    batch = list(zip(words.sequences, trees, strict=True))
    parts = []
    words.sentences = lambda found: parts.extend(found) or found
    trainer = SimpleNamespace(random=Random(seed), actions=actions)
    everything = list(chain(*golds))
    found = {}
    for number, (tokens, (gold,)) in enumerate(half_shuffled(words, batch, trainer)):
        if tokens is batch[number][0]:
            continue
        labels = [everything[token] for token in tokens]
        assert list(gold.labels) == labels
        starts = [i for i, label in enumerate(labels) if label == START]
        cuts = pairwise([*starts, len(labels)])
        found[number] = [tokens[start:end].tolist() for start, end in cuts]
    assert len(found) == len(parts)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_sentences_change_places(seed):
    documents = [document(1, 2, 3, 91), document(4, 5, 92), document(6, 93)]
    found = half_of([*documents, document(1, 1)], seed)
    assert len(found) == 2
    for number, sentences in found.items():
        assert len(sentences) == (4, 3, 2, 2)[number]
        for tokens in sentences:
            assert tokens == list(range(tokens[0], tokens[-1] + 1))
    used = list(chain(*chain(*found.values())))
    assert len(set(used)) == len(used)


@pytest.mark.parametrize("seed", range(5))
def test_last_sentences_stay_last_ones(seed):
    found = half_of([document(1, 2, 3, 91), document(4, 5, 92)], seed)
    for sentences in found.values():
        assert len(sentences[-1]) > 90
        assert max(map(len, sentences[:-1])) < 90


def test_one_document_is_shuffled_every_second_time():
    found = [half_of([document(1, 2, 3, 4)], seed) for seed in range(40)]
    assert 10 < sum(map(len, found)) < 30
    assert len({str(of[0]) for of in found if of}) == 6


def test_documents_of_one_sentence_stay():
    for seed in range(5):
        assert not half_of([document(5), document()], seed)


def test_unknown_words_stay_with_those_before_them():
    doc, labels = document(2, 2, 2, 2)
    labels[4:6] = None, None
    found = [half_of([(doc, labels)], seed) for seed in range(9)]
    orders = {str(sentences) for of in found for sentences in of.values()}
    assert orders == {
        str([[0, 1], [2, 3, 4, 5], [6, 7]]),
        str([[2, 3, 4, 5], [0, 1], [6, 7]]),
    }
