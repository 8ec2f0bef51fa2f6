"""Copies of treebanks with fewer sentences, or without labels."""

import pytest

from experiments.subsets import LABEL, copy_treebank
from spacy_dynoracle.errors import TreebankError
from spacy_dynoracle.treebank import read_conllu
from tests.harbour import BANK, ROOT

TREEBANKS = ROOT / "treebanks"


def read(directory, split):
    return list(read_conllu(directory / f"{split}.conllu"))


def test_some_sentences(tmp_path):
    copy = copy_treebank(TREEBANKS, BANK, tmp_path, sizes={"train": 5, "dev": 10**6})
    for split, size in (("train", 5), ("dev", None), ("test", None)):
        original = read(TREEBANKS / BANK, split)[:size]
        found = read(copy, split)
        assert [s.words for s in found] == [s.words for s in original]


def test_without_labels(tmp_path):
    copy = copy_treebank(TREEBANKS, BANK, tmp_path, labels=False)
    for split in ("train", "dev", "test"):
        for found, original in zip(
            read(copy, split), read(TREEBANKS / BANK, split), strict=True
        ):
            assert {word.deprel for word in found.words} == {LABEL}
            assert found.heads == original.heads
            for word, other in zip(found.words, original.words, strict=True):
                assert word._replace(deprel=other.deprel, deps=other.deps) == other


def test_what_is_there_stays_until_it_differs(tmp_path):
    copy = copy_treebank(TREEBANKS, BANK, tmp_path, sizes={"train": 5})
    times = {p: p.stat().st_mtime_ns for p in copy.iterdir()}
    copy_treebank(TREEBANKS, BANK, tmp_path, sizes={"train": 5})
    assert {p: p.stat().st_mtime_ns for p in copy.iterdir()} == times
    copy_treebank(TREEBANKS, BANK, tmp_path, sizes={"train": 6})
    assert len(read(copy, "train")) == 6


def test_windows_lines_and_lines_without_a_tree(tmp_path):
    directory = tmp_path / "A"
    directory.mkdir()
    text = "# text = ab\r\n1-2\tab" + "\t_" * 8 + "\r\n"
    text += "1\ta" + "\t_" * 4 + "\t0\troot\t0:root\t_\r\n"
    text += "2\tb" + "\t_" * 4 + "\t1\tdep\t_\tSpaceAfter=No\r\n\r\n\r\n"
    for split in ("train", "dev", "test"):
        (directory / f"{split}.conllu").write_bytes(text.encode())
    copy = copy_treebank(tmp_path, "A", tmp_path / "copies", labels=False)
    (sentence,) = read(copy, "dev")
    assert sentence.heads == [0, 1]
    assert "0:root" not in (copy / "dev.conllu").read_text(encoding="utf8")
    assert "1-2\tab" in (copy / "dev.conllu").read_text(encoding="utf8")


def test_a_missing_split_is_an_error(tmp_path):
    (tmp_path / "A").mkdir()
    with pytest.raises(TreebankError, match="no file for the split 'train'"):
        copy_treebank(tmp_path, "A", tmp_path / "copies")
