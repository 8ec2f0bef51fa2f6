"""Typographic characters beside their plain ones."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle.util.typography import (
    PLAIN,
    composed,
    is_mark,
    lower_case,
    normal_form,
    plain,
    with_apostrophes,
)


def test_plain_characters_are_single_and_stay():
    for other, char in PLAIN.items():
        assert len(other) == len(char) == 1
        assert char.isascii()
        assert not other.isascii()
        assert plain(f"a{other}b") == f"a{char}b"


def test_lower_case_has_as_many_characters():
    """Python makes two of one letter."""
    for text in map(chr, range(0x110000)):
        assert lower_case(text) == ("i" if text == "\u0130" else text.lower())
        assert len(lower_case(text)) == 1


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("don’t", "don't"),
        ("« »", '" "'),
        ("—", "-"),
        ("a—b", "a—b"),
        ("…", "..."),
        ("？", "?"),
        ("،", ","),
        ("e\u0301te\u0301", "été"),
        ("plain", "plain"),
        ("", ""),
        ("日本", "日本"),
    ],
)
def test_normal_forms(text, form):
    assert normal_form(text) == form


def test_apostrophes_alone():
    assert with_apostrophes("l’“été”—") == "l'“été”—"


def test_marks():
    assert all(map(is_mark, unicodedata.normalize("NFD", "éñü")[1::2]))
    assert not any(map(is_mark, "aé’1 "))


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("ete", []),
        ("été", []),
        ("e\u0301te\u0301", [0, 2, 3, 5]),
        # No letter has both marks, or this one.
        ("o\u0304\u0328x", [0, 3, 4]),
        ("q\u0301e\u0301", [0, 1, 2, 4]),
        ("\u0301e\u0301", [0, 1, 3]),
        # Nothing changes, as in most words of Hindi.
        ("q\u0301x", []),
        ("\u0301x", []),
        ("\u0915\u093f", []),
        # These have no composed form, and NFC makes more characters of them.
        ("\u0958e\u0301", [0, 1, 3]),
        ("\ufb2c\u0591", []),
    ],
)
def test_composed(text, places):
    found, at = composed(text)
    assert len(found) <= len(text)
    assert unicodedata.normalize("NFC", found) == unicodedata.normalize("NFC", text)
    assert at == places


@given(st.text("ae\u0301\u0323x\u0308'", max_size=8))
def test_composed_text_can_be_cut_as_the_given_one(text):
    found, places = composed(text)
    assert (found == text) == (not places)
    if not places:
        return
    assert found == unicodedata.normalize("NFC", text)
    assert len(places) == len(found) + 1
    assert places == sorted(places)
    # A letter begins where it began.
    for character, place in zip(found, places, strict=False):
        if not is_mark(character):
            assert unicodedata.normalize("NFD", character)[0] == text[place]
    assert (places[0], places[-1]) == (0, len(text))


def test_many_marks_take_linear_time():
    """With the square of their number it would be minutes."""
    text = "a" + "\u0301\u0328" * 100_000
    begin = time.process_time()
    assert composed(text)[0] == normal_form(text) == text
    assert time.process_time() - begin < 6
