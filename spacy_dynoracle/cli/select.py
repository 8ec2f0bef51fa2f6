"""``select``: the sentences the parser is least sure of, for annotation."""

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from pathlib import Path
from textwrap import shorten
from typing import Annotated, NamedTuple

import typer
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from ..committee.lookup import find_committee
from ..confidence import (
    MEASURES,
    RankedSentences,
    UncertainSentence,
    rank_sentences,
)
from ..confidence.uncertainty import MissingProbabilitiesError, n_words
from ..reports.tables import Grid, show
from ..treebank import TreebankSentence, doc_to_conllu
from ..treebank.pipelines import BATCH_SIZE, batched, check_parsed, has_xpos, piped
from ..treebank.text import sentence_text
from .common import (
    STDOUT,
    Code,
    CommandError,
    check_new_file,
    load_pipeline,
    one_line_errors,
    progress_bar,
    write_bytes,
)
from .options import INPUT, InputKind, InputOption, PipelineName
from .pipelines import ask_for_probabilities
from .sources import expanded, ready, sources

# The comment in CoNLL-U that gives the uncertainty of a chosen sentence.
COMMENT = "# uncertainty ="
# Sentences in the table, and characters of each text there.
_SHOWN = 10
_TEXT = 40


class By(str, Enum):
    """The names of the measures of uncertainty, for the command line."""

    entropy = "entropy"
    total_entropy = "total-entropy"
    derivation = "derivation"
    lowest = "lowest"


class InputSentence(NamedTuple):
    """A sentence of CoNLL-U input.

    Attributes:
        doc_tags: Whether tags are those of the Doc.
    """

    sentence: TreebankSentence
    doc_tags: bool


Chosen = UncertainSentence[InputSentence]

Inputs = Annotated[list[str], typer.Argument(metavar="INPUT", help=INPUT)]
Number = Annotated[
    int, typer.Option("--n", min=1, help="Number of sentences to choose.")
]
ByOption = Annotated[
    By,
    typer.Option(
        help="Measure of uncertainty. entropy: mean entropy of the head and label of a "
        "word. total-entropy: sum of these entropies, which prefers long sentences. "
        "derivation: minus the log-probability of the derivation per word. lowest: the "
        "least probable decision. The last two are faster."
    ),
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
    by: ByOption = By.entropy,
    min_probability: MinProbability = None,
    code: Code = None,
    output: Output,
) -> None:
    """Choose the sentences to annotate next.

    They are those of which the parser is least sure. The most uncertain sentence comes
    first, with its parse as a suggestion and the probability of each arc as Prob=0.93
    in MISC. Sentences of CoNLL-U are kept as they are. Text is cut into sentences
    by the pipeline. A sentence that occurs again is left out.
    """
    _check_output(output)
    to_stdout = str(output) == STDOUT
    files = expanded(inputs)
    nlp = load_pipeline(model)
    needed = MEASURES[by.value].probabilities
    if needed != "marginal" and find_committee(nlp) is not None:
        raise CommandError(
            f"--by {by.value} is about the decisions of a parser, and a committee has "
            "none: use --by entropy or --by total-entropy"
        )
    ask_for_probabilities(nlp, needed)
    with progress_bar("Docs parsed") as advance:
        ranked = _ranked(nlp, model, _parsed(nlp, files, kind, advance), n, by)
    if not ranked.sentences:
        raise CommandError(f"{', '.join(inputs)}: no sentence in it")
    left = ""
    if min_probability is not None:
        unknown = ranked.keep_sure(min_probability)
        left = f", {unknown:,} without a suggestion"
    is_binary = output.suffix == ".spacy"
    data = _docbin(ranked) if is_binary else _conllu(ranked, has_xpos(nlp))
    write_bytes(output, data)
    if not to_stdout:
        show([_table(ranked.sentences[:_SHOWN], by.value)])
    summary = f"{len(ranked.sentences):,} of {ranked.n_read:,} sentences"
    typer.echo(f"{summary}, {ranked.n_words:,} words{left}: {output}", err=to_stdout)


def _ranked(
    nlp: Language,
    model: str,
    docs: Iterable[tuple[Doc, InputSentence | None]],
    n: int,
    by: By,
) -> RankedSentences[InputSentence]:
    """The n sentences that the parser is least sure of.

    Raises:
        CommandError: If a component changes the parses.
    """
    try:
        return rank_sentences(docs, n, by.value)
    except MissingProbabilitiesError as error:
        raise CommandError(
            f"the pipeline {model!r} changes heads or labels after parsing (its "
            f"components: {', '.join(nlp.pipe_names)}); remove the component that does"
        ) from error


def _parsed(
    nlp: Language,
    files: list[str],
    kind: InputKind | None,
    advance: Callable[[int], None],
) -> Iterator[tuple[Doc, InputSentence | None]]:
    """The parsed Docs of the input, with the sentences of CoNLL-U they come from."""
    for source in sources(nlp, files, None, gold_tags=True, kind=kind):
        for batch in batched(source.inputs, BATCH_SIZE):
            docs, given = zip(*ready(batch, nlp, gold_tags=True), strict=True)
            for doc, sentence in zip(piped(nlp, docs, len(docs)), given, strict=True):
                check_parsed(nlp, doc, sentence)
                found = None
                if sentence is not None:
                    found = InputSentence(sentence, not sentence.has_tags)
                yield doc, found
                advance(1)


# ---- output --------------------------------------------------------------------------


def _check_output(output: Path) -> None:
    """Raise CommandError for a file of another kind, and where none can be written."""
    if str(output) == STDOUT:
        return
    if output.suffix not in (".conllu", ".spacy"):
        raise CommandError(f"{output}: name a file that ends in .conllu or .spacy")
    check_new_file(output)


def _conllu(ranked: RankedSentences[InputSentence], xpos: bool) -> bytes:
    return "".join(_block(each, ranked.by, xpos) for each in ranked.sentences).encode()


def _docbin(ranked: RankedSentences[InputSentence]) -> bytes:
    docs = [each.doc for each in ranked.sentences]
    return DocBin(docs=docs, store_user_data=False).to_bytes()


def _block(chosen: Chosen, by: str, xpos: bool) -> str:
    """The sentence as CoNLL-U, with a comment on its uncertainty."""
    sentence, doc_tags = chosen.source or (None, True)
    block = doc_to_conllu(
        chosen.doc,
        sentence,
        doc_tags=doc_tags,
        xpos=xpos,
        sent_ids=iter([chosen.number]),
        probabilities=chosen.probabilities,
    )
    kept = (line for line in block.split("\n") if not line.startswith(COMMENT))
    return "\n".join([f"{COMMENT} {by} {chosen.value:.4f}", *kept])


def _table(chosen: list[Chosen], by: str) -> Grid:
    grid = Grid(
        "Least sure sentences", ["sentence", "words", MEASURES[by].title, "text"]
    )
    for each in chosen:
        text = shorten(_text(each), _TEXT, placeholder=" ...")
        grid.add(_name(each), f"{n_words(each.doc):,}", f"{each.value:.3f}", text)
    return grid


def _name(chosen: Chosen) -> str:
    """The name of the sentence in its file, or its number."""
    return str(chosen.number) if chosen.source is None else chosen.source.sentence.name


def _text(chosen: Chosen) -> str:
    """The text in one line."""
    source = chosen.source
    text = chosen.doc.text if source is None else sentence_text(source.sentence)
    return " ".join(text.split())
