"""The Doc of a text from the words of its pretokens, against the whole text at once."""

import pickle
import random

import pytest
import spacy
import srsly
from spacy.attrs import NORM, ORTH
from spacy.tokenizer import Tokenizer

from spacy_dynoracle.errors import PipelineError
from spacy_dynoracle.tokenizer import WordTokenizer
from spacy_dynoracle.tokenizer.asking import Rules
from spacy_dynoracle.tokenizer.boundaries import WordBoundaries
from spacy_dynoracle.tokenizer.places import bias
from spacy_dynoracle.tokenizer.reading import TextReader
from spacy_dynoracle.tokenizer.splitter import Splitter
from spacy_dynoracle.treebank import multiword

from .builders import TEXTS, texts

# Special cases, suffixes, abbreviations, addresses and smileys of spaCy's rules.
RULED = r"""
    can't we'll :) :-) (see U.S. e.g. Mr. $5.00 10km don't! 'Cause — a-b/c
    http://a.org/x,y me@b.org. :( ): ... o.O I'd've \n 8) -8 gonna gonna… —em
"""
PARTS = [*RULED.split(), "\xa0"]
BLANKS = (" ", " ", " ", "  ", "\n", " \n", "\t ", "", "\u00a0", "\u2028", "\x1c ")


class Asked(Tokenizer):
    """A tokenizer of another class, which may do anything with the text around."""


def values(doc):
    tokens = [(t.text, t.norm_, t.whitespace_, t.idx) for t in doc]
    return tokens, list(multiword.spans(doc)), doc.text


def special_texts(n):
    random_ = random.Random(11)
    known = [p.replace("_", "").replace("=", "") for t in TEXTS for p in t.split(" ")]
    for _ in range(n):
        length = random_.randrange(10)
        pairs = zip(
            random_.choices([*PARTS, *known], k=length),
            random_.choices(BLANKS, k=length),
            strict=True,
        )
        start = random_.choice(("", "", " ", "  ", "\n"))
        yield start + "".join(a + b for a, b in pairs)


def test_pretoken_by_pretoken_gives_the_doc_of_the_whole_text(nlp):
    tokenizer = nlp.tokenizer
    n_pretokens = set()
    for text in [*texts(100), *special_texts(300), "", " ", "\n", "a ", "a  ", " a"]:
        whole = tokenizer._reader.rewriter(tokenizer.tokenizer(text))
        assert values(tokenizer(text)) == values(whole), repr(text)
        n_pretokens.add(len(text.split()))
    assert len(n_pretokens) > 8


def test_each_different_pretoken_is_asked_for_once(nlp, monkeypatch):
    asked = []
    ask = TextReader._ask
    monkeypatch.setattr(
        TextReader,
        "_ask",
        lambda self, rules, parts: asked.extend(parts) or ask(self, rules, parts),
    )
    nlp.tokenizer._reader.forget()
    nlp.tokenizer("they can't see they  they can't it's")
    # The boundaries alone know about the others.
    assert asked == ["can't", "it's", " "]
    nlp.tokenizer("can't they it's")
    assert len(asked) == 3


def test_special_cases_between_marks_are_asked_for():
    rules = Rules(always=False)
    # A case may begin and end with marks itself, and with signs of vowels.
    rules.special = dict.fromkeys(["gonna", "\u00b0C.", ":)", "\u09ae\u09cb\u0983"])
    for text in ("gonna\u2026", "(\u00b0C.)", "\u2026:)", "(\u09ae\u09cb\u0983),"):
        assert rules.are_needed(text)
    assert not rules.are_needed("(dog)")


@pytest.fixture
def by_rules():
    """A tokenizer that has learnt to follow the rules."""
    tokenizer = WordTokenizer(spacy.blank("en").tokenizer)
    tokenizer._use(WordBoundaries([bias(True), bias(False)], [1, -1]), Splitter())
    return tokenizer


