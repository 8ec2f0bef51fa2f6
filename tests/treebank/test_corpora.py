"""Corpora in every kind of file, and from standard input."""

import gzip
import io
import os
import sys
import threading

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_dynoracle.errors import TreebankError
from spacy_dynoracle.treebank import (
    read_conllu,
    read_treebank,
    to_doc_bin,
)
from spacy_dynoracle.treebank.corpora import (
    begins_with_sentence,
    has_sentences,
    read_docs,
    stdin_is_corpus,
    text_lines,
)
from spacy_dynoracle.treebank.text import documents

DATA = """\
# newdoc id = first
# newpar
# sent_id = one
# note = kept
1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
2\t!\t!\tPUNCT\t.\t_\t1\tpunct\t_\t_

# sent_id = two
1\tStay\tstay\tVERB\tVB\t_\t0\troot\t_\t_

# newdoc id = second
# sent_id = three
1\tWait\twait\tVERB\tVB\t_\t0\troot\t_\t_

"""
BYTES = DATA.encode()


def spacy_bytes():
    sentences = read_conllu("x", stream=io.BytesIO(BYTES))
    return to_doc_bin(sentences, Vocab(), 2).to_bytes()


@pytest.fixture
def read(tmp_path):
    """Gives what is read of a file with some data."""

    def written(name, data):
        path = tmp_path / name
        path.write_bytes(data)
        return list(read_treebank(path))

    return written


@pytest.fixture
def pipe(monkeypatch):
    """Puts data on standard input."""

    def put(data, buffered=True):
        raw = io.BytesIO(data)
        stream = io.BufferedReader(raw) if buffered else raw
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))

    return put


def trees(sentences):
    return [(s.forms, s.heads, s.deprels) for s in sentences]


@pytest.mark.parametrize("name", ["x.conllu", "x.conll", "x.spacy"])
@pytest.mark.parametrize("packed", [False, True])
def test_every_kind_of_file(name, packed, read, tmp_path):
    plain = read("plain.conllu", BYTES)
    data = spacy_bytes() if name == "x.spacy" else BYTES
    if packed:
        name, data = f"{name}.gz", gzip.compress(data, mtime=0)
    found = read(name, data)
    assert trees(found) == trees(plain)
    assert [s.ordinal for s in found] == [1, 2, 3]
    assert [len(d) for d in read_docs(tmp_path / name, Vocab())] == (
        [2 + 1, 1] if ".spacy" in name else [2, 1, 1]
    )


@pytest.mark.parametrize("kind", ["conllu", "spacy", "gz", "spacy.gz"])
@pytest.mark.parametrize("buffered", [False, True])
def test_standard_input_can_be_read_again(kind, buffered, pipe, read):
    plain = read("plain.conllu", BYTES)
    data = spacy_bytes() if "spacy" in kind else BYTES
    pipe(gzip.compress(data, mtime=0) if "gz" in kind else data, buffered)
    assert stdin_is_corpus()
    assert trees(read_treebank("-")) == trees(read_treebank("-")) == trees(plain)


@pytest.mark.parametrize(
    "text", ["xylophones\nare loud\n", "# heading\n\n1 apple\n", "1\tapple\n", ""]
)
def test_text_on_standard_input_is_no_corpus(text, pipe):
    pipe(text.encode())
    assert not stdin_is_corpus()


@pytest.mark.parametrize("data", [BYTES, gzip.compress(BYTES, mtime=0)])
def test_named_pipes_are_read_once(tmp_path, data):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(data))
    writer.start()
    assert has_sentences(pipe)
    for _ in range(2):
        assert [s.name for s in read_treebank(pipe)] == ["one", "two", "three"]
    writer.join(timeout=10)


COMMENTS = b"# a line of a licence\n" * 1000


@pytest.mark.parametrize(
    "before",
    [
        b"",
        COMMENTS,
        b"# source = " + b"x" * 20_000 + b"\n",
        b"\n\n \n",
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbf# a\n\n# b\n",
        b"\r\n# windows\r\n",
    ],
)
@pytest.mark.parametrize("name", ["x", "x.txt", "x.data", "x.tsv", "x.txt.gz"])
def test_conllu_is_seen_from_its_content(name, before, tmp_path):
    data = before + BYTES[BYTES.index(b"1\t") :]
    path = tmp_path / name
    path.write_bytes(gzip.compress(data, mtime=0) if name.endswith("gz") else data)
    assert has_sentences(path)
    assert len(list(read_treebank(path))) == 3


@pytest.mark.parametrize(
    "row",
    [
        b"1" + b"\t_" * 9,
        b"1-2\tdu" + b"\t_" * 8,
        b"0.1\tempty" + b"\t_" * 8,
        b"1 Go go VERB VB _ 0 root _ _",
        b"1\tGo" + b"\t_" * 8 + b"\r",
    ],
)
def test_rows_of_conllu(row):
    assert begins_with_sentence([b"# x\n", row + b"\n"])


@pytest.mark.parametrize(
    "row",
    [
        b"1 apple and 2 pears",
        b"1\tapple",
        b"word" + b"\t_" * 9,
        b"1." + b"\t_" * 9,
        b"1" + b"\t_" * 10,
        b"Ten words in a line of text are no row. ",
        b"12 people were hurt where two boats met at sea.",
        b"3 dogs and 4 cats met 12 mice in 2012",
    ],
)
def test_rows_of_text(row):
    assert not begins_with_sentence([b"# heading\n", row + b"\n"])


def test_standard_input_is_kept_as_far_as_it_was_looked_at(pipe):
    pipe(b"# heading\nSome text.\n", True)
    assert not stdin_is_corpus()
    assert list(text_lines("-")) == [b"# heading\n", b"Some text.\n"]


