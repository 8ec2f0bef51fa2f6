"""``explain``: a derivation step by step, as text, as JSON or as a page."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import srsly
import typer

from ..errors import value_errors_as
from ..explain import Explanation, explain
from ..explain.explanation import pipeline_name
from ..treebank import TreebankSentence, read_treebank
from .common import Code, CommandError, load_pipeline, one_line_errors, output_stream
from .options import OutputFile, PipelineName, Text, format_of

# Labels for each transition, and features for each step, if the user does not say how
# many.
_TOP_IN_TEXT = 1
_TOP_IN_DATA = 5
_FEATURES_IN_DATA = 8


ExplainFormat = Literal["text", "json", "html", "md", "svg"]

InputFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="INPUT",
        help="A treebank with the sentence to parse (.conllu, .conll, .spacy, with "
        ".gz, or -). Its tree is the gold tree.",
        show_default=False,
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
    Literal["model", "oracle"],
    typer.Option(
        help="model: the derivation the parser takes; oracle: the best scored "
        "among the correct transitions."
    ),
]
Member = Annotated[
    str | None,
    typer.Option(
        help="The member of a committee whose derivation to show.", show_default=False
    ),
]
TopLabels = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="How many labels to show for each transition; 0 shows all legal "
        "transitions. Default: 1 in text, 5 in json and html.",
        show_default=False,
    ),
]
Features = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="How many features to show for each step: those that made the scores of "
        "the chosen and of the best other transition differ. Default: 0 in text, 8 in "
        "json and html.",
        show_default=False,
    ),
]
OutputFormat = Annotated[
    ExplainFormat | None,
    typer.Option(
        "--format",
        help="text: for the terminal. json: data. html: a page to step through the "
        "derivation. md, svg: a table in Markdown or as a picture, for slides. "
        "Default: by the suffix of OUTPUT, or text.",
        show_default=False,
    ),
]


@one_line_errors
def explain_command(
    model: PipelineName,
    path: InputFile = None,
    text: Text = None,
    sentence: SentenceName = None,
    follow: Followed = "model",
    member: Member = None,
    top: TopLabels = None,
    features: Features = None,
    format_name: OutputFormat = None,
    code: Code = None,
    output: OutputFile = None,
) -> None:
    """Show how a pipeline parses a sentence, step by step.

    The sentence is a text or one of a treebank. Each step shows the stack, the buffer
    and the legal transitions with their scores. With a gold tree it also shows their
    costs: the number of gold arcs that can no longer be reached. A transition of cost 0
    is correct; in non-monotonic arc-eager it may need a repair later.
    """
    if (text is None) == (path is None):
        raise CommandError("give either an INPUT file (- for standard input) or --text")
    if sentence is not None and path is None:
        raise CommandError("--sentence needs an INPUT file")
    source = None if path is None else _find_sentence(path, sentence)
    gold = source if source and any(h is not None for h in source.heads) else None
    if follow == "oracle" and gold is None:
        raise CommandError("--follow oracle needs the gold tree of an INPUT file")
    form = format_of(format_name, output, ExplainFormat, "text")
    as_text = form == "text"
    if form in ("md", "svg") and (top, features) != (None, None):
        raise CommandError(
            f"--format {form} shows the chosen transition of each step: --top and "
            "--features go with text, json and html"
        )
    shown = (_TOP_IN_TEXT if as_text else _TOP_IN_DATA) if top is None else top or None
    usual = 0 if as_text else _FEATURES_IN_DATA
    n_features = usual if features is None else features
    tags = source is not None and source.has_tags
    if source is not None and not tags:
        typer.echo(
            f"Note: sentence {source.name} has no tags; using those of the pipeline",
            err=True,
        )
    nlp = load_pipeline(model)
    with value_errors_as(CommandError):
        explanation = explain(
            nlp,
            source or text or "",
            gold,
            gold_tags=tags,
            follow=follow,
            top=shown,
            features=n_features,
            member=member,
        )
    explanation = replace(explanation, pipeline=pipeline_name(model, member))
    with output_stream(output) as stream:
        if as_text:
            # typer leaves out the colors if the output is not a terminal.
            found = explanation.text(top=shown, features=n_features, color=True)
            typer.echo(found, file=stream, nl=False)
        else:
            stream.write(_data(explanation, form))
    if output is not None:
        typer.echo(f"{output}: {explanation.summary}", err=True)


def _data(explanation: Explanation, form: str) -> str:
    """A derivation as a page, as a table, as a picture or as JSON."""
    x = explanation
    made = {"html": x.html, "md": x.markdown, "svg": x.svg}.get(form)
    if made is not None:
        return made()
    return str(srsly.json_dumps(explanation.as_dict(), indent=2)) + "\n"


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
            f"{path}: no sentence {wanted!r}; name a sent_id of the file, or a number "
            f"from 1 to {count:,}"
        )
    return numbered
