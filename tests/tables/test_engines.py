"""Other engines make the rows of the local one, and the page about them is true.

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

from spacy_dynoracle.tables import SCHEMA, TableError, TableParser, plan
from spacy_dynoracle.tables.spark import _CONFIGURED, _PLACED, SETTINGS
from spacy_dynoracle.util.workers import in_processes

from ..programs import ROOT, python
from .conftest import TREEBANK, pa
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


def engine(name):
    """The function of an engine, for two processes."""
    if name == "spark":
        from spacy_dynoracle.tables.spark import parse_on_spark

        return lambda *arguments: parse_on_spark(*arguments, n_jobs=2)
    from spacy_dynoracle.tables.ray import parse_on_ray

    return lambda *arguments: parse_on_ray(*arguments, n_jobs=2)


ENGINES = [pytest.param("spark", marks=SPARK), pytest.param("ray", marks=RAY)]


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """Workers import the package from this checkout."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")


@pytest.mark.parametrize("name", ENGINES)
def test_rows_are_those_of_the_local_engine(name, source, model, reference, tmp_path):
    made = plan(source, TableParser(model), part_bytes=SMALL)
    counts = engine(name)(made, str(tmp_path / "out"))
    found = rows(tmp_path / "out").cast(SCHEMA)
    assert found.equals(reference)
    tokens = pa.compute.sum(pa.compute.list_value_length(reference["tokens"])).as_py()
    assert counts == (len(reference), tokens, 0)
    with pytest.raises(TableError, match=r"already"):
        engine(name)(made, str(tmp_path / "out"))


@pytest.mark.parametrize("name", ENGINES)
def test_a_pipeline_that_workers_do_not_have(name, source, tmp_path):
    made = plan(source, TableParser(str(tmp_path / "none")), part_bytes=10**9)
    with pytest.raises(TableError, match=r"cannot load the pipeline '.*none'"):
        engine(name)(made, str(tmp_path / "out"))
    assert not list(tmp_path.glob("out/**/*.parquet"))


@pytest.fixture
def made(monkeypatch):
    """The options of a new session, which is not made."""
    for name in _CONFIGURED:
        monkeypatch.delenv(name, raising=False)

    def options(n_jobs):
        from pyspark.sql import SparkSession

        from spacy_dynoracle.tables.spark import _session

        with monkeypatch.context() as patch:
            none = classmethod(lambda cls: None)
            patch.setattr(SparkSession, "getActiveSession", none)
            patch.setattr(SparkSession, "_instantiatedSession", None)
            patch.setattr(
                SparkSession.Builder, "getOrCreate", lambda self: dict(self._options)
            )
            return _session(n_jobs)

    return options


@pytest.mark.spark
@needs("pyspark")
def test_settings_of_a_new_session(made):
    found = made(3)
    assert found.pop("spark.app.name") == "spacy-dynoracle parse-table"
    assert found.pop("spark.master") == "local[3,4]"
    assert found == SETTINGS
    assert "spark.master" not in made(None)


@pytest.mark.spark
@needs("pyspark")
@pytest.mark.parametrize("name", _CONFIGURED)
def test_settings_of_users_win(name, made, monkeypatch):
    monkeypatch.setenv(name, "x")
    found = made(3)
    assert not set(SETTINGS) & set(found)
    assert ("spark.master" in found) is (name not in _PLACED)


def block(word):
    (found,) = [code for code in BLOCKS if word in code]
    return found


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        pytest.param("SparkSession", "|  a|    5|", marks=SPARK),
        pytest.param("ray.data", "'text': 'Nora'", marks=RAY),
        pytest.param(
            "datasets", "'text': 'Nora'", marks=[pytest.mark.ray, needs("datasets")]
        ),
        pytest.param("joblib", "814", marks=RAY),
    ],
)
def test_blocks_of_the_page_run(word, shown, model, tmp_path):
    script = tmp_path / "block.py"
    code = block(word).replace(PIPELINE, model)
    code = code.replace("treebanks/", f"{TREEBANK.parent}/")
    script.write_text(code, encoding="utf8")
    found = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, cwd=tmp_path
    )
    assert shown in found.stdout, found.stderr


@pytest.mark.spark
@needs("pyspark")
@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")
def test_spark_submit(source, model, reference, tmp_path):
    """A session that spark-submit makes, and the command line."""
    script = tmp_path / "parse_table.py"
    script.write_text(block("runpy"), encoding="utf8")
    submit = Path(importlib.util.find_spec("pyspark").origin).parent / "bin"
    done = subprocess.run(
        [
            submit / "spark-submit", "--master", "local[2]", script,
            "parse-table", model, source, "--output", tmp_path / "out",
            "--engine", "spark", "--part-mb", "0.002",
        ],
        capture_output=True,
        text=True,
        env=os.environ | {"PYSPARK_PYTHON": sys.executable},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"{len(reference):,} documents, " in done.stderr
    assert rows(tmp_path / "out").cast(SCHEMA).equals(reference)


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
    """Besides the two lines that spark-submit wants."""
    words = ("SparkSession", "ray.data", "datasets", "joblib")
    assert len(BLOCKS) == len(words) + 1


@pytest.mark.heavy
def test_the_command(source, model, reference, tmp_path):
    script = tmp_path / "parse_table.py"
    script.write_text(block("runpy"), encoding="utf8")
    done = python(
        *(script, "parse-table", model, source, "--output", tmp_path / "out"),
        *("--jobs", "1", "--part-mb", "0.002"),
    )
    assert done.returncode == 0, done.stderr
    assert f"{len(reference):,} documents, " in done.stderr
    assert rows(tmp_path / "out").equals(reference)
    again = python(script, "parse-table", model, source, "--output", tmp_path / "out")
    assert again.returncode == 1
    assert "part_bytes was 2000 and is 4000000" in again.stderr
    made = plan(source, TableParser(model), part_bytes=SMALL)
    assert run(made, tmp_path / "out") == []
