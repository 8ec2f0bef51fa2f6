"""``parse-table``: from files with texts to Parquet with annotations."""

import sys
import time
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from ..util.workers import n_cores
from .common import CommandError, one_line_errors
from .options import BatchSize, ConlluTags, JsonFlag, Lines, PipelineName
from .pipelines import ArcProbabilities
from .results import ResultOptions

if TYPE_CHECKING:
    from ..tables import Plan
    from ..tables.local import PartResult


class Engine(str, Enum):
    """What runs the workers."""

    local = "local"
    spark = "spark"
    ray = "ray"


Input = Annotated[
    str,
    typer.Argument(
        metavar="INPUT",
        help="A file or a folder: .parquet, .jsonl, .ndjson, .txt, .conllu and .conll "
        "files, the last five also with .gz; or its URI (s3://, gs://, hdfs://).",
    ),
]
OutputArgument = Annotated[
    str | None,
    typer.Argument(metavar="OUTPUT", help="As --output.", show_default=False),
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        help="A new folder for the Parquet files, or that of an interrupted run.",
    ),
]
EngineOption = Annotated[
    Engine,
    typer.Option(
        help="local: the cores of this machine; an interrupted run goes on where it "
        "was. spark: the Spark session of spark-submit, or a new one. ray: the Ray "
        "cluster that runs, or a new one."
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Number of processes on this machine. Default: one for each core.",
        show_default=False,
    ),
]
Probabilities = Annotated[
    ArcProbabilities | None,
    typer.Option(
        help="Write the probability of every arc. transition: the probability of the "
        "decision that made the arc (fast). marginal: the share of sampled "
        "derivations that have the arc, or the probability by the votes of a committee."
    ),
]
IdColumn = Annotated[
    str, typer.Option(help="The column with the id, in Parquet and JSON lines.")
]
TextColumn = Annotated[
    str, typer.Option(help="The column with the text, in Parquet and JSON lines.")
]
PartSize = Annotated[
    float,
    typer.Option(
        min=0.001,
        help="Megabytes of text in a part. Each part is the task of one process, and "
        "a file of the output.",
    ),
]


@one_line_errors
def parse_table_command(
    model: PipelineName,
    source: Input,
    output_argument: OutputArgument = None,
    output: Output = None,
    engine: EngineOption = Engine.local,
    jobs: Jobs = None,
    probabilities: Probabilities = None,
    lines: Lines = False,
    gold_tags: ConlluTags = True,
    id_column: IdColumn = "id",
    text_column: TextColumn = "text",
    part_mb: PartSize = 4.0,
    batch_size: BatchSize = 256,
    as_json: JsonFlag = False,
) -> None:
    """Parse much text into Parquet, on all cores or a cluster.

    Every row of the output is a document, with its sentences and tokens in nested
    columns. A document that fails has a row with its error. The extras arrow, spark and
    ray of the package have what the engines need.
    """
    if (output is None) == (output_argument is None):
        raise CommandError("name one folder to write, with --output")
    folder = output or output_argument or ""
    try:
        from .. import tables
    except ImportError as error:
        raise CommandError(
            f"{error}: install it with pip install 'spacy-dynoracle[arrow]'"
        ) from error
    parser = tables.TableParser(
        model,
        None if probabilities is None else probabilities.value,
        gold_tags,
        id_column,
        text_column,
        batch_size,
    )
    start = time.perf_counter()
    try:
        plan = tables.plan(source, parser, lines=lines, part_bytes=round(part_mb * 1e6))
        counts, n_resumed = _run(plan, folder, engine, jobs)
    except ImportError as error:
        raise CommandError(
            f"{error}: install it with pip install 'spacy-dynoracle[{engine.value}]'"
        ) from error
    except ValueError as error:
        raise CommandError(" ".join(str(error).split())) from error
    _report(folder, counts, n_resumed, time.perf_counter() - start, as_json)


def _run(
    plan: "Plan", output: str, engine: Engine, jobs: int | None
) -> tuple["PartResult", int]:
    """Parse with an engine. Returns the counts of the output, and the number of words
    that were there already."""
    if engine is Engine.spark:
        from ..tables.spark import parse_on_spark

        return parse_on_spark(plan, output, n_jobs=jobs), 0
    if engine is Engine.ray:
        from ..tables.ray import parse_on_ray

        return parse_on_ray(plan, output, jobs), 0
    from ..tables.local import PartResult, parse_locally

    run = parse_locally(plan, output)
    there = list(run.resumed())
    made = list(_shown(run.results(jobs or n_cores()), len(run.missing)))
    sums = [sum(values) for values in zip(*(there + made), strict=True)]
    return PartResult(*sums), sum(result.tokens for result in there)


def _shown(results: Iterable["PartResult"], n_parts: int) -> Iterator["PartResult"]:
    """Pass results on, and show words and words per second if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield from results
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    start, words = time.perf_counter(), 0
    columns = (
        BarColumn(),
        TextColumn("{task.completed} of {task.total} parts, {task.description}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("0 words", total=n_parts)
        for result in results:
            words += result.tokens
            rate = words / (time.perf_counter() - start)
            shown = f"{words:,} words, {rate:,.0f} words/s"
            bar.update(task, advance=1, description=shown)
            yield result


def _report(
    output: str, counts: "PartResult", n_resumed: int, seconds: float, as_json: bool
) -> None:
    speed = (counts.tokens - n_resumed) / seconds
    if as_json:
        values = {
            "output": output,
            "documents": counts.docs,
            "words": counts.tokens,
            "errors": counts.errors,
            "seconds": round(seconds, 2),
            "words_per_second": round(speed),
        }
        ResultOptions(None, as_json).write(values)
        return
    typer.echo(
        f"{output}: {counts.docs:,} documents, {counts.tokens:,} words, "
        f"{counts.errors:,} errors, {speed:,.0f} words/s",
        err=True,
    )
