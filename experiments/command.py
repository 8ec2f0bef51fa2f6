"""The command line of the experiments."""

from __future__ import annotations

import signal
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from spacy_dynoracle.cli.common import CommandError, one_line_errors

from . import (
    active_learning,
    exploration,
    feature_sets,
    fragmentation,
    learning_curves,
    nonprojective,
    oracles,
)
from .claims import add_claims
from .common import (
    DEFAULT_CONFIG,
    DEFAULT_OUTPUT,
    ConfigFile,
    Directory,
    Epochs,
    Jobs,
    Nonprojective,
    Output,
    Seeds,
    Split,
    System,
    TagAttribute,
    Train,
    Treebanks,
    Unlabelled,
    all_runs,
    check_pictures,
    check_split,
    checked,
    complete,
    condition,
    fail_if,
    kept,
    laboratory,
    publish,
    without_labels,
)
from .hcsearch_command import hcsearch_command
from .options import (
    GOLDBERG_NIVRE,
    KS,
    PS,
    EpochsOfEach,
    Ks,
    Ps,
    Samples,
    Settings,
    Start,
    Steps,
    StepSize,
    StepWords,
    Strategies,
    SystemsOfGoldbergNivre,
)
from .partial_command import partial_command
from .probabilities_command import probabilities_command
from .processes import RunError, progress
from .reproduce_command import reproduce_command
from .runs import Run
from .settings import ORACLES
from .speeds import measure_speed
from .studies import ScoreStudy

