"""The command line: ``spacy-dynoracle`` or ``python -m spacy_dynoracle``.

One command per module; a new one is a module and a line here.
"""

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .. import __version__

# The commands, and the first lines of their help.
COMMANDS = {
    "parse": "Parse text or CoNLL-U with a trained pipeline.",
    "parse-table": "Parse much text into Parquet, on all cores.",
    "evaluate": "Score a pipeline, or a file with parses, on a treebank.",
    "check": "Check a treebank before training.",
    "calibrate": "Measure probabilities, or fit them to held-out data.",
    "explain": "Show how a pipeline parses a sentence, step by step.",
}


class Commands(TyperGroup):
    """Imports the module of a command when it is asked for, and not for the list of
    commands.
    """

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name; None if there is none."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        name = cmd_name.replace("-", "_")
        module = import_module(f".{name}", __name__)
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(cmd_name)(getattr(module, f"{name}_command"))
        return typer.main.get_command(alone)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


app = typer.Typer(
    name="spacy-dynoracle",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
for name, summary in COMMANDS.items():
    # What stands for the command until it is asked for.
    app.command(name, help=summary)(lambda: None)


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
