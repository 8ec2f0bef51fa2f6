"""Every system: parses are trees, with the roots and boundaries that are promised."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle import is_projective

from .treebank import (
    NAME,
    NONPROJECTIVE,
    SENTENCES,
    SYSTEMS,
    VOCABULARY,
    Sentence,
    analysis,
    assert_tree,
    every_system,
    examples,
    heads_of,
    make_doc,
    make_nlp,
    mixed_examples,
    name_of,
    parse,
    train,
)

SWAP = SYSTEMS[-1]
SENTENCE_SETTINGS = ("predict", "preset", "doc")
WORDS = st.lists(st.sampled_from(VOCABULARY), max_size=14)
EXAMPLES = settings(deadline=None, max_examples=25)


@pytest.fixture(scope="module")
def confused():
    """For each system and value of `sentences` a pipeline that learnt from noise."""
    pipelines = {}
    for system in SYSTEMS:
        made = {s: make_nlp(system=system, sentences=s) for s in SENTENCE_SETTINGS}
        nlp = made["predict"]
        crossing = NONPROJECTIVE if system == SWAP else []
        data = mixed_examples(nlp.vocab, SENTENCES + crossing)
        # Trees that have nothing to do with the words.
        heads = (0, 1, 1, 2, 0) if system == SWAP else (0, 1, 2, 2, 0)
        noise = [
            Sentence(s.words[:5], s.tags[:5], heads, s.labels[-5:]) for s in SENTENCES
        ]
        train(nlp, data + examples(nlp.vocab, noise), epochs=2)
        for sentences, other in made.items():
            other.get_pipe(NAME).from_bytes(
                nlp.get_pipe(NAME).to_bytes(exclude=["vocab"])
            )
            pipelines[name_of(system), sentences] = other
    return pipelines


@every_system
@EXAMPLES
@given(words=WORDS)
def test_every_parse_is_a_tree(confused, system, words):
    for sentences in SENTENCE_SETTINGS:
        doc = parse(confused[name_of(system), sentences], words)
        assert_tree(doc)
        if sentences != "predict":
            if not is_eager_with_root_first(system):
                assert heads_of(doc).count(0) == bool(words)
            assert len(list(doc.sents)) == bool(words)
        assert is_projective(heads_of(doc)) or system == SWAP


def is_eager_with_root_first(system):
    return list(system.values()) == ["spacy_dynoracle.ArcEager.v1", "first"]


@st.composite
def words_and_starts(draw, values):
    words = draw(st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=14))
    return words, [draw(st.sampled_from(values)) for _ in words]


@every_system
@EXAMPLES
@given(drawn=words_and_starts((True, False)))
def test_preset_sentences_get_one_root_each(confused, system, drawn):
    words, starts = drawn
    doc = parse(confused[name_of(system), "preset"], words, starts)
    assert_tree(doc)
    assert [t.is_sent_start for t in doc] == [True, *starts[1:]]


@every_system
@settings(deadline=None, max_examples=50)
@given(drawn=words_and_starts((True, False, None, None)))
def test_predicted_boundaries_respect_presets(confused, system, drawn):
    words, starts = drawn
    doc = parse(confused[name_of(system), "predict"], words, starts)
    assert_tree(doc)
    for token, start in zip(doc, starts, strict=True):
        if token.i and start is not None:
            assert token.is_sent_start == start


@every_system
@EXAMPLES
@given(words=WORDS)
def test_parsing_twice_changes_nothing(confused, system, words):
    nlp = confused[name_of(system), "predict"]
    doc = parse(nlp, words)
    first = analysis(doc)
    assert analysis(nlp(doc)) == first


@pytest.mark.parametrize("system", SYSTEMS[3:], ids=name_of)
def test_restriction_can_be_set(system):
    """Whatever `sentences` says."""
    for single_root in (True, False):
        for sentences in SENTENCE_SETTINGS:
            nlp = make_nlp(
                system=system | {"single_root": single_root}, sentences=sentences
            )
            # A word is a sentence here.
            words = ["Rain"] * 4
            doc = Doc(nlp.vocab, words=words, pos=["NOUN"] * 4, heads=range(4),
                      deps=["root"] * 4, sent_starts=None)  # fmt: skip
            train(nlp, [Example(make_doc(nlp.vocab, words), doc)] * 5, epochs=3)
            found = heads_of(parse(nlp, words))
            if single_root:
                assert found.count(0) == 1
            elif sentences != "preset":
                assert found == [0, 0, 0, 0]
