"""Files into Parquet: parts, resuming, faults; in this process and in several."""

import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from itertools import islice

import pytest

from spacy_dynoracle.errors import PipelineError
from spacy_dynoracle.tables import TableError, TableParser, parse_locally, plan
from spacy_dynoracle.tables import local as module

from ..programs import ROOT
from .conftest import pa, pq

ds = pytest.importorskip("pyarrow.dataset")
SMALL = 2000


def rows(folder):
    """The rows of an output, in the order of their ids."""
    return ds.dataset(folder).to_table().sort_by("id").combine_chunks()


def run(plan, output, n_jobs=1):
    return list(parse_locally(plan, output).results(n_jobs))


@pytest.fixture(scope="session")
def reference(source, model, tmp_path_factory):
    """The rows of an uninterrupted run in one process."""
    output = tmp_path_factory.mktemp("reference") / "out"
    run(plan(source, TableParser(model), part_bytes=SMALL), output)
    return rows(output)


def test_every_document_is_parsed_once(reference, texts, source):
    ids = reference["id"].to_pylist()
    assert len(set(ids)) == len(ids)
    for prefix in ("j", "p"):
        wanted = {f"{prefix}{i}" for i in range(len(texts))}
        assert wanted <= set(ids)
    by_id = dict(zip(ids, reference["text"].to_pylist(), strict=True))
    data = (source / "a.txt").read_bytes()
    for name in ("a.txt", "b.txt.gz"):
        found = {x: by_id[x] for x in ids if x.startswith(f"{name}:")}
        assert sorted(found.values()) == sorted(texts)
        for place, text in found.items():
            offset = int(place.split(":")[1])
            assert data[offset:].startswith(text.encode())
    assert not any("_ignored" in x for x in ids)
    assert reference["error"].null_count == len(reference)
    n_sentences = (source / "e.conllu").read_text(encoding="utf8").count("# sent_id")
    assert len(ids) == 4 * len(texts) + n_sentences


@pytest.mark.parametrize("part_bytes", [1, 777, 10**9])
def test_rows_do_not_depend_on_the_parts(source, model, reference, part_bytes):
    made = plan(source, TableParser(model), part_bytes=part_bytes)
    tables = [pa.Table.from_batches(made.parse(p)) for p in made.parts if p.end]
    found = pa.concat_tables(tables).sort_by("id").combine_chunks()
    assert found.equals(reference)


@pytest.mark.heavy
def test_processes_write_the_same_files(source, model, reference, tmp_path):
    made = plan(source, TableParser(model), part_bytes=SMALL)
    counts = run(made, tmp_path / "out", n_jobs=2)
    assert rows(tmp_path / "out").equals(reference)
    assert (tmp_path / "out" / module.SUCCESS).exists()
    assert sum(c.docs for c in counts) == len(reference)
    assert parse_locally(made, tmp_path / "out").missing == ()
    assert sum(c.docs for c in parse_locally(made, tmp_path / "out").resumed) == len(
        reference
    )


@pytest.mark.heavy
def test_an_interrupted_run_goes_on(source, model, reference, tmp_path):
    """Twenty times, at random parts."""
    made = plan(source, TableParser(model), part_bytes=300)
    order = random.Random(0)
    for _ in range(20):
        results = parse_locally(made, tmp_path / "out").results()
        for _ in range(order.randrange(4)):
            next(results, None)
        results.close()
        (tmp_path / "out" / ".part-000001.parquet.0123456789abcdef.part").write_bytes(
            b"half"
        )
    run(made, tmp_path / "out")
    assert rows(tmp_path / "out").equals(reference)
    assert [path.name for path in (tmp_path / "out").glob(".*")] == [module.LOCK]


