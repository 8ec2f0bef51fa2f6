"""The command of the experiments with partial annotation."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from spacy_dynoracle.cli.common import CommandError, one_line_errors
from spacy_dynoracle.errors import TreebankError

from . import partial
from .common import (
    DEFAULT_CONFIG,
    ConfigFile,
    Directory,
    Epochs,
    Jobs,
    Nonprojective,
    Output,
    Seeds,
    Split,
    System,
    Train,
    Treebanks,
    check_split,
    checked,
    complete,
    fail_if,
    laboratory,
    publish,
)

DEFAULT_OUTPUT = Path("training/partial")
# The percentages of heads to remove.
REMOVED = (50, 80)

Removed = Annotated[
    list[int] | None,
    typer.Option(
        help="Per cent of the heads to remove. May be repeated. Default: 50 and 80."
    ),
]


@one_line_errors
def partial_command(
    treebank: Treebanks,
    treebanks: Directory = "",
    removed: Removed = None,
    system: System = "eager",
    nonprojective: Nonprojective = "projectivize",
    seeds: Seeds = 1,
    epochs: Epochs = 0,
    jobs: Jobs = 1,
    split: Split = "test",
    output: Output = DEFAULT_OUTPUT,
    config: ConfigFile = DEFAULT_CONFIG,
    train: Train = True,
) -> None:
    """Training with most heads or most sentences removed."""
    check_split(split)
    setting = checked(system=system, nonprojective=nonprojective, epochs=epochs)
    made = partial.Partial(
        laboratory(treebanks, output, config, jobs, train), output / "treebanks"
    )
    try:
        shares = partial.combinations(removed or REMOVED)
        names = {
            name: {
                (share, kind): made.make(name, share, kind) for share, kind in shares
            }
            for name in treebank
        }
    except (TreebankError, ValueError) as error:
        raise CommandError(str(error)) from error
    lab = laboratory(str(made.directory), output, config, jobs, train)
    flat = [name for of_treebank in names.values() for name in of_treebank.values()]
    runs = partial.runs_of(flat, setting, seeds)
    failures = complete(lab, runs, split) if train else []
    results = lab.results(runs, split)
    grids = [
        partial.table(name, names[name], made.known, results, split)
        for name in treebank
    ]
    values = {
        "split": split,
        **asdict(setting),
        "treebanks": {
            name: partial.records(names[name], made.known, results) for name in treebank
        },
    }
    publish(output, "partial", "Partial annotation", grids, values)
    fail_if(failures, len(set(runs)))
