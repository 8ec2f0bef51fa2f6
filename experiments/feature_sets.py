"""Comparison of feature sets: how much do tags improve the scores?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from spacy_dynoracle.cli.common import CommandError, one_line_errors
from spacy_dynoracle.reports.tables import Grid

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
    Systems,
    Train,
    Treebanks,
    all_runs,
    check_split,
    checked,
    complete,
    fail_if,
    laboratory,
    publish,
)
from .oracles import Comparison, Measure
from .processes import progress
from .runs import Run
from .settings import SYSTEMS, Setting
from .speeds import Speeds, measure_speed, speed_table


def title(setting: Setting) -> str:
    """The heading of a setting: the system, and the feature set if it is not the
    default."""
    if setting.features is None:
        return setting.system
    name = setting.features.removeprefix("spacy_dynoracle.").rpartition(".")[0]
    return f"{setting.system}, {name or setting.features}"


def sets_of(
    systems: Sequence[str], features: Sequence[str]
) -> list[tuple[str, str | None]]:
    """Pairs (system, name of a registered set or None for its default).

    features: names of feature sets; an empty list stands for the default set and the
    set without tags.
    """
    return [
        (system, name)
        for system in systems
        for name in (None, *(features or [SYSTEMS[system].without_tags]))
    ]


def report(comparison: Comparison, speeds: Speeds) -> tuple[list[Grid], dict[str, Any]]:
    """The tables, and their numbers for JSON.

    comparison: results, with `title` for the headings. In each system the setting with
    the default set comes first.
    """
    pairs, default = {}, comparison.settings[0]
    for setting in comparison.settings:
        if setting.features is None:
            default = setting
        else:
            heading = f"{title(setting)} - {title(default)}"
            pairs[heading] = (setting, default)
    measures: tuple[Measure, ...] = ("uas", "las")
    grids = [comparison.score_table(measure) for measure in measures]
    grids += [comparison.difference_table(pairs, m, "Differences") for m in measures]
    grids.append(speed_table(speeds, title(comparison.settings[0])))
    grids.append(comparison.cost_table())
    values = {
        "split": comparison.split,
        "runs": comparison.records(),
        "differences": comparison.difference_records(pairs),
        "speeds": speeds,
    }
    return grids, values


FeatureSets = Annotated[
    list[str] | None,
    typer.Option(
        help="Registered name of a feature set. May be repeated. Default: the "
        "default set without tags of the system."
    ),
]


@one_line_errors
def command(
    treebank: Treebanks,
    treebanks: Directory = "",
    system: Systems = None,
    features: FeatureSets = None,
    nonprojective: Nonprojective = "projectivize",
    seeds: Seeds = 1,
    epochs: Epochs = 0,
    jobs: Jobs = 1,
    split: Split = "test",
    output: Output = DEFAULT_OUTPUT,
    config: ConfigFile = DEFAULT_CONFIG,
    train: Train = True,
) -> None:
    """Feature sets compared with the default set of a system."""
    check_split(split)
    systems = list(dict.fromkeys(system or ["eager"]))
    unknown = [name for name in systems if name not in SYSTEMS]
    if unknown:
        raise CommandError(
            f"system {unknown[0]!r}: expected one of {', '.join(SYSTEMS)}"
        )
    settings = [
        checked(
            system=name, nonprojective=nonprojective, epochs=epochs, features=one_set
        )
        for name, one_set in sets_of(systems, list(dict.fromkeys(features or [])))
    ]
    lab = laboratory(treebanks, output, config, jobs, train)
    runs = all_runs(treebank, seeds, settings)
    failures = complete(lab, runs, split) if train else []
    comparison = Comparison(lab.results(runs, split), treebank, settings, split, title)
    speeds = {}
    with progress("Parsing", len(treebank)) as advance:
        for name in treebank:
            models = {
                title(setting): lab.model(run)
                for setting in settings
                if lab.directory(run := Run(name, setting, 1)).exists()
            }
            if models:
                path = lab.treebank_file(name, split)
                speeds[name] = measure_speed(models, path)
            advance()
    grids, values = report(comparison, speeds)
    publish(output, "features", "Feature sets", grids, values)
    fail_if(failures, len(set(runs)))
