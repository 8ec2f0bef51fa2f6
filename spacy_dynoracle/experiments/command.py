"""The command line of the experiments."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import srsly
import typer
from rich.console import Console

from ..cli.common import CommandError, one_line_errors
from ..saving import replace_file
from . import exploration, fragmentation, nonprojective, oracles
from .processes import RunError, progress
from .runs import Experiments, Run, read_json
from .settings import NONPROJECTIVE, ORACLES, SYSTEMS, Setting
from .tables import Grid, notes_once

app = typer.Typer(
    name="spacy_dynoracle.experiments",
    help="The tables and figures of the papers. Runs that are done are not done again.",
    no_args_is_help=True,
    add_completion=False,
)
# Defaults: the systems and settings of Goldberg & Nivre (2013).
KS = (0, 1, 2, 3)
PS = (0.0, 0.3, 0.6, 0.9)
GOLDBERG_NIVRE = ("eager", "hybrid", "standard", "easy-first")

Treebanks = Annotated[
    list[str], typer.Argument(help="Names of treebanks with train, dev and test.")
]
Directory = Annotated[
    str,
    typer.Option(
        "--treebanks",
        help="Their directory. Default: treebanks, or the environment variable "
        "DYNORACLE_TREEBANKS.",
    ),
]
Seeds = Annotated[int, typer.Option(min=1, help="Seeds 1..N.")]
Epochs = Annotated[
    int, typer.Option(min=0, help="Of training; 0 for what each system needs.")
]
Jobs = Annotated[int, typer.Option(min=1, help="Runs at the same time.")]
Output = Annotated[Path, typer.Option(help="Directory of the runs and the tables.")]
ConfigFile = Annotated[Path, typer.Option(help="The config that settings change.")]
Train = Annotated[bool, typer.Option(help="Or only show what is done.")]
Split = Annotated[str, typer.Option(help="The split to score on: test or dev.")]
Nonprojective = Annotated[
    str,
    typer.Option(help=f"Training trees with crossing arcs: {', '.join(NONPROJECTIVE)}"),
]
DEFAULT_OUTPUT = Path("training/oracles")
DEFAULT_CONFIG = Path("configs/parser.cfg")


@app.command("oracles")
@one_line_errors
def oracles_command(
    treebank: Treebanks,
    treebanks: Directory = "",
    system: Annotated[
        list[str] | None,
        typer.Option(
            help=f"One of {', '.join(SYSTEMS)}; may be repeated. Default: "
            f"{', '.join(GOLDBERG_NIVRE)}."
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(help="static or dynamic; may be repeated. Default: both."),
    ] = None,
    nonprojective: Nonprojective = "drop",
    features: Annotated[
        str | None,
        typer.Option(
            help="Registered name of a feature set for all systems. Default: the set "
            "that suits each."
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
    """Systems and oracles: UAS, LAS, differences (Goldberg & Nivre 2013, Table 1)."""
    settings = [
        checked(
            system=name,
            oracle=oracle,
            nonprojective=nonprojective,
            epochs=epochs,
            features=features,
        )
        for name in system or GOLDBERG_NIVRE
        for oracle in setting or ORACLES
    ]
    lab = laboratory(treebanks, output, config, jobs, train)
    runs = all_runs(treebank, seeds, settings)
    failures = complete(lab, runs, split, "Training") if train else []
    results = lab.results(runs, split)
    comparison = oracles.Comparison(results, treebank, settings, split)
    grids, values = oracles.report(comparison)
    publish(output, "oracles", "Systems and oracles", grids, values)
    fail_if(failures, len(set(runs)))


@app.command("exploration")
@one_line_errors
def exploration_command(
    treebank: Treebanks,
    treebanks: Directory = "",
    system: Annotated[
        str, typer.Option(help=f"One of {', '.join(SYSTEMS)}.")
    ] = "eager",
    k: Annotated[
        list[int] | None, typer.Option(help="May be repeated; 0 to 3.")
    ] = None,
    p: Annotated[
        list[float] | None, typer.Option(help="May be repeated; 0, .3, .6, .9.")
    ] = None,
    nonprojective: Nonprojective = "drop",
    seeds: Seeds = 1,
    epochs: Epochs = 0,
    jobs: Jobs = 1,
    split: Split = "dev",
    output: Output = DEFAULT_OUTPUT,
    config: ConfigFile = DEFAULT_CONFIG,
    train: Train = True,
) -> None:
    """Heat maps of k and p of the exploration (Goldberg & Nivre 2013, Figure 1)."""
    exploration.require_matplotlib()
    base = checked(system=system, nonprojective=nonprojective, epochs=epochs)
    try:
        settings = exploration.sweep(base, k or KS, p or PS)
    except ValueError as error:
        raise CommandError(str(error)) from error
    lab = laboratory(treebanks, output, config, jobs, train)
    runs = all_runs(treebank, seeds, list(settings.values()))
    failures = complete(lab, runs, split, "Training") if train else []
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
    """Arc-eager with and without the tree constraint (Nivre & Fernandez-Gonzalez 2014).

    One model for both, ROOT first: what becomes of the words left on the stack, overall
    scores, trees and time.
    """
    one = checked(
        system="eager-root-first",
        oracle=setting,
        nonprojective=nonprojective,
        epochs=epochs,
    )
    lab = laboratory(treebanks, output, config, jobs, train)
    runs = all_runs(treebank, seeds, [one])
    failures = complete(lab, runs, "", "Training") if train else []
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
    """Crossing arcs: SWAP against pseudo-projective and plain arc-eager."""
    settings = [
        checked(system=system, nonprojective=arcs, epochs=epochs)
        for system, arcs in nonprojective.SETTINGS
    ]
    lab = laboratory(treebanks, output, config, jobs, train)
    runs = all_runs(treebank, seeds, settings)
    failures = complete(lab, runs, split, "Training") if train else []
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
                speeds[name] = nonprojective.measure_speed(models, path)
            if swap := models.get(nonprojective.SWAP):
                derivations[name] = nonprojective.measure_derivations(swap, path)
            advance()
    grids, values = nonprojective.report(comparison, speeds, derivations)
    publish(output, "nonprojective", "Crossing arcs", grids, values)
    fail_if(failures, len(set(runs)))


# ---- what all commands need ----------------------------------------------------------


def all_runs(
    treebanks: Sequence[str], seeds: int, settings: Sequence[Setting]
) -> list[Run]:
    """Every combination; all settings of a seed before the next seed."""
    return [
        Run(name, setting, seed)
        for name in treebanks
        for seed in range(1, seeds + 1)
        for setting in settings
    ]


def kept(path: Path, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What a JSON file holds; made and written if it is not there."""
    if not path.exists():
        replace_file(path, srsly.json_dumps(make()).encode("utf-8"))
    values: dict[str, Any] = read_json(path)
    return values


