"""Reading CoNLL-U and CoNLL-X, building Docs and writing them."""

import io
import os
from pathlib import Path

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_dynoracle.errors import TreebankError
from spacy_dynoracle.treebank import (
    Problem,
    doc_to_conllu,
    heads_and_labels,
    read_conllu,
    to_doc,
)
from spacy_dynoracle.treebank.files import find_split, find_splits
from spacy_dynoracle.treebank.pipelines import has_xpos
from spacy_dynoracle.treebank.text import sentence_text

from ..conllu import sentences_of

TREEBANKS = os.environ.get("DYNORACLE_TREEBANKS")

PLAIN = """\
# sent_id = first
# text = Anna didn't sleep, sadly.
1\tAnna\tAnna\tPROPN\tNNP\tNumber=Sing\t4\tnsubj\t_\t_
2-3\tdidn't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdid\tdo\tAUX\tVBD\tTense=Past\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tsleep\tsleep\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
5\t,\t,\tPUNCT\t,\t_\t6\tpunct\t_\t_
5.1\tvery\tvery\tADV\t_\t_\t_\t_\t6:advmod\t_
6\tsadly\tsadly\tADV\tRB\t_\t4\tadvmod\t_\tSpaceAfter=No
7\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

"""


def row(i, form, head, deprel="dep"):
    """A token line."""
    return f"{i}\t{form}\t_\tX\t_\t_\t{head}\t{deprel}\t_\t_\n"


def bare(ids, form):
    """A line with nothing but a form."""
    return f"{ids}\t{form}" + "\t_" * 8 + "\n"


def write(tmp_path, text, name="some.conllu"):
    """A file with the text."""
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def problems(text):
    """All problems of a text."""
    found: list[Problem] = []
    stream = io.BytesIO(text.encode())
    list(read_conllu("some.conllu", on_problem=found.append, stream=stream))
    return found


def test_reads_all_columns():
    (sentence,) = sentences_of(PLAIN)
    assert sentence.sent_id == sentence.name == "first"
    assert sentence.line == 1
    assert sentence.forms == ["Anna", "did", "n't", "sleep", ",", "sadly", "."]
    assert sentence.heads == [4, 4, 4, 0, 6, 4, 4]
    assert sentence.deprels[0] == "nsubj"
    assert sentence.words[1].lemma == "do"
    assert sentence.words[1].xpos == "VBD"
    assert sentence.words[1].line == 5
    assert [
        (span.first, span.last, span.form) for span in sentence.multiword_tokens
    ] == [(2, 3, "didn't")]
    assert [n for n, _ in sentence.insertions] == [1, 5]
    assert sentence.text == sentence_text(sentence) == "Anna didn't sleep, sadly."


def test_reads_conllx_without_comments_and_last_blank_line(tmp_path):
    text = row(1, "Go", 0, "ROOT") + "\n\n" + row(1, "Stay", 0, "ROOT").strip()
    sentences = list(read_conllu(write(tmp_path, text, "some.conll")))
    assert [sentence.forms for sentence in sentences] == [["Go"], ["Stay"]]
    assert [sentence.name for sentence in sentences] == ["#1", "#2"]
    assert sentences[1].line == 4


def test_byte_order_mark_and_windows_line_ends(tmp_path):
    path = write(tmp_path, b"\xef\xbb\xbf" + PLAIN.replace("\n", "\r\n").encode())
    (sentence,) = read_conllu(path)
    assert sentence.sent_id == "first"
    assert sentence.words[-1].misc == "_"


def test_unknown_head_and_label():
    (sentence,) = sentences_of(row(1, "a", "_", "_") + row(2, "b", 1, "_"))
    assert sentence.heads == [None, 1]
    assert sentence.deprels == [None, None]