@pytest.mark.heavy
def test_a_run_of_something_else_is_refused(source, model, tmp_path):
    output = tmp_path / "out"
    folder = tmp_path / "source"
    shutil.copytree(source, folder)
    made = plan(folder, TableParser(model), part_bytes=SMALL)
    next(parse_locally(made, output).results())
    other = TableParser(model, probabilities="transition")
    with pytest.raises(TableError, match="probabilities was None and is 'transition'"):
        parse_locally(plan(folder, other, part_bytes=SMALL), output)
    with pytest.raises(TableError, match="part_bytes was 2000 and is 3000"):
        parse_locally(plan(folder, TableParser(model), part_bytes=3000), output)
    (folder / "a.txt").write_text("Another text.")
    with pytest.raises(TableError, match="files of the input have changed"):
        parse_locally(plan(folder, TableParser(model), part_bytes=SMALL), output)
    copy = tmp_path / "model"
    shutil.copytree(model, copy)
    made = plan(source, TableParser(str(copy)), part_bytes=SMALL)
    next(parse_locally(made, tmp_path / "other").results())
    meta = json.loads((copy / "meta.json").read_text())
    (copy / "meta.json").write_text(json.dumps(meta | {"description": "new"}))
    with pytest.raises(TableError, match=r"pipeline .* has changed"):
        parse_locally(made, tmp_path / "other")
    shutil.rmtree(copy)
    with pytest.raises(TableError, match="has files in it"):
        parse_locally(plan(source, TableParser(model)), folder)


@pytest.mark.parametrize("name", ["a.txt", "a", "a.csv", "a.json", "a.tsv.gz"])
def test_rows_of_another_kind_are_no_text(name, model, tmp_path):
    is_treebank = name in ("a.txt", "a")
    data = b"# text = Go\n1\tGo" + b"\t_" * 8 if is_treebank else b"id,text\n1,Go.\n"
    (tmp_path / name).write_bytes(gzip.compress(data) if ".gz" in name else data)
    message = "is CoNLL-U" if is_treebank else r"files that are read: .*\.parquet"
    with pytest.raises(TableError, match=message):
        plan(tmp_path / name, TableParser(model))


def test_wrong_inputs(model, tmp_path):
    parser = TableParser(model)
    with pytest.raises(TableError, match=r"none\.txt: no such file"):
        plan(tmp_path / "none.txt", parser)
    with pytest.raises(TableError, match=r"no .parquet or .* file in it"):
        plan(tmp_path, parser)
    (tmp_path / "a.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(TableError, match="damaged or cut off"):
        plan(tmp_path, parser)
    pq.write_table(pa.table({"body": ["Go."]}), tmp_path / "a.parquet")
    with pytest.raises(TableError, match="has the columns body"):
        plan(tmp_path, parser)
    with pytest.raises(TableError, match="nothing://"):
        plan("nothing://bucket/a.txt", parser)
    made = plan(tmp_path, TableParser(str(tmp_path / "none"), text="body"))
    with pytest.raises(PipelineError, match="no directory"):
        parse_locally(made, tmp_path / "_out")
    for output, message in (
        (tmp_path / "below" / ".." / "out", "is in the input"),
        (tmp_path, "is in the input"),
        ("s3://bucket/out", "copy it"),
    ):
        with pytest.raises(TableError, match=message):
            parse_locally(made, output)
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]


@pytest.mark.parametrize("inside", ["", "/c.jsonl", "/below/d.parquet"])
def test_uris_are_paths(inside, source, model, tmp_path):
    folder = shutil.copytree(source, tmp_path / "in")
    for name in ("x", "x#y.txt", "a%41.txt", "aA.txt", "ä [1].txt"):
        (folder / name).write_text(name, encoding="utf8")
    uri, parser = f"{folder.as_uri()}{inside}?x=1", TableParser(model)
    by_uri = plan(uri, parser, part_bytes=SMALL)
    by_path = plan(f"{folder}{inside}", parser, part_bytes=SMALL)
    for part, same in zip(by_uri.parts, by_path.parts, strict=True):
        assert part._replace(path=same.path) == same
        assert list(by_uri.read(part)) == list(by_path.read(same))


def read(path, model="", **settings):
    made = plan(path, TableParser(model), **settings)
    return [
        row for part in made.parts for b in made.read(part) for row in b.to_pylist()
    ]


