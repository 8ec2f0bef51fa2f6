"""The command that does every experiment and writes the page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, cast

import srsly
import typer

from spacy_dynoracle.cli.common import CommandError, one_line_errors
from spacy_dynoracle.treebank.files import ENVIRONMENT
from spacy_dynoracle.util.files import replace_file

from .common import DEFAULT_CONFIG, ConfigFile, Directory, Jobs, Seeds, check_pictures
from .page import JSON_NAME, PAGE_NAME, Page, html
from .processes import RunError
from .reproduce import SCALES, Reproduction, find_treebanks
from .runs import EMBEDDED, read_json

DEFAULT_OUTPUT = Path("training/reproduce")
Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TREEBANK",
        help="Names of treebanks. Default: those of the directory that have train, dev "
        "and test; a small scale takes two of different languages.",
    ),
]
ScaleName = Annotated[
    str,
    typer.Option(
        "--scale",
        help="small: little data, under 20 minutes on two cores. full: as the papers.",
    ),
]
PageDirectory = Annotated[
    Path | None,
    typer.Option(
        "--page", help="Directory of the page. Default: OUTPUT with the scale."
    ),
]
From = Annotated[
    Path | None,
    typer.Option(
        "--from",
        help="Train nothing, and make the page again from this file of results.",
    ),
]
Output = Annotated[Path, typer.Option(help="Directory of the runs.")]
Train = Annotated[
    bool, typer.Option(help="Train what is missing, or only show what is done.")
]


@one_line_errors
def reproduce_command(
    treebank: Names = None,
    treebanks: Directory = "",
    scale: ScaleName = "small",
    seeds: Seeds = 3,
    jobs: Jobs = 2,
    output: Output = DEFAULT_OUTPUT,
    page: PageDirectory = None,
    source: From = None,
    config: ConfigFile = DEFAULT_CONFIG,
    train: Train = True,
) -> None:
    """Every experiment, on one page beside the papers.

    The page has the tables of the papers beside ours.
    """
    check_pictures("the pictures of the page")
    if scale not in SCALES:
        raise CommandError(f"--scale {scale!r}: expected one of {', '.join(SCALES)}")
    if source is not None:
        write_page(read_json(source), page or source.parent)
        return
    directory = Path(treebanks or os.environ.get(ENVIRONMENT) or EMBEDDED)
    if not directory.is_dir():
        raise CommandError(f"{directory}: no such directory of treebanks")
    if not config.is_file():
        raise CommandError(f"{config}: no such file")
    names = list(dict.fromkeys(treebank or find_treebanks(directory)))
    if not names:
        raise CommandError(f"{directory}: no treebank has train, dev and test")
    try:
        work = Reproduction(
            SCALES[scale], names, directory, output / scale, config, seeds, jobs
        )
        say = lambda line: typer.echo(line, err=True)  # noqa: E731
        failures = work.complete(say) if train else []
    except RunError as error:
        raise CommandError(str(error)) from error
    command = f"spacy project run reproduce . --vars.scale {scale}"
    if treebank:
        command += f' --vars.reproduce_list "{" ".join(names)}"'
    command += " --vars.treebanks /path/to/treebanks"
    record = work.record(command, failures)
    target = page or output / scale
    write_page(record, target)
    if failures:
        raise CommandError(f"{len(failures)} runs failed; {failures[0]}")


def write_page(record: dict[str, Any], directory: Path) -> None:
    """Write the results as JSON, and the page as Markdown and HTML with pictures."""
    directory.mkdir(parents=True, exist_ok=True)
    data = srsly.json_dumps(record, indent=1).encode("utf-8")
    # The page is what the file gives, in which numbers are rounded.
    made = Page(cast(dict[str, Any], srsly.json_loads(data)))
    files = made.pictures(directory)
    addresses = {paper: file.name for paper, file in files.items()}
    text = made.markdown(addresses)
    of_address = {addresses[paper]: file for paper, file in files.items()}
    for name, content in (
        (JSON_NAME, data + b"\n"),
        (f"{PAGE_NAME}.md", text.encode("utf-8")),
        (f"{PAGE_NAME}.html", html(text, of_address).encode("utf-8")),
    ):
        replace_file(directory / name, content)
        typer.echo(str(directory / name), err=True)
