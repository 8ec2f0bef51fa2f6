"""``calibrate``: whether the probabilities of a parser or committee can be trusted."""

from enum import Enum
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from spacy.language import Language

from .. import confidence
from ..committee.component import DynOracleCommittee
from ..confidence import ConfidenceReport
from ..confidence.report import RELIABILITY
from ..parser.lookup import find_parser, trained_model
from ..registry.probabilities import MAX_SAMPLES
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
from .pipelines import parser_or_committee_of
from .results import ResultOptions

SAME_FILE = (
    "Note: probabilities fitted and measured on the same file look better than they are"
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
        help="Fit a temperature, or the probabilities of the votes of a committee, to "
        "this file first. It should be held out from training and differ from "
        "TREEBANK."
    ),
]
FitOnOption = Annotated[
    FitOn | None,
    typer.Option(
        help="Fit the temperature to transitions, or to the marginals of labelled arcs "
        "(slower). Default: transitions. A committee has a way of its own.",
        show_default=False,
    ),
]
Save = Annotated[
    bool,
    typer.Option("--save", help="Store the fitted probabilities in MODEL itself."),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Store the pipeline with the fitted probabilities in this new directory.",
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
        min=1,
        max=MAX_SAMPLES,
        help="Derivations drawn of each sentence for the marginals of arcs; of a "
        "committee, by all members together.",
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        help="Seeds the drawing of derivations. Members of a committee have seeds of "
        "their own."
    ),
]
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
    fit_on: FitOnOption = None,
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
    """Measure probabilities, or fit them to held-out data.

    Shows whether the probabilities of transitions, heads and arcs can be trusted, in
    tables after Goldberg (2013, Table 4) of a pipeline on a treebank file. With --fit,
    a temperature is fitted to held-out data, which makes the scores of any learner into
    probabilities. Of a committee, the shares of votes are measured, or with --fit the
    probabilities that are fitted to the shares of votes and of drawn derivations.
    """
    _check_options(fit, save, output, force)
    if fit is not None and fit.resolve() == treebank.resolve():
        typer.echo(SAME_FILE, err=True)
    picture = None if plot is None else _picture(plot)
    nlp = load_pipeline(model)
    parser = parser_or_committee_of(nlp, model)
    held_out = None
    if fit is not None:
        held_out = TreebankInput(fit, use_file_tags(fit, gold_tags))
    measured = TreebankInput(treebank, use_file_tags(treebank, gold_tags))
    if isinstance(parser, DynOracleCommittee):
        _check_committee(over, fit_on)
        title, report = _of_committee(nlp, parser, held_out, measured, samples)
    else:
        on = fit_on or FitOn.transitions
        title, report = _of_parser(nlp, held_out, measured, on, over, samples, seed)
    if save or output:
        _store(nlp, model, output)
    elif fit is not None:
        typer.echo("Not stored: add --output or --save", err=True)
    target = ResultOptions(None, as_json)
    if target.tables:
        typer.echo(title)
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
            "probabilities"
        )
    if output is not None:
        check_new_directory(output, force)


def _check_committee(over: Over, fit_on: FitOn | None) -> None:
    """Raise CommandError for options that are about transitions."""
    if over is not Over.legal:
        raise CommandError("a committee has no transitions: leave out --over")
    if fit_on is FitOn.transitions:
        raise CommandError(
            "a committee has no transitions: leave out --fit-on, or use --fit-on arcs"
        )


class TreebankInput(NamedTuple):
    """A treebank file, and whether its tags are used."""

    path: Path
    gold_tags: bool


def _of_parser(
    nlp: Language,
    held_out: TreebankInput | None,
    measured: TreebankInput,
    on: FitOn,
    over: Over,
    samples: int,
    seed: int,
) -> tuple[str, ConfidenceReport]:
    """The temperature and its origin, and the report. A fitted temperature is in use
    then."""
    fitted = trained_model(find_parser(nlp)).is_fitted
    temperature, origin = None, "fitted before" if fitted else "as trained"
    if held_out is not None:
        path, gold_tags = held_out
        temperature = confidence.fit(
            nlp, path, on=on.value, n_samples=samples, seed=seed, gold_tags=gold_tags
        ).temperature
        origin = f"fitted on the {on.value} of {path.name}"
    path, gold_tags = measured
    report = confidence.measure(
        nlp, path, temperature=temperature, over=over.value, n_samples=samples,
        seed=seed, gold_tags=gold_tags,
    )  # fmt: skip
    if temperature is not None:
        confidence.set_temperature(nlp, temperature)
    return f"Temperature {report.now.temperature:.6g}, {origin}", report


def _of_committee(
    nlp: Language,
    committee: DynOracleCommittee,
    held_out: TreebankInput | None,
    measured: TreebankInput,
    samples: int,
) -> tuple[str, ConfidenceReport]:
    """As `_of_parser`, for the votes of a committee."""
    fitted = committee.calibration is not None
    votes, title = None, "Votes, fitted before" if fitted else "Votes, their shares"
    if held_out is not None:
        path, gold_tags = held_out
        try:
            found = confidence.fit_votes(
                nlp, path, n_samples=samples, gold_tags=gold_tags
            )
        except ImportError as error:
            raise CommandError(str(error)) from error
        votes, title = found.calibration, f"Votes, fitted on {path.name}"
        if found.silent:
            title += f"; members without derivations: {', '.join(found.silent)}"
    path, gold_tags = measured
    report = confidence.measure(nlp, path, votes=votes, gold_tags=gold_tags)
    if votes is not None:
        confidence.set_votes(nlp, votes)
    return title, report


def _store(nlp: Language, model: str, output: Path | None) -> None:
    """Store the fitted probabilities in the pipeline's directory, or the whole pipeline
    in a new directory; neither is ever half written."""
    if output is None:
        directory = nlp.path
        if directory is None:
            raise CommandError(
                f"the pipeline {model!r} is not a directory; use --output"
            )
        # The temperature is in the model alone, which is one file. The probabilities of
        # votes are in another one.
        parser = parser_or_committee_of(nlp, model)
        is_committee = isinstance(parser, DynOracleCommittee)
        other = ["model"] if is_committee else []
        parser.to_disk(directory / parser.name, exclude=["vocab", *other])
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
