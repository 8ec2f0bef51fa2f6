"""Treebanks with fewer sentences, without labels, with unknown heads."""

import pytest

from experiments.treebanks import (
    DEPREL,
    HEAD,
    LABEL,
    Variant,
    blocks_of,
    find_treebanks,
    forget_sentences,
    forget_words,
    language_of,
    make_corpus,
    text_of,
    words_of,
)
from spacy_dynoracle.errors import TreebankError
from spacy_dynoracle.treebank import read_conllu
from tests.harbour import BANK, FILE, ROOT

TREEBANKS = ROOT / "treebanks"


def blocks():
    return blocks_of(FILE.read_text(encoding="utf-8"))


def n_known(found):
    return len(words_of(found))


def test_languages_and_the_order_of_treebanks(tmp_path):
    assert language_of("UD_English-EWT") == "English"
    assert language_of("GoogleUDT-2.0_Korean") == "Korean"
    assert language_of("UD_Klingon-A") == language_of("UD_Old_French-SRCMF") == ""
    for name in ("UD_Korean-A", "UD_English-B", "UD_English-A", "UD_Klingon-A"):
        (tmp_path / name).mkdir()
        for split in ("train", "dev", "test"):
            (tmp_path / name / f"{split}.conllu").touch()
    (tmp_path / "UD_Korean-B").mkdir()
    (tmp_path / "UD_Korean-B" / "dev.conllu").touch()
    assert find_treebanks(tmp_path) == [
        "UD_English-A",
        "UD_Korean-A",
        "UD_Klingon-A",
        "UD_English-B",
    ]


def test_files_are_read_and_written_as_they_are():
    assert text_of(blocks()) == FILE.read_text(encoding="utf-8")


def test_words_lose_their_heads():
    found = forget_words(blocks(), 80)
    n = n_known(blocks())
    assert n_known(found) == n - round(n * 0.8)
    for old, new in zip(blocks(), found, strict=True):
        for before, after in zip(old, new, strict=True):
            if before != after:
                changed = [i for i in range(10) if before[i] != after[i]]
                assert changed == [HEAD, DEPREL]
                assert after[HEAD] == after[DEPREL] == "_"


def test_sentences_are_left_out():
    found = forget_sentences(blocks(), 80)
    longest = max(len(block) for block in blocks())
    assert 0 <= n_known(blocks()) * 0.2 - n_known(found) <= longest
    # The others stay as they are, in their order.
    kept = iter(blocks())
    assert all(block in kept for block in found)


def test_what_is_removed_is_drawn_at_random():
    first, same, other = (forget_words(blocks(), 50, seed) for seed in (0, 0, 1))
    assert first == same != other


def test_some_sentences_without_labels(tmp_path):
    variant = Variant((("train", 5),), labels=False)
    corpus = make_corpus(TREEBANKS, BANK, variant, tmp_path)
    for split, size in (("train", 5), ("dev", None), ("test", None)):
        original = list(read_conllu(TREEBANKS / BANK / f"{split}.conllu"))[:size]
        found = list(read_conllu(corpus.text(split)))
        assert [s.heads for s in found] == [s.heads for s in original]
        assert {word.deprel for s in found for word in s.words} == {LABEL}
        assert corpus.binary(split).stat().st_size > 500
        words = sum(len(s.words) for s in found)
        assert list(corpus.sizes[split]) == [len(found), words]


def test_only_training_trees_lose_heads(tmp_path):
    corpus = make_corpus(TREEBANKS, BANK, Variant(removed=80), tmp_path)
    heads = [h for s in read_conllu(corpus.text("train")) for h in s.heads]
    known = sum(head is not None for head in heads)
    assert known == corpus.sizes["train"][1] == pytest.approx(0.2 * len(heads), abs=1)
    assert corpus.text("dev").read_bytes() == FILE.read_bytes()


def test_what_is_there_stays_until_the_treebank_changes(tmp_path):
    bank = tmp_path / "A"
    bank.mkdir()
    for split in ("train", "dev", "test"):
        (bank / f"{split}.conllu").write_bytes(FILE.read_bytes())
    first = make_corpus(tmp_path, "A", Variant(), tmp_path / "out")
    times = {p: p.stat().st_mtime_ns for p in first.directory.iterdir()}
    assert make_corpus(tmp_path, "A", Variant(), tmp_path / "out") == first
    assert {p: p.stat().st_mtime_ns for p in first.directory.iterdir()} == times
    text = text_of(blocks()[:7])
    (bank / "train.conllu").write_text(text, encoding="utf-8")
    second = make_corpus(tmp_path, "A", Variant(), tmp_path / "out")
    assert second.sizes["train"][0] == 7
    assert second.digest != first.digest


def test_windows_lines_and_lines_without_a_tree():
    text = "# text = ab\r\n1-2\tab" + "\t_" * 8 + "\r\n"
    text += "1\ta" + "\t_" * 4 + "\t0\troot\t0:root\t_\r\n"
    text += "2\tb" + "\t_" * 4 + "\t1\tdep\t_\tSpaceAfter=No\r\n \r\n\r\n# the end\n"
    (block,) = Variant(labels=False).apply(blocks_of(text), "train")
    assert block[0] == ["# text = ab"]
    assert block[1][0] == "1-2"
    assert [columns[7:9] for columns in block[2:]] == [[LABEL, "_"]] * 2


def test_a_missing_split_is_an_error(tmp_path):
    (tmp_path / "A").mkdir()
    with pytest.raises(TreebankError, match="no file for the split 'train'"):
        make_corpus(tmp_path, "A", Variant(), tmp_path / "copies")
