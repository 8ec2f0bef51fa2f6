"""``cross-validate``: scores for a treebank that is in one file."""

from pathlib import Path
from typing import Annotated, Any

import srsly
import typer
from spacy.cli._util import parse_config_overrides
from spacy.util import load_config

from ..errors import value_errors_as
from ..evaluation import CrossValidation, CrossValidationSettings, cross_validate
from ..reports.tables import Grid, percent, show
from ..util.files import replace_file
from .common import CommandError, one_line_errors, progress_bar
from .options import (
    From,
    ResultForm,
    ResultFormat,
    Start,
    TreebankFile,
)
from .results import ResultOptions

DEFAULT_CONFIG = Path("configs/fast.cfg")
SCORES = "scores.json"

ConfigFile = Annotated[
    Path,
    typer.Option(help="The config to train with; see spacy train. Needs no paths."),
]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A value in the config, such as nlp.lang=de or training.max_epochs=5. The "
        "option may be repeated.",
    ),
]
Folds = Annotated[
    int,
    typer.Option(
        min=2,
        help="Number of folds: of documents, if the treebank marks enough of them "
        "(# newdoc), or of sentences.",
    ),
]
Jobs = Annotated[
    int, typer.Option(min=1, help="Number of pipelines trained at a time.")
]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Keep the parses of each fold in this directory, all of them in "
        f"predicted.conllu beside gold.conllu, and the result in {SCORES}. An "
        "interrupted run goes on there.",
    ),
]


@one_line_errors
def cross_validate_command(
    treebank: TreebankFile,
    config: ConfigFile = DEFAULT_CONFIG,
    overrides: Overrides = None,
    folds: Folds = 10,
    start: From = Start.words,
    jobs: Jobs = 1,
    form: ResultForm = ResultFormat.text,
    output: Folder = None,
) -> None:
    """Train and score a pipeline for each fold of a treebank.

    The treebank is one file. Each fold is parsed by a pipeline that was trained on the
    others. The parses of all folds are scored together, as the CoNLL 2018 shared task
    does. The table also has the mean and the standard deviation of the folds.
    """
    if not config.is_file():
        raise CommandError(
            f"{config}: no such config; name one with --config, such as one that "
            "'spacy init config' writes"
        )
    settings = CrossValidationSettings(
        config,
        _values(overrides),
        folds,
        from_text=start is Start.text,
        gold_tags=start is Start.tags,
    )
    with value_errors_as(CommandError):
        result = cross_validate(
            treebank, settings, directory=output, n_jobs=jobs, progress=progress_bar
        )
    target = ResultOptions(None, form)
    if target.tables:
        show([_table(result)])
    target.write(result.as_dict())
    if output is not None:
        data = srsly.json_dumps(result.as_dict(), indent=2) + "\n"
        replace_file(output / SCORES, data.encode())


def _values(overrides: list[str] | None) -> dict[str, Any]:
    """Values in the config.

    Raises:
        CommandError: For one that is not KEY=VALUE.
    """
    arguments = []
    for override in overrides or []:
        key, equals, value = override.partition("=")
        if not equals or "." not in key:
            raise CommandError(
                f"--set {override}: expected section.key=value, such as "
                "training.max_epochs=5"
            )
        arguments += [f"--{key}", value]
    return parse_config_overrides(arguments, env_var=None)


def _table(result: CrossValidation) -> Grid:
    columns = ["", "all folds", "mean", "deviation"]
    numbers = [str(i + 1) for i in range(len(result.folds))]
    grid = Grid(f"{result.treebank}: F1, in per cent", columns + numbers)
    for measure, score in result.scores.items():
        over_folds = ["-", "-"]
        if result.has_mean:
            values = result.mean(measure), result.deviation(measure)
            over_folds = list(map(percent, values))
        each = [percent(fold[measure].f1) for fold in result.folds]
        grid.add(measure, percent(score.f1), *over_folds, *each)
    grid.add("words in gold", f"{sum(result.sizes):,}", "", "", *map(str, result.sizes))
    settings = result.settings
    config = load_config(settings.config, overrides=dict(settings.overrides))
    given = "raw text" if settings.from_text else "words and sentences of the file"
    tags = "file" if settings.gold_tags else "pipeline"
    grid.notes = [
        f"{settings.n_folds} folds of {settings.unit}s, seed {settings.seed}; parsed "
        f"from {given}; tags: {tags}; config: {settings.config}, "
        f"language: {config['nlp']['lang']}."
    ]
    return grid
