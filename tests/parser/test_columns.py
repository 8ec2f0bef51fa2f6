"""Columns of the parser's input: their sources and values."""

import numpy as np
import pytest
import spacy
from spacy.strings import get_string_id
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_dynoracle import Extractor, FeatureTemplates
from spacy_dynoracle.core.features.lexical import StringTable
from spacy_dynoracle.core.features.templates import AFFIXES, TOKEN_ATTRIBUTES
from spacy_dynoracle.doc import columns
from spacy_dynoracle.doc.attribute_table import AttributeTable
from spacy_dynoracle.doc.cluster_numbers import add_clusters
from spacy_dynoracle.doc.columns import OF_FORM, ColumnReader, source_of, values_of_form
from spacy_dynoracle.errors import ModelFileError

from .treebank import (
    NAME,
    SENTENCES,
    example,
    examples,
    feature_templates,
    make_nlp,
    parse,
    parse_all,
    train,
)

SOURCES = {
    "w": "ORTH", "p": "TAG", "t": "TAG:lexical", "a": "TAG:adposition",
    "lower": "LOWER", "norm": "NORM", "pre1": "LOWER:pre1", "pre2": "LOWER:pre2",
    "pre3": "LOWER:pre3", "pre4": "LOWER:pre4", "pre5": "LOWER:pre5",
    "suf1": "LOWER:suf1", "suf2": "LOWER:suf2", "suf3": "LOWER:suf3",
    "suf4": "LOWER:suf4", "suf5": "LOWER:suf5", "suf6": "LOWER:suf6",
    "suf7": "LOWER:suf7", "shape": "SHAPE",
    "flags": "ORTH:flags", "cl": "CLUSTER",
    "cl4": "CLUSTER:4", "cl6": "CLUSTER:6", "lemma": "LEMMA", "pos": "POS",
    "mCase": "MORPH:Case", "mNumber[psor]": "MORPH:Number[psor]",
    "space": "SPACY:space", "line": "SPACY:line",
    "stem": "LEMMA:stem", "ending": "LEMMA:ending",
}  # fmt: skip
VOCAB = spacy.blank("en").vocab


def column(name, words, vocab=VOCAB, **annotations):
    """The values of a column, word by word."""
    doc = Doc(vocab, words=words, **annotations)
    # Between others, which must not get in its way.
    sources = ["NORM", source_of(name, "TAG"), "LOWER"]
    if sources[1] in ("NORM", "LOWER"):
        sources = ["SHAPE", sources[1], "ORTH"]
    tokens = AttributeTable([doc], sources)
    is_null = name[0] in "acm" or name == "ending"
    assert tokens.nullable == ([1] if is_null else [])
    expected = AttributeTable([doc], sources[::2])
    np.testing.assert_array_equal(tokens.values[:, ::2], expected.values)
    return tokens.values[:, 1].tolist()


def pattern(values):
    """Which values are equal: each as the place of the first like it; 0 is null."""
    return [None if value == 0 else values.index(value) for value in values]


# ---- sources -------------------------------------------------------------------------


def test_every_column_has_a_source():
    assert set(TOKEN_ATTRIBUTES) <= set(SOURCES)
    assert {name: source_of(name, "TAG") for name in SOURCES} == SOURCES
    nullable = [3, 20, 21, 22, 25, 26, 28, 30]
    assert ColumnReader(list(SOURCES.values())).nullable == nullable


@pytest.mark.parametrize(
    "source",
    ["", "XPOS", "LOWER:suf8", "ORTH:", "TAG:coarse", "ORTH:suf3", "CLUSTER:5",
     "MORPH", "MORPH:case", "MORPH:Case=Nom", "CLUSTER:", "NORM:lexical", "flags"],
)  # fmt: skip
def test_unknown_sources(source):
    doc = Doc(Vocab(), words=["a"])
    message = f"token attribute {source!r} is unknown: expected MORPH:Case or the"
    with pytest.raises(ValueError, match=message):
        AttributeTable([doc], ["ORTH", source])


def test_sources_stated_twice():
    with pytest.raises(ValueError, match="'LOWER:suf3' is stated twice"):
        ColumnReader(["LOWER:suf3", "ORTH", "LOWER:suf3"])


# ---- values --------------------------------------------------------------------------


