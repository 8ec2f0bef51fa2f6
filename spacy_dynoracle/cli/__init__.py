"""The command line: ``spacy-dynoracle`` or ``python -m spacy_dynoracle``.

One command per module; a new one is a module and a line here.
"""

import typer

from .calibrate import calibrate_command
from .check import check_command
from .evaluate import evaluate_command
from .explain import explain_command
from .jackknife import jackknife_command
from .parse import parse_command
from .rank import rank_command
from .select import select_command

app = typer.Typer(
    name="spacy-dynoracle",
    help="Dependency parsing with dynamic oracles. Training: spacy train.",
    no_args_is_help=True,
    add_completion=False,
)
app.command("parse")(parse_command)
app.command("evaluate")(evaluate_command)
app.command("check")(check_command)
app.command("calibrate")(calibrate_command)
app.command("select")(select_command)
app.command("explain")(explain_command)
app.command("jackknife")(jackknife_command)
app.command("rank")(rank_command)


def main() -> None:
    """Run the command line and exit."""
    app(prog_name="spacy-dynoracle")
