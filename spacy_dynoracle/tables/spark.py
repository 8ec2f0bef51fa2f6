"""Parsing with Spark. Partitioning, retries, stragglers and writing are Spark's."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from .files import Plan
from .local import PartResult
from .remote import user_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# PySpark warns of new releases of pandas, whatever a program uses.
_PANDAS = "PySpark does not yet fully support pandas"

# The thorough compiler of Java works on methods that are called ten times as often as
# it waits for by default. It took half of the CPU time of the start, for methods that
# are of no use once the workers run; the loops that write rows still reach it.
_COMPILER = {
    "Tier4InvocationThreshold": 50_000,
    "Tier4MinInvocationThreshold": 6_000,
    "Tier4CompileThreshold": 150_000,
    "Tier4BackEdgeThreshold": 400_000,
}
# Settings of a session that is made here for this machine, where Spark hands out parts
# and writes rows.
SETTINGS = {
    # A server for a page that nobody looks at.
    "spark.ui.enabled": "false",
    # A collector without threads of its own: the cores are for the workers.
    "spark.driver.extraJavaOptions": " ".join(
        ["-XX:+UseSerialGC", *(f"-XX:{name}={n}" for name, n in _COMPILER.items())]
    ),
}
# Variables that say where Spark runs: spark-submit sets the first one.
_PLACED = ("PYSPARK_GATEWAY_PORT", "SPARK_REMOTE")
# Variables that say that somebody has configured Spark.
_CONFIGURED = (
    *_PLACED,
    "MASTER",
    "PYSPARK_SUBMIT_ARGS",
    "SPARK_CONF_DIR",
    "SPARK_HOME",
)


def parse_on_spark(
    plan: Plan,
    output: str,
    session: SparkSession | None = None,
    n_jobs: int | None = None,
) -> PartResult:
    """Parse an input into a new folder of Parquet files.

    Every part of the input is a task.

    Args:
        session: None for the session of this program, or a new one: that of
            spark-submit, or one on this machine. A new one has `SETTINGS` if Spark is
            not configured.
        n_jobs: Processes of a new session on this machine; None for what Spark is
            configured to use. spark-submit decides itself.

    Raises:
        TableError: If a task fails for good.
    """
    with warnings.catch_warnings():
        # Only Arrow is used here.
        warnings.filterwarnings("ignore", _PANDAS, FutureWarning)
        return _parsed(plan, output, session, n_jobs)


def _parsed(
    plan: Plan, output: str, session: SparkSession | None, n_jobs: int | None
) -> PartResult:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import Observation
    from pyspark.sql import functions as f
    from pyspark.sql.pandas.types import from_arrow_schema

    session = session or _session(n_jobs)
    counts = Observation("documents")
    n_parts = len(plan.parts)
    # Causes that PySpark does not know are errors of the bridge to Java.
    with user_errors((PySparkException, Py4JError), "Spark", output):
        (
            session.range(0, n_parts, numPartitions=n_parts)
            .mapInArrow(_PartReader(plan).parsed, from_arrow_schema(plan.parser.schema))
            .observe(
                counts,
                f.count(f.lit(1)).alias("docs"),
                f.sum(f.size("tokens")).alias("tokens"),
                f.count("error").alias("errors"),
            )
            .write.parquet(output)
        )
    docs, tokens, errors = (
        counts.get[name] or 0 for name in ("docs", "tokens", "errors")
    )
    return PartResult(docs, tokens, errors)


def _session(n_jobs: int | None) -> SparkSession:
    """The session of this program, which stays as it is, or a new one."""
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession

    try:
        return SparkSession.active()
    except PySparkRuntimeError:
        pass
    # Workers on this machine have the same packages.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("spacy-dynoracle parse-table")
    if n_jobs is not None and not _set(_PLACED):
        # Four attempts at each task, as on a cluster.
        builder = builder.master(f"local[{n_jobs},4]")
    if not _configured():
        builder = builder.config(map=dict(SETTINGS))
    return builder.getOrCreate()


def _configured() -> bool:
    """Whether somebody has configured Spark, whose settings then count."""
    found = find_spec("pyspark")
    home = Path(found.origin).parent if found and found.origin else Path()
    defaults = home / "conf" / "spark-defaults.conf"
    return defaults.exists() or _set(_CONFIGURED)


def _set(variables: Iterable[str]) -> bool:
    """Whether one of some variables of the environment is set."""
    return any(name in os.environ for name in variables)


class _PartReader:
    """Reads and parses the parts whose numbers come in batches."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def parsed(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from self.plan.parse(self.plan.parts[number])