def test_forms():
    words = ["An", "AN", "an", "'m"]
    assert pattern(column("w", words)) == [0, 1, 2, 3]
    assert pattern(column("lower", words)) == [0, 0, 0, 3]
    assert pattern(column("norm", ["An", "“", "an", "”"])) == [0, 1, 0, 1]
    assert pattern(column("shape", ["Xylem", "Abbess", "abbess", "12", "37"])) == (
        [0, 0, 2, 3, 3]
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pre1", [0, 0, 0, 0, 4, 5, 6]),
        ("pre2", [0, 0, 0, 0, 4, 5, 6]),
        ("pre3", [0, 0, 0, 0, 4, 5, 6]),
        ("pre5", [0, 1, 0, 3, 4, 5, 6]),
        ("suf1", [0, 0, 2, 2, 2, 5, 6]),
        ("suf2", [0, 0, 2, 2, 2, 5, 6]),
        ("suf3", [0, 0, 2, 2, 2, 5, 6]),
        ("suf4", [0, 0, 2, 3, 4, 5, 6]),
        ("suf7", [0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_affixes(name, expected):
    """Words of one letter are no affixes of others."""
    words = ["planting", "plating", "planted", "plaited", "fated", "a", "d"]
    assert pattern(column(name, words)) == expected


def test_affixes_are_lower_cased():
    words = ["The", "the", "THE", "ÄHNA", "ähna"]
    for name in AFFIXES:
        assert pattern(column(name, words)) == [0, 0, 0, 3, 3]


def test_flags():
    words = ["house", "barn", "House", "HOUSE", "12", "1,000", ".", "?!", "b2b", "$",
             "(", "]", "http://a.example", "a@b.example", "«", "c3d"]  # fmt: skip
    assert pattern(column("flags", words)) == (
        [0, 0, 2, 3, 4, 5, 6, 6, 8, 9, 10, 10, 12, 13, 10, 8]
    )


def test_forms_do_not_depend_on_the_vocab():
    """Which may be that of another language, or of none."""
    words = ["Two", "hands", "12", "are", "."]
    for name in ("w", "pre2", "suf3", "flags"):
        assert column(name, words) == column(name, words, Vocab())


def test_lemmas_and_coarse_tags():
    found = column("lemma", ["sat", "sit", "stood"], lemmas=["sit", "sit", "stand"])
    assert pattern(found) == [0, 0, 2]
    found = column("pos", ["a", "b", "c"], pos=["NOUN", "VERB", "NOUN"])
    assert pattern(found) == [0, 1, 0]


def test_parts_of_lemmas():
    """Parts without characters are none: the lemma of a plus sign is its stem."""
    lemmas = ["map", "map+s", "map+o+s", "+", "+s", "a+", ""]
    words = list("abcdefg")
    stems, endings = (column(part, words, lemmas=lemmas) for part in ("stem", "ending"))
    assert stems == [
        get_string_id(stem) for stem in ["map"] * 3 + ["+", "+s", "a+", ""]
    ]
    assert endings == [0, get_string_id("s"), get_string_id("s"), 0, 0, 0, 0]
    doc = Doc(VOCAB, words=words, lemmas=lemmas)
    both = AttributeTable([doc], ["LEMMA:ending", "LEMMA", "LEMMA:stem"])
    assert both.values[:, 0].tolist() == endings
    assert both.values[:, 2].tolist() == stems


def test_morphology():
    """One column for each feature, null where a word does not have it."""
    morphs = ["Case=Nom|Number=Sing", "Case=Acc", "", "Case=Nom|Number[psor]=Sing",
              "Case=Acc,Nom", "Number=Sing"]  # fmt: skip
    words = list("abcdef")
    assert pattern(column("mCase", words, morphs=morphs)) == [0, 1, None, 0, 4, None]
    assert pattern(column("mNumber", words, morphs=morphs)) == (
        [0, None, None, None, None, 0]
    )
    assert pattern(column("mNumber[psor]", words, morphs=morphs)) == (
        [None, None, None, 3, None, None]
    )
    assert column("mTense", words, morphs=morphs) == [0] * 6
    assert column("mCase", words) == [0] * 6


def test_clusters():
    """Paths are read from the lowest bit on; a form without cluster is null."""
    words = ["a", "b", "c", "d", "e", "f"]
    numbers = {"a": 0b1_010101, "b": 0b010101, "c": 0b11_0101, "d": 0b1_000000, "e": 0}
    vocab = Vocab()
    add_clusters(vocab.lookups, numbers)
    assert column("cl", words, vocab)[:4] == list(numbers.values())[:4]
    assert pattern(column("cl", words, vocab)) == [0, 1, 2, 3, 4, None]
    assert pattern(column("cl4", words, vocab)) == [0, 0, 0, 3, 3, None]
    assert pattern(column("cl6", words, vocab)) == [0, 0, 2, 3, 3, None]
    assert column("cl6", words, Vocab()) == [0] * 6


@pytest.mark.parametrize("names", [list(SOURCES), ["suf3"], ["flags"], ["cl"], []])
def test_no_words_and_blanks(names):
    sources = [source_of(name, "TAG") for name in names]
    assert AttributeTable([Doc(VOCAB)], sources).values.shape == (0, len(names))
    tokens = AttributeTable([Doc(VOCAB, words=["\n", "on"])], sources)
    assert tokens.values.shape == (2, len(names))
    assert len(tokens.sentence(np.array([1]))) == 1


# ---- features ------------------------------------------------------------------------


def test_null_values_are_null_atoms():
    """Where both words agree, where they do not, and where one says nothing."""
    templates = FeatureTemplates(["S0mCase.N0mCase", "S0mCase", "N0cl", "S0suf2"])
    sources = [source_of(c, "TAG") for c in templates.columns]
    system = make_nlp().get_pipe(NAME).recipe.system
    c = system.configuration(2, stack=[1], buffer=[2, 0])

    def atoms(*morphs):
        doc = Doc(VOCAB, words=["a", "b"], morphs=list(morphs))
        sentence = AttributeTable([doc], sources).sentence(None)
        return dict(Extractor(templates).atom_values(c, sentence))

    nominative = atoms("Case=Nom", "Case=Nom")
    assert list(nominative) == ["S0mCase.N0mCase", "S0mCase", "S0suf2"]
    one, other = nominative["S0mCase.N0mCase"]
    assert one == other
    one, other = atoms("Case=Nom", "Case=Acc")["S0mCase.N0mCase"]
    assert one != other
    assert atoms("", "Case=Acc")["S0mCase.N0mCase"] == (0, other)
    assert list(atoms("", "Number=Sing")) == ["S0suf2"]


# ---- models --------------------------------------------------------------------------


EVERY_COLUMN = feature_templates(
    *(f"{node}{name}" for name in SOURCES for node in ("S0", "N0")),
    *("S0suf3.N0suf3", "S0w.N0w"),
)


@pytest.mark.filterwarnings("ignore:.*which the features use")
def test_a_model_on_every_column(tmp_path):
    """Trains, stores the sources, and parses the same when it is loaded."""
    nlp = make_nlp(features=EVERY_COLUMN, tag_attr="TAG")
    assert train(nlp, examples(nlp.vocab), epochs=30)[NAME] == 0
    parser = nlp.get_pipe(NAME)
    assert parser.model.sources == SOURCES
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert loaded.get_pipe(NAME).model.sources == SOURCES
    assert parse_all(loaded) == parse_all(nlp)
    copy = make_nlp(features=EVERY_COLUMN, tag_attr="TAG").from_bytes(nlp.to_bytes())
    assert parse_all(copy) == parse_all(nlp)


def test_models_with_sources_of_another_release_are_refused():
    features = feature_templates("S0suf3", "N0suf3", "S0w.N0w")
    nlp = make_nlp(features=features, epochs=1)
    parser = nlp.get_pipe(NAME)
    parser.model.sources["suf3"] = "ORTH:ending"
    data = parser.to_bytes(exclude=["vocab"])
    other = make_nlp(features=features).get_pipe(NAME)
    with pytest.raises(ModelFileError, match=r"token attributes .*'ORTH:ending'"):
        other.from_bytes(data)


def test_parses_do_not_depend_on_what_was_parsed_before(monkeypatch):
    """Tables that remember next to nothing give the same parses."""
    nlp = make_nlp(
        "en", features=feature_templates("S0suf3", "N0suf3", "S0flags.N0flags", "d")
    )
    train(nlp, [example(nlp.vocab, s) for s in SENTENCES])
    before = parse_all(nlp)
    parse(nlp, [f"x{k}" for k in range(1000)])
    assert parse_all(nlp) == before
    small = StringTable(values_of_form, len(OF_FORM), 2)
    monkeypatch.setattr(columns, "FORM_TABLE", small)
    assert parse_all(nlp) == before
