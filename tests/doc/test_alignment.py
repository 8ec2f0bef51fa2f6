"""Words of a prediction and of its reference, however they are split."""

from itertools import pairwise

import pytest
import spacy
from hypothesis import example, given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.doc.alignment import WordAlignment, same_tokens
from spacy_dynoracle.parser.gold_trees import GoldReader

VOCAB = spacy.blank("xx").vocab
TEXT = "gardens"
BLANKS = (" ", "\n", "\n\n")


@st.composite
def tokens(draw):
    """The text split in some way, blanks before and after any part."""
    cuts = draw(st.sets(st.integers(1, len(TEXT) - 1)))
    bounds = [0, *sorted(cuts), len(TEXT)]
    words = []
    for start, end in pairwise(bounds):
        words += draw(st.lists(st.sampled_from(BLANKS), max_size=1))
        words.append(TEXT[start:end])
    return words + draw(st.lists(st.sampled_from(BLANKS), max_size=1))


def doc_of(words, **annotation):
    return Doc(VOCAB, words=words, spaces=[False] * len(words), **annotation)


def characters(words):
    """The characters of the text that each token has."""
    found, at = [], 0
    for word in words:
        n = 0 if word.isspace() else len(word)
        found.append(set(range(at, at + n)))
        at += n
    return found


@pytest.mark.heavy
@given(tokens(), tokens())
@example(["gardens", "\n"], ["gar", "dens\n"])
def test_words_that_share_characters(predicted, gold):
    alignment = WordAlignment(Example(doc_of(predicted), doc_of(gold)))
    mine, theirs = characters(predicted), characters(gold)
    assert alignment.to_gold == [
        [j for j, b in enumerate(theirs) if a & b] for a in mine
    ]
    assert alignment.to_predicted == [
        [i for i, a in enumerate(mine) if a & b] for b in theirs
    ]
    for i, found in enumerate(alignment.to_gold):
        assert alignment.gold(i) == (found[0] if len(found) == 1 else None)
    for j, found in enumerate(alignment.to_predicted):
        assert alignment.predicted(j) == (found[0] if len(found) == 1 else None)


@pytest.mark.heavy
@given(tokens(), tokens(), st.data())
def test_gold_trees_of_any_tokenisation(predicted, gold, data):
    """Every head is that of a gold word, between words that stand for one each."""
    n = len(gold)
    heads = [data.draw(st.integers(0, max(i - 1, 0))) for i in range(n)]
    labels = [data.draw(st.sampled_from(("a", "b", ""))) for _ in gold]
    reference = doc_of(gold, heads=heads, deps=labels)
    eg = Example(doc_of(predicted), reference)
    mine, theirs = characters(predicted), characters(gold)
    for sentences in ("predict", "preset"):
        trees = list(GoldReader(sentences, projective=True).aligned_trees(eg))
        words = [int(word) for tree in trees for word in tree.words]
        assert words == [i for i, word in enumerate(predicted) if not word.isspace()]
        for tree in trees:
            assert tree.problem is None
            for word, head, label in zip(
                tree.words, tree.heads, tree.labels, strict=True
            ):
                golds = [j for j, b in enumerate(theirs) if mine[word] & b]
                if len(golds) != 1:
                    assert (head, label) == (None, None)
                    continue
                (j,) = golds
                assert label == (labels[j] or None)
                if head is None:
                    continue
                own = mine[tree.words[head - 1]] if head else mine[word]
                assert own >= theirs[heads[j]]
                assert head or heads[j] == j


def test_the_same_tokens():
    assert same_tokens(Example(doc_of(["a", "b"]), doc_of(["a", "b"])))
    assert not same_tokens(Example(doc_of(["ab"]), doc_of(["a", "b"])))
    assert not same_tokens(Example(doc_of(["a", "\n", "b"]), doc_of(["a", "b"])))
