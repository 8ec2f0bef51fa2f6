"""``parse --format tsv``: a row for each token, for R and pandas."""

import io

import pandas as pd
import pytest

from ..commands import fails, run, works
from .test_cli import DATA, data, model  # noqa: F401

pytestmark = pytest.mark.heavy


def table(text):
    return pd.read_csv(
        io.StringIO(text), sep="\t", quoting=3, dtype=str, keep_default_na=False
    )


ODD = """\
# newdoc id = a b
# newpar
# text = "NA"\tis  here
1\t"NA"\t_\tX\t_\tA=1\t_\t_\t0:root\tSpaceAfter=No
2\t_\t_\tX\t_\t_\t_\t_\t_\t_
2.1\tnull\t_\t_\t_\t_\t_\t_\t_\t_

# newpar
1\tGo\tgo\tVERB\t_\t_\t_\t_\t_\t_

# newdoc
1\tStop\tstop\tVERB\t_\t_\t_\t_\t_\t_

"""


def test_a_row_has_the_values_of_its_line(model, data, tmp_path):  # noqa: F811
    conllu = works(run("parse", model, data))
    frame = table(works(run("parse", model, data, "--format", "tsv")))
    rows = [line.split("\t") for line in conllu.splitlines() if line[:1].isdigit()]
    expected = [["" if x == "_" else x for x in row] for row in rows]
    assert frame.iloc[:, 4:].to_numpy().tolist() == expected
    assert frame["token_id"].tolist() == ["1", "2-3", "2", "3", "4", "5", "1", "2"]
    first = frame.iloc[0]
    assert list(first[:4]) == ["doc1", "1", "one", "Birds don't read."]
    assert frame["sentence"].iloc[-1] == "Go home"
    # A file without texts has them in its words.
    bare = tmp_path / "bare.conllu"
    lines = DATA.splitlines(keepends=True)
    bare.write_text("".join(x for x in lines if "text =" not in x), encoding="utf-8")
    frame = table(works(run("parse", model, bare, "--format", "tsv")))
    assert frame["sentence"].iloc[0] == "Birds don't read."


def test_documents_paragraphs_and_odd_characters(model, tmp_path):  # noqa: F811
    path = tmp_path / "odd.conllu"
    path.write_text(ODD, encoding="utf-8")
    frame = table(works(run("parse", model, path, "--format", "tsv")))
    places = frame[["doc_id", "paragraph_id", "sentence_id"]].to_numpy().tolist()
    assert places == [
        *3 * [["a b", "1", "#1"]], ["a b", "2", "#2"], ["doc2", "1", "#3"],
    ]  # fmt: skip
    assert frame["sentence"].iloc[0] == '"NA" is here'
    assert frame["token"].tolist() == ['"NA"', "_", "null", "Go", "Stop"]
    assert frame["lemma"].tolist() == ["", "_", "", "go", "stop"]


def test_text_and_several_files(model, data, tmp_path):  # noqa: F811
    text = tmp_path / "a b.txt"
    text.write_text("Go home.\n\nStop\n", encoding="utf-8")
    out = tmp_path / "all.tsv"
    works(run("parse", model, text, data, data, "--output", out))
    frame = table(out.read_text(encoding="utf-8"))
    found = frame[["doc_id", "paragraph_id", "sentence_id"]].drop_duplicates()
    assert found.to_numpy().tolist() == [
        [str(text), "1", "1"], [str(text), "2", "2"],
        ["doc2", "1", "one"], ["doc2", "1", "two"],
        ["doc3", "1", "one"], ["doc3", "1", "two"],
    ]  # fmt: skip
    two = run("parse", model, text, data, data, "--format", "tsv", "--jobs", "1")
    assert works(two) == out.read_text(encoding="utf-8")
    assert "doc1\t1\t1\tGo." in works(
        run("parse", model, "--text", "Go.", "--format=tsv")
    )


def test_trees_have_no_place(model, data):  # noqa: F811
    fails(
        run("parse", model, data, "--format", "tsv", "--k-best", 2),
        "no place for several",
    )
