"""The words of a text are those of its pretokens, one after the other."""

import re
from types import SimpleNamespace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spacy_dynoracle.tokenizer.joining import joined, parts_of


@given(st.text(st.one_of(st.sampled_from(" \n\t\xa0ab"), st.characters())))
@example("")
@example("\u3000a\xa0b\u2028")
@example("\x1c\x85a")
def test_parts_are_pretokens_and_whitespace_in_turn(text):
    assert parts_of(text, {})[0] == re.split(r"(\s+)", text)


def words_of(part):
    """A word for each character, of which "x" may be a multiword token."""
    words = tuple(part)
    return SimpleNamespace(words=words) if "x" in part else words


@pytest.mark.parametrize(
    ("text", "words", "followed"),
    [
        ("ab c", ["a", "b", "c"], [0, 1, 0]),
        ("a ", ["a"], [1]),
        (" a", [" ", "a"], [0, 0]),
        ("a  b", ["a", " ", "b"], [1, 0, 0]),
        ("a\nb", ["a", "\n", "b"], [0, 0, 0]),
        ("", [], []),
    ],
)
def test_the_first_blank_belongs_to_the_word_before_it(text, words, followed):
    assert joined(parts_of(text, {})[0], {}, {}, words_of) == (words, followed, [])


def test_words_are_looked_up_before_they_are_found():
    asked = []

    def find(part):
        asked.append(part)
        return words_of(part)

    remembered = {"ab": ("ab",)}
    new = {"cx": words_of("cx")}
    words, _, special = joined(["ab", " ", "cx", " ", "d"], remembered, new, find)
    assert words == ["ab", "c", "x", "d"]
    assert special == [(1, new["cx"])]
    assert asked == ["d"]
