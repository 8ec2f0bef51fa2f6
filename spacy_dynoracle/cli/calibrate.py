"""``calibrate``: whether the probabilities of a parser can be trusted."""

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import srsly
import typer
from spacy.language import Language

from ..confidence import coverage, reliability
from ..confidence.fitting import fit_on_arcs
from ..confidence.measured import Material
from ..confidence.temperature import ScoredDecisions, fit_temperature
from ..core.model.model import Model
from ..parser.component import DynOracleParser
from ..parser.lookup import trained_model
from ..reports.pictures import require_matplotlib
from ..reports.tables import show
from .common import (
    CommandError,
    check_new_directory,
    load_pipeline,
    one_line_errors,
    output_stream,
    store_in_new,
    tag_writers,
    use_file_tags,
)
from .options import FileTags, PipelineName, TreebankFile
from .pipelines import parser_of

RELIABILITY, COVERAGE = "reliability", "coverage"


class Over(str, Enum):
    """The actions whose probabilities add up to 1."""

    legal = "legal"
    all = "all"


class FitOn(str, Enum):
    """What a temperature makes as probable as possible."""

    transitions = "transitions"
    arcs = "arcs"


@one_line_errors
def calibrate_command(
    model: PipelineName,
    treebank: TreebankFile,
    fit: Annotated[
        Path | None,
        typer.Option(
            help="Fit a temperature on this file first, which should be held out from "
            "training and from TREEBANK."
        ),
    ] = None,
    fit_on: Annotated[
        FitOn,
        typer.Option(
            help="What the temperature is best for: transitions, or the marginals of "
            "labelled arcs (slower)."
        ),
    ] = FitOn.transitions,
    save: Annotated[
        bool,
        typer.Option("--save", help="Store the fitted temperature in MODEL itself."),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Store the pipeline with that temperature in this new directory.",
        ),
    ] = None,
    over: Annotated[
        Over,
        typer.Option(help="Probabilities of transitions among these actions."),
    ] = Over.legal,
    samples: Annotated[
        int, typer.Option(min=1, help="Derivations drawn for the marginals of arcs.")
    ] = 64,
    seed: Annotated[int, typer.Option(help="Of the samples.")] = 0,
    gold_tags: FileTags = True,
    plot: Annotated[
        Path | None,
        typer.Option(
            help="Draw reliability diagrams, and curves of precision and coverage, as "
            "PNG and SVG: a directory, or the path of the files without a suffix."
        ),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", help="Write all numbers to this JSON file."),
    ] = None,
) -> None:
    """Calibration of the probabilities of transitions, heads and labelled arcs.

    Tables after Goldberg (2013, Table 4) of a pipeline on a treebank file, and a
    temperature fitted to held-out data, which makes scores of any learner into
    probabilities.
    """
    if (save or output) and fit is None:
        raise CommandError("nothing to store without --fit: name a held-out file")
    if save and output:
        raise CommandError("--save or --output: where is the temperature to be stored?")
    if output is not None:
        check_new_directory(output)
    picture = None if plot is None else _picture(plot)
    nlp = load_pipeline(model)
    parser = parser_of(nlp, model)
    trained = trained_model(parser)
    if fit is None and trained.temperature is None:
        raise CommandError(
            f"scores of {trained.learner} are no probabilities: fit a temperature to "
            "held-out data with --fit FILE"
        )
    material = _read(nlp, parser, treebank, gold_tags)
    if not material.sentences:
        raise CommandError(f"{treebank}: no sentence to measure anything on")
    present = trained
    where = "as trained"
    if trained.is_fitted:
        where = "fitted before"
    if fit is not None:
        held_out = _read(nlp, parser, fit, gold_tags)
        temperature = _fit(trained, held_out, fit_on, samples, seed)
        present = trained.with_temperature(temperature)
        where = f"fitted on the {fit_on.value} of {fit.name}"
        if fit.resolve() == treebank.resolve():
            typer.echo(
                "Note: a temperature fitted and measured on the same file looks better "
                "than it is",
                err=True,
            )
        if save or output:
            parser.set_model(present)
            _store(nlp, parser, model, output)
    typer.echo(f"Temperature {present.temperature:.6g}, {where}")
    title = f"{treebank.name}, {reliability.temperature_of(present)}"
    parsed = material.parse(present, samples, seed)
    arcs = parsed.arcs()
    decided = material.decisions(present)
    measured = reliability.reliability(decided, arcs, over.value)
    ranked = coverage.rankings(arcs)
    grids = reliability.tables(measured, title, over.value, samples)
    grids += [
        coverage.threshold_table(title, arcs),
        coverage.ranking_table(title, ranked),
    ]
    risk, trees = coverage.risk_table(title, parsed, arcs, material.starts)
    grids.append(risk)
    values: dict[str, Any] = {
        "model": model,
        "treebank": str(treebank),
        "gold_tags": gold_tags,
        "temperature": present.temperature,
        "fitted": present.is_fitted,
        "over": over.value,
        "samples": samples,
        "seed": seed,
        "calibration": reliability.records(measured),
        "ranking": coverage.records(ranked),
        "trees": trees,
    }
    if present is not trained and trained.temperature is not None:
        before = reliability.reliability(
            material.decisions(trained),
            material.arcs(trained, samples, seed),
            over.value,
        )
        values["before"] = {
            "temperature": trained.temperature,
            "calibration": reliability.records(before),
        }
        earlier = f"{treebank.name}, {reliability.temperature_of(trained)}"
        grids.append(reliability.summary_table(f"Before: {earlier}", before))
    show(grids)
    if picture is not None:
        files = reliability.diagram(measured, title, picture)
        files += coverage.curves(ranked, title, _second(picture))
        for file in files:
            typer.echo(str(file), err=True)
    if json_file is not None:
        with output_stream(json_file) as stream:
            stream.write(srsly.json_dumps(values, indent=2) + "\n")


