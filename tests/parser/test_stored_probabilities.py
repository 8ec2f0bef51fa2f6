"""What the parser says of documents of all kinds, and what becomes of it."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.tokens.underscore import Underscore

from spacy_dynoracle.parser.extensions import SPAN_EXTENSIONS, TOKEN_EXTENSIONS

from .treebank import BLANKS, SENTENCES, VOCABULARY, assert_tree, make_doc
from .uncertain import (
    ASKED,
    DOC_ROUND_TRIPS,
    MARGINAL,
    is_silent,
    of_tokens,
    parsed,
    text_of,
    values,
)

pytestmark = pytest.mark.heavy

# ---- documents -----------------------------------------------------------------------

texts = st.lists(st.sampled_from([*VOCABULARY, *BLANKS]), max_size=25)


@pytest.mark.parametrize("asked", ASKED)
@given(words=texts, data=st.data())
@settings(max_examples=25)
def test_every_word_has_values(pipelines, asked, words, data):
    starts = data.draw(
        st.lists(
            st.sampled_from([None, None, True, False]),
            min_size=len(words),
            max_size=len(words),
        )
    )
    nlp = pipelines(**asked)
    doc = nlp(make_doc(nlp.vocab, words, [True, *starts[1:]] if words else None))
    assert_tree(doc)
    assert is_silent(doc) or not all(token.is_space for token in doc)
    for token in doc:
        found = {getattr(token._, name) is None for name in TOKEN_EXTENSIONS}
        if token.is_space:
            assert found == {True}
        elif asked == MARGINAL:
            assert found == {False}
            assert sum(p for _, p in token._.head_distribution) == 1.0
        else:
            assert 0 <= token._.dep_probability <= 1
    if doc._.lowest_probability is not None:
        assert 0 < doc._.lowest_probability <= 1
        assert doc._.derivation_log_probability <= 0


@pytest.mark.parametrize("asked", ASKED)
def test_preset_sentences_have_the_values_of_their_own(pipelines, asked):
    nlp = pipelines(**asked, sentences="preset")
    sentences = [s.words for s in SENTENCES[:3]]
    starts = [i == 0 for words in sentences for i in range(len(words))]
    doc = parsed(nlp, text_of(), starts)
    for sent, words in zip(doc.sents, sentences, strict=True):
        alone = parsed(nlp, words)
        assert of_tokens(sent) == of_tokens(alone[:])
        for name in SPAN_EXTENSIONS:
            assert getattr(sent._, name) == getattr(alone._, name)


def test_words_that_are_parsed_again(pipelines):
    """Words that must be one sentence have the values of the parse with one root."""
    nlp = pipelines(**MARGINAL)
    words = text_of(2)
    starts = [None] * len(words)
    starts[len(SENTENCES[0].words)] = False
    # A start elsewhere makes boundaries preset ones.
    doc = parsed(nlp, [*words, *SENTENCES[2].words], [*starts, True, *[None] * 6])
    sents = list(doc.sents)
    assert len(sents[0]) == len(words)
    alone = parsed(pipelines(**MARGINAL, sentences="doc"), words)
    assert of_tokens(sents[0]) == of_tokens(alone[:])


def test_the_seed_decides_what_is_drawn(pipelines):
    found = [values(parsed(pipelines(**MARGINAL, seed=seed))) for seed in (0, 1)]
    assert found[0] != found[1]
    assert values(parsed(pipelines(**MARGINAL))) == found[0]


# ---- documents that are saved, cut and joined ----------------------------------------


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("how", DOC_ROUND_TRIPS)
def test_saved_documents_keep_their_values(pipelines, asked, how):
    doc = parsed(pipelines(**asked), ["\n", *text_of()])
    again = DOC_ROUND_TRIPS[how](doc)
    assert values(again) == values(doc)
    assert again.user_data == doc.user_data


@pytest.mark.parametrize("asked", ASKED)
def test_sentences_as_documents(pipelines, asked):
    doc = parsed(pipelines(**asked))
    sents = list(doc.sents)
    assert len(sents) == 3
    for sent in sents:
        cut = sent.as_doc(copy_user_data=True)
        # Heads in other sentences are not there.
        expected = [
            {
                name: [
                    ((i if i is not None and 0 <= i < len(sent) else None), *rest)
                    for i, *rest in value
                ]
                if isinstance(value, list)
                else value
                for name, value in item.items()
            }
            for item in of_tokens(sent)
        ]
        found = of_tokens(cut)
        for a, b in zip(found, expected, strict=True):
            assert a.keys() == b.keys()
            for name in a:
                if name.endswith("distribution") and a[name] is not None:
                    assert total(a[name]) == total(b[name])
                else:
                    assert a[name] == b[name]
        for name in SPAN_EXTENSIONS:
            assert getattr(cut._, name) == getattr(sent._, name)
    assert is_silent(sents[0].as_doc())


def total(distribution):
    """The probability of each entry; several heads that are not there are one."""
    totals = {}
    for *key, p in distribution:
        totals[tuple(key)] = totals.get(tuple(key), 0.0) + p
    return totals


def test_words_that_were_cut_from_their_heads_have_no_values(pipelines):
    doc = parsed(pipelines(**MARGINAL), SENTENCES[0].words)
    assert [t.head.i for t in doc] == [1, 2, 2, 4, 2, 2]
    cut = doc[1:5].as_doc(copy_user_data=True)
    assert [t._.dep_probability is None for t in cut] == [False, False, False, False]
    cut = doc[3:6].as_doc(copy_user_data=True)
    assert [t._.dep_probability is None for t in cut] == [False, True, True]
    assert cut._.lowest_probability is None
    assert cut[:1]._.lowest_probability is not None


@pytest.mark.parametrize("asked", ASKED)
def test_joined_documents(pipelines, asked):
    nlp = pipelines(**asked)
    docs = [parsed(nlp, s.words) for s in SENTENCES[:3]]
    silent = pipelines()(make_doc(nlp.vocab, SENTENCES[3].words))
    joined = Doc.from_docs([*docs, silent])
    start = 0
    for doc in docs:
        part = joined[start : start + len(doc)]
        assert of_tokens(part) == of_tokens(doc[:])
        assert part._.head_entropy == doc._.head_entropy
        assert part._.lowest_probability == doc._.lowest_probability
        start += len(doc)
    assert all(t._.dep_probability is None for t in joined[start:])
    assert joined._.lowest_probability is None
    # Cut and joined in another order.
    parts = [s.as_doc(copy_user_data=True) for s in joined.sents]
    shuffled = Doc.from_docs(parts[::-1])
    last = shuffled[len(shuffled) - len(docs[0]) :]
    expected = [item["dep_probability"] for item in of_tokens(docs[0][:])]
    assert [t._.dep_probability for t in last] == expected


def test_values_go_when_arcs_do(pipelines):
    doc = parsed(pipelines(**MARGINAL), SENTENCES[0].words)
    before = of_tokens(doc[:])
    doc[3].dep_ = "amod"
    doc[5].head = doc[4]
    assert doc[3]._.head_entropy is None
    assert doc[5]._.dep_probability is None
    assert of_tokens(doc[:3]) == before[:3]
    doc[3].dep_ = "det"
    assert of_tokens(doc[3:4])[0]["dep_probability"] == before[3]["dep_probability"]


def test_merged_tokens(pipelines):
    doc = parsed(pipelines(**MARGINAL), SENTENCES[1].words)
    assert doc[6].text == "wall"
    before = doc[7]._.dep_probability, doc[1]._.head_distribution[0][1]
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[4:7])
    assert len(doc) == 6
    assert doc[4]._.dep_probability is None
    assert (doc[5]._.dep_probability, doc[1]._.head_distribution[0][1]) == before
    heads = [head for token in doc for head, _ in token._.head_distribution or []]
    assert all(head is None or head.doc is doc for head in heads)


def test_a_new_parse_replaces_the_values(pipelines):
    marginal, transition = pipelines(**MARGINAL), pipelines(**ASKED[0])
    doc = parsed(marginal)
    doc.user_data["kept"] = 1
    transition(doc)
    assert doc[0]._.head_entropy is None
    assert doc[0]._.transition_probability is not None
    joined = Doc.from_docs([parsed(marginal), parsed(marginal)])
    again = [parsed(pipelines(), [t.text for t in joined])]
    pipelines()(joined)
    pipelines()(doc)
    for silent in (joined, doc, *again):
        assert is_silent(silent)
    assert doc.user_data == {"kept": 1}
    assert joined.user_data == {}


# ---- processes -----------------------------------------------------------------------


def test_getters_can_be_pickled():
    """Workers that are spawned get them so."""
    assert pickle.loads(pickle.dumps(Underscore.get_state())) == Underscore.get_state()
