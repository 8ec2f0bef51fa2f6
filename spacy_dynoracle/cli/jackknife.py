"""``jackknife``: training data with the tags of taggers that have not seen it."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ..tagger.jackknife import EPOCHS, TaggerSettings
from ..tagger.jackknife_files import jackknife_file
from .common import STDOUT, CommandError, one_line_errors, progress_bar
from .options import CORPUS, JsonFlag
from .results import ResultOptions

Input = Annotated[
    Path,
    typer.Argument(metavar="INPUT", help=f"Training data. {CORPUS}."),
]
OutputArgument = Annotated[
    Path | None,
    typer.Argument(metavar="OUTPUT", help="As --output.", show_default=False),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="File to write, with predicted tags: a .spacy file, or a .conllu file if "
        "the input is one; - writes CoNLL-U to standard output.",
    ),
]
Folds = Annotated[
    int,
    typer.Option(
        min=2,
        help="Number of folds. Each fold is tagged by a tagger trained on the others.",
    ),
]
Jobs = Annotated[int, typer.Option(min=1, help="Number of taggers trained at a time.")]
Config = Annotated[
    Path | None,
    typer.Option(
        help="Take the language, the settings of dynoracle_tagger and the epochs from "
        "a config file, such as configs/fast.cfg."
    ),
]
Lang = Annotated[
    str | None,
    typer.Option(help="Code of the language. Default: that of the config, or xx."),
]
Epochs = Annotated[
    int | None,
    typer.Option(
        min=1, help=f"Epochs of each tagger. Default: as in the config, or {EPOCHS}."
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(help="Seeds the training. Default: as in the config, or 0."),
]


@one_line_errors
def jackknife_command(
    path: Input,
    output_argument: OutputArgument = None,
    output: Output = None,
    folds: Folds = 10,
    jobs: Jobs = 1,
    config: Config = None,
    lang: Lang = None,
    epochs: Epochs = None,
    seed: Seed = None,
    as_json: JsonFlag = False,
) -> None:
    """Tag training data with taggers that have not seen it.

    A parser then learns from tags like those it meets in use. The data are cut into
    folds of neighbouring documents or sentences. Each fold is tagged by a
    dynoracle_tagger trained on the others. Heads, labels and everything else stay. The
    output is written when it is complete, and depends on the settings alone.
    """
    if (output is None) == (output_argument is None):
        raise CommandError("name one file to write, with --output")
    output = output or output_argument or Path(STDOUT)
    if as_json and str(output) == STDOUT:
        raise CommandError("--json and --output - both write to standard output")
    try:
        settings = _settings(config, lang, epochs, seed)
        result = jackknife_file(
            path, output, settings, n_folds=folds, n_jobs=jobs, progress=progress_bar
        )
    except (ValueError, ImportError) as error:
        raise CommandError(" ".join(str(error).split())) from error
    if as_json:
        ResultOptions(None, as_json).write(result.as_dict())
        return
    scores = ", ".join(
        f"{attr} {100 * share:.2f} %"
        for attr, share in result.accuracy.items()
        if share is not None
    )
    typer.echo(
        f"{output}: {len(result.docs)} documents, right tags: {scores}",
        err=str(output) == STDOUT,
    )


def _settings(
    config: Path | None, lang: str | None, epochs: int | None, seed: int | None
) -> TaggerSettings:
    """The settings of a config file or the default ones, changed by options."""
    settings = (
        TaggerSettings() if config is None else TaggerSettings.from_config(config)
    )
    if lang is not None:
        settings = replace(settings, lang=lang)
    if epochs is not None:
        settings = replace(settings, epochs=epochs)
    if seed is not None:
        settings = replace(settings, config=settings.config | {"seed": seed})
    return settings
