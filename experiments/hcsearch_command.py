"""The command of the experiments with HC-search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import spacy
import typer

from spacy_dynoracle.cli.common import CommandError, one_line_errors
from spacy_dynoracle.treebank import read_conllu

from .claims import add_claims
from .common import (
    DEFAULT_CONFIG,
    ConfigFile,
    Directory,
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
    check_split,
    complete,
    condition,
    fail_if,
    laboratory,
    publish,
    without_labels,
)
from .hcsearch import BASELINE, METHODS, HCSearchPlan, HCSearchTables, Method, Rankings
from .parsing import core_sentences, interleaved_seconds, median_ratio, parser_of
from .runs import Run
from .studies import RankingStudy

DEFAULT_OUTPUT = Path("training/hcsearch")
# The number of sentences for the measurement of speed.
TIMED = 300


BeamSize = Annotated[
    int, typer.Option(min=1, help="Size of the beam in training and parsing.")
]
Folds = Annotated[
    int,
    typer.Option(
        min=2, help="Number of parsers that find candidates for the reranker."
    ),
]
FoldEpochs = Annotated[
    int | None,
    typer.Option(
        min=1, help="Epochs of each of these parsers. Default: as many as --epochs."
    ),
]
Rounds = Annotated[
    int,
    typer.Option(
        min=1, help="Rounds of training of the reranker; the best one on dev is taken."
    ),
]
Labelled = Annotated[
    bool,
    typer.Option("--labelled", help="Count a wrong label as a loss of the reranker."),
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        help="A row of the tables, such as BEST+FINE; BASELINE is always there. May be "
        "repeated. Default: all rows.",
    ),
]
Epochs = Annotated[int, typer.Option(min=1, help="Epochs of each parser.")]
Repeats = Annotated[int, typer.Option(min=1, help="Repetitions of every timed run.")]


@one_line_errors
def hcsearch_command(
    treebank: Treebanks,
    treebanks: Directory = "",
    system: System = "standard",
    nonprojective: Nonprojective = "drop",
    beam_size: BeamSize = 64,
    folds: Folds = 20,
    fold_epochs: FoldEpochs = None,
    rounds: Rounds = 10,
    labelled: Labelled = False,
    unlabelled: Unlabelled = False,
    tag_attr: TagAttribute = None,
    method: Methods = None,
    seeds: Seeds = 1,
    epochs: Epochs = 10,
    jobs: Jobs = 1,
    repeats: Repeats = 3,
    split: Split = "test",
    output: Output = DEFAULT_OUTPUT,
    config: ConfigFile = DEFAULT_CONFIG,
    train: Train = True,
) -> None:
    """Beams and rerankers: scores, losses and speed.

    After Liu et al. (2015, Tables 1-3).
    """
    check_split(split)
    if labelled and unlabelled:
        raise CommandError("--labelled and --unlabelled exclude each other")
    plan = HCSearchPlan(
        system, nonprojective, beam_size, epochs, folds, fold_epochs or epochs, rounds,
        labelled, jobs, tag_attr,
    )  # fmt: skip
    try:
        plan.setting(BASELINE)
    except ValueError as error:
        raise CommandError(str(error)) from error
    methods = chosen_methods(method)
    lab = laboratory(treebanks, output, config, jobs, train)
    if unlabelled:
        lab = without_labels(lab, treebank)
    rankings = Rankings(lab, plan)
    runs = dict.fromkeys(
        (plan.run(name, method, seed), method)
        for name in treebank
        for seed in range(1, seeds + 1)
        for method in methods
    )
    failures = _complete(rankings, runs, split) if train else []
    records = rankings.records(runs, split)
    speeds = _speeds(rankings, treebank, list(records), split, repeats) if train else {}
    table = HCSearchTables(records, speeds, split, methods)
    grids = [*table.scores(treebank), *table.losses(treebank)]
    values = {"split": split, "unlabelled": unlabelled, **asdict(plan)}
    values["methods"] = table.values()
    study = RankingStudy(
        "liu_2015", condition(unlabelled), lab,
        dict.fromkeys(treebank, 0), seeds, plan, (split,), methods,
    )  # fmt: skip
    add_claims(study, grids, values)
    heading = "HC-search without labels" if unlabelled else "HC-search"
    publish(lab.output, "hcsearch", heading, grids, values)
    fail_if(failures, len(runs))


def _complete(
    rankings: Rankings, runs: dict[tuple[Run, Method], None], split: str
) -> list[str]:
    """Train and score the missing runs. Returns the messages of the runs that
    failed."""
    failures = complete(rankings.lab, [run for run, _ in runs])
    ready = {item: None for item in runs if rankings.lab.directory(item[0]).exists()}
    return failures + rankings.complete(ready, split)


def _speeds(
    rankings: Rankings,
    treebanks: list[str],
    done: list[tuple[Run, Method]],
    split: str,
    repeats: int,
) -> dict[str, dict[Method, float]]:
    """The times of the methods of each treebank for which BASELINE is done."""
    speeds = {}
    for name in treebanks:
        methods = [m for run, m in done if run == rankings.plan.run(name, m, 1)]
        if BASELINE in methods:
            speeds[name] = times(rankings, name, methods, split, repeats)
    return speeds


def chosen_methods(names: list[str] | None) -> tuple[Method, ...]:
    """The rows with these names and BASELINE; all rows for None.

    Raises CommandError, listing the names, for an unknown name.
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
    """The parsing time of each method in units of the time of BASELINE.

    The methods take turns. The time is that of the search in the core, with the first
    seed.
    """
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