@pytest.mark.parametrize(
    ("text", "kind", "line", "words"),
    [
        (row(1, "a", 2) + row(2, "b", 3) + row(3, "c", 2), "root", 2, "no root"),
        (row(1, "a", 0) + row(2, "b", 3) + row(3, "c", 2), "cycle", 2, "2 -> 3 -> 2"),
        (row(1, "a", 0) + row(2, "b", 2), "cycle", 2, "2 -> 2"),
        (
            row(1, "a", 0) + row(2, "b", 4) + row(3, "c", 2) + row(4, "d", 3),
            "cycle",
            2,
            "2 -> 4 -> 3 -> 2;",
        ),
        (row(1, "a", 0) + row(2, "b", 3), "head", 2, "out of range"),
        (row(1, "a", "x"), "head", 1, "not an integer"),
        (row(1, "a", -1), "head", 1, "not an integer"),
        (row(1, "a", "9" * 5000), "head", 1, "not an integer"),
        (row(1, "a", 0).replace("\t_\n", "\n"), "columns", 1, "9 tab-separated"),
        (row(1, "a", 0).replace("\t", "  "), "columns", 1, "blanks"),
        (row(1, "a", 0) + row(3, "b", 1), "ids", 2, "where 2 was expected"),
        (row(1, "a", 0) + row(1, "b", 0), "ids", 2, "'1' where 2"),
        (row(1, "", 0), "form", 1, "empty form"),
        (row(1, "a", 0, ""), "deprel", 1, "empty label"),
        (bare("1.1", "a"), "words", 1, "no word"),
        (bare("2-3", "ab") + row(1, "a", 0), "range", 1, "place"),
        (bare("1-2", "ab") + row(1, "a", 0), "range", 1, "beyond"),
        (bare("1-1", "ab") + row(1, "a", 0), "range", 1, "end later"),
        (bare("1-2", "") + row(1, "a", 0) + row(2, "b", 1), "form", 1, "of a range"),
    ],
)
def test_malformed(text, kind, line, words):
    (problem,) = problems(row(1, "Fine", 0) + "\n# sent_id = bad\n" + text)
    assert problem.kind == kind
    assert problem.sentence == "bad"
    assert words in problem.message
    if kind != "words":  # a whole sentence: from its first comment on
        assert problem.line == line + 3
    with pytest.raises(
        TreebankError, match=r"^some\.conllu:\d+: sentence #1: "
    ) as info:
        sentences_of(text)
    assert words in str(info.value)
    assert "\n" not in str(info.value)
    assert info.value.path == "some.conllu"
    assert info.value.sentence == "#1"
    assert info.value.line == line


def test_sentence_with_a_range_beyond_its_words_has_a_text():
    text = row(1, "a", 0) + row(2, "b", 1) + bare("3-4", "du")
    stream = io.BytesIO(text.encode())
    (sentence,) = read_conllu("x", on_problem=lambda problem: None, stream=stream)
    assert sentence_text(sentence) == "a b"


def test_wrong_encoding_names_line_and_offset(tmp_path):
    data = row(1, "Fine", 0).encode() + b"\n" + row(1, "café", 0).encode("latin-1")
    path = write(tmp_path, data)
    offset = data.index(b"\xe9")
    with pytest.raises(TreebankError, match=f"0xe9 at offset {offset} ") as info:
        list(read_conllu(path))
    assert info.value.line == 3
    found: list[Problem] = []
    assert len(list(read_conllu(path, on_problem=found.append))) == 2
    assert [problem.kind for problem in found] == ["encoding"]


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_empty_file(tmp_path, text):
    with pytest.raises(TreebankError, match="no sentence"):
        list(read_conllu(write(tmp_path, text)))


def test_missing_file_and_directory(tmp_path):
    with pytest.raises(TreebankError, match="no such file"):
        read_conllu(tmp_path / "none.conllu")
    with pytest.raises(TreebankError, match="is a directory"):
        read_conllu(tmp_path)


def test_collecting_goes_on_after_a_problem():
    text = "1\ta\n" + row(2, "b", 0) + "\n" + row(1, "c", 7) + "\n" + row(1, "d", 0)
    assert [problem.kind for problem in problems(text)] == ["columns", "head"]


@given(st.binary(max_size=200))
def test_any_bytes_give_sentences_or_treebank_errors(data):
    found: list[Problem] = []
    stream = io.BytesIO(data)
    sentences = list(read_conllu("x", on_problem=found.append, stream=stream))
    assert sentences or found
    for sentence in sentences:
        if not sentence.problems:
            assert len(to_doc(sentence, Vocab())) == len(sentence.words)


def test_to_doc_with_tree():
    (sentence,) = sentences_of(PLAIN)
    doc = to_doc(sentence, spacy.blank("en").vocab)
    assert doc.text.startswith("Anna didn't sleep, sadly.")
    assert [token.tag_ for token in doc][:2] == ["NNP", "VBD"]
    assert [token.pos_ for token in doc][:2] == ["PROPN", "AUX"]
    assert str(doc[1].morph) == "Tense=Past"
    assert doc[1].lemma_ == "do"
    assert [token.dep_ for token in doc][3] == "ROOT"
    assert doc[0].head.i == 3
    assert len(list(doc.sents)) == 1


