"""``parse``: text or CoNLL-U in, parsed sentences out."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from spacy.language import Language
from spacy.tokens import Doc

from ..conllu import Sentence, read_conllu, to_doc
from ..treebanks import SUFFIXES
from .common import (
    CommandError,
    check_parsed,
    load_pipeline,
    one_line_errors,
    output_stream,
    progress_bar,
    tag_writers,
    use_file_tags,
)
from .formats import FORMATS, FormatName

STDIN = "-"


@one_line_errors
def parse_command(
    model: Annotated[
        str, typer.Argument(help="Pipeline: a directory or an installed package.")
    ],
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT",
            help="Text files (UTF-8, a blank line between paragraphs), .conllu or "
            ".conll files, or - for text from standard input.",
        ),
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", help="Parse this text instead of files.")
    ] = None,
    format_name: Annotated[
        FormatName,
        typer.Option(
            "--format",
            help="conllu; json: an array of spaCy Docs; html: displaCy; tree: for the "
            "terminal.",
        ),
    ] = FormatName.conllu,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File instead of stdout.")
    ] = None,
    lines: Annotated[
        bool,
        typer.Option("--lines", help="In text, every line is a paragraph of its own."),
    ] = False,
    gold_tags: Annotated[
        bool,
        typer.Option(
            help="Use the tags of .conllu input and disable the components that "
            "would overwrite them."
        ),
    ] = True,
    batch_size: Annotated[
        int, typer.Option(min=1, help="Docs per batch in the pipeline.")
    ] = 256,
) -> None:
    """Parse text or CoNLL-U with a trained pipeline.

    The words and sentences of .conllu input are kept. Text goes through the
    pipeline's tokenizer, one Doc per paragraph.
    """
    if (text is None) == (not inputs):
        raise CommandError("give either INPUT files (- for standard input) or --text")
    for name in inputs or []:
        _check_input(name)
    nlp = load_pipeline(model)
    writer = FORMATS[format_name](nlp)
    to_terminal = output is None and sys.stdout.isatty()
    with (
        output_stream(output) as stream,
        progress_bar("Docs parsed", not to_terminal) as advance,
    ):
        stream.write(writer.begin())
        for source in _sources(nlp, inputs, text, lines, gold_tags):
            with nlp.select_pipes(disable=source.disable):
                piped = nlp.pipe(source.docs, as_tuples=True, batch_size=batch_size)
                for doc, sentence in piped:
                    check_parsed(nlp, model, doc, sentence)
                    stream.write(writer.doc(doc, sentence, not source.gold_tags))
                    advance(1)
        stream.write(writer.end())


class _Source:
    """Docs or texts of one input, the components to disable for them, and whether
    their tags come from the file."""

    def __init__(
        self,
        docs: Iterable[tuple[Doc | str, Sentence | None]],
        disable: list[str] | None = None,
        gold_tags: bool = False,
    ) -> None:
        self.docs = docs
        self.disable = disable or []
        self.gold_tags = gold_tags


def _is_treebank(name: str) -> bool:
    return name != STDIN and Path(name).suffix in SUFFIXES


def _check_input(name: str) -> None:
    """Before the model is loaded and the output begun."""
    if name != STDIN and not Path(name).is_file():
        kind = "is a directory" if Path(name).is_dir() else "no such file"
        raise CommandError(f"{name}: {kind}; name text, .conllu or .conll files")


def _sources(
    nlp: Language,
    inputs: list[str] | None,
    text: str | None,
    lines: bool,
    gold_tags: bool,
) -> Iterator[_Source]:
    if text is not None:
        yield _Source([(text, None)])
    for name in inputs or []:
        if _is_treebank(name):
            tags = use_file_tags(Path(name), gold_tags)
            docs = (
                (to_doc(sentence, nlp.vocab, tags=tags, tree=False), sentence)
                for sentence in read_conllu(name)
            )
            yield _Source(docs, tag_writers(nlp) if tags else [], tags)
        elif name == STDIN:
            stdin = typer.get_binary_stream("stdin")
            yield _Source(_paragraphs("standard input", stdin, nlp.max_length, lines))
        else:
            with Path(name).open("rb") as stream:
                yield _Source(_paragraphs(name, stream, nlp.max_length, lines))


def _paragraphs(
    name: str, stream: BinaryIO, max_length: int, lines: bool
) -> Iterator[tuple[Doc | str, None]]:
    """The paragraphs of a text, line breaks replaced by blanks.

    A paragraph longer than the pipeline's max_length (characters) is cut between
    lines. Raises CommandError for text that is not UTF-8 and for longer lines.
    """
    parts: list[str] = []
    length = 0
    for number, raw in enumerate(stream, 1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError as error:
            raise CommandError(
                f"{name}:{number}: byte 0x{raw[error.start]:02x} is not UTF-8; "
                "convert the text to UTF-8"
            ) from error
        if len(line) > max_length:
            raise CommandError(
                f"{name}:{number}: a line of {len(line):,} characters, the pipeline "
                f"takes {max_length:,} at most; break it into paragraphs"
            )
        if parts and (not line or lines or length + len(line) > max_length):
            yield " ".join(parts), None
            parts, length = [], 0
        if line:
            parts.append(line)
            length += len(line) + 1
    if parts:
        yield " ".join(parts), None
