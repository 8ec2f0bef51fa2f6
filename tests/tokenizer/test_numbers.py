"""Numbers with blanks are one word where the treebank has them so."""

import pytest
import srsly

from spacy_dynoracle.tokenizer.evidence import surplus_of_numbers

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
        ("3\u202f000\u202f000 et 25\xa0000", ["3\u202f000\u202f000", "25\xa0000"]),
        ("en 2005 300 personnes", ["2005", "300"]),
        ("06 12 345", ["06", "12 345"]),
        ("1,5 000 et 4 000,5", ["1,5", "000", "4", "000,5"]),
        ("5  000 et 6\n000 et 7", ["5", "000", "6", "000", "7"]),
        ("000", ["000"]),
        (" 000 111", ["000 111"]),
        ("1 000 000 000 000 000", ["1 000 000 000 000 000"]),
        ("1 234 567 890 123 456 789", ["1", "234", "567", "890", "123", "456", "789"]),
    ],
)
def test_groups_of_three_digits_are_one_number(french, text, numbers):
    doc = french[1](text)
    assert doc.text == text
    assert [t.text for t in doc if t.text[0].isdigit()] == numbers


def test_other_words_keep_their_attributes(french):
    """A special case of spaCy is a blank with a NORM of its own."""
    texts = (
        "a 25\xa0000 b c",
        "a\xa0b 25 000\xa0c",
        "25\xa0000.",
        "1\xa0000\xa0000",
    )
    for text in texts:
        doc = french[1](text)
        assert doc.text == text
        norms = {"\xa0": "  "}
        assert [t.norm_ for t in doc] == [norms.get(t.text, t.text) for t in doc]


def test_special_cases_stay():
    _, words = tokenizer(sentences=JOINED)
    words.add_special_case("000k", [{"ORTH": "000"}, {"ORTH": "k", "NORM": "mille"}])
    doc = words("Il a 25 000k et 30 400")
    assert [(t.text, t.norm_) for t in doc[2:5]] == [
        ("25", "25"), ("000", "000"), ("k", "mille"),
    ]  # fmt: skip
    assert doc[6].text == "30 400"


def test_the_majority_of_the_treebank_decides():
    _, other = tokenizer(sentences=APART)
    assert [t.text for t in other("25 000")] == ["25", "000"]
    assert not tokenizer()[1].joins_numbers


def test_storing_and_explaining(french):
    _, words = french
    copy = tokenizer(sentences=APART)[1].from_bytes(words.to_bytes())
    assert [t.text for t in copy("25 000")] == ["25 000"]
    old = srsly.msgpack_loads(words.to_bytes())
    del old["joins_numbers"]
    assert not copy.from_bytes(srsly.msgpack_dumps(old)).joins_numbers
    copy = copy.from_bytes(words.to_bytes())
    assert copy.explain("a 25 000") == [("TOKEN", "a"), ("TREEBANK", "25 000")]


@pytest.mark.parametrize("lang", ["fr", "ru"])
def test_where_the_rules_see_the_whole_text(lang):
    """Tokenizers that have special cases with blanks, as that of Russian."""
    _, words = tokenizer(lang, sentences=(*JOINED, "x ( du=d.de+u.le ) y"))
    words.add_special_case("New York", [{"ORTH": "New York", "NORM": "NY"}])
    doc = words("New York a 25 000 rues, 3\xa0000 du 4")
    found = ["New York", "a", "25 000", "rues", ",", "3\xa0000", "d", "u", "4"]
    assert [t.text for t in doc] == found
    assert [t.norm_ for t in doc[:3]] == ["NY", "a", "25 000"]
    assert [span.text for span in doc.spans["multiword"]] == ["du"]


def test_joins_numbers_cannot_be_set(french):
    with pytest.raises(AttributeError, match="joins_numbers"):
        french[1].joins_numbers = False


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("a 10 000 b", ["a", "10 000", "b"], 1),
        ("a 10 000 b", ["a", "10", "000", "b"], -1),
        ("10\xa0000 20 000", ["10\xa0000", "20", "000"], 0),
        ("2005 300", ["2005", "300"], 0),
        ("1 234 567 890 123 456 789", [], 0),
        ("10 000,50 +3 000 2 500%", ["10 000,50", "+3 000", "2 500", "%"], 3),
    ],
)
def test_numbers_are_counted(text, words, expected):
    assert surplus_of_numbers(text, words) == expected
