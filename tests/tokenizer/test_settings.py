"""Settings of spaCy's tokenizer, and files of tokenizers that are damaged."""

import pickle

import pytest
import spacy
import srsly
from spacy.training import Example
from spacy.util import compile_infix_regex, compile_prefix_regex, compile_suffix_regex

from spacy_dynoracle.errors import PipelineError
from spacy_dynoracle.tokenizer.tokenizer import WordTokenizer, make_word_tokenizer

from .builders import TEXTS, reference

DEFAULTS = spacy.blank("en").Defaults
TEXT = "the sum (24) of 3kg and x~y"
CHANGES = {
    "infix_finditer": compile_infix_regex([*DEFAULTS.infixes, r"~"]).finditer,
    "suffix_search": compile_suffix_regex([*DEFAULTS.suffixes, r"y"]).search,
    "prefix_search": compile_prefix_regex([*DEFAULTS.prefixes, r"x"]).search,
    "token_match": lambda text: True,
    "url_match": lambda text: True,
    "rules": {},
}


def made(learnt=True):
    nlp = spacy.blank("en")
    nlp.tokenizer = make_word_tokenizer()(nlp)
    if learnt:
        docs = [reference(nlp.vocab, text) for text in TEXTS]
        nlp.tokenizer.initialize(lambda: [Example(doc, doc) for doc in docs])
    return nlp


def texts_of(nlp, text=TEXT):
    return [token.text for token in nlp.make_doc(text)]


@pytest.mark.parametrize("learnt", [True, False])
@pytest.mark.parametrize("name", CHANGES)
def test_settings_have_their_effect(name, learnt):
    """Also after the first use, and they can be read back."""
    plain, nlp = spacy.blank("en"), made(learnt)
    before = texts_of(nlp)
    setattr(plain.tokenizer, name, CHANGES[name])
    setattr(nlp.tokenizer, name, CHANGES[name])
    assert getattr(nlp.tokenizer, name) == getattr(plain.tokenizer, name)
    changes = texts_of(plain) != texts_of(spacy.blank("en"))
    assert (texts_of(nlp) != before) == changes


@pytest.mark.parametrize("name", ["infix_finder", "prefixes", "Rules", "tokens"])
def test_other_settings_are_refused(name):
    nlp = made()
    with pytest.raises(AttributeError, match=f"no setting '{name}': expected one of"):
        setattr(nlp.tokenizer, name, None)
    with pytest.raises(AttributeError):
        getattr(nlp.tokenizer, name)


def test_a_tokenizer_without_settings():
    other = WordTokenizer(spacy.blank("en").tokenizer.__call__)
    with pytest.raises(AttributeError, match="has no setting 'rules'"):
        other.rules = {}
    with pytest.raises(PipelineError, match="explain"):
        other.explain("a")


def test_explaining():
    nlp = made()
    found = nlp.tokenizer.explain("they can't (go)")
    assert [text for _, text in found] == texts_of(nlp, "they can't (go)")
    assert ("PREFIX", "(") in found
    joined = nlp.tokenizer.explain("see 713-646-3393!")
    assert ("TREEBANK", "713-646-3393") in joined


def test_scores_of_tokens():
    nlp = made()
    gold = nlp.make_doc("they can't go")
    scores = nlp.evaluate([Example(nlp.make_doc(gold.text), gold)])
    assert scores["token_acc"] == scores["token_f"] == 1


def test_settings_survive_saving():
    nlp = made()
    nlp.tokenizer.infix_finditer = CHANGES["infix_finditer"]
    other = made(learnt=False)
    other.tokenizer.from_bytes(nlp.tokenizer.to_bytes())
    assert texts_of(other) == texts_of(nlp)
    copy = pickle.loads(pickle.dumps(nlp.tokenizer))
    assert [t.text for t in copy(TEXT)] == texts_of(nlp)


# ---- texts of the world --------------------------------------------------------------


@pytest.mark.parametrize("mark", ["’", "‘", "ʼ", "＇", "´"])
def test_typographic_apostrophes_are_apostrophes(mark):
    nlp = made()
    text = "they can't and it's here"
    found = texts_of(nlp, text.replace("'", mark))
    assert found == [word.replace("'", mark) for word in texts_of(nlp, text)]


@pytest.mark.parametrize(
    "word", ["Mu\u0308ller", "cafe\u0301s", "Zo\u0065\u0308", "naı\u0308ve"]
)
def test_decomposed_accents_are_letters(word):
    assert texts_of(made(), f"see {word}!") == ["see", word, "!"]


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org/a-b,c?d=e#f",
        "https://example.org",
        "www.example.org/x-y",
        "jane.doe-smith@example.org",
        "example.org/x-y",
        "t.co/1ab",
        "example.org:8080/a-b",
        "example.org:8080",
        "2026-11-26T10:20:00Z",
    ],
)
def test_addresses_that_the_rules_keep_stay_whole(address):
    assert address in texts_of(made(), f"see {address} and")


# ---- damaged files -------------------------------------------------------------------


def stored():
    return srsly.msgpack_loads(made().tokenizer.to_bytes())


def inner(**values):
    data = stored()
    found = srsly.msgpack_loads(data["tokenizer"])
    return {**data, "tokenizer": srsly.msgpack_dumps({**found, **values})}


def splitter(**values):
    data = stored()
    return {**data, "splitter": {**data["splitter"], **values}}


DAMAGED = {
    "prefix": lambda: inner(prefix_search="\\u02"),
    "infix": lambda: inner(infix_finditer="("),
    "rules": lambda: inner(rules={"a": [{65: "b"}]}),
    "no tokenizer": lambda: {**stored(), "tokenizer": b"\x00"},
    "empty piece": lambda: splitter(splits=[[0, "", [["", "x"]]]]),
    "no piece": lambda: splitter(splits=[[0, "", []]]),
    "blank": lambda: splitter(splits=[[0, "", [["a b", "x"]]]]),
    "removed": lambda: splitter(splits=[[-1, "", [["n't", "n't"]]]]),
    "short token": lambda: splitter(
        splits=[[0, "", [["n't", "n't"]]]],
        candidates=[[0]],
        known={"n't": 0},
        endings={},
    ),
    "ending": lambda: splitter(
        splits=[[0, "", [["n't", "n't"]]]],
        candidates=[],
        known={},
        endings={"s": [0]},
    ),
    "weights": lambda: {**stored(), "boundaries": {"keys": b"x", "weights": b""}},
    "split number": lambda: splitter(candidates=[[99]], known={"a": 0}),
    "no candidates": lambda: splitter(candidates=[[]], known={"a": 0}),
    "candidates": lambda: splitter(candidates=[[0]], known={"a": 1}),
    "candidates from the end": lambda: splitter(candidates=[[0]], known={"a": -1}),
    "cases": lambda: {**stored(), "cases": {"a": [1]}},
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damaged_files_are_refused_or_harmless(kind):
    nlp = made()
    before = texts_of(nlp)
    try:
        nlp.tokenizer.from_bytes(srsly.msgpack_dumps(DAMAGED[kind]()))
    except PipelineError:
        assert texts_of(nlp) == before
    else:
        assert "".join(texts_of(nlp)) == "".join(TEXT.split())
