"""The command line of the experiments."""

from __future__ import annotations

import hashlib
import os
import signal
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, cast

import srsly
import typer

from spacy_dynoracle.cli.common import CommandError, one_line_errors
from spacy_dynoracle.reports.tables import show
from spacy_dynoracle.util.files import replace_file

from .cells import markdown
from .claims import claims_tables
from .parsing import relative_speeds
from .plan import SCALES, Experiment, plans, read_plan
from .results import Place, Results, read_results, record_of
from .runs import Laboratory, Run, read_json
from .tables import tables
from .treebanks import find_treebanks
from .verdicts import Counts

app = typer.Typer(
    name="experiments",
    help="The experiments of the papers. Runs that are done are not done again.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
ENVIRONMENT = "DYNORACLE_TREEBANKS"
EMBEDDED = Path("treebanks")
DEFAULT_OUTPUT = Path("training/experiments")
Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="EXPERIMENT",
        help="Names of experiments (see list), or YAML files. Default: all that belong "
        "to a paper.",
    ),
]
Directory = Annotated[
    str,
    typer.Option(
        help="Directory of the treebanks. Default: the environment variable "
        "DYNORACLE_TREEBANKS, or treebanks."
    ),
]
Treebank = Annotated[
    str,
    typer.Option(
        help="Names of treebanks, separated by blanks. Default: those of the directory "
        "with train, dev and test; a small scale takes two of different languages."
    ),
]
Scale = Annotated[
    str,
    typer.Option(
        help="small: little data, under 20 minutes on two cores for all papers. full: "
        "as the papers."
    ),
]
Seeds = Annotated[int, typer.Option(min=1, help="Number of seeds: 1 to N.")]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Another value of an experiment or of the settings of its rows, such as "
        "epochs=3, splits=[dev] or system=[eager, hybrid]. May be repeated.",
    ),
]
Jobs = Annotated[int, typer.Option(min=1, help="Number of runs at the same time.")]
Output = Annotated[
    Path, typer.Option(help="Directory of the runs, and of a folder for each scale.")
]
Train = Annotated[
    bool, typer.Option(help="Do what is missing, or only show what is done.")
]
PageDirectory = Annotated[
    Path | None,
    typer.Option(
        "--page", help="Directory of the page. Default: OUTPUT with the scale."
    ),
]


@app.command("list")
def list_command() -> None:
    """Show the names of the experiments, which `run` takes."""
    for name in plans():
        typer.echo(f"{name:34}{read_plan(name).title}")


@app.command("run")
@one_line_errors
def run_command(
    experiment: Names = None,
    treebanks: Directory = "",
    treebank: Treebank = "",
    scale: Scale = "full",
    seeds: Seeds = 3,
    changes: Changes = None,
    jobs: Jobs = 1,
    output: Output = DEFAULT_OUTPUT,
    train: Train = True,
) -> None:
    """Do experiments, and print and write their tables.

    What is done is kept in OUTPUT: an interrupted run goes on where it stopped.
    """
    if scale not in SCALES:
        raise CommandError(f"--scale {scale!r}: expected one of {', '.join(SCALES)}")
    names = experiment or [name for name in plans() if read_plan(name).paper]
    try:
        values = _values(changes or [])
        wanted = [read_plan(name, scale, values) for name in names]
    except (TypeError, ValueError) as error:
        raise CommandError(str(error)) from error
    named = os.environ.get(ENVIRONMENT)
    asked = treebank.split()
    embedded = not named or (asked and all((EMBEDDED / b).is_dir() for b in asked))
    directory = Path(treebanks or (EMBEDDED if embedded else named)).resolve()
    if not directory.is_dir():
        raise CommandError(f"{directory}: no such directory of treebanks")
    found = asked or find_treebanks(directory)
    failures = []
    for one in wanted:
        config = Path(one.config).resolve()
        if not config.is_file():
            raise CommandError(f"{one.config}: no such file; run this in a checkout")
        if one.picture and find_spec("matplotlib") is None:
            raise CommandError(f"{one.name} draws pictures: pip install matplotlib")
        lab = Laboratory(
            (output / scale).resolve(), config, directory, dict(one.sizes), jobs
        )
        banks = found if treebank else found[: one.treebanks or None]
        shown = ", ".join([scale, *(changes or [])])
        failures += _do(one, lab, banks, shown, seeds, train)
    if failures:
        raise CommandError(f"{len(failures)} runs failed; {failures[0]}")


def _values(changes: list[str]) -> dict[str, Any]:
    """The values of --set.

    Raises:
        ValueError: For something else than KEY=VALUE.
    """
    values = {}
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals:
            raise ValueError(f"--set {change!r}: expected KEY=VALUE")
        values[key] = srsly.yaml_loads(value)
    return values


