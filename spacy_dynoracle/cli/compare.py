"""``compare``: whether two pipelines or files with parses differ on a treebank."""

from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language

from ..evaluation import Comparison, compare
from ..evaluation.attachment import DEFAULT_EXCLUSION
from ..reports.significance import REPETITIONS
from ..reports.tables import Grid, probability, show
from ..treebank.corpora import is_corpus
from ..treebank.pipelines import file_has_tags
from .common import CommandError, load_pipeline, one_line_errors, progress_bar
from .options import (
    SYSTEM,
    BatchSize,
    FileTags,
    JsonFlag,
    JsonOutput,
    TreebankFile,
)
from .results import ResultOptions

SystemA = Annotated[str, typer.Argument(metavar="A", help=SYSTEM)]
SystemB = Annotated[str, typer.Argument(metavar="B", help=SYSTEM)]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        help="Compare without punctuation too, by this definition; see evaluate. The "
        f"option may be repeated. Default: {DEFAULT_EXCLUSION}."
    ),
]
FromText = Annotated[
    bool, typer.Option("--from-text", help="Let pipelines start from raw text.")
]
Trials = Annotated[
    int, typer.Option(min=1, help="Number of trials of the permutation test.")
]
Seed = Annotated[int, typer.Option(help="Seeds the permutation test.")]


@one_line_errors
def compare_command(
    a: SystemA,
    b: SystemB,
    treebank: TreebankFile,
    exclude: Exclude = None,
    from_text: FromText = False,
    gold_tags: FileTags = True,
    trials: Trials = REPETITIONS,
    seed: Seed = 0,
    output: JsonOutput = None,
    as_json: JsonFlag = False,
    batch_size: BatchSize = 256,
) -> None:
    """Test whether two pipelines or files with parses differ.

    Prints UAS and LAS of both, their difference, and its p-value by a paired
    permutation test over sentences (approximate randomisation). Words that differ from
    those of the treebank are aligned; a word that a system does not have is wrong.
    """
    if a == b:
        raise CommandError(f"{a}: is compared with itself; name two pipelines or files")
    target = ResultOptions(output, as_json)
    first, second = _system(a), _system(b)
    names = list(dict.fromkeys(["all", *(exclude or [DEFAULT_EXCLUSION])]))
    try:
        with progress_bar("sentences parsed") as advance:
            result = compare(
                first, second, treebank, from_text=from_text, gold_tags=gold_tags,
                scored=names, trials=trials, seed=seed, batch_size=batch_size,
                on_progress=advance,
            )  # fmt: skip
    except ValueError as error:
        raise CommandError(str(error)) from error
    if target.tables:
        file_tags = gold_tags and file_has_tags(treebank)
        given = _given(first, second, from_text, file_tags)
        show([_table(result, a, b, given)])
    target.write({**result.as_dict(), "a": a, "b": b})


def _system(name: str) -> Language | Path:
    return Path(name) if is_corpus(name) else load_pipeline(name)


def _given(
    a: Language | Path, b: Language | Path, from_text: bool, file_tags: bool
) -> str:
    """The input of the pipelines among the two."""
    if isinstance(a, Path) and isinstance(b, Path):
        return "parses of files"
    if from_text:
        return "pipelines start from raw text"
    tags = "of the file" if file_tags else "of the pipeline"
    return f"pipelines start from words and sentences of the file, tags {tags}"


def _table(result: Comparison, a: str, b: str, given: str) -> Grid:
    grid = Grid(
        f"A: {a}\nB: {b}",
        ["", "scored words", "A", "B", "B - A", "p", "better", "worse"],
    )
    for row in result.rows:
        definition = "all" if row.scored == "all" else f"no punct., {row.scored}"
        grid.add(
            row.measure,
            f"{row.words:,} ({definition})",
            f"{100 * row.a:.2f}",
            f"{100 * row.b:.2f}",
            f"{100 * row.difference:+.2f}",
            probability(row.p),
            f"{row.better:,}",
            f"{row.worse:,}",
        )
    grid.notes = [
        f"{result.sentences:,} sentences of {result.gold}, {given}. Labels are "
        "compared as a whole. p: paired permutation test "
        f"over sentences, {result.trials:,} trials, seed {result.seed}. better, worse: "
        "number of sentences in which B has more words right than A, or fewer."
    ]
    return grid
