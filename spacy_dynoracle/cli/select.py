"""``select``: the sentences the parser is least sure of, for annotation."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import count
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span

from ..confidence.uncertainty import MEASURES, arc_probabilities, keep_sure, n_words
from ..treebank.docs import Sentence, doc_to_conllu, sentence_text
from ..util.files import replace_file
from .common import (
    CommandError,
    check_parsed,
    load_pipeline,
    one_line_errors,
    progress_bar,
)
from .options import BatchSize, ConlluTags, Lines, PipelineName
from .pipelines import ask_for_probabilities
from .sources import HELP, Source, expanded, sources

# The comment in CoNLL-U that says why a sentence was chosen.
COMMENT = "# uncertainty ="


class By(str, Enum):
    """The names of the measures, for the command line."""

    entropy = "entropy"
    total_entropy = "total-entropy"
    derivation = "derivation"
    lowest = "lowest"


@dataclass
class Candidate:
    """A parsed sentence.

    value: how unsure the parser is of it. number: in the order of reading, from 1. doc:
    the sentence alone. source: what it was read from, if that was CoNLL-U. doc_tags:
    whether tags are the pipeline's. probabilities: of its arcs.
    """

    value: float
    number: int
    doc: Doc
    source: Sentence | None
    doc_tags: bool
    probabilities: list[float | None]

    def __lt__(self, other: "Candidate") -> bool:
        """Whether it is chosen after another one."""
        return (self.value, -self.number) < (other.value, -other.number)

    @property
    def name(self) -> str:
        """What the file calls the sentence, or its number."""
        return str(self.number) if self.source is None else self.source.name

    @property
    def text(self) -> str:
        """The text in one line."""
        text = self.doc.text if self.source is None else sentence_text(self.source)
        return " ".join(text.split())

    def conllu(self, why: str) -> str:
        """The block of the sentence, with a comment why it was chosen."""
        block = doc_to_conllu(
            self.doc,
            self.source,
            doc_tags=self.doc_tags,
            sent_ids=iter([self.number]),
            probabilities=self.probabilities,
        )
        lines = block.split("\n")
        kept = (line for line in lines if not line.startswith(COMMENT))
        return "\n".join([f"{COMMENT} {why} {self.value:.4f}", *kept])


@one_line_errors
def select_command(
    model: PipelineName,
    inputs: Annotated[list[str], typer.Argument(metavar="INPUT...", help=HELP)],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="A .conllu or .spacy file to write."),
    ],
    n: Annotated[int, typer.Option("--n", min=1, help="Sentences to choose.")] = 100,
    by: Annotated[
        By,
        typer.Option(
            help="entropy: mean entropy of the head and label of a word; "
            "total-entropy: their sum, which prefers long sentences; derivation: minus "
            "the log-probability of the derivation per word; lowest: the least "
            "probable decision. The last two are faster."
        ),
    ] = By.entropy,
    min_probability: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Suggest no head and label for words whose arc is less probable.",
        ),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Derivations drawn of each sentence for entropies. Default: as many "
            "as in the pipeline's config.",
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=0, help="Sentences shown.")] = 10,
    lines: Lines = False,
    gold_tags: ConlluTags = True,
    batch_size: BatchSize = 256,
) -> None:
    """Choose the sentences to annotate next: those the parser is least sure of.

    The most uncertain comes first, with its parse as a suggestion and the probability
    of each arc as Prob=0.93 in MISC. Sentences of .conllu input are kept as they are,
    text is cut into sentences by the pipeline, and one that occurs again is left out.
    """
    writer = _WRITERS.get(output.suffix)
    if writer is None:
        raise CommandError(f"{output}: name a file that ends in .conllu or .spacy")
    if output.is_dir() or not output.parent.is_dir():
        raise CommandError(f"{output}: no such directory, or no file to write")
    files = expanded(inputs)
    nlp = load_pipeline(model)
    ask_for_probabilities(nlp, model, MEASURES[by.value].probabilities, samples)
    pool = _Pool(n)
    with progress_bar("sentences parsed") as advance:
        for source in sources(nlp, files, None, lines, gold_tags):
            for candidate in _candidates(
                nlp, model, source, by, batch_size, pool.numbers
            ):
                pool.add(candidate)
                advance(1)
    chosen = pool.chosen()
    if not chosen:
        raise CommandError(f"{', '.join(inputs)}: no sentence in it")
    words = sum(n_words(candidate.doc) for candidate in chosen)
    left = ""
    if min_probability is not None:
        unknown = 0
        for candidate in chosen:
            keep_sure(candidate.doc, candidate.probabilities, min_probability)
            unknown += sum(not token.has_head() for token in candidate.doc)
        left = f", {unknown:,} without a suggestion"
    replace_file(output, writer(chosen, by.value))
    # Names and texts are data, not markup.
    console = Console(markup=False, emoji=False, highlight=False)
    if top:
        title = MEASURES[by.value].title
        console.print(_table(chosen[:top], title, console.width))
    typer.echo(
        f"{len(chosen):,} of {pool.n_sentences:,} sentences, {words:,} words{left}: "
        f"{output}"
    )


class _Pool:
    """The n sentences that are least sure among all that have been added."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.numbers = count(1)
        self.n_sentences = 0
        self._heap: list[Candidate] = []
        self._seen: set[int] = set()

    def add(self, candidate: Candidate) -> None:
        """Take a sentence into account, unless one of the same words has been added."""
        self.n_sentences += 1
        key = hash(tuple(candidate.doc.to_array("ORTH").tolist()))
        if key in self._seen:
            return
        self._seen.add(key)
        if len(self._heap) < self.n:
            heapq.heappush(self._heap, candidate)
        else:
            heapq.heappushpop(self._heap, candidate)

    def chosen(self) -> list[Candidate]:
        """The least sure first, of equals the one that was read first."""
        return sorted(self._heap, reverse=True)


