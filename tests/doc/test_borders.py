"""The direct way through the memory of spaCy does what the portable way does."""

import builtins

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.attrs import (
    DEP,
    HEAD,
    IDS,
    IS_PUNCT,
    LIKE_NUM,
    MORPH,
    NORM,
    POS,
    SENT_START,
    SHAPE,
    TAG,
)
from spacy.tokens import Doc
from spacy.util import add_lookups
from spacy.vocab import Vocab

from spacy_dynoracle.doc import borders
from spacy_dynoracle.doc.borders import (
    direct_module,
    read_portably,
    read_tokens,
    write_portably,
)

VOCAB = Vocab()
LABELS = [VOCAB.strings.add(label) for label in ("a", "b", "ROOT")]
ANALYSES = [VOCAB.morphology.add(a) for a in ("", "Case=Nom", "Case=Acc|Number=Sing")]
TAGS = [0, *(VOCAB.strings.add(tag) for tag in ("NN", "VB"))]
WORDS = ("The", "dogs", " ", "saw", "\n\n", "3", ".", "Cats")
DIRECT = direct_module()
needs_direct = pytest.mark.skipif(
    DIRECT is None, reason="another version of spaCy, or turned off"
)


def are_equal(doc, other):
    """Whether two Docs of the same words have the same annotation, with all that spaCy
    keeps of a tree.
    """
    attributes = [HEAD, DEP, SENT_START, POS, TAG, MORPH]
    edges, others = (
        [(t.n_lefts, t.n_rights, t.left_edge.i, t.right_edge.i) for t in which]
        for which in (doc, other)
    )
    return edges == others and np.array_equal(
        doc.to_array(attributes), other.to_array(attributes)
    )


def new_doc(n):
    return Doc(VOCAB, words=[WORDS[i % len(WORDS)] for i in range(n)])


@st.composite
def tree_tables(draw):
    """Offsets and labels of any heads, which need not form a tree."""
    n = draw(st.integers(0, 12))
    heads = draw(st.lists(st.integers(0, max(n - 1, 0)), min_size=n, max_size=n))
    labels = draw(st.lists(st.sampled_from([0, *LABELS]), min_size=n, max_size=n))
    offsets = np.array(heads, dtype=np.int64) - np.arange(n)
    return np.stack([offsets.view(np.uint64), np.array(labels, np.uint64)], axis=1)


@st.composite
def tag_tables(draw):
    n = draw(st.integers(0, 9))
    columns = (
        st.sampled_from([-1, 0, 1]),
        st.integers(0, 20),
        st.sampled_from(TAGS),
        st.sampled_from(ANALYSES),
    )
    rows = draw(st.lists(st.tuples(*columns), min_size=n, max_size=n))
    unsigned = [[value % (1 << 64) for value in row] for row in rows]
    return np.array(unsigned, dtype=np.uint64).reshape(n, len(columns))


def assert_written(tables, attributes):
    """They are as spaCy writes them."""
    expected, found = ([new_doc(len(t)) for t in tables] for _ in range(2))
    for doc, table in zip(expected, tables, strict=True):
        write_portably(doc, attributes, table)
    assert DIRECT.write(found, tables, attributes) == []
    assert all(map(are_equal, expected, found))


@needs_direct
@given(st.lists(tree_tables(), max_size=4))
def test_trees_are_written_as_spacy_writes_them(tables):
    assert_written(tables, borders.TREE)


@needs_direct
@given(tree_tables(), tree_tables())
def test_a_tree_replaces_another_one(first, second):
    n = min(len(first), len(second))
    docs = [new_doc(n), new_doc(n)]
    for table in (first, second):
        inside = table[:n].copy()
        heads = inside[:, 0].view(np.int64) + np.arange(n)
        inside[heads >= n, 0] = 0
        write_portably(docs[0], borders.TREE, inside)
        assert DIRECT.write(docs[1:], [inside], borders.TREE) == []
    assert are_equal(*docs)


@needs_direct
@given(st.lists(tag_tables(), max_size=4))
def test_tags_and_starts_are_written_as_spacy_writes_them(tables):
    assert_written(tables, (SENT_START, POS, TAG, MORPH))


@pytest.mark.heavy
@given(st.lists(tag_tables(), max_size=4), st.data())
def test_all_attributes_are_read_as_spacy_reads_them(tables, data):
    docs = [new_doc(len(table)) for table in tables]
    for doc, table in zip(docs, tables, strict=True):
        write_portably(doc, (SENT_START, POS, TAG, MORPH), table)
        for token in doc:
            token.norm_ = data.draw(st.sampled_from(["", "look", "the"]))
            token.lemma_ = data.draw(st.sampled_from(["", "look"]))
    names = ["IS_SPACE", "LIKE_NUM", "ORTH", "LOWER", "NORM", "SHAPE", "LEMMA", "POS"]
    names += ["TAG", "MORPH", "DEP", "HEAD", "SENT_START", "SPACY", "IDX", "ORTH"]
    names += ["ENT_TYPE", "ENT_IOB", "LANG", "LENGTH", "PREFIX", "SUFFIX", "ID"]
    attributes = [IDS[name] for name in names]
    expected = read_portably(docs, attributes)
    assert expected.shape == (sum(map(len, docs)), len(names))
    assert np.array_equal(read_tokens(docs, attributes), expected)


