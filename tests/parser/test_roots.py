"""Every system: parses are trees, with the roots and boundaries that are promised."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle import is_projective

from .test_parsing import WORDS, assert_respected, words_and_starts
from .treebank import (
    NONPROJECTIVE_SYSTEMS,
    assert_tree,
    class_of,
    every_system,
    heads_of,
    make_doc,
    make_nlp,
    parse,
    train,
)

pytestmark = pytest.mark.heavy

SENTENCE_SETTINGS = ("predict", "preset", "doc")
EXAMPLES = settings(max_examples=25)


@every_system
@EXAMPLES
@given(words=WORDS)
def test_every_parse_is_a_tree(confused, system, words):
    for sentences in SENTENCE_SETTINGS:
        doc = parse(confused(system, sentences=sentences), words)
        assert_tree(doc)
        if sentences != "predict":
            assert heads_of(doc).count(0) == bool(words)
            assert len(list(doc.sents)) == bool(words)
        assert is_projective(heads_of(doc)) or system in NONPROJECTIVE_SYSTEMS


@every_system
@EXAMPLES
@given(drawn=words_and_starts((True, False)))
def test_preset_sentences_get_one_root_each(confused, system, drawn):
    words, starts = drawn
    doc = parse(confused(system, sentences="preset"), words, starts)
    assert_tree(doc)
    assert [t.is_sent_start for t in doc] == [True, *starts[1:]]


@every_system
@given(drawn=words_and_starts((True, False, None, None)), restriction=st.booleans())
def test_predicted_boundaries_respect_presets(confused, system, drawn, restriction):
    """Also where the restriction to one root has been switched off."""
    if restriction:
        nlp = confused(system | {restriction_of(system): False})
    else:
        nlp = confused(system)
    words, starts = drawn
    doc = parse(nlp, words, starts)
    assert_tree(doc)
    assert_respected(doc, starts)


def restriction_of(system):
    """The setting of a system that means one root."""
    return class_of(system).single_root_name


@every_system
def test_restriction_can_be_set(system):
    """Whatever `sentences` says."""
    for single_root in (True, False):
        for sentences in SENTENCE_SETTINGS:
            restricted = system | {restriction_of(system): single_root}
            nlp = make_nlp(system=restricted, sentences=sentences)
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
