"""Several processes write what one process writes."""

import pytest
import spacy
from spacy.training import Example

from spacy_dynoracle.treebank import read_conllu, to_doc
from spacy_dynoracle.treebank.text import sentence_text

from ..programs import ROOT, python

pytestmark = pytest.mark.heavy

TREEBANK = ROOT / "treebanks" / "English-Harbour" / "dev.conllu"


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """A directory with a pipeline and a text of some paragraphs."""
    path = tmp_path_factory.mktemp("jobs")
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("dynoracle_parser", config={"tag_attr": None})
    sentences = list(read_conllu(TREEBANK))
    examples = [
        Example(to_doc(s, nlp.vocab, tree=False), to_doc(s, nlp.vocab))
        for s in sentences
    ]
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    nlp.to_disk(path / "model")
    texts = [
        " ".join(map(sentence_text, sentences[i : i + 2])) for i in range(0, 60, 2)
    ]
    (path / "a.txt").write_text("\n\n".join(texts), encoding="utf8")
    return path


@pytest.mark.parametrize("form", ["conllu", "json", "tree"])
def test_parse(directory, form):
    command = ["-m", "spacy_dynoracle", "parse", "model", "a.txt", TREEBANK]
    options = ["--format", form, "--batch-size", "7"]
    one = python(*command, *options, cwd=directory)
    two = python(*command, *options, "--jobs", "2", cwd=directory)
    assert one.returncode == two.returncode == 0, two.stderr
    assert two.stdout == one.stdout


def test_an_input_that_cannot_be_read_is_an_error(directory):
    (directory / "b.txt").write_bytes(b"Go.\n\n" * 100 + b"\xff\n")
    command = ["-m", "spacy_dynoracle", "parse", "model", "b.txt", "--batch-size", "7"]
    result = python(*command, "--jobs", "2", "--output", "out", cwd=directory)
    assert result.returncode == 1
    assert result.stderr.endswith("is not UTF-8; convert the text to UTF-8\n")
    assert not (directory / "out").exists()
