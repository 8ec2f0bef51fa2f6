"""``calibrate``: whether the probabilities of a parser can be trusted."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language

from .. import confidence
from ..confidence.report import RELIABILITY
from ..parser.lookup import trained_model
from ..reports.pictures import require_matplotlib
from ..reports.tables import show
from .common import (
    CommandError,
    check_new_directory,
    load_pipeline,
    one_line_errors,
    store_in_new,
    use_file_tags,
)
from .options import FileTags, Force, JsonFlag, PipelineName, TreebankFile
from .pipelines import parser_of
from .results import ResultOptions

SAME_FILE = (
    "Note: a temperature fitted and measured on the same file looks better than it is"
)


class Over(str, Enum):
    """The actions whose probabilities add up to 1."""

    legal = "legal"
    all = "all"


class FitOn(str, Enum):
    """The predictions that a temperature is fitted to."""

    transitions = "transitions"
    arcs = "arcs"


Fit = Annotated[
    Path | None,
    typer.Option(
        help="Fit a temperature on this file first. It should be held out from "
        "training and differ from TREEBANK."
    ),
]
FitOnOption = Annotated[
    FitOn,
    typer.Option(
        help="Fit the temperature to transitions, or to the marginals of labelled arcs "
        "(slower)."
    ),
]
Save = Annotated[
    bool,
    typer.Option("--save", help="Store the fitted temperature in MODEL itself."),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Store the pipeline with the fitted temperature in this new directory.",
    ),
]
OverOption = Annotated[
    Over,
    typer.Option(
        help="Let the probabilities of legal actions add up to 1, or those of all "
        "actions."
    ),
]
Samples = Annotated[
    int,
    typer.Option(
        min=1, help="Derivations drawn of each sentence for the marginals of arcs."
    ),
]
Seed = Annotated[int, typer.Option(help="Seeds the drawing of derivations.")]
Plot = Annotated[
    Path | None,
    typer.Option(
        help="Draw reliability diagrams, and curves of precision and coverage, as PNG "
        "and SVG. Name a directory, or the path of the files without a suffix."
    ),
]


@one_line_errors
def calibrate_command(
    model: PipelineName,
    treebank: TreebankFile,
    fit: Fit = None,
    fit_on: FitOnOption = FitOn.transitions,
    save: Save = False,
    output: Output = None,
    force: Force = False,
    over: OverOption = Over.legal,
    samples: Samples = 64,
    seed: Seed = 0,
    gold_tags: FileTags = True,
    plot: Plot = None,
    as_json: JsonFlag = False,
) -> None:
    """Measure whether the probabilities of transitions, heads and arcs can be trusted.

    Shows tables after Goldberg (2013, Table 4) of a pipeline on a treebank file. With
    --fit, a temperature is fitted to held-out data, which makes the scores of any
    learner into probabilities.
    """
    _check_options(fit, save, output, force)
    if fit is not None and fit.resolve() == treebank.resolve():
        typer.echo(SAME_FILE, err=True)
    picture = None if plot is None else _picture(plot)
    nlp = load_pipeline(model)
    fitted = trained_model(parser_of(nlp, model)).is_fitted
    temperature, origin = None, "fitted before" if fitted else "as trained"
    if fit is not None:
        temperature = confidence.fit(
            nlp, fit, on=fit_on.value, n_samples=samples, seed=seed,
            gold_tags=use_file_tags(fit, gold_tags),
        ).temperature  # fmt: skip
        origin = f"fitted on the {fit_on.value} of {fit.name}"
    report = confidence.measure(
        nlp, treebank, temperature=temperature, over=over.value, n_samples=samples,
        seed=seed, gold_tags=use_file_tags(treebank, gold_tags),
    )  # fmt: skip
    if temperature is not None and (save or output):
        confidence.set_temperature(nlp, temperature)
        _store(nlp, model, output)
    target = ResultOptions(None, as_json)
    if target.tables:
        typer.echo(f"Temperature {report.now.temperature:.6g}, {origin}")
        show(report.tables())
    for file in [] if picture is None else report.draw(picture):
        typer.echo(str(file), err=True)
    target.write({"model": model, **report.as_dict()})


def _check_options(
    fit: Path | None, save: bool, output: Path | None, force: bool
) -> None:
    """Raise CommandError for options that do not go together."""
    if (save or output) and fit is None:
        raise CommandError("nothing to store without --fit: name a held-out file")
    if save and output:
        raise CommandError(
            "--save and --output exclude each other: choose where to store the "
            "temperature"
        )
    if output is not None:
        check_new_directory(output, force)


def _store(nlp: Language, model: str, output: Path | None) -> None:
    """Store the parser's model in the pipeline's directory, or the whole pipeline in a
    new directory; neither is ever half written."""
    if output is None:
        directory = nlp.path
        if directory is None:
            raise CommandError(
                f"the pipeline {model!r} is not a directory; use --output"
            )
        # The temperature is in the model alone, which is one file.
        parser = parser_of(nlp, model)
        parser.to_disk(directory / parser.name, exclude=["vocab"])
        typer.echo(f"Stored in {directory / parser.name}", err=True)
        return
    store_in_new(nlp, output)
    typer.echo(f"Stored in {output}", err=True)


def _picture(plot: Path) -> Path:
    """The path of the pictures without a suffix. Raises CommandError if they cannot be
    drawn there."""
    try:
        require_matplotlib("reliability diagrams")
    except ImportError as error:
        raise CommandError(str(error)) from error
    if plot.is_dir():
        return plot / RELIABILITY
    if plot.suffix in (".png", ".svg"):
        plot = plot.with_suffix("")
    if not plot.parent.is_dir():
        raise CommandError(f"{plot.parent}: no such directory to draw {plot.name} in")
    return plot