def test_a_packed_file_that_is_cut_off_stops_the_run(tmp_path, model):
    data = gzip.compress(b"One.\n\nTwo.\n\n" * 10000)
    (tmp_path / "a.txt.gz").write_bytes(data[: len(data) // 2])
    made = plan(tmp_path / "a.txt.gz", TableParser(model))
    with pytest.raises(TableError, match=r"a\.txt\.gz: the file is damaged or cut off"):
        run(made, tmp_path / "out")
    assert not list((tmp_path / "out").glob("*.parquet"))
    assert not (tmp_path / "out" / module.SUCCESS).exists()


def test_rows_that_cannot_be_read_have_an_error(tmp_path):
    lines = [
        '{"id": 1, "text": "Go."}',
        '{"id": 2, "tokens": ["Go", "."], "spaces": [false, false]}',
        '{"id": 3, "text": 7}',
        '{"id": 4}',
        '["text"]',
        '{"id": 5, "text": "\\ud800"}',
        "",
        '{"id": 6, "text": "cut',
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    found = {row["id"]: row for row in read(tmp_path)}
    places = [f"a.jsonl:{sum(map(len, lines[:i])) + i}" for i in range(8)]
    assert list(found) == ["1", "2", "3", "4", places[4], "5", places[7]]
    assert found["1"]["error"] is found["2"]["error"] is None
    assert found["2"]["tokens"] == ["Go", "."]
    assert found["3"]["error"] == "'text' is no text"
    wrong = [row["error"] for key, row in found.items() if key not in "123"]
    assert all("row" in error for error in wrong)


def test_text_that_is_no_utf8_and_long_paragraphs(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfOne.\nMore.\n\n\xffTwo.\n\xc2\xa0\nThree.")
    found = read(path)
    assert [(x["id"], x["text"]) for x in found] == [
        ("a.txt:0", "One.\nMore."),
        ("a.txt:15", None),
        ("a.txt:24", "Three."),
    ]
    assert found[1]["error"] == "byte 0xff is not UTF-8"
    path.write_text("word " * 50_000 + "\n" + "word " * 60_000 + "\nlast\n")
    assert [len(x["text"]) for x in read(path)] == [549_998 + 1, 4]


@pytest.mark.heavy
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_killed_run_goes_on(source, model, reference, tmp_path):
    """The command, and then one of its workers, end in the middle."""
    output = tmp_path / "out"
    command = [
        *(sys.executable, "-m", "spacy_dynoracle", "parse-table", model, source),
        *("--output", output, "--jobs", "2", "--part-mb", "0.001"),
    ]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command, env=environment, stderr=subprocess.DEVNULL, cwd=ROOT
    )
    try:
        while not list(output.glob("part-*")) and process.poll() is None:
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    made = plan(source, TableParser(model), part_bytes=1000)
    run(made, output)
    assert rows(output).equals(reference)


# ---- names of columns, odd rows, and several runs ------------------------------------


def lines_of(tmp_path, rows, name="a.jsonl"):
    (tmp_path / name).write_text("\n".join(map(json.dumps, rows)))
    return tmp_path / name


def table_of(tmp_path, columns, name="a.parquet"):
    pq.write_table(pa.table(columns), tmp_path / name)
    return tmp_path / name


def file_of(tmp_path, rows, kind):
    if kind == "parquet":
        return table_of(tmp_path, {k: [r[k] for r in rows] for k in rows[0]})
    return lines_of(tmp_path, rows, f"a.{kind}")


def parsed(path, model, part_bytes=10**9, **settings):
    made = plan(path, TableParser(model, **settings), part_bytes=part_bytes)
    batches = [b for part in made.parts for b in made.parse(part)]
    return pa.Table.from_batches(batches, made.parser.schema).to_pylist()


ROWS = [
    {"key": 7, "body": "Go.", "stars": 5},
    {"key": "b", "body": "Stop.", "stars": None},
]


@pytest.mark.parametrize("kind", ["jsonl", "ndjson", "parquet"])
@pytest.mark.parametrize(
    ("id_name", "text_name"),
    [
        ("key", "body"),
        ("id", "text"),
        ("text", "id"),
        ("error", "tokens2"),
        ("tokens2", "error"),
        ("spaces", "conllu2"),
    ],
)
def test_columns_have_any_names(kind, id_name, text_name, model, tmp_path):
    rows = [{id_name: str(r["key"]), text_name: r["body"]} for r in ROWS]
    path = file_of(tmp_path, rows, kind)
    found = parsed(path, model, id=id_name, text=text_name)
    assert [(r["id"], r["text"], r["error"]) for r in found] == [
        ("7", "Go.", None),
        ("b", "Stop.", None),
    ]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"id": "x", "text": "x"}, "id and text are both the column 'x'"),
        ({"probabilities": "marginals"}, "'marginals': expected one of null, 'trans"),
        ({"batch_size": 0}, "batch_size = 0: expected at least 1"),
        ({"keep": "title"}, "keep = 'title': expected a list"),
    ],
)
def test_settings_that_are_refused(settings, message, model):
    with pytest.raises(ValueError, match=message):
        TableParser(model, **settings)


