"""Parsing: documents of every shape, and what may not change the result."""

import copy

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_dynoracle.core.search.greedy import GreedySearch
from spacy_dynoracle.treebank import multiword

from .treebank import (
    NAME,
    SENTENCES,
    VOCABULARY,
    analysis,
    assert_tree,
    gold_analysis,
    make_doc,
    parse,
)

pytestmark = pytest.mark.heavy

WORDS = st.lists(st.sampled_from(VOCABULARY), max_size=14)
SENTENCES_SETTINGS = ("predict", "preset", "doc")


# ---- length --------------------------------------------------------------------------


@pytest.mark.parametrize("sentences", SENTENCES_SETTINGS)
def test_ten_thousand_times_the_same_word(trained_by_sentences, sentences):
    """Chains of any depth."""
    for word in ("old", "pears", "zyx"):
        assert_tree(parse(trained_by_sentences[sentences], [word] * 10_000))


class FixedTrees(GreedySearch):
    """A search that finds the same heads and labels in every document."""

    def find(self, heads, labels):
        self.heads, self.labels = heads, labels
        return self

    def parse(self, model, sentences, root_rule=None):
        (sentence,) = sentences
        assert len(sentence) == len(self.heads)
        ids = [model.labels.find(label) for label in self.labels]
        return np.array(self.heads, np.int32), np.array(ids, np.int32)


def parse_with(nlp, heads, labels):
    """The Doc that the parser makes of a tree that its search has found."""
    parser = copy.deepcopy(nlp.get_pipe(NAME))
    parser.change(search=FixedTrees().find(heads, labels))
    return parser(make_doc(nlp.vocab, ["Rain"] * len(heads)))


def test_lifted_arcs_are_put_back(nonprojective_nlp):
    doc = parse_with(
        nonprojective_nlp, [2, 0, 2, 2], ["nsubj", "root", "obj", "acl||nsubj"]
    )
    assert_tree(doc)
    assert [t.head.i for t in doc] == [1, 1, 1, 0]
    assert [t.dep_ for t in doc] == ["nsubj", "root", "obj", "acl"]


def test_lifted_arcs_without_their_head_stay(nonprojective_nlp):
    doc = parse_with(nonprojective_nlp, [2, 0, 2], ["obj", "root", "acl||nsubj"])
    assert_tree(doc)
    assert [t.head.i for t in doc] == [1, 1, 1]
    assert doc[2].dep_ == "acl"


def test_arcs_lifted_to_root_are_not_put_into_another_sentence(nonprojective_nlp):
    """The dependents of ROOT are many sentences; a subject in the first is no head for
    a word behind the third.
    """
    labels = ["nsubj", "root", "punct"]
    doc = parse_with(
        nonprojective_nlp,
        [2, 0, 2, 5, 0, 5, 8, 0, 0],
        [*labels, *labels, "nsubj", "root", "acl||nsubj"],
    )
    assert_tree(doc)
    assert doc[8].head.i in (6, 7, 8)


# ---- sentence boundaries -------------------------------------------------------------


@st.composite
def words_and_starts(draw, values, blanks=False):
    """Words, perhaps blanks among them, and a preset for each token."""
    words = draw(st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=14))
    if blanks:
        words = [draw(st.sampled_from((word, word, word, " "))) for word in words]
    starts = [draw(st.sampled_from(values)) for _ in words]
    return words, starts


# A blank may have the only preset of a document.
ON_A_BLANK = ["Two", "cats", "\n", "sleep", "."], [None, None, True, None, None]


@settings(max_examples=3 * settings().max_examples)
@given(drawn=words_and_starts((True, False, None, None), blanks=True))
@example(drawn=ON_A_BLANK)
def test_presets_on_blanks_hold_for_the_next_word(trained_nlp, drawn):
    words, starts = drawn
    doc = parse(trained_nlp, words, starts)
    assert_tree(doc)
    first = next((t.i for t in doc if not t.is_space), None)
    start_before = False
    for token, start in zip(doc, starts, strict=True):
        if token.is_space:
            assert token.i == 0 or not token.is_sent_start
            start_before = start_before or start is True
            continue
        if token.i == first:
            assert doc[0].is_sent_start
        elif start is True or start_before:
            assert token.is_sent_start
        elif start is False:
            assert not token.is_sent_start
        start_before = False


@settings(max_examples=3 * settings().max_examples)
@given(words_and_starts((True, False, None, None)))
def test_presets_hold_for_nonprojective_parses(nonprojective_nlp, drawn):
    words, starts = drawn
    doc = parse(nonprojective_nlp, words, starts)
    assert_tree(doc)
    assert_respected(doc, starts)


def assert_respected(doc, starts):
    for token, start in zip(doc, starts, strict=True):
        if token.i and start is not None:
            assert token.is_sent_start == start


@given(words_and_starts((True, False)))
def test_preset_sentences_are_parsed_alone(trained_by_sentences, drawn):
    nlp = trained_by_sentences["preset"]
    words, starts = drawn
    doc = parse(nlp, words, starts)
    for sent in doc.sents:
        alone = parse(nlp, [token.text for token in sent])
        assert [t.head.i - sent.start for t in sent] == analysis(alone)[0]
        assert [t.dep_ for t in sent] == analysis(alone)[1]


