"""The command of the experiments with HC-search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import spacy
import typer

from ..cli.common import CommandError, one_line_errors
from ..treebank import read_conllu
from .common import (
    DEFAULT_CONFIG,
    ConfigFile,
    Directory,
    Jobs,
    Nonprojective,
    Output,
    Seeds,
    Split,
    Train,
    Treebanks,
    check_split,
    complete,
    fail_if,
    laboratory,
    publish,
)
from .hcsearch import BASELINE, METHODS, Method, Plan, Rankings, Table
from .parsing import core_sentences, interleaved_seconds, median_ratio, parser_of
from .settings import SYSTEMS

DEFAULT_OUTPUT = Path("training/hcsearch")
# Sentences that are timed.
TIMED = 300


@one_line_errors
def hcsearch_command(
    treebank: Treebanks,
    treebanks: Directory = "",
    system: Annotated[
        str, typer.Option(help=f"One of {', '.join(SYSTEMS)}.")
    ] = "standard",
    nonprojective: Nonprojective = "drop",
    beam_size: Annotated[
        int, typer.Option(min=1, help="Of training and parsing.")
    ] = 64,
    folds: Annotated[
        int, typer.Option(min=2, help="Parsers that find candidates for the ranker.")
    ] = 20,
    fold_epochs: Annotated[
        int | None,
        typer.Option(min=1, help="Of each of them. Default: as many as --epochs."),
    ] = None,
    rounds: Annotated[
        int, typer.Option(min=1, help="Of the ranker; the best on dev counts.")
    ] = 10,
    labelled: Annotated[
        bool,
        typer.Option(
            "--labelled", help="For the ranker a wrong label is a loss as well."
        ),
    ] = False,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="A row of the tables, such as BEST+FINE; BASELINE is always there. "
            "May be repeated. Default: all."
        ),
    ] = None,
    seeds: Seeds = 1,
    epochs: Annotated[int, typer.Option(min=1, help="Of each parser.")] = 10,
    jobs: Jobs = 1,
    repeats: Annotated[int, typer.Option(min=1, help="Of every timed run.")] = 3,
    split: Split = "test",
    output: Output = DEFAULT_OUTPUT,
    config: ConfigFile = DEFAULT_CONFIG,
    train: Train = True,
) -> None:
    """Beams and rankers: scores, losses and speed (Liu et al. 2015, Tables 1-3)."""
    check_split(split)
    plan = Plan(
        system,
        nonprojective,
        beam_size,
        epochs,
        folds,
        fold_epochs or epochs,
        rounds,
        labelled,
        jobs,
    )
    try:
        plan.setting(BASELINE)
    except ValueError as error:
        raise CommandError(str(error)) from error
    methods = chosen_methods(method)
    lab = laboratory(treebanks, output, config, jobs, train)
    rankings = Rankings(lab, plan)
    runs = dict.fromkeys(
        (plan.run(name, method, seed), method)
        for name in treebank
        for seed in range(1, seeds + 1)
        for method in methods
    )
    failures: list[str] = []
    if train:
        failures = complete(lab, [run for run, _ in runs])
        ready = {item: None for item in runs if lab.directory(item[0]).exists()}
        failures += rankings.complete(ready, split)
    records = rankings.records(runs, split)
    speeds = {}
    if train:
        for name in treebank:
            done = [
                method for run, method in records if run == plan.run(name, method, 1)
            ]
            if BASELINE in done:
                speeds[name] = times(rankings, name, done, split, repeats)
    table = Table(records, speeds, split, methods)
    grids = [*table.scores(treebank), *table.losses(treebank)]
    values = {"split": split, **asdict(plan), "methods": table.values()}
    publish(output, "hcsearch", "HC-search", grids, values)
    fail_if(failures, len(runs))


def chosen_methods(names: list[str] | None) -> tuple[Method, ...]:
    """The rows of these names and BASELINE; all of them for None.

    Raises CommandError, listing the names, for one that is unknown.
    """
    if not names:
        return METHODS
    known = {str(method): method for method in METHODS}
    for name in names:
        if name not in known:
            raise CommandError(f"--method {name!r}: expected one of {'; '.join(known)}")
    return tuple(m for m in METHODS if m == BASELINE or str(m) in names)


def times(
    rankings: Rankings,
    treebank: str,
    methods: list[Method],
    split: str,
    repeats: int,
) -> dict[Method, float]:
    """The parsing time of each method in units of that of BASELINE, which take turns:
    the core alone, with the first seed."""
    path = rankings.lab.treebank_file(treebank, split)
    sentences = [s for s, _ in zip(read_conllu(path), range(TIMED), strict=False)]
    contestants: list[tuple[Callable[[], Any], Callable[[Any], Any]]] = []
    for method in methods:
        run = rankings.plan.run(treebank, method, 1)
        nlp = spacy.load(rankings.model(run, method))
        parser = parser_of(nlp)
        if parser.model is None:
            raise CommandError(f"{method} of {treebank} is not trained")
        batch = core_sentences(nlp, sentences)
        search = partial(parser.parser.search.parse, parser.model)
        contestants.append((partial(list, batch), search))
    found = interleaved_seconds(contestants, repeats)
    baseline = found[methods.index(BASELINE)]
    return {
        method: median_ratio(own, baseline)
        for method, own in zip(methods, found, strict=True)
    }
