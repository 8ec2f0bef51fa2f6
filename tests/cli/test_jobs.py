"""Several processes write what one process writes."""

import json

import pytest
import spacy

from spacy_dynoracle.evaluation import evaluate
from spacy_dynoracle.treebank import read_conllu
from spacy_dynoracle.treebank.text import sentence_text

from ..harbour import FILE as TREEBANK
from ..harbour import parser, train
from ..programs import python

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """A directory with a pipeline and a text of some paragraphs."""
    path = tmp_path_factory.mktemp("jobs")
    train(parser("sentencizer", tag_attr=None)).to_disk(path / "model")
    beam = {"@misc": "spacy_dynoracle.BeamSearch.v1", "beam_size": 4}
    overrides = {"components.dynoracle_parser.search": beam}
    spacy.load(path / "model", config=overrides).to_disk(path / "beam")
    sentences = list(read_conllu(TREEBANK))
    texts = [
        " ".join(map(sentence_text, sentences[i : i + 2])) for i in range(0, 60, 2)
    ]
    (path / "a.txt").write_text("\n\n".join(texts), encoding="utf8")
    return path


@pytest.mark.parametrize("form", ["conllu", "json", "tree"])
def test_parse(directory, form):
    command = ["-m", "spacy_dynoracle", "parse", "model", "a.txt", TREEBANK]
    options = ["--format", form]
    one = python(*command, *options, cwd=directory)
    two = python(*command, *options, "--jobs", "2", cwd=directory)
    assert one.returncode == two.returncode == 0, two.stderr
    assert two.stdout == one.stdout


@pytest.mark.parametrize(
    ("model", "options"),
    [("model", ["--from", "words"]), ("model", ["--from", "text"]), ("beam", [])],
    ids=["words", "text", "beam"],
)
def test_evaluate(directory, model, options):
    command = ["-m", "spacy_dynoracle", "evaluate", model, TREEBANK, *options]
    command += ["--by", "label", "--by", "confusion", "--worst", "9"]
    one = python(*command, "--format=json", cwd=directory)
    two = python(*command, "--format=json", "--jobs", "2", cwd=directory)
    assert one.returncode == two.returncode == 0, two.stderr
    found = [json.loads(each.stdout) for each in (one, two)]
    assert all(values.pop("words_per_second") > 0 for values in found)
    assert found[0] == found[1]


def test_evaluating_a_pipeline_that_was_not_saved(directory):
    nlp = spacy.load(directory / "model")
    nlp._path = None
    with pytest.raises(ValueError, match=r"2 processes: expected a pipeline that was"):
        evaluate(nlp, TREEBANK, n_jobs=2)


def test_an_input_that_cannot_be_read_is_an_error(directory):
    (directory / "b.txt").write_bytes(b"Go.\n\n" * 100 + b"\xff\n")
    command = ["-m", "spacy_dynoracle", "parse", "model", "b.txt"]
    result = python(*command, "--jobs", "2", "--output", "out", cwd=directory)
    assert result.returncode == 1
    assert result.stderr.endswith("is not UTF-8; convert the text to UTF-8\n")
    assert not (directory / "out").exists()