def test_a_changed_rule_is_seen(by_rules):
    tokenizer = by_rules
    assert [t.text for t in tokenizer("his gonna dog-like")] == [
        *("his", "gon", "na", "dog", "-", "like")
    ]
    tokenizer.tokenizer.infix_finditer = None
    assert [t.text for t in tokenizer("gonna dog-like")] == ["gon", "na", "dog-like"]
    tokenizer.add_special_case("gonna", [{ORTH: "go"}, {ORTH: "nna", NORM: "na"}])
    assert [t.norm_ for t in tokenizer("gonna dog-like")] == ["go", "na", "dog-like"]
    tokenizer.tokenizer.rules = {}
    assert [t.text for t in tokenizer("gonna dog-like")] == ["gonna", "dog-like"]


def test_special_cases_with_blanks_are_found_in_the_whole_text(by_rules):
    by_rules.add_special_case("New York", [{ORTH: "New York"}])
    assert [t.text for t in by_rules("in New York now")] == ["in", "New York", "now"]


def test_other_texts_are_read_as_ever_beside_cases_with_blanks(by_rules):
    """Their pretokens do not depend on each other."""
    text = "> gonna\n> caf\u0065\u0301s dog\u2019s"
    expected = values(by_rules(text))
    assert "\n> " in [token for token, *_ in expected[0]]
    by_rules.add_special_case("New York", [{ORTH: "New York"}])
    assert values(by_rules(text)) == expected
    # Such a case changes the words around it no more.
    whole = by_rules(f"{text} can\u00b4t gonna New York")
    others = by_rules(f"{text} can\u00b4t gonna")
    assert whole.text == f"{others.text} New York"
    found = [(token.text, token.norm_) for token in whole]
    assert found[:-1] == [(token.text, token.norm_) for token in others]
    assert found[-1][0] == "New York"


def test_special_cases_may_have_typographic_characters(by_rules):
    for case in ("a\u2019 b", "caf\u0065\u0301 au"):
        by_rules.add_special_case(case, [{ORTH: case}])
        assert [token.text for token in by_rules(f"I {case} go")] == ["I", case, "go"]
    by_rules.add_special_case("l' eau", [{ORTH: "l' eau"}])
    assert [t.text for t in by_rules("of l\u2019 eau")] == ["of", "l\u2019 eau"]
    parts = [{ORTH: "o"}, {ORTH: "\u2019clock", NORM: "of the clock"}]
    by_rules.add_special_case("o\u2019clock", parts)
    by_rules.add_special_case("5\uff05", [{ORTH: "5"}, {ORTH: "\uff05", NORM: "%%"}])
    found = [(t.text, t.norm_) for t in by_rules("o\u2019clock o'clock 5\uff05")]
    clock = [("o", "o"), ("\u2019clock", "of the clock"), ("o'clock", "o'clock")]
    assert found == [*clock, ("5", "5"), ("\uff05", "%%")]
    # Other cases and rules hold as before.
    before = [(t.text, t.norm_) for t in by_rules("it\u2019s")]
    by_rules.add_special_case("it", [{ORTH: "it"}])
    assert [(t.text, t.norm_) for t in by_rules("it\u2019s")] == before


def test_a_special_case_holds_beside_other_characters(by_rules):
    by_rules.add_special_case("A/B", [{ORTH: "A/B"}])
    for text in ("A/B-test", "A/B,C", "(A/B)"):
        expected = [token.text for token in by_rules.tokenizer(text)]
        copy = pickle.loads(pickle.dumps(by_rules))
        for tokenizer in (by_rules, copy):
            assert [token.text for token in tokenizer(text)] == expected
        assert "A/B" in expected


@pytest.mark.parametrize(
    "pretoken", ["8.8.8.8:8080/#c!", "(8.8.8.8/x,y", "can't", "a-b"]
)
def test_words_do_not_depend_on_what_was_read_before(nlp, pretoken):
    """A long text may make room for others between a pretoken and its use."""
    tokenizer = nlp.tokenizer
    tokenizer(pretoken)
    reader, rules = tokenizer._reader, tokenizer.tokenizer
    found = reader._find_all(rules, [pretoken])[pretoken]
    assert reader._find(rules, pretoken) == found


