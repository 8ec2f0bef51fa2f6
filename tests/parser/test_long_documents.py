"""Training on documents and sentences that are long."""

import warnings
from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.parser.gold_trees import GoldReader, cuts_of_pieces
from spacy_dynoracle.parser.training import MAX_WORDS, PIECE_WORDS

from .treebank import NAME, SENTENCES, example, examples, make_nlp

pytestmark = pytest.mark.heavy

STATIC = {
    "oracle": {"@misc": "spacy_dynoracle.StaticOracle.v1"},
    "exploration": {"@misc": "spacy_dynoracle.NoExploration.v1"},
}
EASY_FIRST = {"@misc": "spacy_dynoracle.EasyFirst.v1"}


def parser_of(nlp):
    return nlp.get_pipe(NAME)


# ---- what is too long ----------------------------------------------------------------


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
    system, settings, is_slow
):
    settings = dict(settings)
    if system == "EasyFirst" and settings:
        settings["oracle"] = {"@misc": "spacy_dynoracle.NonDeterministicOracle.v1"}
    block = {"@misc": f"spacy_dynoracle.{system}.v1"}
    nlp = make_nlp(system=block, sentences="doc", **settings)
    n = MAX_WORDS + 1
    long = Doc(nlp.vocab, ["a"] * n, heads=[0] * n, deps=["ROOT"] + ["x"] * (n - 1))
    nlp.initialize(lambda: examples(nlp.vocab))
    found = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for length in (n, n - 1):
            doc = long[:length].as_doc()
            found.append(parser_of(nlp).update([Example(doc.copy(), doc)]))
    messages = [str(w.message) for w in caught if "1,000 words" in str(w.message)]
    assert [system in message for message in messages] == [True] * is_slow
    assert [f"{NAME}_skipped" in losses for losses in found] == [is_slow, False]


def test_documents_of_many_sentences_are_no_long_sentences():
    nlp = make_nlp(system={"@misc": "spacy_dynoracle.ArcStandard.v1"})
    nlp.initialize(lambda: examples(nlp.vocab))
    n = MAX_WORDS + 1
    # Each word is a sentence.
    long = Doc(nlp.vocab, ["a"] * n, heads=list(range(n)), deps=["ROOT"] * n)
    with pytest.warns(UserWarning, match="no token has a POS"):
        losses = parser_of(nlp).update([Example(long.copy(), long)])
    assert f"{NAME}_skipped" not in losses


def test_documents_with_a_sentence_that_is_too_long_are_skipped():
    nlp = make_nlp(system={"@misc": "spacy_dynoracle.ArcStandard.v1"})
    nlp.initialize(lambda: examples(nlp.vocab))
    n = MAX_WORDS + 2
    # The first word is a sentence, and all others are one.
    heads, deps = [0, *[1] * (n - 1)], ["ROOT", "ROOT", *["x"] * (n - 2)]
    long = Doc(nlp.vocab, ["a"] * n, pos=["X"] * n, heads=heads, deps=deps)
    with pytest.warns(UserWarning, match="it has a sentence of more than 1,000 words"):
        losses = parser_of(nlp).update([Example(long.copy(), long)])
    assert losses[f"{NAME}_skipped"] == 1


def test_sentences_that_are_too_long_for_easy_first_are_skipped_alone():
    nlp = make_nlp(system=EASY_FIRST)
    nlp.initialize(lambda: examples(nlp.vocab))
    n = MAX_WORDS + 1
    heads, deps = [0] * n, ["ROOT", *["x"] * (n - 1)]
    # Two sentences of few words, which are learned, and one of too many.
    long = Doc(
        nlp.vocab,
        ["a"] * (n + 4),
        heads=[0, 0, 2, 2, *(4 + head for head in heads)],
        deps=["ROOT", "x", "ROOT", "x", *deps],
    )
    with pytest.warns(UserWarning, match="it has a sentence of more than 1,000 words"):
        losses = parser_of(nlp).update([Example(long.copy(), long)])
    assert losses[f"{NAME}_skipped"] == 1
    assert parser_of(nlp).training_run().trainer.n_decisions > 0


# ---- pieces of documents -------------------------------------------------------------


@given(
    st.lists(st.integers(1, 9), min_size=1),
    st.one_of(st.none(), st.integers(1, 30)),
)
def test_pieces_are_as_many_whole_sentences_as_fit(lengths, max_words):
    starts = [0, *accumulate(lengths)]
    cuts = cuts_of_pieces(np.array(starts[:-1]), starts[-1], max_words)
    assert set(cuts) <= set(starts[1:-1])
    if max_words is None:
        assert len(cuts) == 0
        return
    ends = [0, *cuts, starts[-1]]
    for first, end in pairwise(ends):
        is_sentence = starts[starts.index(first) + 1] == end
        assert end - first <= max_words or is_sentence
    for first, cut in pairwise(ends[:-1]):
        assert starts[starts.index(cut) + 1] - first > max_words


def trees_of(nlp, docs, **settings):
    """The words and heads of the trees of documents."""
    reader = GoldReader("predict", True, lambda why, doc: None, **settings)
    trees = [tree for doc in docs for tree in reader.reference_trees(doc)]
    return [(tree.words.tolist(), tree.heads) for tree in trees]


@pytest.mark.parametrize("backward", [False, True])
def test_pieces_have_the_trees_of_their_sentences(backward):
    nlp = make_nlp()
    text = example(nlp.vocab, *SENTENCES[:3]).reference
    n_words = [len(s.words) for s in SENTENCES[:3]]
    found = trees_of(nlp, [text], backward=backward, max_words=sum(n_words[:2]))
    whole = trees_of(
        nlp,
        [
            example(nlp.vocab, *some).reference
            for some in (SENTENCES[:2], SENTENCES[2:3])
        ],
        backward=backward,
    )
    assert [heads for _, heads in found] == [heads for _, heads in whole]
    words = [word for piece, _ in found for word in piece]
    assert sorted(words) == list(range(sum(n_words)))


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
    block = {"@misc": f"spacy_dynoracle.{system}.v1"}
    nlp = make_nlp(system=block, sentences=sentences)
    nlp.initialize(lambda: examples(nlp.vocab))
    n = 2 * PIECE_WORDS
    # Sentences of two words.
    heads = [i // 2 * 2 for i in range(n)]
    doc = Doc(
        nlp.vocab, ["a", "b"] * (n // 2), heads=heads, deps=["ROOT", "x"] * (n // 2)
    )
    run = parser_of(nlp).training_run()
    trees = run.trees.of_reference(doc)
    assert [len(tree.words) for tree in trees] == [n // 2] * 2 if is_cut else [n]


def test_every_piece_of_a_long_document_is_learned():
    """Also where the document has more words than any tree may have."""
    nlp = make_nlp(system=EASY_FIRST)
    some = SENTENCES * (2 * MAX_WORDS // sum(len(s.words) for s in SENTENCES))
    data = [example(nlp.vocab, *some)]
    assert len(data[0].reference) > MAX_WORDS
    nlp.initialize(lambda: data)
    for _ in range(10):
        losses = nlp.update(data)
    assert losses == {NAME: 0}
