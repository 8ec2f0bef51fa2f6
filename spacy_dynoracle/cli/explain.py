"""``explain``: a derivation step by step, as text, as JSON or as a page."""

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import srsly
import typer
from spacy.language import Language
from spacy.tokens import Doc

from ..explain.derivation import Derivation, Kept, as_dict
from ..explain.html import page
from ..explain.trace import trace
from ..parser.component import DynOracleParser
from ..treebank import TreebankSentence, read_conllu, to_doc
from ..treebank.pipelines import check_words
from .common import (
    CommandError,
    load_pipeline,
    one_line_errors,
    output_stream,
    tag_writers,
    use_file_tags,
)
from .explain_text import derivation_text
from .options import FileTags, PipelineName

# Labels for each transition, and pairs of easy-first, where nothing else is asked for.
_KEPT_IN_TEXT = Kept(labels=1, pairs=6)
_KEPT_IN_DATA = Kept(labels=5, pairs=20)


class FollowName(str, Enum):
    """What a derivation follows, for the command line."""

    model = "model"
    oracle = "oracle"


class ExplainFormat(str, Enum):
    """The formats of standard output."""

    text = "text"
    json = "json"


@one_line_errors
def explain_command(
    model: PipelineName,
    text: Annotated[
        str | None,
        typer.Argument(metavar="TEXT", help="The text to parse.", show_default=False),
    ] = None,
    conllu: Annotated[
        Path | None,
        typer.Option(
            help="Parse a sentence of this .conllu or .conll file instead, whose tree "
            "is the gold tree."
        ),
    ] = None,
    sentence: Annotated[
        str | None,
        typer.Option(
            help="Its sent_id, or its number in the file.", show_default="the first"
        ),
    ] = None,
    follow: Annotated[
        FollowName,
        typer.Option(
            help="model: the derivation the parser takes; oracle: the best scored "
            "among the correct transitions."
        ),
    ] = FollowName.model,
    top: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Labels shown for each transition. Default: 1 in text, 5 elsewhere.",
            show_default=False,
        ),
    ] = None,
    show_all: Annotated[
        bool, typer.Option("--all", help="Show everything that is legal.")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(help="Write a page to step through the derivation to this file."),
    ] = None,
    format_name: Annotated[
        ExplainFormat | None,
        typer.Option(
            "--format",
            help="text or json, to standard output. Default: text, unless there is a "
            "page.",
            show_default=False,
        ),
    ] = None,
    gold: Annotated[
        bool, typer.Option(help="Use the tree of the file, if it has one, for costs.")
    ] = True,
    gold_tags: FileTags = True,
) -> None:
    """Show how a trained pipeline parses a text or a sentence of a treebank.

    In every configuration: stack, buffer and what is legal there, each with its
    score and, with a gold tree, its cost, which is the number of gold arcs that
    it loses. Costs of 0 are correct.
    """
    if (text is None) == (conllu is None):
        raise CommandError("give either a TEXT or --conllu with a file")
    if sentence is not None and conllu is None:
        raise CommandError("--sentence needs --conllu with a file")
    source = None if conllu is None else _find_sentence(conllu, sentence)
    gold = gold and source is not None and any(h is not None for h in source.heads)
    if follow is FollowName.oracle and not gold:
        place = f"that of {source.path} is not used" if source else "a text has none"
        raise CommandError(f"--follow oracle needs a gold tree, and {place}")
    tags = conllu is not None and use_file_tags(conllu, gold_tags)
    nlp = load_pipeline(model)
    if source is None:
        subject = _Subject(nlp, model, _doc_of_text(nlp, text or ""))
    else:
        doc = to_doc(source, nlp.vocab, tags=tags, tree=False)
        subject = _Subject(nlp, model, doc, source, tags=tags, gold=gold)

    def derivations(kept: Kept) -> list[Derivation]:
        if show_all:
            kept = Kept()
        elif top is not None:
            kept = Kept(labels=top, pairs=kept.pairs)
        return subject.derivations(follow, kept)

    if html is not None or format_name is ExplainFormat.json:
        found = derivations(_KEPT_IN_DATA)
        data = subject.as_data(follow, found)
    if html is not None:
        with output_stream(html) as stream:
            stream.write(page(data))
        typer.echo(f"{html}: {_counted(found)}", err=format_name is not None)
    if format_name is ExplainFormat.json:
        with output_stream(None) as stream:
            stream.write(srsly.json_dumps(data, indent=2) + "\n")
    elif format_name is ExplainFormat.text or html is None:
        with output_stream(None) as stream:
            typer.echo(subject.title, file=stream)
            for derivation in derivations(_KEPT_IN_TEXT):
                typer.echo("", file=stream)
                for line in derivation_text(derivation):
                    typer.echo(line, file=stream)