def test_to_doc_without_tree_is_one_sentence():
    (sentence,) = sentences_of(PLAIN)
    doc = to_doc(sentence, Vocab(), tags=False, tree=False)
    assert not doc.has_annotation("DEP")
    assert not doc.has_annotation("TAG")
    assert [token.is_sent_start for token in doc] == [True] + [False] * 6


def test_to_doc_unknown_heads_and_labels():
    (sentence,) = sentences_of(
        row(1, "a", "_") + row(2, "b", 1, "_") + row(3, "c", 0, "root")
    )
    doc = to_doc(sentence, Vocab())
    assert not doc[0].has_head()
    assert heads_and_labels(doc) == ([None, 1, 0], [None, None, "ROOT"])
    for label, heads in (("x", [2, 0]), ("_", [2, None])):
        (sentence,) = sentences_of(row(1, "a", 2, label) + row(2, "b", 0, "_"))
        assert heads_and_labels(to_doc(sentence, Vocab()))[0] == heads


def test_words_of_a_tagged_sentence_without_features_have_none():
    (sentence,) = sentences_of("1\tOK\t_\tINTJ\t_\t_\t0\troot\t_\t_\n\n")
    assert to_doc(sentence, Vocab())[0].has_morph()
    assert not to_doc(sentence, Vocab(), tags=False)[0].has_morph()


def test_to_doc_tags_spacy_cannot_represent():
    text = "1\t.\t_\t.\tP1\tsg|m\t0\tROOT\t_\t_\n2\tx\t_\tNope\t_\t_\t1\tp\t_\t_\n"
    (sentence,) = sentences_of(text)
    doc = to_doc(sentence, Vocab())
    assert [token.pos_ for token in doc] == ["PUNCT", ""]
    assert not str(doc[0].morph)


def test_blanks_at_the_ends_of_lines():
    rows = (
        "1\ta\t_\tX\t_\t_\t0\troot\t_\tSpaceAfter=No \n2\tb\t_\tX\t_\t_\t1\tp\t_\t_\n"
    )
    (sentence,) = sentences_of(rows)
    assert to_doc(sentence, Vocab()).text == "ab "


def test_tags_are_xpos_or_else_those_of_upos():
    """Where a treebank has XPOS, a word without one has none in the treebank."""
    rows = "1\ta\t_\tX\t{}\t_\t0\troot\t_\t_\n2\tb\t_\tY\t{}\t_\t1\tp\t_\t_\n"
    pairs = (("_", "_"), ["X", "Y"]), (("A", "_"), ["A", "_"]), (("A", "B"), ["A", "B"])
    for xpos, expected in pairs:
        (sentence,) = sentences_of(rows.format(*xpos))
        doc = to_doc(sentence, Vocab())
        assert [token.tag_ for token in doc] == expected


def test_to_doc_refuses_a_sentence_with_problems():
    stream = io.BytesIO(row(1, "a", 2).encode())
    (sentence,) = read_conllu("x", on_problem=lambda problem: None, stream=stream)
    with pytest.raises(ValueError, match="out of range"):
        to_doc(sentence, Vocab())


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        row(1, "Go", 0, "ROOT") + row(2, "!", 1, "p") + "\n",
        row(1, "a", "_", "_") + row(2, "b", 0, "root") + "\n",
    ],
)
def test_writing_gives_back_what_was_read(text):
    (sentence,) = sentences_of(text)
    assert doc_to_conllu(to_doc(sentence, Vocab()), sentence) == text


def test_writing_takes_heads_and_tags_from_the_doc():
    (sentence,) = sentences_of(row(1, "a", 0, "root") + row(2, "b", 1))
    doc = spacy.tokens.Doc(
        Vocab(), words=["a", "b"], heads=[1, 1], deps=["obj", "ROOT"], tags=["T", "U"]
    )
    assert doc_to_conllu(doc, sentence).splitlines()[0].split("\t")[6:8] == ["2", "obj"]
    assert doc_to_conllu(doc, sentence).split("\t")[4] == "_"
    assert doc_to_conllu(doc, sentence, doc_tags=True).split("\t")[4] == "T"
    with pytest.raises(ValueError, match="1 tokens"):
        doc_to_conllu(spacy.tokens.Doc(Vocab(), words=["a"]), sentence)


