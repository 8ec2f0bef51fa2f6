"""Numbers with blanks are one word where the treebank has them so."""

import pytest

from spacy_dynoracle.tokenizer.numbers import surplus

from .test_tokenizer import tokenizer

JOINED = ("Il|paie|10 000|francs", "Elle|a|1 250|livres", "Elle|a|2|250|livres")
APART = ("Il|paie|10|000|francs", "Elle|a|1|250|livres", "Elle|a|2 250|livres")


@pytest.fixture(scope="module")
def french():
    return tokenizer(sentences=JOINED)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Il a 25 000 francs", ["25 000"]),
        ("(25 000, 3 000 000 ou 7)", ["25 000", "3 000 000", "7"]),
        ("25\xa0000 et 3\u202f000\u202f000", ["25\xa0000", "3\u202f000\u202f000"]),
        ("en 2005 300 personnes", ["2005", "300"]),
        ("06 12 345", ["06", "12 345"]),
        ("1,5 000 et 4 000,5", ["1,5", "000", "4", "000,5"]),
        ("5  000 et 6\n000 et 7", ["5", "000", "6", "000", "7"]),
        ("000", ["000"]),
        (" 000 111", ["000 111"]),
    ],
)
def test_groups_of_three_digits_are_one_number(french, text, numbers):
    doc = french[1](text)
    assert doc.text == text
    assert [t.text for t in doc if t.text[0].isdigit()] == numbers


def test_runs_of_groups_take_linear_time(french):
    words = french[1]("000 " * 50_000)
    assert sum(word.text.count("000") for word in words) == 50_000
    assert max(map(len, words)) < 50


def test_what_follows_a_number_keeps_its_attributes():
    _, words = tokenizer(sentences=JOINED)
    words.add_special_case("000k", [{"ORTH": "000"}, {"ORTH": "k", "NORM": "mille"}])
    doc = words("Il a 25 000k")
    assert [(t.text, t.norm_) for t in doc[2:]] == [
        ("25 000", "25 000"),
        ("k", "mille"),
    ]


def test_the_majority_of_the_treebank_decides(french):
    _, other = tokenizer(sentences=APART)
    assert [t.text for t in other("25 000")] == ["25", "000"]
    assert not tokenizer()[1].joins_numbers


def test_storing_and_explaining(french):
    _, words = french
    copy = tokenizer(sentences=APART)[1].from_bytes(words.to_bytes())
    assert [t.text for t in copy("25 000")] == ["25 000"]
    assert copy.explain("a 25 000") == [("TOKEN", "a"), ("TREEBANK", "25 000")]


def test_special_cases_with_blanks_are_in_the_way_and_one_is_told():
    _, words = tokenizer(sentences=JOINED)
    words.add_special_case("New York", [{"ORTH": "New York"}])
    with pytest.warns(UserWarning, match="numbers with blanks"):
        doc = words("New York a 25 000 rues")
    assert [t.text for t in doc[2:4]] == ["25", "000"]


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("a 10 000 b", ["a", "10 000", "b"], 1),
        ("a 10 000 b", ["a", "10", "000", "b"], -1),
        ("10\xa0000 20 000", ["10\xa0000", "20", "000"], 0),
        ("2005 300", ["2005", "300"], 0),
    ],
)
def test_numbers_are_counted(text, words, expected):
    assert surplus(text, words) == expected
