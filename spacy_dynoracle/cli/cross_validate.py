"""``cross-validate``: scores for a treebank that is in one file."""

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from spacy.cli._util import parse_config_overrides
from spacy.util import load_config

from ..evaluation import CrossValidation, CrossValidationSettings, cross_validate
from ..reports.tables import Grid, show
from .common import CommandError, one_line_errors, progress_bar
from .options import JsonFlag, JsonOutput, TreebankFile
from .results import ResultOptions

DEFAULT_CONFIG = Path("configs/fast.cfg")


class UnitName(str, Enum):
    """What folds are made of."""

    document = "document"
    sentence = "sentence"


ConfigFile = Annotated[
    Path,
    typer.Option(help="The config to train with; see spacy train. Needs no paths."),
]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A value in the config, such as training.max_epochs=5. The option may be "
        "repeated.",
    ),
]
Lang = Annotated[
    str | None,
    typer.Option(help="Code of the language. Default: that of the config."),
]
Folds = Annotated[int, typer.Option(min=2, help="Number of folds.")]
UnitOption = Annotated[
    UnitName | None,
    typer.Option(
        "--by",
        help="Make folds of documents or of sentences. Default: of documents, if the "
        "treebank marks enough of them (# newdoc).",
        show_default=False,
    ),
]
Seed = Annotated[
    int, typer.Option(help="Shuffles documents or sentences before they are cut.")
]
FromText = Annotated[
    bool, typer.Option("--from-text", help="Let pipelines start from raw text.")
]
GoldTags = Annotated[
    bool,
    typer.Option(
        "--gold-tags/--no-gold-tags",
        help="Parse with the tags of the file, or with those of the pipeline.",
    ),
]
Jobs = Annotated[
    int, typer.Option(min=1, help="Number of pipelines trained at a time.")
]
Work = Annotated[
    Path | None,
    typer.Option(
        help="Keep the parses of each fold in this directory, and all of them in "
        "predicted.conllu beside gold.conllu. An interrupted run goes on there."
    ),
]


@one_line_errors
def cross_validate_command(
    treebank: TreebankFile,
    config: ConfigFile = DEFAULT_CONFIG,
    overrides: Overrides = None,
    lang: Lang = None,
    folds: Folds = 10,
    by: UnitOption = None,
    seed: Seed = 0,
    from_text: FromText = False,
    gold_tags: GoldTags = False,
    jobs: Jobs = 1,
    work: Work = None,
    output: JsonOutput = None,
    as_json: JsonFlag = False,
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
    target = ResultOptions(output, as_json)
    settings = CrossValidationSettings(
        config, _values(overrides, lang), folds, None if by is None else by.value,
        seed, from_text, gold_tags,
    )  # fmt: skip
    try:
        result = cross_validate(
            treebank, settings, directory=work, n_jobs=jobs, progress=progress_bar
        )
    except ValueError as error:
        raise CommandError(" ".join(str(error).split())) from error
    if target.tables:
        show([_table(result)])
    target.write(result.as_dict())


def _values(overrides: list[str] | None, lang: str | None) -> dict[str, Any]:
    """Values in the config. Raises CommandError for one that is not KEY=VALUE."""
    arguments = []
    for override in overrides or []:
        key, equals, value = override.partition("=")
        if not equals or "." not in key:
            raise CommandError(
                f"--set {override}: expected section.key=value, such as "
                "training.max_epochs=5"
            )
        arguments += [f"--{key}", value]
    values: dict[str, Any] = parse_config_overrides(arguments, env_var=None)
    if lang is not None:
        values["nlp.lang"] = lang
    return values


def _language(settings: CrossValidationSettings) -> str:
    """Code of the language of the pipelines."""
    config = load_config(settings.config, overrides=dict(settings.overrides))
    return str(config["nlp"]["lang"])


def _table(result: CrossValidation) -> Grid:
    columns = ["", "all folds", "mean", "deviation"]
    numbers = [str(i + 1) for i in range(len(result.folds))]
    grid = Grid(f"{result.treebank}: F1, in per cent", columns + numbers)
    for measure, score in result.scores.items():
        values = [score.f1, result.mean(measure), result.deviation(measure)]
        values += [fold[measure].f1 for fold in result.folds]
        grid.add(measure, *(f"{100 * value:.2f}" for value in values))
    settings = result.settings
    given = "raw text" if settings.from_text else "words and sentences of the file"
    tags = "file" if settings.gold_tags else "pipeline"
    grid.notes = [
        f"{settings.n_folds} folds of {settings.unit}s, seed {settings.seed}; parsed "
        f"from {given}; tags: {tags}; config: {settings.config}, "
        f"language: {_language(settings)}."
    ]
    return grid