def _read(
    nlp: Language, parser: DynOracleParser, path: Path, gold_tags: bool
) -> Material:
    tags = use_file_tags(path, gold_tags)
    return Material(nlp, parser, path, tags, tag_writers(nlp) if tags else ())


def _fit(
    model: Model, held_out: Material, fit_on: FitOn, samples: int, seed: int
) -> float:
    found = held_out.decisions(model, keep_scores=True)
    try:
        temperature = fit_temperature(
            ScoredDecisions(found.scores or [], found.correct_sets or [])
        )
    except ValueError as error:
        raise CommandError(f"{held_out.path}: no temperature fits: {error}") from error
    if fit_on is FitOn.arcs:
        temperature = fit_on_arcs(model, held_out, temperature, samples, seed)
    return temperature


# ---- storing -------------------------------------------------------------------------


def _store(
    nlp: Language, parser: DynOracleParser, model: str, output: Path | None
) -> None:
    """Store the parser's model in the pipeline's directory, or everything in a new one;
    neither is ever half written."""
    if output is None:
        directory = nlp.path
        if directory is None:
            raise CommandError(f"the pipeline {model!r} is no directory; use --output")
        # A temperature is nowhere but in the model, which is one file.
        parser.to_disk(directory / parser.name, exclude=["vocab"])
        typer.echo(f"Stored in {directory / parser.name}", err=True)
        return
    store_in_new(nlp, output)
    typer.echo(f"Stored in {output}", err=True)


# ---- pictures ------------------------------------------------------------------------


def _picture(plot: Path) -> Path:
    """The path of pictures without a suffix."""
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


def _second(picture: Path) -> Path:
    """The path of the other picture, beside the first one."""
    if picture.name == RELIABILITY:
        return picture.with_name(COVERAGE)
    return picture.with_name(f"{picture.name}-{COVERAGE}")
