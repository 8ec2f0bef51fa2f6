"""Training on documents and sentences that are long."""

from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy import blank
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.parser import training
from spacy_dynoracle.parser.gold_trees import GoldReader, cuts_of_pieces
from spacy_dynoracle.parser.training import MAX_WORDS, PIECE_WORDS

from ..warned import said
from .treebank import (
    NAME,
    SENTENCES,
    block,
    example,
    examples,
    make_nlp,
    parser_of,
    train,
)

STATIC = {"oracle": block("StaticOracle"), "exploration": block("NoExploration")}
EASY_FIRST = block("EasyFirst")


# ---- what is too long ----------------------------------------------------------------


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("system", "settings", "is_slow"),
    [
        ("EasyFirst", {}, True),
        ("EasyFirst", STATIC, True),
        ("ArcStandard", {}, True),
        ("ArcStandard", STATIC, False),
        ("ArcHybrid", {}, False),
    ],
)
def test_trees_longer_than_any_sentence_are_skipped_where_training_is_slow(
    system, settings, is_slow, monkeypatch
):
    # A tree of a thousand words would take seconds.
    n = 100
    monkeypatch.setattr(training, "MAX_WORDS", n - 1)
    settings = dict(settings)
    if system == "EasyFirst" and settings:
        settings["oracle"] = block("NonDeterministicOracle")
    nlp = make_nlp(system=block(system), sentences="doc", **settings)
    long = Doc(nlp.vocab, ["a"] * n, heads=[0] * n, deps=["ROOT"] + ["x"] * (n - 1))
    nlp.initialize(lambda: examples(nlp.vocab))
    messages = []
    for length, is_skipped in ((n, is_slow), (n - 1, False)):
        doc, losses = long[:length].as_doc(), {}
        messages += said(
            parser_of(nlp).update, [Example(doc.copy(), doc)], losses=losses
        )
        assert (f"{NAME}_skipped" in losses) == is_skipped
    found = [system in message for message in messages if "99 words" in message]
    assert found == [True] * is_slow


