"""``parse-table``: from files with texts to Parquet with annotations."""

import time
from functools import reduce
from typing import TYPE_CHECKING, Annotated

import typer

from ..util.extras import needs_extra
from ..util.texts import counted
from ..util.workers import n_cores
from .common import Code, CommandError, one_line_errors, progress_bar
from .options import PipelineName, Probabilities

if TYPE_CHECKING:
    from ..tables.local import LocalRun, PartResult


Input = Annotated[
    str,
    typer.Argument(
        metavar="INPUT",
        help="A file or a folder: .parquet, .jsonl, .ndjson, .txt, .conllu and .conll "
        "files, the last five also with .gz; or its URI (s3://, gs://, hdfs://).",
    ),
]
Output = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        help="A new local folder for the Parquet files, outside of INPUT, or that of "
        "an interrupted run.",
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
IdColumn = Annotated[
    str, typer.Option(help="The column with the id, in Parquet and JSON lines.")
]
TextColumn = Annotated[
    str, typer.Option(help="The column with the text, in Parquet and JSON lines.")
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Copy this column of Parquet or JSON lines to the output, as text. The "
        "option may be repeated.",
    ),
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
    *,
    id_column: IdColumn = "id",
    text_column: TextColumn = "text",
    keep: Keep = None,
    probabilities: Probabilities = None,
    part_mb: PartSize = 4.0,
    jobs: Jobs = None,
    code: Code = None,
    output: Output,
) -> None:
    """Parse much text into Parquet, on all cores.

    Every row of the output is a document, with its sentences and tokens in nested
    columns. A document that fails has a row with its error. An interrupted run goes on
    where it was. Any spaCy pipeline that sets heads will do, such as en_core_web_sm.
    The command needs the extra arrow of the package.
    """
    with needs_extra("tables", "arrow"):
        from .. import tables
    part_bytes = round(part_mb * 1e6)
    start = time.perf_counter()
    try:
        parser = tables.TableParser(
            model, probabilities, id=id_column, text=text_column, keep=tuple(keep or ())
        )
        run = tables.parse_locally(
            tables.plan(source, parser, part_bytes=part_bytes), output
        )
        counts, n_resumed = _run(run, jobs or n_cores())
    except KeyboardInterrupt:
        typer.echo("Interrupted. The same command goes on from here.", err=True)
        raise
    except ValueError as error:
        raise CommandError(" ".join(str(error).split())) from error
    speed = (counts.tokens - n_resumed) / (time.perf_counter() - start)
    typer.echo(
        f"{output}: {counted(counts.docs, 'document')}, {counts.tokens:,} words, "
        f"{counted(counts.errors, 'error')}, {speed:,.0f} words/s",
        err=True,
    )


def _run(run: "LocalRun", n_jobs: int) -> tuple["PartResult", int]:
    """Make the missing parts.

    Returns:
        The counts of the output, and the number of words that were there already.
    """
    from ..tables.local import PartResult

    counts = list(run.resumed)
    n_resumed = sum(result.tokens for result in counts)
    with progress_bar(f"of {len(run.missing):,} parts parsed") as advance:
        for result in run.results(n_jobs):
            counts.append(result)
            advance(1)
    return reduce(PartResult.and_then, counts, PartResult(0, 0, 0)), n_resumed
