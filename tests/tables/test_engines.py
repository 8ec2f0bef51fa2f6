"""Programs for other engines make the rows of `parse-table`, and the page is true.

Spark and Ray take long to start: `pytest -m "spark or ray"` runs their tests.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import joblib
import pytest

from spacy_dynoracle.tables import SCHEMA, TableParser, plan
from spacy_dynoracle.util.workers import in_processes

from ..harbour import DIRECTORY
from ..programs import ROOT, new_process, python
from .test_local import SMALL, reference, rows, run

__all__ = ["reference"]

PAGE = (ROOT / "docs" / "how_to" / "tables.md").read_text(encoding="utf8")
BLOCKS = re.findall(r"^```python3\n(.*?)^```$", PAGE, re.M | re.S)
PIPELINE = "training/English-Harbour/pipeline"


def needs(*modules):
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{missing} is not installed")


SPARK = [
    pytest.mark.spark,
    needs("pyspark"),
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java"),
]
RAY = [pytest.mark.ray, needs("ray")]


ENGINES = [pytest.param("spark", marks=SPARK), pytest.param("ray", marks=RAY)]


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """Workers import the package from this checkout."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")


def block(word):
    (found,) = [code for code in BLOCKS if word in code]
    return found


def parsed(name, model, source, output):
    """Run the program of the page for an engine."""
    word = {"spark": "spark.range", "ray": "ray.data.range"}[name]
    script = output.parent / f"parse_on_{name}.py"
    script.write_text(block(word), encoding="utf8")
    program = [sys.executable]
    if name == "spark":
        folder = Path(importlib.util.find_spec("pyspark").origin).parent / "bin"
        program = [folder / "spark-submit", "--master", "local[2]"]
    return subprocess.run(
        [*program, script, model, source, output],
        capture_output=True,
        text=True,
        env=os.environ | {"PYSPARK_PYTHON": sys.executable},
    )


@pytest.mark.parametrize("name", ENGINES)
def test_rows_are_those_of_parse_table(name, source, model, reference, tmp_path):
    done = parsed(name, model, source, tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert rows(tmp_path / "out").cast(SCHEMA).equals(reference)


@pytest.mark.parametrize("name", ENGINES)
def test_a_pipeline_that_workers_do_not_have(name, source, tmp_path):
    done = parsed(name, tmp_path / "none", source, tmp_path / "out")
    assert done.returncode != 0
    assert "cannot load the pipeline" in done.stderr
    assert not list(tmp_path.glob("out/**/*.parquet"))


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        pytest.param("createDataFrame", "|  a|    5|", marks=SPARK),
        pytest.param("from_items", "'text': 'Nora'", marks=RAY),
        pytest.param(
            "datasets", "'text': 'Nora'", marks=[pytest.mark.ray, needs("datasets")]
        ),
        pytest.param("joblib", "814", marks=RAY),
    ],
)
def test_blocks_of_the_page_run(word, shown, model, tmp_path):
    script = tmp_path / "block.py"
    code = block(word).replace(PIPELINE, model)
    code = code.replace("treebanks/", f"{DIRECTORY.parent}/")
    script.write_text(code, encoding="utf8")
    found = new_process(script, cwd=tmp_path)
    assert shown in found.stdout, found.stderr


@pytest.mark.ray
@pytest.mark.parametrize(
    "backend",
    [
        pytest.param("ray", marks=needs("ray")),
        pytest.param("dask", marks=needs("distributed")),
    ],
)
def test_work_on_a_cluster(backend):
    """The same results, whatever backend of joblib does the work."""
    calls = [(-number,) for number in range(6)]
    with cluster(backend), joblib.parallel_config(backend=backend):
        assert list(in_processes(abs, calls, 2)) == list(range(6))


@contextmanager
def cluster(backend):
    """A small cluster on this machine."""
    if backend == "ray":
        import ray
        from ray.util.joblib import register_ray

        register_ray()
        if not ray.is_initialized():
            ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False)
        yield
        return
    from distributed import Client

    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None):
        yield


def test_every_block_is_run():
    """Those of files, and those of rows."""
    files, others = ("spark.range", "ray.data.range"), ("createDataFrame", "from_items")
    for word in (*files, *others, "datasets", "joblib"):
        block(word)
    assert len(BLOCKS) == 6


@pytest.mark.heavy
def test_the_command(source, model, reference, tmp_path):
    command = ("-m", "spacy_dynoracle", "parse-table", model, source)
    output = ("--output", tmp_path / "out")
    done = python(*command, *output, "--jobs", "1", "--part-mb", "0.002")
    assert done.returncode == 0, done.stderr
    assert f"{len(reference):,} documents, " in done.stderr
    assert rows(tmp_path / "out").equals(reference)
    again = python(*command, *output)
    assert again.returncode == 1
    assert "part_bytes was 2000 and is 4000000" in again.stderr
    made = plan(source, TableParser(model), part_bytes=SMALL)
    assert run(made, tmp_path / "out") == []
