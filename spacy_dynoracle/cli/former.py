"""Commands and options that are gone, each with the sentence that its users see."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

COMMANDS = {
    "compare": "'compare A B TREEBANK' is 'evaluate B TREEBANK --against A'",
    "jackknife": "'jackknife' is gone: the parser tags its training data by itself",
    "rank": "'rank' is a command of a plug-in. In a checkout: pip install "
    "--no-build-isolation ./plugins/hc_search; then: python -m dynoracle_hcsearch rank",
}
_PYTHON = "it is an argument in Python"
_FROM = "use --from tags, --from words or --from text"
OPTIONS = {
    **dict.fromkeys(("--from-text", "--gold-tags", "--no-gold-tags"), _FROM),
    **dict.fromkeys(
        (
            "--by",
            "--max-words",
            "--min-count",
            "--no-gold",
            "--over",
            "--samples",
            "--seed",
            "--trials",
        ),
        _PYTHON,
    ),
    "--all": "use --top 0",
    "--batch-size": "batches have 256 Docs",
    "--confusion": "use --by confusion",
    "--conllu": "name the file as INPUT",
    "--force": "--output replaces a pipeline",
    "--gold": "costs are shown if the sentence has a tree",
    "--html": "use --output FILE.html",
    "--json": "use --format json, where a command prints a result",
    "--labels": "use --format json",
    "--lang": "use --set nlp.lang=CODE of cross-validate, or --tokenizer of check",
    "--lines": "put a blank line between the paragraphs, as 'sed G FILE' does",
    "--max-warnings": "use --format json",
    "--per-relation": "use --by label",
    "--pipeline": "use --tokenizer",
    "--probabilities": "use --min-probability, with 0 for all arcs",
    "--save": "use --output MODEL",
    "--work": "use --output",
}


class Command(TyperCommand):
    """A command that knows its former options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As of click. A former option is one line with its new spelling."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            # The class of the error depends on the release of typer.
            option = str(getattr(error, "option_name", ""))
            if option not in OPTIONS:
                raise
            sentence = f"there is no {option} any more: {OPTIONS[option]}"
            typer.echo(f"Error: {sentence}", err=True)
            raise typer.Exit(2) from error


class Group(TyperGroup):
    """The commands. It knows its former ones."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As of click. A former command is one line with its new spelling."""
        if args and args[0] in COMMANDS:
            typer.echo(f"Error: {COMMANDS[args[0]]}", err=True)
            raise typer.Exit(2)
        return super().resolve_command(ctx, args)
