"""The command line: ``spacy-dynoracle`` or ``python -m spacy_dynoracle``.

One command per module; a new one is a module and a line here.
"""

from typing import Annotated

import typer

from .. import __version__
from .calibrate import calibrate_command
from .check import check_command
from .common import CommandError, one_line_errors
from .evaluate import evaluate_command
from .explain import explain_command
from .parse import parse_command
from .parse_table import parse_table_command

app = typer.Typer(
    name="spacy-dynoracle",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
app.command("parse")(parse_command)
app.command("parse-table")(parse_table_command)
app.command("evaluate")(evaluate_command)
app.command("check")(check_command)
app.command("calibrate")(calibrate_command)
app.command("explain")(explain_command)

# For commands of plug-ins the directory of the plug-in, and what runs the command.
PLUGINS = {
    "clusters": ("word_clusters", "dynoracle_clusters"),
    "cross-validate": ("trials", "dynoracle_trials cross-validate"),
    "learning-curve": ("trials", "dynoracle_trials learning-curve"),
    "rank": ("hc_search", "dynoracle_hcsearch rank"),
    "select": ("trials", "dynoracle_trials select"),
    "split": ("trials", "dynoracle_trials split"),
}


@one_line_errors
def plugin_command(context: typer.Context) -> None:
    """Say where the command is."""
    plugin, module = PLUGINS[str(context.info_name)]
    raise CommandError(
        f"{context.info_name} is a command of a plug-in; in a checkout: pip install "
        f"./plugins/{plugin} && python -m {module}"
    )


for name in PLUGINS:
    app.command(
        name,
        hidden=True,
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )(plugin_command)


def print_version(wanted: bool) -> None:
    """Print the version and exit, if the option was given."""
    if wanted:
        typer.echo(f"spacy-dynoracle {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=print_version,
            is_eager=True,
            help="Show the version and exit.",
        ),
    ] = False,
) -> None:
    """Dependency parsing with dynamic oracles. Training: spacy train."""


def main() -> None:
    """Run the command line and exit."""
    app(prog_name="spacy-dynoracle")