def _candidates(
    nlp: Language,
    model: str,
    source: Source,
    by: By,
    batch_size: int,
    numbers: Iterator[int],
) -> Iterator[Candidate]:
    """The sentences of a source."""
    measure = MEASURES[by.value]
    with nlp.select_pipes(disable=source.disable):
        piped = nlp.pipe(source.docs, as_tuples=True, batch_size=batch_size)
        for doc, sentence in piped:
            check_parsed(nlp, model, doc, sentence)
            for words in [doc] if sentence is not None else doc.sents:
                if n_words(words) == 0:
                    continue
                try:
                    value = measure.value(words)
                except ValueError as error:
                    raise CommandError(
                        f"the pipeline {model!r} changes heads or labels after parsing "
                        f"(its components: {', '.join(nlp.pipe_names)}); remove the "
                        "component that does"
                    ) from error
                yield Candidate(
                    value,
                    next(numbers),
                    words.as_doc() if isinstance(words, Span) else words,
                    sentence,
                    not source.gold_tags,
                    # A Doc of its own has lost them.
                    arc_probabilities(words),
                )


# ---- output --------------------------------------------------------------------------


def _conllu(chosen: list[Candidate], why: str) -> bytes:
    return "".join(candidate.conllu(why) for candidate in chosen).encode()


def _docbin(chosen: list[Candidate], why: str) -> bytes:
    docs = [candidate.doc for candidate in chosen]
    data: bytes = DocBin(docs=docs, store_user_data=False).to_bytes()
    return data


_WRITERS = {".conllu": _conllu, ".spacy": _docbin}


def _table(chosen: list[Candidate], title: str, width: int) -> Table:
    """A table no wider than that, unless names are very long."""
    columns = ["sentence", "words", title]
    rows = [(c.name, f"{n_words(c.doc):,}", f"{c.value:.3f}") for c in chosen]
    table = Table()
    for i, column in enumerate(columns):
        table.add_column(column, justify="right" if i else "left", no_wrap=True)
        width -= max(len(column), *(len(row[i]) for row in rows)) + 3
    table.add_column(
        "text", no_wrap=True, overflow="ellipsis", width=max(width - 4, 20)
    )
    for row, candidate in zip(rows, chosen, strict=True):
        table.add_row(*row, candidate.text)
    return table
