"""The batch function: rows in, annotation out."""

import os
import pickle
import shutil
from dataclasses import replace

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_dynoracle.errors import PipelineError
from spacy_dynoracle.tables import SCHEMA, TableParser, batches, docs_of, to_doc_bin
from spacy_dynoracle.tables import parsing as module
from spacy_dynoracle.treebank import heads_and_labels, read_conllu, to_doc
from spacy_dynoracle.util.files import last_change

from ..harbour import FILE
from .conftest import pa

FIELDS = [field.name for field in SCHEMA.field("tokens").type.value_type]


@Language.component("tables_test_raises")
def raises_at_boats(doc: Doc) -> Doc:
    """A component that cannot stand a word."""
    if any(token.text == "boat" for token in doc):
        raise RuntimeError("no boats")
    return doc


def rows_of(texts):
    return pa.table({"id": [str(i) for i in range(len(texts))], "text": texts})


def parsed(model, texts, **settings):
    return TableParser(model, **settings)(rows_of(texts)).to_pylist()


def check_row(row, doc):
    """A row has what a Doc has, token by token."""
    assert row["error"] is None
    assert row["text"] == doc.text
    sents = [{"start": s.start_char, "end": s.end_char} for s in doc.sents]
    assert row["sents"] == sents
    heads, labels = heads_and_labels(doc)
    number = {t.i: n for n, sent in enumerate(doc.sents) for t in sent}
    for token, cells, head, label in zip(
        doc, row["tokens"], heads, labels, strict=True
    ):
        assert cells == {
            "id": token.i,
            "sent": number[token.i],
            "start": token.idx,
            "end": token.idx + len(token),
            "text": token.text,
            "norm": token.norm_,
            "whitespace": bool(token.whitespace_),
            "lemma": token.lemma_ or None,
            "tag": token.tag_ or None,
            "pos": token.pos_ or None,
            "morph": str(token.morph) if token.has_morph() else None,
            "head": None if head is None else token.head.i,
            "dep": label,
            "probability": cells["probability"],
        }
        assert list(cells) == FIELDS


def test_rows_are_those_of_the_pipeline(model, texts):
    rows = parsed(model, [*texts[:9], "", "\n  Two  words\n", "naïve café 🙂 ok"])
    nlp = spacy.load(model)
    for row in rows:
        check_row(row, nlp(row["text"]))
        assert all(token["probability"] is None for token in row["tokens"])
    assert rows[9]["tokens"] == rows[9]["sents"] == []


def test_all_attributes_are_written(model):
    """Those that no component of the small pipeline sets."""
    sentences = list(read_conllu(FILE))[:20]
    block = FILE.read_text(encoding="utf8").split("\n\n")[:20]
    table = pa.table({"id": [s.name for s in sentences], "conllu": block})
    nlp = spacy.load(model)
    rows = TableParser(model)(table).to_pylist()
    for row, sentence in zip(rows, sentences, strict=True):
        doc = nlp(to_doc(sentence, nlp.vocab, tree=False))
        check_row(row, doc)
        assert any(token["pos"] for token in row["tokens"])
    untagged = TableParser(model, gold_tags=False)(table).to_pylist()
    assert not any(token["pos"] for row in untagged for token in row["tokens"])


def test_multiword_tokens_have_their_words_as_norms(model):
    block = (
        "# sent_id = one\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "1\tde\t_\tADP\t_\t_\t0\troot\t_\t_\n2\tle\t_\tDET\t_\t_\t1\tdet\t_\t_\n\n"
    )
    row = TableParser(model)(pa.table({"conllu": [block]})).to_pylist()[0]
    assert row["id"] is None
    assert [(t["text"], t["norm"]) for t in row["tokens"]] == [("d", "de"), ("u", "le")]


def test_words_as_input(model):
    table = pa.table(
        {
            "id": ["a", "b"],
            "tokens": [["Go", "home", "."], ["No"]],
            "spaces": [[True, False, False], None],
        }
    )
    rows = TableParser(model)(table).to_pylist()
    assert [row["text"] for row in rows] == ["Go home.", "No "]
    wrong = table.set_column(2, "spaces", [[["false"] * 3, None]])
    assert "no list of booleans" in TableParser(model)(wrong)["error"][0].as_py()
    without = TableParser(model)(table.drop_columns("spaces")).to_pylist()
    assert without[0]["text"] == "Go home . "


@pytest.mark.parametrize("kind", ["transition", "marginal"])
def test_probabilities(model, texts, kind):
    rows = parsed(model, texts[:3], probabilities=kind)
    values = [token["probability"] for row in rows for token in row["tokens"]]
    assert all(0 < value <= 1 for value in values)
    assert len(set(values)) > 1


def test_rows_do_not_depend_on_the_batches(model, texts, monkeypatch):
    whole = TableParser(model)(rows_of(texts))
    parser = TableParser(model, batch_size=2)
    small = pa.Table.from_batches(
        parser.batches(rows_of(texts).to_batches(max_chunksize=3))
    )
    assert small.equals(whole)
    monkeypatch.setattr(batches, "BYTES", 300)
    # Words of a batch are forgotten with it.
    monkeypatch.setattr(module, "LEXEMES", 0)
    assert TableParser(model)(rows_of(texts)).equals(whole)
    assert TableParser(model)(rows_of(texts).combine_chunks().to_batches()[0]).equals(
        whole.combine_chunks().to_batches()[0]
    )


