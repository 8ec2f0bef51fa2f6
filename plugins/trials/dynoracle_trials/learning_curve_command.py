"""``learning-curve``: what more sentences would bring."""

from pathlib import Path
from typing import Annotated

import typer

from spacy_dynoracle.cli.common import Code, CommandError, one_line_errors, progress_bar
from spacy_dynoracle.cli.options import CORPUS, From, ResultForm
from spacy_dynoracle.errors import value_errors_as
from spacy_dynoracle.reports.tables import Grid, interval, percent

from . import options
from .curves import LearningCurve, learning_curve
from .trials import TrialSettings

# The measures of the table, as far as there are scores; JSON has all.
_FOUND = ("Words", "Sentences")
_SHOWN = ("UPOS", "UFeats", "Lemmas", "UAS", "LAS", "MLAS")

TrainFile = Annotated[Path, typer.Argument(metavar="TRAIN", help=f"{CORPUS}.")]
DevFile = Annotated[Path, typer.Argument(metavar="DEV", help=f"{CORPUS}.")]


@one_line_errors
def learning_curve_command(
    train: TrainFile,
    dev: DevFile,
    config: options.ConfigFile = options.DEFAULT_CONFIG,
    overrides: options.Overrides = None,
    start: From = "words",
    jobs: options.Jobs = 1,
    form: ResultForm = "text",
    code: Code = None,
    output: options.Folder = None,
) -> None:
    """Show how scores rise with the training data.

    Pipelines are trained on an eighth, a quarter, a half and all of the sentences of
    TRAIN. Each of them parses DEV, which is scored as the CoNLL 2018 shared task does.
    """
    settings = TrialSettings(**options.values_of(config, overrides, start))
    with value_errors_as(CommandError):
        result = learning_curve(
            train, dev, settings, directory=output, n_jobs=jobs, progress=progress_bar
        )
    options.show_result(_table(result), result.as_dict(), form, output)


def _table(result: LearningCurve) -> Grid:
    found = _FOUND if result.settings.from_text else ()
    names = [x for x in (*found, *_SHOWN) if x in result.points[-1].scores]
    title = f"{result.train}, scored on {result.dev}: F1, in per cent"
    grid = Grid(title, ["of the data", "sentences", "words", *names])
    for point in result.points:
        scores = (percent(point.scores[name].f1) for name in names)
        counts = f"{point.sentences:,}", f"{point.words:,}"
        grid.add(f"1/{point.divisor}", *counts, *scores)
    sentences = (
        f"Sentences of each part are drawn by {options.note_of(result.settings)}"
    )
    grid.notes = [_outlook(result), sentences]
    return grid


def _outlook(result: LearningCurve) -> str:
    """A sentence about the LAS that twice the data may bring."""
    left, twice = result.errors_left("LAS"), result.with_twice_the_data("LAS")
    if left is None or twice is None:
        return "LAS has no errors left."
    if left >= 1:
        return (
            "LAS has not risen with the data. More sentences of this kind may bring "
            "nothing; see first whether the annotation is consistent."
        )
    las = result.points[-1].scores["LAS"]
    return (
        f"Each doubling of the data left {100 * left:.0f} % of the errors in LAS. If "
        f"that goes on, twice the data may bring LAS from {percent(las.f1)} (95 %: "
        f"{interval(las.interval)}) to about {percent(twice)}: a rough guess, from one "
        "training for each size."
    )
