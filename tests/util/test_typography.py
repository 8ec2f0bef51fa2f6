"""Typographic characters beside their plain ones."""

import unicodedata

import pytest

from spacy_dynoracle.util.typography import (
    PLAIN,
    is_mark,
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