@pytest.mark.parametrize("name", ["id", "text", "tokens", "stars"])
def test_rows_with_a_long_value_are_parsed_one_by_one(name, model):
    columns = {"id": ["a"] * 3, "text": ["Go."] * 3, "stars": ["x"] * 3}
    value = "o" * (batches.BYTES // 2)
    columns[name] = [["Go", value] if name == "tokens" else value] * 3
    if name == "tokens":
        del columns["text"]
    parser = TableParser(model, keep=["stars"])
    found = list(parser.batches(pa.table(columns).to_batches()))
    assert [len(batch) for batch in found] == [1, 1, 1]


@pytest.mark.parametrize(
    "changed", [pa.Array.dictionary_encode, lambda array: array.cast(pa.string_view())]
)
def test_categories_and_views_are_parsed_together(changed, model):
    texts = changed(pa.array(["Go.", "Stop.", "o" * 2 * batches.BYTES]))
    rows = pa.record_batch({"text": texts.slice(0, 2)})
    assert [len(batch) for batch in TableParser(model).batches([rows])] == [2]


@pytest.mark.heavy
def test_a_failing_document_has_a_row_with_its_error(model, tmp_path):
    nlp = spacy.load(model)
    nlp.add_pipe("tables_test_raises", first=True)
    nlp.to_disk(tmp_path / "m")
    texts = ["Nora left.", "The boat left.", None, "x" * 1_000_001, "Go home."]
    rows = parsed(str(tmp_path / "m"), texts)
    assert [row["id"] for row in rows] == list("01234")
    assert [row["tokens"] is None for row in rows] == [False, True, True, True, False]
    assert rows[1]["error"] == "RuntimeError: no boats"
    assert rows[1]["text"] == "The boat left."
    assert rows[1]["sents"] is None
    assert rows[2]["error"] == "the row has no text"
    assert "E088" in rows[3]["error"]
    check_row(rows[0], spacy.load(model)("Nora left."))
    check_row(rows[4], spacy.load(model)("Go home."))


def test_documents_that_components_drop_have_a_row(model, monkeypatch):
    nlp = spacy.load(model)
    nlp.add_pipe("tables_test_raises", first=True)
    nlp.set_error_handler(lambda *arguments: None)
    monkeypatch.setattr(module, "_loaded", lambda *arguments: nlp)
    rows = parsed("any", ["Nora left.", "The boat left."])
    assert rows[0]["error"] is None
    assert rows[1]["error"] == "a component of the pipeline dropped the document"


@pytest.mark.parametrize(("error", "text"), [("cannot be read",) * 2, (True, "true")])
def test_rows_with_an_error_stay_as_they_are(model, error, text):
    table = pa.table({"id": ["a"], "text": ["Go."], "error": [error]})
    row = TableParser(model)(table).to_pylist()[0]
    assert (row["error"], row["tokens"]) == (text, None)
    broken = pa.table({"id": ["a"], "conllu": ["no\tcolumns\n\n"]})
    row = TableParser(model)(broken).to_pylist()[0]
    assert "columns" in row["error"]


def test_wrong_tables_and_pipelines(model, tmp_path):
    with pytest.raises(TypeError, match="table or batch of Arrow, got dict"):
        TableParser(model)({"text": ["Go."]})
    with pytest.raises(ValueError, match="columns id, body"):
        TableParser(model)(pa.table({"id": ["a"], "body": ["Go."]}))
    with pytest.raises(PipelineError, match="no directory or installed package"):
        TableParser(str(tmp_path / "none"))(rows_of(["Go."]))
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(PipelineError, match="sets no heads"):
        TableParser(str(tmp_path / "blank"))(rows_of(["Go."]))
    with pytest.raises(PipelineError, match="no dynoracle_parser"):
        TableParser(str(tmp_path / "blank"), "transition")(rows_of(["Go."]))


def test_empty_tables_and_other_names(model):
    parser = TableParser(model, id="key", text="body")
    none = pa.array([], pa.string())
    assert parser(pa.table({"body": none, "key": none})).schema == SCHEMA
    empty = pa.RecordBatch.from_pydict({"body": none, "key": none})
    assert len(parser(empty)) == 0
    body = pa.array(["Go."], pa.large_string())
    for key, expected in ((7, "7"), ("ä".encode(), "ä"), (b"\xff", r"\xff")):
        table = pa.table({"key": [key], "body": body})
        kept = replace(parser, keep=["key"])(table)
        assert kept["id"].to_pylist() == kept["key"].to_pylist() == [expected]


def test_packages_come_before_folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spacy").mkdir()
    assert TableParser("spacy").model == "spacy"


def test_the_parser_is_small(model):
    parser = TableParser(model)
    parser.load()
    assert len(pickle.dumps(parser)) < 1000


def test_back_to_docs(model, texts):
    nlp = spacy.load(model)
    table = TableParser(model)(rows_of([*texts[:9], "", None]))
    docs = list(docs_of(table, nlp.vocab))
    assert len(docs) == 10
    for doc, text in zip(docs, texts[:9], strict=False):
        expected = nlp(text)
        assert doc.text == text
        assert heads_and_labels(doc) == heads_and_labels(expected)
        attributes = ["SENT_START", "NORM", "SPACY", "TAG", "LEMMA"]
        assert (doc.to_array(attributes) == expected.to_array(attributes)).all()
    binary = DocBin().from_bytes(to_doc_bin(table, nlp.vocab).to_bytes())
    again = list(binary.get_docs(nlp.vocab))
    assert [doc.user_data["id"] for doc in again] == [str(i) for i in range(10)]


def test_a_pipeline_that_has_changed_is_loaded_again(model, tmp_path):
    directory = tmp_path / "pipeline"
    shutil.copytree(model, directory)
    parser = TableParser(str(directory))
    before = parser.load()
    assert parser.load() is before
    os.utime(directory / "meta.json", ns=(0, 2**62))
    assert parser.load() is not before
    assert last_change(tmp_path / "none") == 0
