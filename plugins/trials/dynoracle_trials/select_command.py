"""``select``: the sentences the parser is least sure of, for annotation."""

from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import shorten
from typing import Annotated

import typer
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_dynoracle.cli.common import (
    STDOUT,
    Code,
    CommandError,
    check_new_file,
    check_not_read,
    load_pipeline,
    one_line_errors,
    progress_bar,
)
from spacy_dynoracle.cli.options import INPUT, InputKind, InputOption, PipelineName
from spacy_dynoracle.cli.pipelines import ask_for_probabilities
from spacy_dynoracle.cli.sources import expanded, ready, sources
from spacy_dynoracle.reports.tables import Grid, show
from spacy_dynoracle.treebank import TreebankSentence, doc_to_conllu
from spacy_dynoracle.treebank.pipelines import (
    BATCH_SIZE,
    batched,
    check_parsed,
    has_xpos,
    piped,
)
from spacy_dynoracle.treebank.text import sentence_text
from spacy_dynoracle.util.files import replace_file

from .selection import (
    MissingProbabilitiesError,
    RankedSentences,
    UncertainSentence,
    n_words,
    rank_sentences,
)

# The comment in CoNLL-U that gives the uncertainty of a chosen sentence.
COMMENT = "# uncertainty ="
# Sentences in the table, and characters of each text there.
_SHOWN = 10
_TEXT = 40


# The source is the sentence of CoNLL-U that it was read from.
Chosen = UncertainSentence[TreebankSentence]

Inputs = Annotated[list[str], typer.Argument(metavar="INPUT", help=INPUT)]
Number = Annotated[
    int, typer.Option("--n", min=1, help="Number of sentences to choose.")
]
MinProbability = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        help="Suggest no head and label for words whose arc is less probable.",
    ),
]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="The .conllu or .spacy file to write; - writes CoNLL-U to standard "
        "output, without a table.",
    ),
]


@one_line_errors
def select_command(
    model: PipelineName,
    inputs: Inputs,
    *,
    kind: InputOption = None,
    n: Number = 100,
    min_probability: MinProbability = None,
    code: Code = None,
    output: Output,
) -> None:
    """Choose the sentences to annotate next.

    They are those of which the parser is least sure: the mean entropy of the head and
    label of a word is largest. The most uncertain sentence comes first, with its parse
    as a suggestion and the probability of each arc as Prob=0.93 in MISC. The words,
    sentences and tags of CoNLL-U are kept; its heads and labels are replaced by the
    parse. Text is cut into sentences by the pipeline. A sentence that occurs again is
    left out.
    """
    _check_output(output)
    to_stdout = str(output) == STDOUT
    files = expanded(inputs)
    check_not_read(output, files)
    nlp = load_pipeline(model)
    ask_for_probabilities(nlp, "marginal")
    try:
        with progress_bar("Docs parsed") as advance:
            ranked = rank_sentences(_parsed(nlp, files, kind, advance), n)
    except MissingProbabilitiesError as error:
        raise CommandError(
            f"the pipeline {model!r} changes heads or labels after parsing (its "
            f"components: {', '.join(nlp.pipe_names)}); remove the component that does"
        ) from error
    if not ranked.sentences:
        raise CommandError(f"{', '.join(inputs)}: no sentence in it")
    left = ""
    if min_probability is not None:
        unknown = ranked.keep_sure(min_probability)
        left = f", {unknown:,} without a suggestion"
    is_binary = output.suffix == ".spacy"
    data = _docbin(ranked) if is_binary else _conllu(ranked, has_xpos(nlp))
    if to_stdout:
        typer.get_binary_stream("stdout").write(data)
    else:
        replace_file(output, data)
        show([_table(ranked.sentences[:_SHOWN])])
    summary = f"{len(ranked.sentences):,} of {ranked.n_read:,} sentences"
    typer.echo(f"{summary}, {ranked.n_words:,} words{left}: {output}", err=to_stdout)


def _parsed(
    nlp: Language,
    files: list[str],
    kind: InputKind | None,
    advance: Callable[[int], None],
) -> Iterator[tuple[Doc, TreebankSentence | None]]:
    """The parsed Docs of the input, with the sentences of CoNLL-U they come from."""
    for source in sources(nlp, files, None, gold_tags=True, kind=kind):
        for batch in batched(source.inputs, BATCH_SIZE):
            docs, given = zip(*ready(batch, nlp, gold_tags=True), strict=True)
            for doc, sentence in zip(piped(nlp, docs, len(docs)), given, strict=True):
                check_parsed(nlp, doc, sentence)
                yield doc, sentence
                advance(1)


# ---- output --------------------------------------------------------------------------


def _check_output(output: Path) -> None:
    """Raise CommandError for a file of another kind, and where none can be written."""
    if str(output) == STDOUT:
        return
    if output.suffix not in (".conllu", ".spacy"):
        raise CommandError(f"{output}: name a file that ends in .conllu or .spacy")
    check_new_file(output)


def _conllu(ranked: RankedSentences[TreebankSentence], xpos: bool) -> bytes:
    return "".join(_block(each, xpos) for each in ranked.sentences).encode()


def _docbin(ranked: RankedSentences[TreebankSentence]) -> bytes:
    docs = [each.doc for each in ranked.sentences]
    return DocBin(docs=docs, store_user_data=False).to_bytes()


def _block(chosen: Chosen, xpos: bool) -> str:
    """The sentence as CoNLL-U, with a comment on its uncertainty."""
    sentence = chosen.source
    block = doc_to_conllu(
        chosen.doc,
        sentence,
        doc_tags=sentence is None or not sentence.has_tags,
        xpos=xpos,
        sent_ids=iter([chosen.number]),
        probabilities=chosen.probabilities,
    )
    kept = (line for line in block.split("\n") if not line.startswith(COMMENT))
    return "\n".join([f"{COMMENT} {chosen.value:.4f}", *kept])


def _table(chosen: list[Chosen]) -> Grid:
    columns = ["sentence", "words", "entropy per word", "text"]
    grid = Grid("Least sure sentences", columns)
    for each in chosen:
        text = shorten(_text(each), _TEXT, placeholder=" ...")
        grid.add(_name(each), f"{n_words(each.doc):,}", f"{each.value:.3f}", text)
    return grid


def _name(chosen: Chosen) -> str:
    """The name of the sentence in its file, or its number."""
    return str(chosen.number) if chosen.source is None else chosen.source.name


def _text(chosen: Chosen) -> str:
    """The text in one line."""
    source = chosen.source
    text = chosen.doc.text if source is None else sentence_text(source)
    return " ".join(text.split())