def test_writing_tags_of_the_doc_leaves_none_of_the_sentence():
    line = "1\ta\tthe\tDET\tDT\tA=b\t0\troot\t_\t_\n\n"
    (sentence,) = sentences_of(line)
    plain = spacy.tokens.Doc(Vocab(), ["a"], heads=[0], deps=["ROOT"])
    tagged = spacy.tokens.Doc(Vocab(), ["a"], heads=[0], deps=["ROOT"], pos=["X"])
    lemmas = spacy.tokens.Doc(Vocab(), ["a"], deps=["ROOT"], tags=["T"], lemmas=["b"])
    features = spacy.tokens.Doc(Vocab(), ["a"], deps=["ROOT"], morphs=["C=d"])
    for doc, columns in (
        (features, ["the", "_", "_", "C=d"]),
        (plain, ["the", "DET", "DT", "A=b"]),
        (tagged, ["the", "X", "_", "_"]),
        (lemmas, ["b", "_", "T", "_"]),
    ):
        written = doc_to_conllu(doc, sentence, doc_tags=True)
        assert written.split("\t")[2:6] == columns
    without = doc_to_conllu(lemmas, sentence, doc_tags=True, xpos=False)
    assert without.split("\t")[2:6] == ["b", "T", "T", "_"]
    assert "\t_\tT\t_\t" in doc_to_conllu(lemmas)
    assert "\tT\t_\t_\t" in doc_to_conllu(lemmas, xpos=False)


@pytest.mark.parametrize(
    ("tags", "pos", "expected"),
    [
        (["DT"], ["DET"], True),
        (["DET"], ["DET"], False),
        (["CONJ"], ["CONJ"], False),
        ([], ["DET"], True),
    ],
)
def test_a_tag_that_stands_for_upos_is_no_xpos(tags, pos, expected):
    ours, theirs = spacy.blank("en"), spacy.blank("en")
    assert has_xpos(ours)
    doc = spacy.tokens.Doc(ours.vocab, ["a"], tags=tags or None, pos=pos)
    ours.add_pipe("dynoracle_tagger")
    ours.initialize(lambda: [Example(ours.make_doc("a"), doc)])
    assert has_xpos(ours) is expected
    for tag in tags:
        theirs.add_pipe("tagger").add_label(tag)
        assert has_xpos(theirs) is expected
        theirs.add_pipe("tagger", name="second").add_label("NN")
        assert has_xpos(theirs)
    ours.add_pipe("attribute_ruler")
    assert has_xpos(ours)


def test_writing_plain_docs_leaves_whitespace_out():
    words = [" ", "Go", "\n", "on", ".", "Stop", "!"]
    spaces = [False, True, False, False, True, False, False]
    # "on" hangs from the line break, which hangs from "Go".
    heads = [1, 1, 1, 2, 1, 5, 5]
    deps = ["dep", "ROOT", "dep", "prt", "punct", "ROOT", "punct"]
    doc = spacy.tokens.Doc(Vocab(), words, spaces, heads=heads, deps=deps)
    text = doc_to_conllu(doc)
    first, second = sentences_of(text)
    assert first.forms == ["Go", "on", "."]
    assert first.heads == [0, 1, 1]
    assert first.deprels == ["root", "prt", "punct"]
    assert first.text == sentence_text(first) == "Go on."
    assert [first.name, second.name] == ["1", "2"]
    assert second.heads == [0, 1]


def test_writing_an_unparsed_doc():
    doc = spacy.tokens.Doc(Vocab(), words=["a", "b"])
    (sentence,) = sentences_of(doc_to_conllu(doc))
    assert sentence.heads == [None, None]


def test_find_splits(tmp_path):
    train = write(tmp_path, PLAIN, "train.conll")
    dev = write(tmp_path, PLAIN, "xx_b-ud-dev.conllu")
    assert find_splits(tmp_path) == {"train": train, "dev": dev}
    write(tmp_path, PLAIN, "xx_c-ud-dev.conllu")
    with pytest.raises(TreebankError, match="several files"):
        find_split(tmp_path, "dev")


@pytest.mark.skipif(not TREEBANKS, reason="DYNORACLE_TREEBANKS is not set")
def test_real_treebanks_survive_reading_and_writing():
    vocab = Vocab()
    checked = 0
    for path in sorted(Path(TREEBANKS or "").glob("*/dev.conll*")):
        for sentence in read_conllu(path):
            block = doc_to_conllu(to_doc(sentence, vocab), sentence)
            (again,) = sentences_of(block)
            assert again.words == tuple(
                token._replace(line=copy.line)
                for token, copy in zip(sentence.words, again.words, strict=True)
            )
            checked += 1
    assert checked
