"""Options and output of the commands that train pipelines."""

from pathlib import Path
from typing import Annotated, Any

import srsly
import typer
from spacy.cli._util import parse_config_overrides

from spacy_dynoracle.cli.common import CommandError
from spacy_dynoracle.cli.options import (
    ResultFormat,
    ResultOptions,
    Start,
    key_and_value,
)
from spacy_dynoracle.reports.tables import Grid, show
from spacy_dynoracle.util.files import replace_file

from .trials import TrialSettings, config_of

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
Jobs = Annotated[
    int,
    typer.Option("--jobs", min=1, help="Number of pipelines trained at a time."),
]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Keep all parses in this directory, beside gold.conllu, and the result in "
        f"{SCORES}. An interrupted run goes on there.",
    ),
]


def values_of(
    config: Path, overrides: list[str] | None, start: Start
) -> dict[str, Any]:
    """The settings that all trials have; see `TrialSettings`.

    Raises:
        CommandError: For a config that is not there, and for an override that is not
            KEY=VALUE.
    """
    if not config.is_file():
        raise CommandError(
            f"{config}: no such config; name one with --config, such as one that "
            "'spacy init config' writes"
        )
    pairs = map(key_and_value, overrides or ())
    arguments = [x for key, value in pairs for x in (f"--{key}", value)]
    return {
        "config": config,
        "overrides": parse_config_overrides(arguments, env_var=None),
        "from_text": start == "text",
        "gold_tags": start == "tags",
    }


def note_of(settings: TrialSettings) -> str:
    """A note of what the pipelines were given."""
    config = config_of(settings)
    given = "raw text" if settings.from_text else "words and sentences of the file"
    tags = "file" if settings.gold_tags else "pipeline"
    return (
        f"seed {settings.seed}; parsed from {given}; tags: {tags}; config: "
        f"{settings.config}, language: {config['nlp']['lang']}."
    )


def show_result(
    table: Grid, values: dict[str, Any], form: ResultFormat, output: Path | None
) -> None:
    """Print a result, and write it into the directory of the trials."""
    target = ResultOptions(None, form)
    if target.tables:
        show([table])
    target.write(values)
    if output is not None:
        data = srsly.json_dumps(values, indent=2) + "\n"
        replace_file(output / SCORES, data.encode())