@pytest.mark.parametrize("named", [{"id": "x"}, {"text": "x"}, {"keep": ["x"]}])
def test_columns_of_a_text_are_refused(named, model, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("Go.")
    with pytest.raises(TableError, match=r"a\.txt: has no column"):
        plan(path, TableParser(model, **named))


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_other_columns_are_kept(kind, model, tmp_path):
    rows = [{**row, "key": str(row["key"]), "tags": ["x"]} for row in ROWS]
    path = file_of(tmp_path, rows, kind)
    found = parsed(path, model, id="key", text="body", keep=("stars", "tags"))
    assert [(r["id"], r["stars"], r["tags"]) for r in found] == [
        ("7", "5", '["x"]'),
        ("b", None, '["x"]'),
    ]


@pytest.mark.parametrize(
    "bad",
    [
        {"text": "\ud800"},
        {"tokens": [7]},
        {"tokens": ["Go"], "spaces": 1},
        {"tokens": ["Go"], "spaces": ["false"]},
    ],
)
def test_rows_with_an_error_keep_their_columns(bad, model, tmp_path):
    path = lines_of(tmp_path, [{"id": "a\ud800", "stars": 5, **bad}])
    (found,) = parsed(path, model, keep=["stars"])
    assert (found["id"][0], found["stars"], found["tokens"]) == ("a", "5", None)
    assert found["error"].startswith(("the row has '\\ud800'", "'tokens'", "'spaces'"))


def test_a_run_goes_on_with_the_same_code_only(model, tmp_path, monkeypatch):
    code = tmp_path / "mine.py"
    code.write_text("LABEL = 1")
    monkeypatch.setattr("spacy_dynoracle.util.code.imported", [str(code)])
    made = plan(lines_of(tmp_path, ROWS), TableParser(model, id="key", text="body"))
    run(made, tmp_path / "out")
    run(made, tmp_path / "out")
    code.write_text("LABEL = 2")
    with pytest.raises(TableError, match="files of --code"):
        run(made, tmp_path / "out")


@pytest.mark.parametrize("part_bytes", [1, 30, 60, 90])
def test_only_blank_lines_end_a_sentence(part_bytes, model, tmp_path):
    word = "{}\tGo\t_\tVERB\tVB\t_\t0\troot\t_\t_\n".format
    text = word(1) + "\t\n" + word(2) + "\n" + word(1) + "\x0c\n" + word(2) + "\n"
    path = tmp_path / "x.conllu"
    path.write_text(text, encoding="utf-8")
    assert parsed(path, model, part_bytes) == parsed(path, model)


def test_spaces_can_be_kept(model, tmp_path):
    row = {"id": "a", "tokens": ["Go", "."], "spaces": [False, True]}
    (found,) = parsed(lines_of(tmp_path, [row]), model, keep=("spaces",))
    assert (found["error"], found["spaces"]) == (None, "[false, true]")


@pytest.mark.parametrize("keep", [["tokens"], ["id"], ["x", "x"]])
def test_columns_of_the_output_cannot_be_kept(keep, model):
    with pytest.raises(ValueError, match="cannot keep the columns"):
        TableParser(model, keep=keep)


@pytest.mark.parametrize("kind", ["lines", "table"])
@pytest.mark.parametrize(
    ("named", "other", "value", "message"),
    [
        ({"keep": ["x"]}, "text", "Go.", "'x', which you want to keep"),
        ({"id": "x"}, "text", "Go.", "'x'; name the one with the ids"),
        ({"text": "x"}, "text", "Go.", "'x' or 'tokens'.*; name the one with the text"),
        ({"text": "x"}, "tokens", ["Go"], "'x'; name another --text-column"),
    ],
)
def test_columns_that_are_not_there(
    named, other, value, message, kind, model, tmp_path
):
    if kind == "table":
        path = table_of(tmp_path, {"id": ["a"], other: [value]})
    else:
        path = lines_of(tmp_path, ["no row", {"id": "a", other: value}, {other: value}])
    has = f"the table has the columns id, {other}, and none of them is "
    with pytest.raises(TableError, match=rf"a\.\w+: .*{has}{message}"):
        plan(path, TableParser(model, **named))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"text": [1, 2]}, "the column 'text' has the type int64; expected text"),
        ({"text": [b"a"]}, "the column 'text' has the type binary; expected text"),
        ({"text": [["a"]]}, "the column 'text' has the type list"),
        ({"tokens": ["a"]}, "the column 'tokens' has the type string; expected a list"),
        ({"tokens": [[1]]}, "expected a list of texts"),
        ({"conllu": [1.5]}, "the column 'conllu' has the type double"),
        ({"other": ["a"]}, "has the columns other, and none of them is 'text'"),
    ],
)
def test_columns_of_a_wrong_type_are_one_line(columns, message, model, tmp_path):
    with pytest.raises(TableError, match=rf"a\.parquet: .*{message}"):
        plan(table_of(tmp_path, columns), TableParser(model))


