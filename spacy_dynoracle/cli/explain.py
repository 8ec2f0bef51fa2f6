"""``explain``: a derivation step by step, as text, as JSON or as a page."""

from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Annotated

import srsly
import typer

from ..explain import Explanation, explain
from ..explain.explanation import pipeline_name
from ..treebank import TreebankSentence, read_treebank
from .common import (
    CommandError,
    load_pipeline,
    one_line_errors,
    output_stream,
    use_file_tags,
)
from .options import FileTags, PipelineName

# Labels for each transition, if the user does not say how many.
_TOP_IN_TEXT = 1
_TOP_IN_DATA = 5
_FEATURES_IN_DATA = 8


class FollowName(str, Enum):
    """What a derivation follows, for the command line."""

    model = "model"
    oracle = "oracle"


class ExplainFormat(str, Enum):
    """The formats of standard output."""

    text = "text"
    json = "json"


Text = Annotated[
    str | None,
    typer.Argument(metavar="TEXT", help="The text to parse.", show_default=False),
]
ConlluFile = Annotated[
    Path | None,
    typer.Option(
        help="Parse a sentence of this treebank instead (.conllu, .conll, .spacy, with "
        ".gz, or -). Its tree is the gold tree."
    ),
]
SentenceName = Annotated[
    str | None,
    typer.Option(
        help="The sent_id of the sentence, or its number in the file.",
        show_default="the first",
    ),
]
Followed = Annotated[
    FollowName,
    typer.Option(
        help="model: the derivation the parser takes; oracle: the best scored "
        "among the correct transitions."
    ),
]
TopLabels = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="How many labels to show for each transition. Default: 1 in text, 5 "
        "elsewhere.",
        show_default=False,
    ),
]
Features = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="How many features to show for each step: those that made the scores of "
        "the chosen and of the best other transition differ. Default: 0 in text, 8 "
        "elsewhere.",
        show_default=False,
    ),
]
Member = Annotated[
    str | None,
    typer.Option(
        help="The member of a committee whose derivation to show.", show_default=False
    ),
]
ShowAll = Annotated[bool, typer.Option("--all", help="Show all legal transitions.")]
HtmlFile = Annotated[
    Path | None,
    typer.Option(help="Write a page to step through the derivation to this file."),
]
OutputFormat = Annotated[
    ExplainFormat | None,
    typer.Option(
        "--format",
        help="text or json, to standard output. Default: text, unless there is a page.",
        show_default=False,
    ),
]
OutputFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Write the text or JSON to this file instead of standard output.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="As --format json.")]
GoldCosts = Annotated[
    bool, typer.Option(help="Show costs by the tree of the file, if it has one.")
]


@one_line_errors
def explain_command(
    model: PipelineName,
    text: Text = None,
    conllu: ConlluFile = None,
    sentence: SentenceName = None,
    follow: Followed = FollowName.model,
    top: TopLabels = None,
    features: Features = None,
    show_all: ShowAll = False,
    member: Member = None,
    html: HtmlFile = None,
    format_name: OutputFormat = None,
    output: OutputFile = None,
    as_json: AsJson = False,
    gold: GoldCosts = True,
    gold_tags: FileTags = True,
) -> None:
    """Show how a pipeline parses a sentence, step by step.

    The sentence is a text or one of a treebank. Each step shows the stack, the buffer
    and the legal transitions with their scores. With a gold tree it also shows their
    costs: the number of gold arcs that can no longer be reached. A transition of cost 0
    is correct.
    """
    if (text is None) == (conllu is None):
        raise CommandError("give either a TEXT or --conllu with a file")
    if sentence is not None and conllu is None:
        raise CommandError("--sentence needs --conllu with a file")
    source = None if conllu is None else _find_sentence(conllu, sentence)
    gold_tree = source if gold and _has_tree(source) else None
    _check_follow(follow, source, gold_tree)
    tags = conllu is not None and use_file_tags(conllu, gold_tags)
    nlp = load_pipeline(model)
    try:
        explanation = explain(
            nlp,
            source or text or "",
            gold_tree,
            gold_tags=tags,
            follow=follow.value,
            top=None if show_all else top or _TOP_IN_DATA,
            features=_FEATURES_IN_DATA if features is None else features,
            member=member,
        )
    except ValueError as error:
        raise CommandError(str(error)) from error
    top_in_text = None if show_all else top or _TOP_IN_TEXT
    if as_json:
        format_name = ExplainFormat.json
    elif output is not None and format_name is None:
        format_name = ExplainFormat.text
    shown = replace(explanation, pipeline=pipeline_name(model, member))
    _write(shown, html, format_name, output, top_in_text, features or 0)


def _check_follow(
    follow: FollowName,
    source: TreebankSentence | None,
    gold_tree: TreebankSentence | None,
) -> None:
    """Raise CommandError if the oracle has no tree to follow."""
    if follow is FollowName.oracle and gold_tree is None:
        place = f"that of {source.path} is not used" if source else "a text has none"
        raise CommandError(f"--follow oracle needs a gold tree, and {place}")


def _has_tree(source: TreebankSentence | None) -> bool:
    return source is not None and any(head is not None for head in source.heads)


def _write(
    explanation: Explanation,
    html: Path | None,
    format_name: ExplainFormat | None,
    output: Path | None,
    top_in_text: int | None,
    features_in_text: int,
) -> None:
    """Write the page, if there is to be one, and the standard output."""
    if html is not None:
        with output_stream(html) as stream:
            stream.write(explanation.html())
        typer.echo(f"{html}: {explanation.summary}", err=format_name is not None)
    if format_name is ExplainFormat.json:
        with output_stream(output) as stream:
            stream.write(srsly.json_dumps(explanation.as_dict(), indent=2) + "\n")
    elif format_name is ExplainFormat.text or html is None:
        with output_stream(output) as stream:
            # typer leaves out the colors if the output is not a terminal.
            shown = explanation.text(
                top=top_in_text, features=features_in_text, color=True
            )
            typer.echo(shown, file=stream, nl=False)


def _find_sentence(path: Path, wanted: str | None) -> TreebankSentence:
    """The first sentence, or the one with this sent_id or else this number."""
    numbered = None
    count = 0
    for sentence in read_treebank(path):
        if wanted is None or sentence.sent_id == wanted:
            return sentence
        if str(sentence.ordinal) == wanted:
            numbered = sentence
        count += 1
    if numbered is None:
        raise CommandError(
            f"{path}: no sentence {wanted!r}; name the sent_id of one of its "
            f"{count:,} sentences, or its number"
        )
    return numbered