def _do(
    experiment: Experiment,
    lab: Laboratory,
    banks: list[str],
    scale: str,
    seeds: int,
    train: bool,
) -> list[str]:
    """Do an experiment, and write its tables.

    Args:
        scale: With the changes of the experiment.

    Returns:
        The messages of failures.
    """
    wanted = [
        (Run(bank, row.setting, seed), row.metrics)
        for bank in banks
        # All rows of one seed come before the next seed.
        for seed in range(1, seeds + 1)
        for row in experiment.rows
    ]
    for run, _ in wanted:
        lab.corpus(run)
    failures = []
    if train:
        failures = lab.complete(wanted, experiment.splits, experiment.name)
    results = read_results(lab, experiment, banks, seeds)
    if experiment.speed:
        _add_speeds(experiment, lab, results, train)
    record = record_of(
        experiment, lab, results, scale=scale, seeds=seeds, failures=failures
    )
    grids = [*tables(experiment, results), *claims_tables(record)]
    files = [lab.output / f"{experiment.name}.{kind}" for kind in ("md", "json")]
    if experiment.picture:
        # Only some experiments have pictures, and the import takes long.
        from .pictures import PICTURES

        drawn, notes = PICTURES[experiment.picture](experiment, results, lab.output)
        files += drawn
        grids[-1].notes += notes
    grids[-1].notes.append(f"Scale: {scale}")
    show(grids)
    text = "\n".join([f"# {experiment.title}\n", *(markdown(grid) for grid in grids)])
    replace_file(files[0], text.encode("utf-8"))
    replace_file(files[1], srsly.json_dumps(record, indent=1).encode("utf-8"))
    typer.echo("\n".join(map(str, files)), err=True)
    return failures


def _add_speeds(
    experiment: Experiment, lab: Laboratory, results: Results, train: bool
) -> None:
    """Compare the speed of all rows with that of one, with the first seed."""
    base, split = str(experiment.speed), experiment.splits[0]
    for bank in results.treebanks:
        for condition in dict.fromkeys(row.condition for row in experiment.rows):
            runs = {
                row.name: Run(bank, row.setting, 1)
                for row in experiment.rows
                if row.condition == condition
            }
            path = lab.corpus(runs[base]).text(split)
            for name, value in _speeds(lab, runs, base, path, train).items():
                place = Place(condition, split, "speed", name)
                results.add(place, bank, 1, Counts([value], [1], unit=1))


def _speeds(
    lab: Laboratory, runs: Mapping[str, Run], base: str, path: Path, train: bool
) -> dict[str, float]:
    """The speeds of the runs that are done, which are kept until there are more."""
    models = {name: lab.model(run) for name, run in runs.items()}
    models = {name: model for name, model in models.items() if model.exists()}
    if base not in models:
        return {}
    # Other rows, or other settings of a row, may have the same base.
    names = {name: str(model.relative_to(lab.output)) for name, model in models.items()}
    digest = hashlib.sha256(srsly.json_dumps(names, sort_keys=True).encode())
    kind = f"{path.stem}.{digest.hexdigest()[:16]}"
    file = models[base].with_suffix(f".{kind}.speeds.json")
    known: dict[str, float] = read_json(file) if file.exists() else {}
    if not train or known.keys() >= models.keys():
        return {name: known[name] for name in models if name in known}
    known = relative_speeds(models, base, path)
    replace_file(file, srsly.json_dumps(known).encode("utf-8"))
    return known


@app.command("report")
@one_line_errors
def report_command(
    scale: Scale = "full",
    output: Output = DEFAULT_OUTPUT,
    page: PageDirectory = None,
) -> None:
    """Write one page with the tables of the papers beside ours.

    It has the results that `run` has left in OUTPUT. For each claim of the papers it
    says whether it holds.
    """
    folder = output / scale
    files = sorted(folder.glob("*.json"))
    records = [cast(dict[str, Any], read_json(path)) for path in files]
    records = [record for record in records if record["paper"]]
    if not records:
        raise CommandError(f"{folder}: no results of an experiment of a paper; run it")
    if find_spec("matplotlib") is None or find_spec("markdown_it") is None:
        raise CommandError(
            "the page needs matplotlib and markdown-it-py: "
            "pip install 'spacy-dynoracle[experiments]'"
        )
    # The other commands need no matplotlib.
    from .page import write_page

    for path in write_page(records, page or folder):
        typer.echo(str(path), err=True)


def main() -> None:
    """Run the command line and exit."""
    # End the running processes, as an interruption from the keyboard does.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    app(prog_name="python -m experiments")