def test_two_columns_of_one_name(model, tmp_path):
    twice = pa.Table.from_arrays([pa.array(["a"])] * 2, names=["text", "text"])
    pq.write_table(twice, tmp_path / "a.parquet")
    with pytest.raises(TableError, match="has several columns 'text'"):
        plan(tmp_path, TableParser(model))


def test_texts_of_parquet_that_are_no_utf8_are_rows_with_an_error(model, tmp_path):
    data = pa.array([b"Go.", b"\xff\xfe", b"Stop."]).view(pa.string())
    path = table_of(tmp_path, {"id": pa.array(["a", "b", "c"]), "text": data})
    found = parsed(path, model)
    assert [r["error"] is None for r in found] == [True, False, True]
    assert "not UTF-8" in found[1]["error"]
    assert [r["id"] for r in found] == ["a", "b", "c"]


@pytest.mark.parametrize("name", ["a.jsonl", "a.txt", "a.conllu"])
def test_lines_that_are_too_long_are_rows_with_an_error(
    name, model, tmp_path, monkeypatch
):
    monkeypatch.setattr("spacy_dynoracle.tables.records.MOST_BYTES", 100)
    good = {
        "a.jsonl": b'{"text": "Go."}\n',
        "a.txt": b"Go.\n\n",
        "a.conllu": b"1\tGo" + b"\t_" * 8 + b"\n\n",
    }[name]
    (tmp_path / name).write_bytes(good + b"x" * 350 + b"\n\n" + good)
    found = parsed(tmp_path / name, model)
    assert [r["error"] is None for r in found] == [True, False, True]
    assert "longer than" in found[1]["error"]


@pytest.mark.parametrize("name", ["id", "text"])
def test_long_rows_of_parquet_are_read_one_by_one(name, model, tmp_path):
    columns = {"id": pa.array("abc"), "text": pa.array(["Go."] * 3)}
    columns[name] = pa.array([x * 5_000_000 for x in "abc"])
    made = plan(table_of(tmp_path, columns), TableParser(model), part_bytes=10**9)
    (part,) = made.parts
    assert [len(batch) for batch in made.read(part)] == [1, 1, 1]


def test_categories_of_parquet_are_cut_as_texts(tmp_path):
    texts = pa.array([str(i) * 10_000 for i in range(100)])
    cut = []
    for column in (texts, texts.dictionary_encode()):
        made = plan(table_of(tmp_path, {"text": column}), TableParser(""))
        cut.append([[len(batch) for batch in made.read(p)] for p in made.parts])
    assert cut[0] == cut[1]


@pytest.mark.parametrize("deep", ["[", '{"a":', '{"text":[', "[[{},", '[{"id":'])
def test_deep_json_is_a_row_with_an_error(deep, model, tmp_path):
    end = '{"id": ' + "[" * 900 + "]" * 900 + "}"
    lines = ['{"text": "Go."}', deep * 100_000, end]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    found = parsed(tmp_path, model)
    assert len(found) == 3
    assert found[1]["error"] == "not a row of JSON: too deep"