app = typer.Typer(
    name="experiments",
    help="The tables and figures of the papers. Runs that are done are not done again.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@app.command("oracles")
@one_line_errors
def oracles_command(
    treebank: Treebanks,
    treebanks: Directory = "",
    system: SystemsOfGoldbergNivre = None,
    setting: Settings = None,
    tag_attr: TagAttribute = None,
    unlabelled: Unlabelled = False,
    nonprojective: Nonprojective = "drop",
    features: Annotated[
        str | None,
        typer.Option(
            help="Registered name of a feature set for all systems. Default: the "
            "default set of each system."
        ),
    ] = None,
    seeds: Seeds = 3,
    epochs: Epochs = 0,
    jobs: Jobs = 1,
    split: Split = "test",
    output: Output = DEFAULT_OUTPUT,
    config: ConfigFile = DEFAULT_CONFIG,
    train: Train = True,
) -> None:
    """Systems and oracles (Goldberg & Nivre 2013, Table 1)."""
    check_split(split)
    rows = {
        f"{name} {oracle}": checked(
            system=name,
            oracle=oracle,
            nonprojective=nonprojective,
            epochs=epochs,
            features=features,
            tag_attr=tag_attr,
        )
        for name in system or GOLDBERG_NIVRE
        for oracle in setting or ORACLES
    }
    settings = list(rows.values())
    lab = laboratory(treebanks, output, config, jobs, train)
    if unlabelled:
        lab = without_labels(lab, treebank)
    runs = all_runs(treebank, seeds, settings)
    failures = complete(lab, runs, split) if train else []
    results = lab.results(runs, split)
    comparison = oracles.Comparison(results, treebank, settings, split)
    grids, values = oracles.report(comparison)
    study = ScoreStudy(
        "goldberg_nivre_2013", condition(unlabelled), lab,
        dict.fromkeys(treebank, 0), seeds, rows, split,
    )  # fmt: skip
    add_claims(study, grids, values)
    publish(lab.output, "oracles", "Systems and oracles", grids, values)
    fail_if(failures, len(set(runs)))


@app.command("exploration")
@one_line_errors
def exploration_command(
    treebank: Treebanks,
    treebanks: Directory = "",
    system: System = "eager",
    k: Ks = None,
    p: Ps = None,
    nonprojective: Nonprojective = "drop",
    seeds: Seeds = 1,
    epochs: Epochs = 0,
    jobs: Jobs = 1,
    split: Split = "dev",
    output: Output = DEFAULT_OUTPUT,
    config: ConfigFile = DEFAULT_CONFIG,
    train: Train = True,
) -> None:
    """Heat maps of exploration (Goldberg & Nivre 2013).

    UAS by the epochs without exploration (k) and its probability (p), as in Figure 1.
    """
    check_split(split)
    check_pictures("heat maps")
    base = checked(system=system, nonprojective=nonprojective, epochs=epochs)
    try:
        settings = exploration.sweep(base, k or KS, p or PS)
    except ValueError as error:
        raise CommandError(str(error)) from error
    lab = laboratory(treebanks, output, config, jobs, train)
    runs = all_runs(treebank, seeds, list(settings.values()))
    failures = complete(lab, runs, split) if train else []
    results = lab.results(runs, split)
    grids = []
    for name in treebank:
        cells = exploration.cells(results, name, settings)
        grids.append(exploration.table(name, split, seeds, cells))
        title = f"{name}, {split} set: UAS of {system}, dynamic oracle"
        files = exploration.heat_map(title, cells, output / f"exploration-{name}")
        for file in files:
            typer.echo(str(file), err=True)
    values = {
        "split": split,
        "system": system,
        "seeds": seeds,
        "cells": [
            c for n in treebank for c in exploration.records(results, n, settings)
        ],
    }
    publish(output, "exploration", "Exploration", grids, values)
    fail_if(failures, len(set(runs)))


@app.command("fragmentation")
@one_line_errors
def fragmentation_command(
    treebank: Treebanks,
    treebanks: Directory = "",
    setting: Annotated[
        str, typer.Option(help="The oracle: static or dynamic.")
    ] = "static",
    nonprojective: Nonprojective = "projectivize",
    seeds: Seeds = 1,
    epochs: Epochs = 0,
    jobs: Jobs = 1,
    split: Split = "dev",
    output: Output = DEFAULT_OUTPUT,
    config: ConfigFile = DEFAULT_CONFIG,
    train: Train = True,
) -> None:
    """Arc-eager with and without the tree constraint.

    After Nivre & Fernandez-Gonzalez (2014). One model for both, with ROOT first: the
    words left on the stack, overall scores, trees and time.
    """
    check_split(split)
    one = checked(
        system="eager-root-first",
        oracle=setting,
        nonprojective=nonprojective,
        epochs=epochs,
    )
    lab = laboratory(treebanks, output, config, jobs, train)
    runs = all_runs(treebank, seeds, [one])
    failures = complete(lab, runs) if train else []
    found: dict[str, list[fragmentation.Analysis]] = {}
    done = [run for run in runs if lab.directory(run).exists()]
    with progress("Parsing", len(done)) as advance:
        for run in done:
            path = lab.treebank_file(run.treebank, split)
            record = kept(
                lab.directory(run) / f"fragmentation-{split}.json",
                lambda run=run, path=path: asdict(  # type: ignore[misc]
                    fragmentation.analyse(lab.model(run), path)
                ),
            )
            analysis = fragmentation.Analysis.from_record(record)
            found.setdefault(run.treebank, []).append(analysis)
            advance()
    analyses = {name: fragmentation.pooled(each) for name, each in found.items()}
    grids, values = fragmentation.report(analyses, split)
    heading = f"Fragmentation: arc-eager, ROOT first, {setting} oracle, {nonprojective}"
    publish(output, "fragmentation", heading, grids, {**asdict(one), **values})
    fail_if(failures, len(set(runs)))


@app.command("nonprojective")
@one_line_errors
def nonprojective_command(
    treebank: Treebanks,
    treebanks: Directory = "",
    seeds: Seeds = 3,
    epochs: Epochs = 0,
    jobs: Jobs = 1,
    split: Split = "test",
    output: Output = DEFAULT_OUTPUT,
    config: ConfigFile = DEFAULT_CONFIG,
    train: Train = True,
) -> None:
    """Crossing arcs: SWAP, pseudo-projective or not at all."""
    check_split(split)
    settings = [
        checked(system=system, nonprojective=arcs, epochs=epochs)
        for system, arcs in nonprojective.SETTINGS
    ]
    lab = laboratory(treebanks, output, config, jobs, train)
    runs = all_runs(treebank, seeds, settings)
    failures = complete(lab, runs, split) if train else []
    comparison = oracles.Comparison(
        lab.results(runs, split), treebank, settings, split, nonprojective.title
    )
    speeds, derivations = {}, {}
    with progress("Parsing", len(treebank)) as advance:
        for name in treebank:
            first = [Run(name, one, 1) for one in settings]
            models = {
                nonprojective.title(run.setting): lab.model(run)
                for run in first
                if lab.directory(run).exists()
            }
            if models:
                path = lab.treebank_file(name, split)
                speeds[name] = measure_speed(models, path)
            if swap := models.get(nonprojective.SWAP):
                derivations[name] = nonprojective.measure_derivations(swap, path)
            advance()
    grids, values = nonprojective.report(comparison, speeds, derivations)
    publish(output, "nonprojective", "Crossing arcs", grids, values)
    fail_if(failures, len(set(runs)))


app.command("features")(feature_sets.command)


@app.command("active-learning")
@one_line_errors
def active_learning_command(
    treebank: Treebanks,
    treebanks: Directory = "",
    strategy: Strategies = None,
    seeds: Seeds = 3,
    start: Start = 500,
    steps: Steps = 5,
    step_words: StepWords = 0,
    alpha: StepSize = 0.25,
    epochs: EpochsOfEach = 8,
    samples: Samples = 64,
    jobs: Jobs = 1,
    split: Split = "test",
    output: Output = active_learning.DEFAULT_OUTPUT,
    train: Train = True,
) -> None:
    """Active learning, simulated.

    Annotates the sentences of which the parser is least sure, or random ones.
    """
    check_pictures("learning curves")
    lab = laboratory(treebanks, output, DEFAULT_CONFIG, jobs, train=False)
    names = list(dict.fromkeys(strategy or active_learning.DEFAULT_STRATEGIES))
    try:
        settings = active_learning.Settings(
            start, steps, step_words, alpha, epochs, samples, split
        )
        chains = {
            name: active_learning.chains_of(
                name,
                (lab.treebank_file(name, "train"), lab.treebank_file(name, split)),
                names,
                seeds,
                settings,
                output,
            )
            for name in treebank
        }
        flat = [chain for of_treebank in chains.values() for chain in of_treebank]
        failures = active_learning.complete(flat, jobs) if train else []
        grids, values, files = learning_curves.report(chains, names, split, output)
    except (RunError, ValueError) as error:
        raise CommandError(str(error)) from error
    for file in files:
        typer.echo(str(file), err=True)
    values = {**asdict(settings), "treebanks": values}
    publish(output, "active-learning", "Active learning, simulated", grids, values)
    fail_if(failures, len(flat))


app.command("partial")(partial_command)
app.command("hcsearch")(hcsearch_command)
app.command("probabilities")(probabilities_command)
app.command("reproduce")(reproduce_command)


def main() -> None:
    """Run the command line and exit."""
    # End the running processes, as an interruption from the keyboard does.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    app(prog_name="python -m experiments")
