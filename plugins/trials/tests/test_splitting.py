"""One file into train, dev and test."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynoracle_trials import split
from spacy_dynoracle.errors import TreebankError
from spacy_dynoracle.treebank import read_treebank
from tests.commands import fails, works

from .programs import run


def rows(n_words, name="w"):
    lines = (
        f"{i}\t{name}{i}\t_\tX\t_\t_\t0{i - 1}\tdep\t_\t_"
        for i in range(1, n_words + 1)
    )
    return "\n".join(lines) + "\n"


def bank(tmp_path, text, name="bank.conllu"):
    path = tmp_path / name
    path.write_bytes(text.encode())
    return path


def texts(folder):
    return {path.stem: path.read_bytes().decode() for path in folder.glob("*")}


MARKED = [
    f"# newdoc id = {d}\n# sent_id = {d}.1\r\n{rows(10)}\n\n"
    "1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n"
    f"{rows(10)}10.1\te\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    for d in range(10)
]


def test_documents_are_dealt_and_every_byte_is_kept(tmp_path):
    found = split(bank(tmp_path, "".join(MARKED)), tmp_path / "new" / "mine")
    assert (found.n_documents, found.by_document) == (10, True)
    assert [(p.documents, p.sentences, p.words) for p in found.parts] == [
        (8, 16, 160), (1, 2, 20), (1, 2, 20),
    ]  # fmt: skip
    # Not the last ones: genres often stand one after the other.
    assert texts(tmp_path / "new" / "mine") == {
        "train": "".join(d for i, d in enumerate(MARKED) if i not in (3, 6)),
        "dev": MARKED[3],
        "test": MARKED[6],
    }


def test_without_documents_the_parts_are_runs(tmp_path):
    sentences = [rows(n) + "\n" for n in (6, 4, 30, 30, 10, 10, 5, 5)]
    split(bank(tmp_path, "".join(sentences)), tmp_path / "a")
    assert texts(tmp_path / "a") == {
        "train": "".join(sentences[:5]),
        "dev": sentences[5],
        "test": "".join(sentences[6:]),
    }


def test_too_few_documents_are_divided(tmp_path):
    """A document of half of the words can be neither dev nor test."""
    documents = (
        "".join(MARKED[:2]),
        "# newdoc\n" + "".join(f"{rows(2)}\n" for _ in range(20)),
    )
    found = split(bank(tmp_path, "".join(documents)), tmp_path / "a")
    assert (found.n_documents, found.by_document) == (3, False)
    assert [part.words for part in found.parts] == [64, 8, 8]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["", "# newdoc\n", "# newdoc\n\n", "# alone\n \n", "\ufeff# x\n"]
            ),
            st.integers(1, 5),
            st.sampled_from(["\n", "\n\n", " \r\n"]),
        ),
        min_size=20,
    ),
    st.sampled_from(["", "# last\n", "\n# newdoc\n\n"]),
)
def test_sentences_are_those_of_the_reader(tmp_path_factory, blocks, last):
    """Whatever stands between them; together the files have every byte."""
    folder = tmp_path_factory.mktemp("bank")
    pieces = [
        comments + rows(n, f"s{i}.") + end
        for i, (comments, n, end) in enumerate(blocks)
    ]
    path = bank(folder, "".join(pieces) + last)
    found = split(path, folder / "parts", (2, 1, 1))
    before = [(s.forms, s.comments) for s in read_treebank(path)]
    after = [
        (s.forms, s.comments) for part in found.parts for s in read_treebank(part.path)
    ]
    assert sorted(before) == sorted(after)
    parts = [part.path.read_bytes() for part in found.parts]
    assert sorted(b"".join(parts)) == sorted(path.read_bytes())


def test_a_last_sentence_without_blank_line(tmp_path):
    text = "".join(f"{rows(5)}\n" for _ in range(10))
    split(bank(tmp_path, text[:-2]), tmp_path / "a")
    assert (
        "".join(texts(tmp_path / "a").get(x) for x in ("train", "dev", "test")) == text
    )


# ---- the command ---------------------------------------------------------------------


def test_the_command_says_what_it_did(tmp_path):
    packed = tmp_path / "bank.conllu.gz"
    packed.write_bytes(gzip.compress("".join(MARKED).encode()))
    shown = works(
        run("split", packed, "--output", tmp_path / "a", "--proportions", 7, 3, 0)
    )
    assert "70.00 %" in shown
    assert "kept whole" in shown
    assert set(texts(tmp_path / "a")) == {"train", "dev"}
    shown = works(
        run(
            "split",
            "-",
            "-o",
            tmp_path / "b",
            "--proportions",
            1,
            1,
            1,
            stdin="".join(MARKED[:2]),
        )
    )
    assert "The 2 documents cannot be dealt" in shown


@pytest.mark.parametrize("there", ["test.conllu", "xx_own-ud-dev.conllu"])
def test_no_file_is_replaced(tmp_path, there):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / there).write_text("mine")
    path = bank(tmp_path, "".join(MARKED))
    fails(run("split", path, "--output", tmp_path / "a"), f"has {there} already")
    assert texts(tmp_path / "a") == {there.removesuffix(".conllu"): "mine"}


def test_it_says_what_is_wrong(tmp_path):
    path = bank(tmp_path, "".join(MARKED))
    for shares in ((0, 1, 1), ("nan", 1, 1), (1, "1e999", 1), (1, "-1", 1)):
        options = ("-o", tmp_path / "a", "--proportions", *shares)
        fails(run("split", path, *options), "80 10 10")
    with pytest.raises(ValueError, match="80 10 10"):
        split(path, tmp_path / "a", [8, 2])
    fails(
        run("split", bank(tmp_path, rows(3), "few.conllu"), "-o", tmp_path / "a"),
        "too few",
    )
    with pytest.raises(TreebankError, match="column where 10 were expected"):
        split(bank(tmp_path, "1 a\n\n", "bad.conllu"), tmp_path / "a")
    assert not (tmp_path / "a").exists()
