"""Parsing with Ray Data. Scheduling and retries are Ray's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from .files import Plan, TableError
from .local import PartResult
from .remote import exists, user_errors

# The id of a token, as Parquet names a field in a list.
_ID = "list.element.id"


def parse_on_ray(plan: Plan, output: str, n_jobs: int | None = None) -> PartResult:
    """Parse an input into a new folder of Parquet files.

    Every part of the input is a task.

    Args:
        n_jobs: Processes of a new Ray on this machine; None for all of them, or for the
            Ray that runs already.

    Raises:
        TableError: If a task fails for good.
    """
    import ray

    if "://" not in output and Path(output).exists():
        raise TableError(exists(output))
    if not ray.is_initialized():
        ray.init(num_cpus=n_jobs, log_to_driver=False, include_dashboard=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    reference = ray.put(plan)

    def annotation(numbers: pa.Table) -> Iterator[pa.Table]:
        here = ray.get(reference)
        for number in numbers.column("id").to_pylist():
            part = here.parts[number]
            yield pa.Table.from_batches(here.parse(part), here.parser.schema)

    n_parts = len(plan.parts)
    numbers = ray.data.range(n_parts, override_num_blocks=n_parts)
    with user_errors(ray.exceptions.RayError, "Ray", output):
        numbers.map_batches(
            annotation, batch_size=1, batch_format="pyarrow"
        ).write_parquet(output)
    return _counts(output)


def _counts(output: str) -> PartResult:
    """Counts of documents, tokens and errors in a folder of Parquet files."""
    import pyarrow.dataset as ds

    counts = PartResult(0, 0, 0)
    found = ds.dataset(output)
    for path in found.files:
        with pq.ParquetFile(path, filesystem=found.filesystem) as file:
            # One field of a token is enough to count them.
            for batch in file.iter_batches(columns=["error", f"tokens.{_ID}"]):
                counts = counts.and_then(PartResult.of(batch))
    return counts