@given(words_and_starts((True, False, None)))
def test_a_document_as_one_sentence(trained_by_sentences, drawn):
    nlp = trained_by_sentences["doc"]
    words, starts = drawn
    doc = parse(nlp, words, starts)
    assert_tree(doc)
    assert len(list(doc.sents)) == 1
    assert analysis(doc) == analysis(parse(nlp, words))


@given(words_and_starts((True, False)))
def test_complete_presets_are_the_same_in_predict_and_preset(
    trained_by_sentences, drawn
):
    words, starts = drawn
    parses = [
        analysis(parse(trained_by_sentences[sentences], words, starts))
        for sentences in ("predict", "preset")
    ]
    assert parses[0] == parses[1]


@pytest.mark.parametrize("sentences", SENTENCES_SETTINGS)
@given(words_and_starts((True, False, None, None)), st.integers(0, 9))
def test_multiword_tokens_are_in_one_sentence(
    trained_by_sentences, sentences, drawn, first
):
    (words, starts), nlp = drawn, trained_by_sentences[sentences]
    inside = range(first + 1, min(first + 3, len(words)))
    spaces = [i + 1 not in inside for i in range(len(words))]
    tags = ["NOUN"] * len(words)
    doc = Doc(nlp.vocab, words, spaces, pos=tags, sent_starts=starts)
    if inside:
        multiword.mark(doc, [(first, words[first : inside.stop])])
    found = [nlp(doc.copy()), nlp(nlp(doc.copy()))]
    for parsed in found:
        assert_tree(parsed)
        assert not any(parsed[i].is_sent_start for i in inside)
    assert analysis(found[0]) == analysis(found[1])


# ---- parsing twice -------------------------------------------------------------------


@pytest.mark.parametrize("sentences", SENTENCES_SETTINGS)
def test_old_heads_are_overwritten(trained_by_sentences, sentences):
    nlp = trained_by_sentences[sentences]
    s = SENTENCES[1]
    n = len(s.words)
    # Where boundaries are predicted, those of an earlier parse are no presets.
    sentences_of_one_word = [range(n)] if sentences == "predict" else []
    for heads in ([0] * n, [n - 1] * n, *sentences_of_one_word):
        doc = Doc(nlp.vocab, words=s.words, pos=s.tags, heads=heads, deps=["old"] * n)
        assert analysis(nlp(doc)) == gold_analysis(nlp.vocab, s)


# ---- batches, processes, threads -----------------------------------------------------


def many_words():
    """Word lists of all lengths, some of them empty or of blanks."""
    words = [word for s in SENTENCES for word in s.words]
    lists = [words[i : i + i % 23] for i in range(0, 90, 3)]
    return [[], *lists, ["\n"], words, ["pears"], ["\n", *words[:9], " "]]


def test_pipe_is_lazy(trained_nlp):
    """A stream without end is parsed batch by batch."""

    def endless():
        while True:
            yield make_doc(trained_nlp.vocab, ["Rain", "fell"])

    stream = trained_nlp.get_pipe(NAME).pipe(endless(), batch_size=3)
    for _ in range(10):
        assert_tree(next(stream))


def test_one_batch_of_several_vocabs(trained_nlp):
    parser = trained_nlp.get_pipe(NAME)
    vocabs = [Vocab(), trained_nlp.vocab, Vocab()]
    docs = [
        Doc(vocabs[i % 3], words=s.words, pos=s.tags) for i, s in enumerate(SENTENCES)
    ]
    for doc, s in zip(parser.pipe(docs), SENTENCES, strict=True):
        assert analysis(doc) == gold_analysis(doc.vocab, s)


# ---- predict -------------------------------------------------------------------------


@pytest.mark.parametrize("sentences", SENTENCES_SETTINGS)
def test_predict_leaves_documents_alone(trained_by_sentences, sentences):
    nlp = trained_by_sentences[sentences]
    parser = nlp.get_pipe(NAME)
    docs = [make_doc(nlp.vocab, words) for words in many_words()]
    docs.append(make_doc(nlp.vocab, ["a", "b", "c"], [True, False, True]))
    docs.append(parse(nlp, SENTENCES[0].words))
    before = [doc.to_bytes() for doc in docs]
    annotations = parser.predict(docs)
    assert [doc.to_bytes() for doc in docs] == before
    parser.set_annotations(docs, annotations)
    for doc in docs:
        assert_tree(doc)


def test_predict_takes_any_iterable(trained_nlp):
    parser = trained_nlp.get_pipe(NAME)
    docs = [make_doc(trained_nlp.vocab, s.words) for s in SENTENCES]
    assert len(parser.predict(iter(docs))) == len(docs)
    assert parser.predict([]) == []


def test_labels_are_known_to_every_vocab(trained_nlp):
    parser = trained_nlp.get_pipe("dynoracle_parser")
    for _ in range(20):
        # A vocab may come to stand where one that is gone stood.
        doc = parser(Doc(Vocab(), words=["a", "b", "c"]))
        assert all(token.dep_ for token in doc)
        del doc