@pytest.mark.parametrize(
    "columns",
    [
        {"id": pa.array([], pa.string()), "text": pa.array([], pa.string())},
        {"text": pa.array([], pa.large_string())},
        {"text": pa.array([], pa.null())},
        {"tokens": pa.array([], pa.list_(pa.string()))},
        {"conllu": pa.array([], pa.string()), "id": pa.array([], pa.int64())},
    ],
)
def test_a_table_without_rows(columns, model, tmp_path):
    made = plan(table_of(tmp_path, columns), TableParser(model))
    # A run that was killed while it wrote its manifest leaves this.
    left = tmp_path / "out" / f".{module.MANIFEST}.0123456789abcdef.part"
    left.parent.mkdir()
    left.touch()
    assert run(made, tmp_path / "out") == []
    assert (tmp_path / "out" / module.SUCCESS).exists()
    assert not left.exists()


@pytest.mark.parametrize("name", [".", "a.txt"])
@pytest.mark.parametrize("part_bytes", [SMALL, 777])
@pytest.mark.parametrize("n_parts", [0, 1])
def test_a_second_run_is_refused(source, model, tmp_path, name, part_bytes, n_parts):
    """Of the same documents or of others, before the first part or after it."""
    made = plan(source, TableParser(model), part_bytes=SMALL)
    first = parse_locally(made, tmp_path / "out").results()
    list(islice(first, n_parts))
    second = plan(source / name, TableParser(model), part_bytes=part_bytes)
    with pytest.raises(TableError, match="another run is writing to it"):
        parse_locally(second, tmp_path / "out")
    assert list(first)
    assert parse_locally(made, tmp_path / "out").missing == ()


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b"\xff", b"[" * 100_000])
def test_damaged_manifests_are_one_line(data, source, model, tmp_path):
    made = plan(source, TableParser(model))
    run(made, tmp_path / "out")
    (tmp_path / "out" / module.MANIFEST).write_bytes(data)
    with pytest.raises(TableError, match=r"_manifest\.json: is damaged"):
        parse_locally(made, tmp_path / "out")


@pytest.mark.parametrize("data", [b"", b"PAR1", None])
def test_damaged_parts_are_one_line(data, source, model, tmp_path):
    made = plan(source, TableParser(model))
    run(made, tmp_path / "out")
    part = module.part_file(tmp_path / "out", 0)
    if data is None:
        pq.write_table(pa.table({"x": [1]}), part)
    else:
        part.write_bytes(data)
    with pytest.raises(TableError, match=r"part-000000\.parquet: is damaged"):
        list(parse_locally(made, tmp_path / "out").resumed)


@pytest.mark.parametrize("n_rows", [1, 250])
def test_a_run_in_which_everything_fails_ends(n_rows, model, tmp_path):
    rows = [{"id": i, "body": "Go.", "text": 7} for i in range(n_rows)]
    path = lines_of(tmp_path, rows)
    made = plan(path, TableParser(model), part_bytes=1000)
    with pytest.raises(TableError, match=r"failed, .*'text' is no text"):
        run(made, tmp_path / "out")
    assert not list((tmp_path / "out").glob("*.parquet"))
    other = plan(path, TableParser(model, text="body"), part_bytes=1000)
    assert sum(c.docs for c in run(other, tmp_path / "out")) == n_rows


def test_a_few_broken_rows_end_no_run(model, tmp_path):
    lines_of(tmp_path, [{}], "a.jsonl")
    lines_of(tmp_path, [{"text": "Go."}], "b.jsonl")
    counts = run(plan(tmp_path, TableParser(model)), tmp_path / "_out")
    assert sorted(c.errors for c in counts) == [0, 1]


def test_damaged_pages_of_parquet_are_one_line(model, tmp_path):
    """Wherever the damage is, the file is planned and read, or named."""
    path = tmp_path / "a.parquet"
    table = pa.table({"text": [f"Go to number {i}." for i in range(20)]})
    pq.write_table(table, path, compression="none")
    whole = path.read_bytes()
    messages = set()
    for place in range(4, 120):
        path.write_bytes(whole[:place] + b"\x7f" + whole[place + 1 :])
        try:
            made = plan(path, TableParser(model))
            for part in made.parts:
                list(made.read(part))
        except TableError as error:
            messages.add(str(error))
    assert len(messages) > 3
    assert all(message.startswith(str(path)) for message in messages)
