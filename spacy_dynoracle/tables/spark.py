"""Parsing with Spark. Partitioning, retries, stragglers and writing are Spark's."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from .files import Plan
from .local import PartResult
from .remote import user_errors
from .schema import SCHEMA

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# PySpark warns of new releases of pandas, whatever a program uses.
_PANDAS = "PySpark does not yet fully support pandas"


def parse_on_spark(
    plan: Plan,
    output: str,
    session: SparkSession | None = None,
    n_jobs: int | None = None,
) -> PartResult:
    """Parse an input into a new folder of Parquet files.

    session: None for the active session, as `spark-submit` makes one, or a new one.
    n_jobs: processes of a new session on this machine; None for what Spark is
        configured to use.

    Every part of the input is a task. Raises TableError if a task fails for good.
    """
    with warnings.catch_warnings():
        # Only Arrow is used here.
        warnings.filterwarnings("ignore", _PANDAS, FutureWarning)
        return _parsed(plan, output, session, n_jobs)


def _parsed(
    plan: Plan, output: str, session: SparkSession | None, n_jobs: int | None
) -> PartResult:
    from pyspark.errors import PySparkException
    from pyspark.sql import Observation
    from pyspark.sql import functions as f
    from pyspark.sql.pandas.types import from_arrow_schema

    session = session or _session(n_jobs)
    counts = Observation("documents")
    n_parts = len(plan.parts)
    with user_errors(PySparkException, "Spark"):
        (
            session.range(0, n_parts, numPartitions=n_parts)
            .mapInArrow(_PartReader(plan).parsed, from_arrow_schema(SCHEMA))
            .observe(
                counts,
                f.count(f.lit(1)).alias("docs"),
                f.sum(f.size("tokens")).alias("tokens"),
                f.count("error").alias("errors"),
            )
            .write.parquet(output)
        )
    return PartResult(*(counts.get[name] or 0 for name in ("docs", "tokens", "errors")))


def _session(n_jobs: int | None) -> SparkSession:
    """The active session, or a new one."""
    from pyspark.sql import SparkSession

    # Workers on this machine have the same packages.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("spacy-dynoracle parse-table")
    if n_jobs is not None:
        # Four attempts at each task, as on a cluster.
        builder = builder.master(f"local[{n_jobs},4]")
    return SparkSession.getActiveSession() or builder.getOrCreate()


class _PartReader:
    """Reads and parses the parts whose numbers come in batches."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def parsed(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from self.plan.parse(self.plan.parts[number])
