"""The command line: ``python -m dynoracle_hcsearch``."""

import typer

from .rank import rank_command

app = typer.Typer(
    name="dynoracle_hcsearch",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
app.command("rank")(rank_command)


@app.callback()
def common() -> None:
    """HC-search for parsers of spacy_dynoracle."""


def main() -> None:
    """Run the command line and exit."""
    app(prog_name="dynoracle_hcsearch")


if __name__ == "__main__":
    main()
