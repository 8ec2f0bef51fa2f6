"""The command line: ``python -m dynoracle_trials``."""

import typer

from .cross_validate_command import cross_validate_command
from .learning_curve_command import learning_curve_command
from .select_command import select_command
from .split_command import split_command

app = typer.Typer(
    name="dynoracle_trials",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
app.command("cross-validate")(cross_validate_command)
app.command("learning-curve")(learning_curve_command)
app.command("select")(select_command)
app.command("split")(split_command)


def main() -> None:
    """Run the command line and exit."""
    app(prog_name="dynoracle_trials")


if __name__ == "__main__":
    main()
