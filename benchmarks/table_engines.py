"""Parse a table with Spark or Ray, as the page "Parse a corpus" shows it.

`benchmarks.tables` starts this file as a program: ENGINE MODEL INPUT --output OUTPUT.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

import pyarrow as pa
import typer

from spacy_dynoracle.tables import Plan, TableParser, plan


def on_spark(made: Plan, output: str, n_jobs: int) -> None:
    """Parse every part of an input in a task of Spark."""
    from pyspark.sql import SparkSession
    from pyspark.sql.pandas.types import from_arrow_schema

    def parsed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch["id"].to_pylist():
                yield from made.parse(made.parts[number])

    # The driver only hands out parts here: it needs no page and one thread to collect
    # garbage. There are four attempts at each task, as on a cluster.
    spark = (
        SparkSession.builder.master(f"local[{n_jobs},4]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.extraJavaOptions", "-XX:+UseSerialGC")
        .getOrCreate()
    )
    n_parts = len(made.parts)
    spark.range(0, n_parts, numPartitions=n_parts).mapInArrow(
        parsed, from_arrow_schema(made.parser.schema)
    ).write.parquet(output)


def on_ray(made: Plan, output: str, n_jobs: int) -> None:
    """Parse every part of an input in a task of Ray."""
    import ray

    def parsed(numbers: pa.Table) -> Iterator[pa.Table]:
        for number in numbers["id"].to_pylist():
            batches = made.parse(made.parts[number])
            yield pa.Table.from_batches(batches, made.parser.schema)

    ray.init(num_cpus=n_jobs, log_to_driver=False, include_dashboard=False)
    n_parts = len(made.parts)
    ray.data.range(n_parts, override_num_blocks=n_parts).map_batches(
        parsed, batch_size=1, batch_format="pyarrow"
    ).write_parquet(output)


def main(
    engine: Literal["spark", "ray"],
    model: str,
    source: str,
    *,
    output: Annotated[str, typer.Option()],
    jobs: int = 2,
    part_mb: float = 4.0,
) -> None:
    """Parse a file or a folder into a new folder of Parquet files."""
    made = plan(source, TableParser(model), part_bytes=round(part_mb * 1e6))
    (on_spark if engine == "spark" else on_ray)(made, output, jobs)


if __name__ == "__main__":
    typer.run(main)
