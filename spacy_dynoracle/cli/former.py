"""Commands and options that are gone, each with the sentence that its users see."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

COMMANDS = {
    "compare": "'compare A B TREEBANK' is 'evaluate B TREEBANK --against A'",
    "jackknife": "'jackknife' is gone: the parser tags its training data by itself",
}
_JSON = "use --format json"
_TAGS = "use --from tags or --from words"
_BATCH = "batches have 256 Docs"
_ERRORS = "use --by label"
_SAMPLES = "set it in Python, with spacy_dynoracle.confidence"
_NOT_JSON = "the output has all values"
OPTIONS: dict[str, dict[str, str]] = {
    "parse": {
        "--lines": "put a blank line between the lines, as 'sed G FILE' does, and read "
        "from -",
        "--probabilities": "use --min-probability, with 0 for all arcs",
    },
    "parse-table": {
        "--json": "the numbers are those of the last line",
        "--lines": "read .jsonl with a text in each line",
        "--gold-tags": "tags of CoNLL-U are used",
        "--no-gold-tags": "set gold_tags of spacy_dynoracle.tables.TableParser in "
        "Python",
    },
    "evaluate": {
        "--per-relation": _ERRORS,
        "--confusion": "use --by confusion",
        "--from-text": "use --from text",
        "--trials": "set it in Python, with spacy_dynoracle.evaluation.compare",
        "--seed": "set it in Python, with spacy_dynoracle.evaluation.compare",
    },
    "cross-validate": {
        "--lang": "use --set nlp.lang=CODE",
        "--by": "set unit of CrossValidationSettings in Python",
        "--seed": "set seed of CrossValidationSettings in Python",
        "--work": "use --output",
        "--from-text": "use --from text",
    },
    "check": {
        "--lang": "use --tokenizer",
        "--pipeline": "use --tokenizer",
        "--labels": "use --format json",
        "--max-warnings": "use --format json",
    },
    "calibrate": {
        "--save": "use --output MODEL",
        "--force": "--output replaces a pipeline",
        "--over": _SAMPLES,
        "--samples": _SAMPLES,
        "--seed": _SAMPLES,
    },
    "select": {
        "--json": "the comments of the output have the values",
        "--lines": "put a blank line between the lines, as 'sed G FILE' does, and read "
        "from -",
        "--samples": "set it in the config of the pipeline",
        "--top": "the table shows ten sentences",
        "--gold-tags": "tags of the input are used",
        "--no-gold-tags": "take the tags out of the input",
    },
    "explain": {
        "--conllu": "name the file as INPUT",
        "--html": "use --output FILE.html",
        "--all": "use --top 0",
        "--gold": "costs are shown if the sentence has a tree",
        "--no-gold": "costs are shown if the sentence has a tree",
        "--gold-tags": "tags of the sentence are used",
        "--no-gold-tags": "set gold_tags of spacy_dynoracle.explain.explain in Python",
    },
    "clusters": {
        "--json": "the last line has the numbers",
        "--min-count": "set it in Python, with spacy_dynoracle.clusters.learn_clusters",
        "--max-words": "set it in Python, with spacy_dynoracle.clusters.learn_clusters",
    },
}
EVERYWHERE = {
    "--json": _JSON,
    "--gold-tags": _TAGS,
    "--no-gold-tags": _TAGS,
    "--batch-size": _BATCH,
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
            known = EVERYWHERE | OPTIONS.get(str(ctx.info_name), {})
            if option not in known:
                raise
            typer.echo(
                f"Error: there is no {option} any more: {known[option]}", err=True
            )
            raise typer.Exit(2) from error


class Group(TyperGroup):
    """The commands. It knows its former ones."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As of click. A former command is one line with its new spelling."""
        if args and args[0] in COMMANDS:
            typer.echo(f"Error: {COMMANDS[args[0]]}", err=True)
            raise typer.Exit(2)
        return super().resolve_command(ctx, args)
