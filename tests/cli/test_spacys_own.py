"""The commands take pipelines that have nothing of this package."""

import pytest
import spacy

from spacy_dynoracle.treebank import read_conllu

from ..commands import run, works
from ..harbour import TEST, examples

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """spaCy's own components, sourced from another pipeline, in Thinc's own weights."""
    trained = spacy.blank("en")
    for name in ("tagger", "parser"):
        trained.add_pipe(name)
    data = examples(trained.vocab, 20)
    trained.initialize(lambda: data)
    for _ in range(5):
        trained.update(data)
    nlp = spacy.blank("en", vocab=trained.vocab)
    for name in trained.pipe_names:
        nlp.add_pipe(name, source=trained)
    path = tmp_path_factory.mktemp("spacys") / "model"
    nlp.to_disk(path)
    assert "dynoracle" not in (path / "config.cfg").read_text(encoding="utf-8")
    return path


@pytest.mark.parametrize("command", ["parse", "evaluate", "parse-table"])
def test_the_help_says_so(command):
    text = " ".join(works(run(command, "--help")).split())
    assert "Any spaCy pipeline that sets heads will do" in text


def test_parse(model, tmp_path):
    out = tmp_path / "parsed.conllu"
    works(run("parse", model, TEST, "--from", "words", "--output", out))
    pairs = list(zip(read_conllu(TEST), read_conllu(out), strict=True))
    assert all(gold.forms == found.forms for gold, found in pairs)
    words = [word for _, found in pairs for word in found.words]
    assert None not in {word.head for word in words}
    assert len({word.xpos for word in words}) > 3
    text = works(run("parse", model, "--text", "Nora found a map.", "--format", "tree"))
    assert text.count("\n") > 5


@pytest.mark.parametrize("start", ["tags", "words", "text"])
def test_evaluate(model, start):
    shown = works(run("evaluate", model, TEST, "--from", start, "--by", "label"))
    assert "LAS" in shown
    assert "nsubj" in shown


def test_parse_table(model, tmp_path):
    dataset = pytest.importorskip("pyarrow.dataset")
    out = tmp_path / "table"
    works(run("parse-table", model, TEST, "--jobs", 1, "--output", out))
    rows = dataset.dataset(out).to_table().to_pylist()
    assert [row["error"] for row in rows] == [None] * 76
    assert all(t["dep"] and t["tag"] for row in rows for t in row["tokens"])
