"""Which words of a treebank a tokenizer finds, as `check` tells it."""

import gzip
import json

import pytest
import spacy
from spacy.tokens import Doc

from spacy_dynoracle import PipelineError
from spacy_dynoracle.evaluation import words_found
from spacy_dynoracle.treebank import check, read_conllu, to_doc_bin

from .. import commands


def write(path, *rows):
    lines = []
    for row in rows:
        ids, form = row.split("=")
        columns = ["_"] * 4
        n = ids.partition("-")[0]
        arc = ["_", "_"] if "-" in ids else ["0", "root"] if n == "1" else ["1", "dep"]
        lines.append("\t".join([ids, form, *columns, *arc, "_", "SpaceAfter=No"]))
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    return path


@pytest.fixture
def french(tmp_path):
    for split in ("train", "test"):
        write(tmp_path / f"{split}.conllu", "1-2=Du", "1=De", "2=le", "3=.")
    return tmp_path


def run(*arguments):
    return commands.run("check", *arguments, terminal_width=100)


@pytest.mark.heavy
def test_words_of_a_language(french):
    report = check(french, tokenizers={"fr": words_found(spacy.blank("fr"))})
    test = report.files["test"]
    assert test.multiword == {"du = de + le": 1}
    assert test.words_found["fr"].tokens == 1
    assert test.words_found["fr"].words == pytest.approx(2 / 5)
    few, multiword = report.advice[1:]
    assert "finds 40.0 % of the words" in few
    assert "WordTokenizer.v1" in multiword


def test_every_kind_of_corpus_and_a_head_that_is_out_of_range(french, tmp_path):
    path = french / "test.conllu"
    packed, saved = tmp_path / "x.conllu.gz", tmp_path / "x.spacy"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    nlp = spacy.blank("xx")
    to_doc_bin(read_conllu(path), nlp.vocab, 1).to_disk(saved)
    expected = words_found(nlp)(path)
    assert words_found(nlp)(packed) == words_found(nlp)(saved) == expected
    text = path.read_text(encoding="utf-8").replace("\t1\tdep", "\t99\tdep")
    path.write_text(text, encoding="utf-8")
    assert words_found(nlp)(path) == expected


@pytest.mark.heavy
def test_command(french):
    out = french / "report.json"
    result = run(french, "--tokenizer", "fr", "--output", out)
    assert result.exit_code == 0
    assert "multiword tokens: du = de + le (2)" in result.output
    assert "40.00 %" in result.output
    assert "100.00 %" in result.output
    found = json.loads(out.read_text(encoding="utf-8"))["files"]["test"]["words_found"]
    assert found["WordTokenizer"] == {"tokens": 1, "words": 1}
    unknown = run(french, "--tokenizer", "xyz").output
    assert unknown.startswith("Error: no tokenizer for the language 'xyz'")
    assert unknown.endswith("'xx' is for languages that spaCy does not know\n")


def test_a_treebank_that_is_no_use_on_text(tmp_path):
    """spaCy divides Chinese into characters unless it is told otherwise."""
    path = write(tmp_path / "zh.conllu", "1=\u5927\u5b66", "2=\u751f\u6d3b")
    result = run(path, "--tokenizer", "zh")
    assert "finds 0.0 % of the words" in " ".join(result.output.split())
    assert not check(path).advice


@pytest.mark.heavy
def test_a_tokenizer_that_changes_the_text(french):
    nlp = spacy.blank("fr")
    nlp.tokenizer = lambda text: Doc(nlp.vocab, words=["other"])
    with pytest.raises(PipelineError, match="changes the text"):
        words_found(nlp)(french / "test.conllu")
