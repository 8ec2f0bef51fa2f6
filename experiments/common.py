"""Options, runs and tables that all commands of the experiments use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import srsly
import typer

from spacy_dynoracle.cli.common import CommandError
from spacy_dynoracle.reports.pictures import require_matplotlib
from spacy_dynoracle.reports.tables import Grid, show
from spacy_dynoracle.util.files import replace_file

from .papers import LABELLED, UNLABELLED
from .processes import RunError
from .runs import Experiments, Run, read_json
from .settings import NONPROJECTIVE, SYSTEMS, Setting
from .subsets import copy_treebank

Treebanks = Annotated[
    list[str],
    typer.Argument(
        metavar="TREEBANK", help="Names of treebanks, each with train, dev and test."
    ),
]
Directory = Annotated[
    str,
    typer.Option(
        "--treebanks",
        help="Directory of the treebanks. Default: treebanks, or the environment "
        "variable DYNORACLE_TREEBANKS.",
    ),
]
Seeds = Annotated[int, typer.Option(min=1, help="Number of seeds: 1 to N.")]
Epochs = Annotated[
    int,
    typer.Option(min=0, help="Epochs of training. 0: as many as each system needs."),
]
Jobs = Annotated[int, typer.Option(min=1, help="Number of runs at the same time.")]
Output = Annotated[Path, typer.Option(help="Directory of the runs and the tables.")]
ConfigFile = Annotated[
    Path, typer.Option(help="The config file that the settings change.")
]
Systems = Annotated[
    list[str] | None,
    typer.Option(
        "--system",
        help=f"System: one of {', '.join(SYSTEMS)}. May be repeated. Default: eager.",
    ),
]
System = Annotated[str, typer.Option(help=f"System: one of {', '.join(SYSTEMS)}.")]
Train = Annotated[
    bool, typer.Option(help="Train what is missing, or only show what is done.")
]
Split = Annotated[str, typer.Option(help="The split to score on: test or dev.")]
Nonprojective = Annotated[
    str,
    typer.Option(
        help="Treatment of training trees with crossing arcs: one of "
        f"{', '.join(NONPROJECTIVE)}."
    ),
]
TagAttribute = Annotated[
    str | None,
    typer.Option(
        help="Tags that features read: POS, the coarse ones, or TAG, the fine ones, "
        "which are the coarse ones in a treebank without fine ones. Default: those of "
        "the config."
    ),
]
Unlabelled = Annotated[
    bool,
    typer.Option(
        "--unlabelled",
        help="Take the labels away before anything is trained, as Liu et al. (2015) "
        "do, and for easy-first Goldberg & Nivre (2013).",
    ),
]
DEFAULT_OUTPUT = Path("training/oracles")
DEFAULT_CONFIG = Path("configs/parser.cfg")


def all_runs(
    treebanks: Sequence[str], seeds: int, settings: Sequence[Setting]
) -> list[Run]:
    """The runs of every combination. All settings of one seed come before the next
    seed."""
    return [
        Run(name, setting, seed)
        for name in treebanks
        for seed in range(1, seeds + 1)
        for setting in settings
    ]


def kept(path: Path, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The values of a JSON file. If the file is missing, `make` computes them first."""
    if not path.exists():
        replace_file(path, srsly.json_dumps(make()).encode("utf-8"))
    values: dict[str, Any] = read_json(path)
    return values


def checked(**values: Any) -> Setting:
    """Make a setting. Raises CommandError for unknown names."""
    try:
        return Setting(**values)
    except ValueError as error:
        raise CommandError(str(error)) from error


def check_pictures(what: str) -> None:
    """Raise CommandError if pictures cannot be drawn."""
    try:
        require_matplotlib(what)
    except ImportError as error:
        raise CommandError(str(error)) from error


def laboratory(
    treebanks: str, output: Path, config: Path, jobs: int, train: bool = True
) -> Experiments:
    """The experiments in a directory. Raises CommandError if the config is missing."""
    if train and not config.is_file():
        raise CommandError(
            f"{config}: no such file; run this in a checkout of the project, or name a "
            "config of a parser with --config"
        )
    return Experiments(output, config, Path(treebanks) if treebanks else None, jobs)


def without_labels(lab: Experiments, treebanks: Sequence[str]) -> Experiments:
    """Experiments in a subdirectory, with copies of the treebanks that have no
    labels."""
    output = lab.output / UNLABELLED
    copies = output / "treebanks"
    for name in treebanks:
        copy_treebank(lab.treebanks_of(name), name, copies, labels=False)
    return Experiments(output, lab.config, copies, lab.jobs)


def condition(unlabelled: bool) -> str:
    """The condition of `papers.CONDITIONS` under which a command runs."""
    return UNLABELLED if unlabelled else LABELLED


def check_split(split: str) -> None:
    """Raise CommandError unless `split` names a split that can be scored."""
    if split not in ("test", "dev"):
        raise CommandError(f"--split {split!r}: expected test or dev")


def complete(lab: Experiments, runs: Sequence[Run], split: str = "") -> list[str]:
    """Train the missing runs, and score them on a split unless `split` is empty.

    Returns the messages of the runs that failed.
    """
    try:
        return lab.complete(runs, split, "Training")
    except RunError as error:
        raise CommandError(str(error)) from error


def publish(
    output: Path, name: str, heading: str, grids: Sequence[Grid], values: Any
) -> None:
    """Print the tables, write them as Markdown and write their numbers as JSON."""
    show(grids)
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
