"""``calibrate``: whether the probabilities of a parser or committee can be trusted."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from spacy.language import Language

from .. import confidence
from ..committee.lookup import find_committee
from ..confidence import FittedTemperature, FittedVotes
from ..parser.lookup import find_any
from ..reports.tables import show
from .common import (
    Code,
    CommandError,
    check_new_directory,
    load_pipeline,
    one_line_errors,
    store_in_new,
)
from .file_tags import use_file_tags
from .options import PipelineName, ResultForm, ResultOptions, TreebankFile, TreebankFrom

SAME_FILE = (
    "Note: probabilities fitted and measured on the same file look better than they are"
)


# The predictions that a temperature is fitted to.
FitOn = Literal["transitions", "arcs"]

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
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Store the pipeline with the fitted probabilities in this directory. A "
        "pipeline that is there already is replaced; of MODEL itself, only the "
        "probabilities change. They decide where a parser looks ahead, what a full "
        "beam compares and how much sure votes count.",
    ),
]


@one_line_errors
def calibrate_command(
    model: PipelineName,
    treebank: TreebankFile,
    fit: Fit = None,
    fit_on: FitOnOption = None,
    start: TreebankFrom = "tags",
    form: ResultForm = "text",
    code: Code = None,
    output: Output = None,
) -> None:
    """Measure probabilities, or fit them to held-out data.

    Shows whether the probabilities of transitions, heads and arcs can be trusted, in
    tables after Goldberg (2013, Table 4) of a pipeline on a treebank file. With --fit,
    a temperature is fitted to held-out data, which makes the scores of an averaged
    perceptron into probabilities. Of a committee, the shares of votes are measured, or
    with --fit the probabilities that are fitted to the shares of votes and of drawn
    derivations.
    """
    if output is not None:
        if fit is None:
            raise CommandError("nothing to store without --fit: name a held-out file")
        check_new_directory(output)
    if fit_on is not None and fit is None:
        raise CommandError("--fit-on says what --fit fits to: add --fit FILE")
    if fit is not None and fit.resolve() == treebank.resolve():
        typer.echo(SAME_FILE, err=True)
    nlp = load_pipeline(model)
    tags = start == "tags"
    fitted = None if fit is None else _fitted(nlp, fit, fit_on, tags)
    values = {} if fitted is None else fitted.values
    report = confidence.measure(
        nlp, treebank, gold_tags=use_file_tags(nlp, treebank, tags), **values
    )
    if fitted is not None and output is not None:
        fitted.use(nlp)
        _store(nlp, output)
    elif fitted is not None:
        typer.echo("Not stored: add --output", err=True)
    target = ResultOptions(None, form)
    if target.tables:
        typer.echo(report.origin if fitted is None else fitted.title)
        show(report.tables())
    target.write({"model": model, **report.as_dict()})


def _fitted(
    nlp: Language, path: Path, on: FitOn | None, tags: bool
) -> FittedTemperature | FittedVotes:
    """Fit a temperature, or the votes of a committee, to a held-out file."""
    gold_tags = use_file_tags(nlp, path, tags)
    if find_committee(nlp) is None:
        return confidence.fit(nlp, path, on=on or "transitions", gold_tags=gold_tags)
    if on == "transitions":
        raise CommandError(
            "a committee has no transitions: leave out --fit-on, or use --fit-on arcs"
        )
    return confidence.fit_votes(nlp, path, gold_tags=gold_tags)


def _store(nlp: Language, output: Path) -> None:
    """Store the fitted probabilities in the pipeline's directory, or the whole pipeline
    in another one; neither is ever half written.
    """
    if nlp.path is not None and output.resolve() == Path(nlp.path).resolve():
        parser = find_any(nlp)
        output = output / parser.name
        parser.to_disk(output, exclude=["vocab"])
    else:
        store_in_new(nlp, output)
    typer.echo(f"Stored in {output}", err=True)