def checked(**values: Any) -> Setting:
    """A setting. Raises CommandError for unknown names."""
    try:
        return Setting(**values)
    except ValueError as error:
        raise CommandError(str(error)) from error


def laboratory(
    treebanks: str, output: Path, config: Path, jobs: int, train: bool = True
) -> Experiments:
    """Where the runs are. Raises CommandError if there is no config."""
    if train and not config.is_file():
        raise CommandError(
            f"{config}: no such file; run this in a checkout of the project, or name a "
            "config of a parser with --config"
        )
    return Experiments(output, config, Path(treebanks) if treebanks else None, jobs)


def complete(lab: Experiments, runs: Sequence[Run], split: str, what: str) -> list[str]:
    """Do the runs that are not done; the messages of those that failed."""
    if split not in ("test", "dev", ""):
        raise CommandError(f"--split {split!r}: expected test or dev")
    try:
        return lab.complete(runs, split, what)
    except RunError as error:
        raise CommandError(str(error)) from error


def publish(
    output: Path, name: str, heading: str, grids: Sequence[Grid], values: Any
) -> None:
    """Print tables, and write them as Markdown and what they show as JSON."""
    notes_once(grids)
    console = Console(markup=False, emoji=False, highlight=False)
    for grid in grids:
        # A table that is cut off is worse than one that is broken by the terminal.
        console.width = max(grid.width, 88)
        console.print(grid.title, style="bold")
        console.print(grid.rich())
        for note in grid.notes:
            console.print(note, width=88)
        console.print()
    output.mkdir(parents=True, exist_ok=True)
    text = "\n".join([f"# {heading}\n", *(grid.markdown() for grid in grids)])
    replace_file(output / f"{name}.md", text.encode("utf-8"))
    replace_file(
        output / f"{name}.json", srsly.json_dumps(values, indent=2).encode("utf-8")
    )
    typer.echo(f"{output / name}.md, {output / name}.json", err=True)


def fail_if(failures: Sequence[str], total: int) -> None:
    """Raise CommandError if runs failed."""
    if failures:
        raise CommandError(f"{len(failures)} of {total} runs failed; {failures[0]}")


def main() -> None:
    """Run the command line and exit."""
    # As an interruption does, end the runs that are under way.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    app(prog_name="python -m spacy_dynoracle.experiments")
