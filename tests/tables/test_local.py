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
def test_rows_do_not_depend_on_the_parts(
    source, model, reference, tmp_path, part_bytes
):
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
    assert sum(c.docs for c in parse_locally(made, tmp_path / "out").resumed()) == len(
        reference
    )


def test_an_interrupted_run_goes_on(source, model, reference, tmp_path):
    """Twenty times, at random parts."""
    made = plan(source, TableParser(model), part_bytes=300)
    order = random.Random(0)
    for _ in range(20):
        results = parse_locally(made, tmp_path / "out").results()
        for _ in range(order.randrange(4)):
            next(results, None)
        results.close()
        (tmp_path / "out" / ".part-000001.parquet.abc").write_bytes(b"half")
    run(made, tmp_path / "out")
    assert rows(tmp_path / "out").equals(reference)
    assert not list((tmp_path / "out").glob(".*"))


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
        parse_locally(made, tmp_path / "out")


def test_uris_are_paths(source, model):
    by_uri = plan(source.as_uri(), TableParser(model), part_bytes=SMALL)
    by_path = plan(source, TableParser(model), part_bytes=SMALL)
    assert [p._replace(path="") for p in by_uri.parts] == [
        p._replace(path="") for p in by_path.parts
    ]
    part = by_uri.parts[0]
    assert list(by_uri.read(part)) == list(by_path.read(by_path.parts[0]))


def read(path, model="", **settings):
    made = plan(path, TableParser(model), **settings)
    return [
        row for part in made.parts for b in made.read(part) for row in b.to_pylist()
    ]


def test_a_packed_file_that_is_cut_off_stops_the_run(source, tmp_path, model):
    data = gzip.compress(b"One.\n\nTwo.\n\n" * 10000)
    (tmp_path / "a.txt.gz").write_bytes(data[: len(data) // 2])
    made = plan(tmp_path, TableParser(model))
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
    assert list(found) == ["1", "2", places[2], "4", places[4], places[5], places[7]]
    assert found["1"]["error"] is found["2"]["error"] is None
    assert found["2"]["tokens"] == ["Go", "."]
    wrong = [row["error"] for key, row in found.items() if key not in "12"]
    assert all("row" in error for error in wrong)


def test_text_that_is_no_utf8_and_long_paragraphs(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfOne.\nMore.\n\n\xffTwo.\n\nThree.")
    found = read(path)
    assert [(x["id"], x["text"]) for x in found] == [
        ("a.txt:0", "One. More."),
        ("a.txt:15", None),
        ("a.txt:22", "Three."),
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