def test_special_cases_hold_whatever_the_treebank_has(nlp):
    tokenizer = WordTokenizer(spacy.blank("en").tokenizer)
    tokenizer.from_bytes(nlp.tokenizer.to_bytes())
    joined = ["see", "712-646-3393", "!", "its", "!"]
    assert [t.text for t in tokenizer("see 712-646-3393! its!")] == joined
    cut = [{"ORTH": "712"}, {"ORTH": "-646-3393", "NORM": "number"}]
    tokenizer.add_special_case("712-646-3393", cut)
    tokenizer.add_special_case("its", [{ORTH: "it"}, {ORTH: "s"}])
    tokenizer.add_special_case("can't", [{ORTH: "can't"}])
    copy = WordTokenizer(spacy.blank("en").tokenizer)
    copy.from_bytes(tokenizer.to_bytes())
    for each in (tokenizer, copy, pickle.loads(pickle.dumps(tokenizer))):
        doc = each("see (712-646-3393)! its! can't")
        assert [t.text for t in doc] == [
            *("see", "(", "712", "-646-3393", ")", "!", "it", "s", "!", "can't")
        ]
        assert doc[3].norm_ == "number"
        assert not list(multiword.spans(doc))
        other = each("see 713-646-3393!")
        assert [t.text for t in other] == ["see", "713-646-3393", "!"]


def test_the_longest_special_case_holds_and_a_new_one_replaces_the_old(by_rules):
    by_rules._use(WordBoundaries([bias(True), bias(False)], [-1, -1]), Splitter())
    for text, tokens in (("ab", ["a", "b"]), ("abcd", ["a", "b", "cd"])):
        by_rules.add_special_case(text, [{ORTH: token} for token in tokens])
    found = [token.text for token in by_rules("abcd ab e-f")]
    assert found == ["a", "b", "cd", "a", "b", "e-f"]
    by_rules.add_special_case("ab", [{ORTH: "ab"}])
    found = [token.text for token in by_rules("abcd ab e-f")]
    assert found == ["a", "b", "cd", "ab", "e-f"]


@pytest.mark.parametrize(
    "cases", [3, {"ab": 3}, {"ab": [3]}, {3: ["ab"]}, {"ab": None}]
)
def test_damaged_cases_are_an_error_and_change_nothing(nlp, cases):
    values = srsly.msgpack_loads(nlp.tokenizer.to_bytes())
    values["cases"] = cases
    before = nlp.tokenizer.to_bytes()
    with pytest.raises(PipelineError, match="cannot be read"):
        nlp.tokenizer.from_bytes(srsly.msgpack_dumps(values))
    assert nlp.tokenizer.to_bytes() == before


def test_other_tokenizers_are_given_the_whole_text(nlp):
    rules = spacy.blank("en").tokenizer
    other = WordTokenizer(Asked(*rules.__reduce__()[1]))
    rules_needed = nlp.tokenizer._reader.rewriter.rules
    other._use(nlp.tokenizer.boundaries, nlp.tokenizer.splitter, rules_needed)
    for text in special_texts(50):
        assert values(other(text)) == values(nlp.tokenizer(text))
    assert not other._reader._remembered


def test_without_special_cases_of_its_own_a_tokenizer_is_named():
    def by_blanks(text):
        raise NotImplementedError

    with pytest.raises(PipelineError, match="add_special_case: function has no"):
        WordTokenizer(by_blanks).add_special_case("a", [{ORTH: "a"}])


def test_copies_begin_without_memory(nlp):
    nlp.tokenizer("they can't see it")
    assert nlp.tokenizer._reader._remembered
    copy = pickle.loads(pickle.dumps(nlp.tokenizer))
    assert not copy._reader._remembered
    assert not copy._reader.rewriter._remembered
    assert values(copy("they can't see it")) == values(
        nlp.tokenizer("they can't see it")
    )


def test_memory_is_bounded(nlp, monkeypatch):
    monkeypatch.setattr("spacy_dynoracle.tokenizer.reading._REMEMBERED", 3)
    nlp.tokenizer._reader.forget()
    for i in range(20):
        assert nlp.tokenizer(f"a{i} b{i}").text == f"a{i} b{i}"
        assert len(nlp.tokenizer._reader._remembered) <= 3
    long = "x" * 1000
    assert nlp.tokenizer(long).text == long
    assert long not in nlp.tokenizer._reader._remembered