@pytest.mark.parametrize("direct", [None, DIRECT])
def test_wrong_tables_are_refused_and_written_nowhere(direct, monkeypatch):
    monkeypatch.setattr(borders, "DIRECT", direct)
    good = np.array([[1, LABELS[0]], [0, LABELS[2]]], dtype=np.uint64)
    outside = np.array([[0, LABELS[2]], [1, LABELS[0]]], dtype=np.uint64)
    for bad in (good[:1], np.concatenate([good, good]), outside):
        doc = new_doc(2)
        with pytest.raises(ValueError, match=r"E190|E971"):
            borders.write_tokens([doc], borders.TREE, [bad])
        assert not doc.has_annotation("DEP")
    with pytest.raises(ValueError, match="E971"):
        borders.write_tokens([new_doc(2)], (TAG,), [good[:1, 1:]])


@pytest.mark.parametrize("direct", [None, DIRECT])
def test_tables_of_any_form_are_written(direct, monkeypatch):
    monkeypatch.setattr(borders, "DIRECT", direct)
    table = np.array([[1, LABELS[0]], [0, LABELS[2]]], dtype=np.uint64)
    read_only = table.copy()
    read_only.flags.writeable = False
    for form in (np.asfortranarray(table), read_only, np.repeat(table, 2, 1)[:, ::2]):
        doc = new_doc(2)
        borders.write_tokens([doc], borders.TREE, [form])
        assert [token.head.i for token in doc] == [1, 1]
        assert [token.dep_ for token in doc] == ["a", "ROOT"]


class OtherDoc(Doc):
    """A Doc that counts what is read and written."""

    calls = 0

    def to_array(self, *arguments):
        OtherDoc.calls += 1
        return super().to_array(*arguments)

    def from_array(self, *arguments):
        OtherDoc.calls += 1
        return super().from_array(*arguments)


def test_the_methods_of_subclasses_are_called():
    OtherDoc.calls = 0
    doc = OtherDoc(VOCAB, words=["a", "b"])
    assert read_tokens([new_doc(1), doc], [IDS["ORTH"]])[1:].tolist() == [
        [doc[0].orth],
        [doc[1].orth],
    ]
    table = np.array([[1, LABELS[0]], [0, LABELS[2]]], dtype=np.uint64)
    borders.write_tokens([new_doc(2), doc], borders.TREE, [table, table])
    assert OtherDoc.calls == 2
    assert doc[0].head.i == 1


# ---- when the direct way is used -----------------------------------------------------


def test_the_direct_way_is_used_with_the_spacy_it_was_built_for(monkeypatch):
    monkeypatch.delenv(borders.SWITCH, raising=False)
    direct = pytest.importorskip("spacy_dynoracle.doc.direct")
    expected = spacy.__version__.startswith(direct.BUILT_FOR)
    assert (direct_module() is not None) == expected


def test_it_can_be_turned_off(monkeypatch):
    monkeypatch.setenv(borders.SWITCH, "1")
    assert direct_module() is None


@pytest.mark.parametrize("version", ["3.7.5", "3.80.0", "4.0.0"])
def test_other_versions_of_spacy_take_the_portable_way(version, monkeypatch):
    monkeypatch.setattr(borders.about, "__version__", version)
    assert direct_module() is None


@pytest.mark.parametrize(
    "error", [ImportError, AttributeError, TypeError, ValueError, RuntimeWarning]
)
def test_a_module_that_does_not_fit_spacy_is_not_used(error, monkeypatch):
    """Cython raises these, or warns, when sizes or types differ at the import."""

    def refuse(name, *arguments):
        if "direct" in (arguments[2] or ()):
            raise error("size changed")
        return real_import(name, *arguments)

    real_import = builtins.__import__
    monkeypatch.delenv(borders.SWITCH, raising=False)
    monkeypatch.setattr(builtins, "__import__", refuse)
    assert direct_module() is None


# ---- lexemes ----------------------------------------------------------------------

LETTERS = ["Boat", "harbour", "XXXXXx", "ten", "NOUN", "is", "a", "I"]
LETTERS += ["q" * 99, "q" * 100]
OTHERS = ["Öl", "naïve", "12", "3rd", "it's", ",", "a.com", "http", "İ", "ß", "  "]
# Numbers of several languages.
OTHERS += ["Ten", "tenth", "10th", "dreißig", "deux", "deuxième", "ikinci", "kolme"]
OTHERS += ["“", "a\x00", "ǅ", "ⅷ", "²", "٣", "U.S", "a@b.c", "http://", "😀", "—", "€"]


