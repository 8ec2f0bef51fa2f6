"""Decomposed accents, marks without blanks, and abbreviations."""

import time
import unicodedata

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.treebank import doc_to_conllu, multiword

from .builders import TEXTS, reference

BLOCK = {"@tokenizers": "spacy_dynoracle.WordTokenizer.v1"}


def learnt(lang, texts):
    """A tokenizer that has learnt from texts in the notation of `builders`."""
    nlp = spacy.blank(lang)
    nlp.tokenizer = spacy.registry.resolve({"tokenizer": BLOCK})["tokenizer"](nlp)
    docs = [reference(nlp.vocab, text) for text in texts]
    examples = [Example(nlp.make_doc(doc.text), doc) for doc in docs]
    nlp.tokenizer.initialize(lambda: examples)
    return nlp.tokenizer


def decomposed(text):
    return unicodedata.normalize("NFD", text)


@pytest.mark.parametrize("suffix", ["", ".", ",", "»"])
def test_the_words_of_decomposed_text_are_those_of_composed_text(suffix):
    data = ["él=la_.", "ma=lá vél=la", "joué_, joué_. été_,", "à_, cél=la"]
    tokenizer = learnt("fr", data)
    for text in ("joué", "été à joué", "vélla", "cassé", "pélla", "crème-brûlée"):
        text += suffix
        words, other = tokenizer(text), tokenizer(decomposed(text))
        assert other.text == decomposed(text)
        assert [t.text for t in other] == [decomposed(t.text) for t in words]
        assert [*multiword.spans(other)] == [
            (start, end, list(map(decomposed, forms)))
            for start, end, forms in multiword.spans(words)
        ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("it?I", ["it", "?", "I"]),
        ("it!You", ["it", "!", "You"]),
        ("it?!You", ["it", "?!", "You"]),
        ("été?Il", ["été", "?", "Il"]),
        ("it?i", ["it?i"]),
        ("IT?I", ["IT?I"]),
    ],
)
def test_marks_between_sentences(text, words):
    tokenizer = learnt("en", TEXTS)
    assert [t.text for t in tokenizer(text)] == words


def test_abbreviations_are_like_those_of_the_treebank():
    stems = ["Dept", "etc", "Jan", "vol", "Dr", "feb"]
    others = ["dog_. it", "gate_. he", "wall_. she"]
    joined = [f"{stem}. it" for stem in stems] + others
    cut = [f"{stem}_. it" for stem in stems] + others
    for data, words in ((joined, ["Corp.", "ca."]), (cut, ["Corp", ".", "ca", "."])):
        tokenizer = learnt("en", data)
        assert [t.text for t in tokenizer("Corp. ca. it")] == [*words, "it"]
        assert [t.text for t in tokenizer("boat. it")] == ["boat", ".", "it"]


@pytest.mark.parametrize(
    "text", ["{}", "{}.", "({}),", '"{}"', "[{}]?", "{}/{}", "{}-{}", "a={};"]
)
@pytest.mark.parametrize("time", ["2020-01-02T10:11:12Z", "1999-12-31T23:59+01:00"])
def test_times_of_computers_stay_whole_between_marks(text, time):
    words = [t.text for t in learnt("en", TEXTS)(text.format(time, time))]
    assert words.count(time) == text.count("{}")
    assert "".join(words) == text.format(time, time)


@pytest.mark.parametrize(
    ("text", "blanks"),
    [
        ("> we did\n> n't", ["> ", "\n> "]),
        ("we\r\n>> see \n>\n> > it", ["\r\n>> ", "\n>\n> > "]),
        ("we:\n\n>see\n>", ["\n\n>", "\n>"]),
        (">see\n>it", ["\n>"]),
        ("> it > its", []),
        ("it >\n>= 5\n>5 -> x\n=> y", ["\n", "\n", "\n"]),
        ("it\n > we\n<a>", ["\n ", "\n"]),
    ],
)
def test_marks_of_quoted_lines_are_whitespace(text, blanks):
    tokenizer = learnt("en", TEXTS)
    doc = tokenizer(text)
    assert doc.text == text
    assert [token.text for token in doc if token.is_space] == blanks
    plain = tokenizer(" ".join(t.text_with_ws for t in doc if not t.is_space))
    assert [t.text for t in doc if not t.is_space] == [
        t.text for t in plain if not t.is_space
    ]


def test_quoted_lines_are_written_and_read_in_another_vocab():
    doc = learnt("en", TEXTS)("we see \n> it\n>> here")
    other = Doc(spacy.blank("en").vocab).from_bytes(doc.to_bytes())
    written = doc_to_conllu(other)
    assert written == doc_to_conllu(doc)
    assert "# text = we see it here\n" in written
    rows = [row.split("\t") for row in written.split("\n") if "\t" in row]
    assert [(row[1], row[9]) for row in rows] == [
        ("we", "_"),
        ("see", r"SpacesAfter=\s\n>\s"),
        ("it", r"SpacesAfter=\n>>\s"),
        ("here", "_"),
    ]


@pytest.mark.parametrize(
    "word", ["ca=n't", "wo=n't", "I='m", "you='re", "gon=na", "they='ll"]
)
def test_contractions_have_the_norm_of_spacy(word):
    whole, plain = word.replace("=", ""), spacy.blank("en").tokenizer
    tokenizer = learnt("en", [f"so {word} go", "stop_!!"])
    for text in (f"so {whole} go", f"{whole}, {whole}!"):
        words = [(token.text, token.norm_) for token in plain(text)]
        assert [(token.text, token.norm_) for token in tokenizer(text)] == words


@pytest.mark.parametrize(
    "unit",
    ["a-b,c", "aB3x", "e\u0301e", "l'l'", "12,3.", " ", "\n> a", "港", "a.bc/", "."],
)
def test_long_pretokens_take_linear_time(unit):
    """With the square of the length it would be minutes."""
    tokenizer, text = learnt("en", TEXTS), unit * (150_000 // len(unit))
    begin = time.process_time()
    assert tokenizer(text).text == text
    assert time.process_time() - begin < 6