class _Subject:
    """A document that is to be explained, and the parser that does.

    doc: as the pipeline gets it. source: the sentence of a file that it was made of.
    tags: keep its tags. gold: use its tree.
    """

    def __init__(
        self,
        nlp: Language,
        model: str,
        doc: Doc,
        source: TreebankSentence | None = None,
        *,
        tags: bool = False,
        gold: bool = False,
    ) -> None:
        self.nlp = nlp
        self.model = model
        text = " ".join(doc.text.split())
        self.title = f"{source.name}: {source.text or text}" if source else text
        self.reference = to_doc(source, nlp.vocab) if source and gold else None
        with nlp.select_pipes(disable=tag_writers(nlp) if tags else []):
            self.parser, self.doc = _up_to_the_parser(nlp, model, doc)
        if source is not None:
            check_words(nlp, self.doc, source)

    def derivations(self, follow: FollowName, kept: Kept) -> list[Derivation]:
        """How it is parsed."""
        doc, reference = self.doc.copy(), self.reference
        try:
            return trace(self.parser, doc, reference, follow=follow.value, kept=kept)
        except ValueError as error:
            raise CommandError(f"the pipeline {self.model!r}: {error}") from error

    def as_data(
        self, follow: FollowName, derivations: list[Derivation]
    ) -> dict[str, Any]:
        """What the page and the JSON output contain."""
        return {
            "title": self.title,
            "model": self.model,
            "follow": follow.value,
            "lang": self.nlp.lang,
            "direction": str(self.nlp.vocab.writing_system.get("direction", "ltr")),
            "derivations": [as_dict(derivation) for derivation in derivations],
        }


def _find_sentence(path: Path, wanted: str | None) -> TreebankSentence:
    """The first sentence, or the one with this sent_id or else this number."""
    numbered = None
    count = 0
    for sentence in read_conllu(path):
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


def _doc_of_text(nlp: Language, text: str) -> Doc:
    if len(text) > nlp.max_length:
        raise CommandError(
            f"TEXT has {len(text):,} characters, the pipeline takes "
            f"{nlp.max_length:,} at most"
        )
    doc = nlp.make_doc(text)
    if all(token.is_space for token in doc):
        raise CommandError("TEXT contains no word; name something to parse")
    return doc


def _up_to_the_parser(
    nlp: Language, model: str, doc: Doc
) -> tuple[DynOracleParser, Doc]:
    """The parser of a pipeline, and the document as it gets it."""
    for _, component in nlp.pipeline:
        if isinstance(component, DynOracleParser):
            return component, doc
        doc = component(doc)
    raise CommandError(
        f"the pipeline {model!r} has no dynoracle_parser (its components: "
        f"{', '.join(nlp.pipe_names) or 'none'})"
    )


def _counted(found: list[Derivation]) -> str:
    transitions = sum(len(derivation.steps) for derivation in found)
    parts = "1 derivation" if len(found) == 1 else f"{len(found):,} derivations"
    return f"{parts}, {transitions:,} transitions"