# A NORM from a table, as pipelines with `lexeme_norm` have it.
GETTERS = spacy.blank("en").vocab.lex_attr_getters
GETTERS[NORM] = add_lookups(GETTERS[NORM], {"harbour": "port", "0": "naught"})


def attributes(vocab, word):
    lexeme = vocab[word]
    names = [n for n in dir(lexeme) if n.startswith(("is_", "like_"))]
    names += ["orth", "lower", "norm", "shape", "prefix", "suffix", "lang", "rank"]
    return {n: getattr(lexeme, n) for n in names} | {"length": len(lexeme.text)}


def made_of(vocab, words):
    return borders.make_doc(vocab, words, [True] * len(words))


@needs_direct
@pytest.mark.parametrize("lang", ["en", "de", "fi", "fr", "tr", "xx"])
def test_lexemes_are_those_that_spacy_makes(lang):
    made, expected = spacy.blank(lang).vocab, spacy.blank(lang).vocab
    words = [*LETTERS, *LETTERS, *OTHERS]
    doc, other = made_of(made, words), Doc(expected, words, [True] * len(words))
    assert doc.to_bytes() == other.to_bytes()
    assert set(made.strings) == set(expected.strings)
    assert {x.text for x in made} == {x.text for x in expected}
    for word in (*LETTERS, *OTHERS):
        assert attributes(made, word) == attributes(expected, word)


@needs_direct
@given(st.lists(st.text(min_size=1, max_size=8), max_size=20))
def test_lexemes_of_any_words_are_those_that_spacy_makes(words):
    made, expected = Vocab(lex_attr_getters=GETTERS), Vocab(lex_attr_getters=GETTERS)
    try:
        other = Doc(expected, words, [True] * len(words))
    except UnicodeEncodeError:
        with pytest.raises(UnicodeEncodeError):
            made_of(made, words)
        return
    assert made_of(made, words).to_bytes() == other.to_bytes()
    assert set(made.strings) == set(expected.strings)
    for word in words:
        assert attributes(made, word) == attributes(expected, word)


@needs_direct
@pytest.mark.parametrize("n", [0, 1, 19, 20, 21, 40, 41, 1000])
def test_documents_of_any_length_are_those_that_spacy_makes(n):
    vocab = Vocab()
    words = [f"w{i}" for i in range(n)]
    doc, other = made_of(vocab, words), Doc(vocab, words, [True] * n)
    assert doc.to_bytes() == other.to_bytes()
    with doc.retokenize() as changes:
        for i in range(n):
            changes.split(doc[i], [doc[i].text[0], doc[i].text[1:]], [(doc[i], 1)] * 2)
    assert doc.text == other.text


@needs_direct
def test_functions_of_lexical_attributes_may_be_others():
    vocab = spacy.blank("en").vocab
    vocab.lex_attr_getters = {
        **vocab.lex_attr_getters,
        IS_PUNCT: lambda text: text == "harbour",
        SHAPE: lambda text: text[::-1],
        LIKE_NUM: lambda text: None,
    }
    made_of(vocab, ["harbour", "ten"])
    assert [vocab["harbour"].is_punct, vocab["ten"].is_punct] == [True, False]
    assert [vocab["harbour"].shape_, vocab["ten"].like_num] == ["ruobrah", False]


class Unhashable:
    __hash__ = None

    def __call__(self, text):
        return text == "harbour"


@needs_direct
def test_functions_need_not_be_hashable():
    vocab = Vocab(lex_attr_getters={IS_PUNCT: Unhashable()})
    made_of(vocab, ["harbour", "ten"])
    assert [vocab["harbour"].is_punct, vocab["ten"].is_punct] == [True, False]


@needs_direct
@pytest.mark.parametrize("getters", [None, {}])
def test_a_vocab_without_functions_gets_lexemes(getters):
    vocab = Vocab(lex_attr_getters=getters)
    made_of(vocab, ["harbour"])
    assert [lexeme.text for lexeme in vocab] == ["harbour"]


@needs_direct
def test_lexemes_that_are_there_stay():
    vocab = spacy.blank("en").vocab
    vocab["harbour"].norm_ = "port"
    made_of(vocab, ["harbour"])
    assert vocab["harbour"].norm_ == "port"


@needs_direct
def test_lexemes_know_their_vectors():
    vocab = spacy.blank("en").vocab
    vocab.set_vector("harbour", np.ones(3, np.float32))
    fresh = Vocab(lex_attr_getters=vocab.lex_attr_getters)
    fresh.vectors = vocab.vectors
    made_of(fresh, ["harbour", "boat"])
    assert fresh["harbour"].rank == 0
    assert fresh["boat"].rank == spacy.blank("en").vocab["boat"].rank


@needs_direct
def test_lexemes_of_a_memory_zone_leave_with_it():
    nlp = spacy.blank("en")
    size = len(nlp.vocab.strings)
    with nlp.memory_zone():
        made_of(nlp.vocab, ["harbour"])
        assert "harbour" in nlp.vocab
    assert "harbour" not in nlp.vocab
    assert len(nlp.vocab.strings) == size
