"""Dictionaries of lemmas."""

import pytest
import spacy
import srsly
from spacy.util import registry

from spacy_dynoracle.lemmatizer.dictionary import DictionaryEntry, lemma_dictionary

NOUN = spacy.symbols.NOUN


def test_a_file(tmp_path):
    path = tmp_path / "lemmas.tsv"
    text = "\ufeffmice\tNOUN\tmouse\r\n\nl’eau\t\teau\n"
    path.write_bytes(text.encode("utf8"))
    assert lemma_dictionary(path) == [
        DictionaryEntry("mice", NOUN, "mouse"),
        DictionaryEntry("l'eau", 0, "eau"),
    ]


def test_no_source():
    assert lemma_dictionary(None) == []


def test_a_table_of_spacy_lookups_data(tmp_path):
    path = tmp_path / "lemmas.json"
    srsly.write_json(path, {"mice": "mouse", "is": "be", "": "x", "y": ""})
    registry.lookups.register("qqq", func={"lemma_lookup": path})
    assert lemma_dictionary("qqq") == [
        DictionaryEntry("is", 0, "be"),
        DictionaryEntry("mice", 0, "mouse"),
    ]


def test_a_language_without_lemmas():
    with pytest.raises(ValueError, match="no table 'lemma_lookup' for 'qqx': install"):
        lemma_dictionary("qqx")


@pytest.mark.parametrize(
    "line",
    ["mice", "mice\tmouse", "mice\tNOUNS\tmouse", "\tNOUN\tmouse", "mice\tNOUN\t",
     "mice\tNOUN\tmouse\t1"],
)  # fmt: skip
def test_a_line_that_is_none(tmp_path, line):
    path = tmp_path / "lemmas.tsv"
    path.write_text(f"is\tAUX\tbe\n{line}\n", encoding="utf8")
    with pytest.raises(ValueError, match=r"lemmas\.tsv, line 2: expected a form"):
        lemma_dictionary(path)


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(ValueError, match=r"none\.tsv: cannot be read: No such file"):
        lemma_dictionary(tmp_path / "none.tsv")
    latin = tmp_path / "latin.tsv"
    latin.write_bytes("\xe9".encode("latin1"))
    with pytest.raises(ValueError, match=r"latin\.tsv: cannot be read"):
        lemma_dictionary(latin)