N = MAX_WORDS + 1
TOO_LONG = "it has a sentence of more than 1,000 words"
NO_START = "between which no sentence is known to start"


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("system", "heads", "deps", "message", "is_learned"),
    [
        # Each word is a sentence.
        ("ArcStandard", [*range(N)], ["ROOT"] * N, None, True),
        # The first word is a sentence, and all others are one.
        ("ArcStandard", [0] + [1] * N, ["ROOT"] * 2 + ["x"] * (N - 1), TOO_LONG, False),
        # Two sentences of few words, which are learned, and one of too many.
        ("EasyFirst", [0, 0, 2, 2] + [4] * N,
         ["ROOT", "x"] * 2 + ["ROOT"] + ["x"] * (N - 1), TOO_LONG, True),
        # Every second word depends on the one before it, whose head is unknown.
        ("EasyFirst", [i - i % 2 for i in range(N + 1)],
         ["", "x"] * (N // 2 + 1), NO_START, False),
    ],
    ids=range(4),
)  # fmt: skip
def test_documents_with_long_sentences(system, heads, deps, message, is_learned):
    nlp, n = make_nlp(system=block(system), epochs=0), len(heads)
    long = Doc(nlp.vocab, ["a"] * n, pos=["X"] * n, heads=heads, deps=deps)
    losses = {}
    messages = said(parser_of(nlp).update, [Example(long.copy(), long)], losses=losses)
    assert [message in text for text in messages] == [True] * (message is not None)
    assert losses.get(f"{NAME}_skipped") == (1 if message else None)
    assert (parser_of(nlp).training_run().trainer.n_decisions > 0) == is_learned


# ---- pieces of documents -------------------------------------------------------------


@given(st.lists(st.integers(1, 9), min_size=1), st.integers(1, 30))
def test_pieces_are_as_many_whole_sentences_as_fit(lengths, max_words):
    starts = [0, *accumulate(lengths)]
    cuts = cuts_of_pieces(np.array(starts[:-1]), starts[-1], max_words)
    assert set(cuts) <= set(starts[1:-1])
    ends = [0, *cuts, starts[-1]]
    for first, end in pairwise(ends):
        is_sentence = starts[starts.index(first) + 1] == end
        assert end - first <= max_words or is_sentence
    for first, cut in pairwise(ends[:-1]):
        assert starts[starts.index(cut) + 1] - first > max_words


def reader(max_words=None):
    return GoldReader("predict", projective=True, max_words=max_words)


def trees_of(trees):
    found = list(trees)
    assert not any(tree.problem for tree in found)
    return [(tree.words.tolist(), tree.heads) for tree in found]


def words_of(*sentences):
    return sum(len(s.words) for s in sentences)


def test_pieces_have_the_trees_of_their_sentences():
    vocab = blank("xx").vocab
    some = SENTENCES[:3]
    first, last = example(vocab, *some[:2]), example(vocab, some[2])
    n = words_of(*some[:2])
    expected = [
        *trees_of(reader().reference_trees(first.reference)),
        *trees_of(reader().reference_trees(last.reference)),
    ]
    pieces = trees_of(reader(n).reference_trees(example(vocab, *some).reference))
    assert [heads for _, heads in pieces] == [heads for _, heads in expected]
    assert [len(words) for words, _ in pieces] == [n, words_of(some[2])]
    assert [*pieces[0][0], *pieces[1][0]] == list(range(words_of(*some)))


def test_pieces_of_other_tokens_and_whitespace():
    """The last word of the first sentence is split, and blanks follow it."""
    vocab = blank("xx").vocab
    some = SENTENCES[:2]
    gold = example(vocab, *some).reference
    n = words_of(some[0])
    words = [token.text for token in gold]
    spaces = [bool(token.whitespace_) for token in gold]
    words[n - 2 : n] = [words[n - 2][:1], words[n - 2][1:], words[n - 1], "  "]
    spaces[n - 2 : n] = [False, spaces[n - 2], spaces[n - 1], False]
    predicted = Doc(vocab, words, spaces)
    pieces = trees_of(reader(n + 1).aligned_trees(Example(predicted, gold)))
    assert [words for words, _ in pieces] == [
        [*range(n + 1)],
        [*range(n + 2, len(words))],
    ]
    (last,) = reader().reference_trees(example(vocab, some[1]).reference)
    assert pieces[1][1] == last.heads


def test_documents_are_cut_only_where_a_sentence_is_known_to_start():
    """Beside words whose heads are unknown it is not."""
    # Two sentences of two words, then two words without heads, then two sentences.
    heads = [0, 0, 2, 2, 4, 5, 6, 6, 8, 8]
    deps = ["ROOT", "x", "ROOT", "x", "", "", "ROOT", "x", "ROOT", "x"]
    doc = Doc(blank("xx").vocab, ["a"] * 10, heads=heads, deps=deps)
    pieces = trees_of(reader(2).reference_trees(doc))
    assert [words for words, _ in pieces] == [[0, 1], [2, 3, 4, 5, 6, 7], [8, 9]]
    assert [heads for _, heads in pieces] == [[0, 1], [0, 1, None, None, 0, 5], [0, 1]]


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("system", "sentences", "is_cut"),
    [
        ("EasyFirst", "predict", True),
        ("EasyFirst", "doc", False),
        ("ArcStandard", "predict", False),
        ("ArcEager", "predict", False),
    ],
)
def test_documents_are_cut_where_time_grows_with_their_length(
    system, sentences, is_cut
):
    nlp = make_nlp(system=block(system), sentences=sentences, epochs=0)
    n = 2 * PIECE_WORDS
    # Sentences of two words.
    heads = [i // 2 * 2 for i in range(n)]
    words, deps = ["a", "b"] * (n // 2), ["ROOT", "x"] * (n // 2)
    doc = Doc(nlp.vocab, words, heads=heads, deps=deps)
    run = parser_of(nlp).training_run()
    trees = run.trees.of_reference(doc)
    expected = [n // 2] * 2 if is_cut else [n]
    assert [len(tree.words) for tree in trees] == expected


@pytest.mark.heavy
def test_every_piece_of_a_long_document_is_learned():
    """Also where the document has more words than any tree may have."""
    nlp = make_nlp(system=EASY_FIRST)
    some = SENTENCES * (2 * MAX_WORDS // sum(len(s.words) for s in SENTENCES))
    data = [example(nlp.vocab, *some)]
    assert len(data[0].reference) > MAX_WORDS
    assert train(nlp, data, epochs=10) == {NAME: 0}
