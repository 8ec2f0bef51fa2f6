"""Docs written as CoNLL-U: the order of features, and blanks of all kinds."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_dynoracle.treebank import doc_to_conllu, to_doc, writer
from spacy_dynoracle.treebank.writer import doc_sentences

from ..conllu import sentences_of

ROW = "{}\t{}\t_\tX\t_\t_\t{}\tdep\t_\t_\n"


def features_of(feats):
    doc = Doc(spacy.blank("xx").vocab, ["x"], morphs=[feats], heads=[0], deps=["ROOT"])
    return doc_to_conllu(doc).split("\t")[5]


@pytest.mark.parametrize(
    "feats",
    [
        "Number=Plur|NumForm=Digit|NumType=Card",
        "Abbr=Yes|Number=Sing|NumValue=1",
        "Number=Sing|Number[psor]=Sing|NumType=Card|Person[psor]=3",
        "Case=Gen|Gender=Masc|Number=Dual|NumForm=Word",
        "aspect=Imp|Case=Nom|mood=Ind",
        "PronType=Prs",
    ],
)
def test_features_are_sorted_without_regard_to_case(feats):
    names = [feature.partition("=")[0].lower() for feature in feats.split("|")]
    found = features_of(feats)
    assert found.split("|") == [
        feature for _, feature in sorted(zip(names, feats.split("|"), strict=True))
    ]


def test_a_word_without_features():
    assert features_of("") == "_"


@pytest.mark.parametrize("blank", ["\xa0", "\u202f", "\u2009", "\u3000", " "])
def test_a_single_blank_of_any_kind_stays(blank):
    form = f"26{blank}000"
    text = f"# text = x {form}\n{ROW.format(1, 'x', 0)}{ROW.format(2, form, 1)}\n"
    (sentence,) = sentences_of(text)
    written = doc_to_conllu(to_doc(sentence, spacy.blank("xx").vocab))
    (found,) = sentences_of(written)
    assert found.forms == ["x", form]
    assert found.text == f"x {form}"


@pytest.mark.parametrize(
    "blanks", ["\t", "\n", "\r\n", "\x85", "\u2028", " \xa0", "\x0b"]
)
def test_line_ends_and_several_blanks_become_a_space(blanks):
    doc = Doc(spacy.blank("xx").vocab, [f"a{blanks}b"], heads=[0], deps=["ROOT"])
    _, text, row, *_ = doc_to_conllu(doc).split("\n")
    assert text == "# text = a b"
    assert row.split("\t")[1] == "a b"


def test_the_text_has_the_characters_of_the_doc():
    """A token that is a no-break space is no word."""
    nlp = spacy.blank("en")
    doc = nlp("10\xa0% of it")
    written = doc_to_conllu(doc)
    assert "# text = 10\xa0% of it\n" in written
    assert [r.split("\t")[1] for r in written.split("\n")[2:-2]] == [
        "10", "%", "of", "it",
    ]  # fmt: skip


@pytest.mark.parametrize(("given", "written"), [("_", "_"), ("NOUN", "VERB")])
def test_xpos_with_the_names_of_upos(given, written):
    """It is written of a sentence that has it."""
    text = f"1\tx\t_\tNOUN\t{given}\t_\t0\troot\t_\t_\n\n"
    (sentence,) = sentences_of(text)
    doc = Doc(spacy.blank("xx").vocab, ["x"], tags=["VERB"], pos=["VERB"])
    (found,) = doc_sentences(doc, sentence, doc_tags=True, xpos=False)
    assert (found.words[0].upos, found.words[0].xpos) == ("VERB", written)


@pytest.mark.parametrize(("given", "written"), [("_", "y"), ("x", "x")])
def test_lemmas_are_added_to_a_sentence_with_tags_alone(given, written):
    (sentence,) = sentences_of(f"1\tx\t{given}\tNOUN\t_\t_\t0\troot\t_\t_\n\n")
    doc = Doc(spacy.blank("xx").vocab, ["x"], pos=["VERB"], lemmas=["y"])
    (found,) = doc_sentences(doc, sentence, doc_tags=False, xpos=False)
    assert (found.words[0].lemma, found.words[0].upos) == (written, "NOUN")


def test_no_more_strings_are_remembered_than_wanted(monkeypatch):
    monkeypatch.setattr(writer, "_MOST", 2)
    docs = [Doc(spacy.blank("xx").vocab, [f"w{i}", f"v{i}"]) for i in (1, 2, 3, 1)]
    found = [[w.form for s in doc_sentences(doc) for w in s.words] for doc in docs]
    assert found == [["w1", "v1"], ["w2", "v2"], ["w3", "v3"], ["w1", "v1"]]
    assert len(writer._forms._made) <= 4


def test_a_head_in_another_sentence_is_not_written():
    """A component behind the parser may have set other boundaries."""
    doc = Doc(spacy.blank("xx").vocab, [*"abcd"], heads=[0, 0, 3, 0], deps=[*"xyzu"])
    doc.from_array(["SENT_START"], np.array([[1], [0], [1], [0]], dtype=np.uint64))
    first, second = doc_sentences(doc)
    assert [(w.head, w.deprel) for w in first.words] == [(0, "x"), (1, "y")]
    assert [(w.head, w.deprel) for w in second.words] == [(2, "z"), (None, None)]


def test_a_circle_of_whitespace_ends():
    words, starts = ["a", " ", "\n"], [True, False, False]
    vocab = spacy.blank("xx").vocab
    for heads in ([1, 2, 1], [1, 0, 2]):
        doc = Doc(vocab, words, heads=heads, deps=["x"] * 3, sent_starts=starts)
        # No word is its own head.
        assert "\t0\t" in doc_to_conllu(doc)


def test_whitespace_in_a_tree():
    """The nearest ancestor that is a word is the head, and the first word below a root
    that is none becomes the root. A head without a label is known.
    """
    words = ["w", "d", "\n", "a", "b", "\t", "c", "\n\u2029>", "e"]
    deps = ["det", "", "ROOT", "nsubj", "obj", "dep", "conj", "dep", "x"]
    heads = [3, 3, 2, 2, 5, 0, 2, 3, 3]
    spaces = [i in (0, 6) for i in range(9)]
    doc = Doc(spacy.blank("xx").vocab, words, spaces, heads=heads, deps=deps)
    _, text, *rows = doc_to_conllu(doc).split("\n")
    assert text == "# text = w d ab c e"
    found = [row.split("\t") for row in rows if row]
    assert [(row[1], *row[6:8], row[9]) for row in found] == [
        ("w", "3", "det", "_"),
        ("d", "3", "_", "_"),
        ("a", "0", "root", "SpaceAfter=No"),
        ("b", "1", "obj", "_"),
        ("c", "3", "conj", r"SpacesAfter=\s\n\s>"),
        ("e", "3", "x", "_"),
    ]