@pytest.fixture
def unpacked(monkeypatch):
    """Has an element for each time that packed data were unpacked as a whole."""
    times = []
    decompress = gzip.decompress
    monkeypatch.setattr(gzip, "decompress", lambda x: times.append(1) or decompress(x))
    return times


@pytest.mark.parametrize("data", [b"Some text.\n" * 9, BYTES], ids=["text", "conllu"])
@pytest.mark.parametrize("where", ["x.gz", "x.txt.gz", "-", "pipe"])
def test_packed_input_is_unpacked_once(where, data, pipe, tmp_path, unpacked):
    packed, path = gzip.compress(data, mtime=0), tmp_path / where
    if where == "-":
        path = where
        pipe(packed, False)
    elif where == "pipe":
        os.mkfifo(path)
        threading.Thread(target=lambda: path.write_bytes(packed)).start()
    else:
        path.write_bytes(packed)
    assert has_sentences(path) is (data == BYTES)
    assert b"".join(text_lines(path)) == data
    assert len(unpacked) == 1


@pytest.mark.parametrize("name", ["x.gz", "x.txt.gz"])
@pytest.mark.parametrize(
    "data", [b"Text.", gzip.compress(b"# a\n" * 99, mtime=0)[:-9], b""]
)
def test_damaged_packed_input_is_told_when_it_is_looked_at(name, data, tmp_path):
    path = tmp_path / name
    path.write_bytes(data or b"\x1f\x8b")
    with pytest.raises(TreebankError, match=f"{name}: cannot be unpacked as a .gz"):
        has_sentences(path)


def test_a_byte_order_mark_in_the_middle(read):
    mark = b"\xef\xbb\xbf"
    assert len(read("x.conllu", mark + BYTES + mark + BYTES)) == 6


def test_documents_of_a_spacy_file_are_marked(read):
    found = read("x.spacy", spacy_bytes())
    # to_doc_bin cuts after two sentences, wherever documents begin.
    assert [len(group) for group in documents(found)] == [2, 1]
    assert [len(group) for group in documents(read("x.conllu", BYTES))] == [2, 1]


def test_a_partly_annotated_sentence_stays_whole(read):
    words = ["Well", ",", "we", "stay", "."]
    heads = ["_", "_", "4", "_", "4"]
    rows = [
        f"{i}\t{w}\t_\t_\t_\t_\t{h}\tdep\t_\t_\n"
        for i, (w, h) in enumerate(zip(words, heads, strict=True), 1)
    ]
    sentences = list(read("x.conllu", "".join([*rows, "\n"]).encode()))
    found = read("x.spacy", to_doc_bin(sentences, Vocab(), 1).to_bytes())
    assert [[w.head for w in s.words] for s in found] == [[None, None, 4, None, 4]]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("x.txt", b"Text.", "x.txt: expected a .conllu, .conll or .spacy file"),
        ("x.gz", gzip.compress(b"Text.", mtime=0), "x.gz: expected a .conllu, .conll"),
        ("x.conllu.gz", BYTES, "x.conllu.gz: cannot be unpacked as a .gz file"),
        (
            "x.conllu.gz",
            gzip.compress(BYTES, mtime=0)[:-9],
            "cannot be unpacked as a .gz",
        ),
        ("x.spacy", BYTES, "x.spacy: cannot be read as a .spacy file"),
        ("x.spacy", DocBin().to_bytes(), "x.spacy: the file contains no document"),
    ],
)
def test_other_files_are_named_in_the_error(name, data, message, read):
    with pytest.raises(TreebankError) as raised:
        read(name, data)
    assert message in str(raised.value)


def test_missing_files_and_directories(tmp_path):
    for path, message in ((tmp_path, "is a directory"), ("no.conllu", "no such file")):
        with pytest.raises(TreebankError, match=message):
            read_treebank(path)


def test_a_spacy_file_without_sentence_boundaries(tmp_path):
    text = "Dogs bark. It is late."
    docs = [*map(spacy.blank("en"), ["Dogs bark.", text, text, "Boats sail. Oh."])]
    for token in docs[1]:
        token.is_sent_start = token.i == 0
    DocBin(docs=docs).to_disk(path := tmp_path / "x.spacy")
    with pytest.warns(UserWarning, match="no sentence boundaries") as caught:
        assert len(list(read_treebank(path))) == 4
    assert [f"x.spacy: {text!r} has" in str(w.message) for w in caught] == [True]


def test_problems_of_a_spacy_file_have_no_line(tmp_path):
    doc = Doc(Vocab(), words=["a", "b"], heads=[1, 0], deps=["x", "y"])
    path = tmp_path / "x.spacy"
    path.write_bytes(DocBin(docs=[doc], attrs=["HEAD", "DEP"]).to_bytes())
    problems = []
    assert list(read_treebank(path, on_problem=problems.append))
    assert [problem.line for problem in problems] == [0]
    with pytest.raises(TreebankError, match=r"x\.spacy: sentence 1: no root"):
        list(read_treebank(path))


def test_documents_may_begin_before_a_blank_line(read):
    text = DATA.replace("# newpar\n", "\n# newpar\n# lost\n\n")
    first = read("x.conllu", text.encode())[0]
    assert first.comments[:3] == ("# newdoc id = first", "# newpar", "# sent_id = one")


def test_comments_with_many_blanks_are_read_at_once(read):
    blanks = " " * 200_000
    data = DATA.replace("# note", f"# sent_id{blanks}x{blanks}\n# note").encode()
    assert read("x.conllu", data)[0].sent_id == "one"
