"""``cross-validate``: scores for a treebank that is in one file."""

from typing import Annotated

import typer

from spacy_dynoracle.cli.common import Code, CommandError, one_line_errors, progress_bar
from spacy_dynoracle.cli.options import From, ResultForm, TreebankFile
from spacy_dynoracle.errors import value_errors_as
from spacy_dynoracle.reports.tables import Grid, interval, percent

from . import options
from .cross_validation import CrossValidation, CrossValidationSettings, cross_validate

Folds = Annotated[
    int,
    typer.Option(
        min=2,
        help="Number of folds: of documents, if the treebank marks enough of them "
        "(# newdoc), or of sentences.",
    ),
]


@one_line_errors
def cross_validate_command(
    treebank: TreebankFile,
    config: options.ConfigFile = options.DEFAULT_CONFIG,
    overrides: options.Overrides = None,
    folds: Folds = 10,
    start: From = "words",
    jobs: options.Jobs = 1,
    form: ResultForm = "text",
    code: Code = None,
    output: options.Folder = None,
) -> None:
    """Train and score a pipeline for each fold of a treebank.

    The treebank is one file. Each fold is parsed by a pipeline that was trained on the
    others. The parses of all folds are scored together, as the CoNLL 2018 shared task
    does. The table also has the mean and the standard deviation of the folds.
    """
    settings = CrossValidationSettings(
        **options.values_of(config, overrides, start), n_folds=folds
    )
    with value_errors_as(CommandError):
        result = cross_validate(
            treebank, settings, directory=output, n_jobs=jobs, progress=progress_bar
        )
    options.show_result(_table(result), result.as_dict(), form, output)


def _table(result: CrossValidation) -> Grid:
    columns = ["", "all folds", "95 %", "mean", "deviation"]
    numbers = [str(i + 1) for i in range(len(result.folds))]
    grid = Grid(f"{result.treebank}: F1, in per cent", columns + numbers)
    for measure, score in result.scores.items():
        over_folds = ["-", "-"]
        if result.has_mean:
            values = result.mean(measure), result.deviation(measure)
            over_folds = list(map(percent, values))
        each = [percent(fold[measure].f1) for fold in result.folds]
        pooled = percent(score.f1), interval(score.interval)
        grid.add(measure, *pooled, *over_folds, *each)
    words = f"{sum(result.sizes):,}", "", "", ""
    grid.add("words in gold", *words, *map(str, result.sizes))
    settings = result.settings
    folds = f"{settings.n_folds} folds of {settings.unit}s"
    grid.notes = [result.sample.note(), f"{folds}, {options.note_of(settings)}"]
    return grid
