"""A small pipeline, and a folder with documents in every format."""

import gzip
import json

import pytest

from spacy_dynoracle.treebank import read_conllu
from spacy_dynoracle.treebank.text import sentence_text

from ..harbour import FILE, RDA, parser, train

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """The directory of a parser that has seen a few sentences once."""
    nlp = train(parser("sentencizer", tag_attr=None, learner=RDA["learner"]))
    path = tmp_path_factory.mktemp("model") / "pipeline"
    nlp.to_disk(path)
    return str(path)


@pytest.fixture(scope="session")
def texts():
    """Texts of three sentences."""
    sentences = list(map(sentence_text, read_conllu(FILE)))
    return [" ".join(sentences[i : i + 3]) for i in range(0, len(sentences), 3)]


@pytest.fixture(scope="session")
def source(tmp_path_factory, texts):
    """A folder with documents in every format."""
    folder = tmp_path_factory.mktemp("source")
    (folder / "a.txt").write_text("\n\n".join(texts), encoding="utf8")
    with gzip.open(folder / "b.txt.gz", "wt", encoding="utf8") as stream:
        stream.write("\n\n".join(texts))
    rows = [json.dumps({"id": f"j{i}", "text": x}) for i, x in enumerate(texts)]
    (folder / "c.jsonl").write_text("\n".join(rows), encoding="utf8")
    (folder / "below").mkdir()
    table = pa.table({"id": [f"p{i}" for i in range(len(texts))], "text": texts})
    pq.write_table(table, folder / "below" / "d.parquet", row_group_size=10)
    conllu = FILE.read_bytes()
    (folder / "e.conllu").write_bytes(conllu)
    (folder / "_ignored.txt").write_text("no text")
    return folder
