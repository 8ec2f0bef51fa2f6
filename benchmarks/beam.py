"""Comparison of beam search with greedy search: accuracy and speed with one model.

Run it as `python -m benchmarks.beam` or `python benchmarks/beam.py`, with `--help` for
the options. README.md beside this file explains the table.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from spacy.language import Language
from spacy.tokens import Doc

if not __package__:
    # As a script, this file needs the directory above it on the path.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.data import treebank_file
from benchmarks.documents import documents, examples, train_ours
from benchmarks.memory import ROOT
from benchmarks.pipelines import LEARNERS, blank, load, the_parser
from benchmarks.report import conditions, describe, show
from benchmarks.running import SENTENCES_PER_BATCH, consume
from benchmarks.timing import Summary, Time, measure
from spacy_dynoracle.cli.common import CommandError, one_line_errors, output_stream
from spacy_dynoracle.core.search.base import Search
from spacy_dynoracle.core.search.beam_search import BeamSearch
from spacy_dynoracle.core.search.greedy import GreedySearch
from spacy_dynoracle.core.state.configuration import RootRule
from spacy_dynoracle.doc.attribute_table import AttributeTable
from spacy_dynoracle.evaluation.attachment import Evaluation, Scores
from spacy_dynoracle.treebank import (
    TreebankSentence,
    heads_and_labels,
    read_conllu,
    to_doc,
)

SAMPLE = ROOT / "treebanks" / "English-Harbour"

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@dataclass
class Contestant:
    """A model with a way to search.

    Attributes:
        scores: Scores over all words.
        core, pipe: Times of the core and of `nlp.pipe` in each round so far.
    """

    model: str
    nlp: Language
    search: Search
    scores: Scores | None = None
    core: list[Time] = field(default_factory=list)
    pipe: list[Time] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the contestant in the table."""
        if isinstance(self.search, BeamSearch):
            return f"beam of {self.search.beam_size}"
        return "greedy"


def the_searches(beam_sizes: list[int]) -> list[Search]:
    """The searches to compare: greedy search first, then the beams."""
    try:
        return [GreedySearch(), *map(BeamSearch, beam_sizes)]
    except ValueError as error:
        raise CommandError(f"--beam-size: {error}") from error


def contestants(
    pipelines: dict[str, Language], searches: list[Search]
) -> list[Contestant]:
    """Combine every search with every model.

    Raises:
        CommandError: For a system that cannot use beams.
    """
    found = []
    for name, nlp in pipelines.items():
        parser = the_parser(nlp)
        for search in searches:
            try:
                search.check_system(parser.recipe.system)
            except ValueError as error:
                raise CommandError(f"{name}: {error}") from error
            found.append(Contestant(name, nlp, search))
    return found


class Rounds:
    """Runs all contestants on sentences, with one sentence in each Doc and preset
    tags.
    """

    def __init__(self, sentences: list[TreebankSentence]) -> None:
        self.sentences = sentences
        self.n_words = sum(len(sentence.words) for sentence in sentences)

    def score(self, contestant: Contestant) -> None:
        """Score a contestant. This run is also its warm-up."""
        evaluation = Evaluation()
        docs = self._docs(contestant)
        parsed = contestant.nlp.pipe(docs, batch_size=SENTENCES_PER_BATCH)
        for sentence, doc in zip(self.sentences, parsed, strict=True):
            evaluation.add(sentence.words, *heads_and_labels(doc))
        contestant.scores = evaluation.scores()

    def time(self, contestant: Contestant) -> None:
        """Time one run of the core alone and one run of `nlp.pipe`."""
        contestant.core.append(measure(self._core(contestant)))
        docs = self._docs(contestant)
        pipe = contestant.nlp.pipe(docs, batch_size=SENTENCES_PER_BATCH)
        contestant.pipe.append(measure(lambda: consume(pipe)))

    def _docs(self, contestant: Contestant) -> list[Doc]:
        the_parser(contestant.nlp).change(search=contestant.search)
        vocab = contestant.nlp.vocab
        return [to_doc(sentence, vocab, tree=False) for sentence in self.sentences]

    def _core(self, contestant: Contestant) -> Callable[[], object]:
        parser = the_parser(contestant.nlp)
        assert parser.model is not None
        model = parser.model.freeze()
        sources = list(parser.sources.values())
        prepared = []
        for doc in self._docs(contestant):
            tokens = AttributeTable([doc], sources)
            prepared.append(tokens.sentence(np.flatnonzero(~tokens.is_space)))
        return lambda: contestant.search.parse(model, prepared, RootRule.ONE)


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        uas, las: Fractions of 1.
        core, pipe: Words per second of CPU time.
        slower: Ratio of the time in `nlp.pipe` to that of greedy search in the same
            round.
    """

    model: str
    search: str
    uas: float
    las: float
    core: Summary
    pipe: Summary
    slower: Summary


def rows(found: list[Contestant], n_words: int) -> list[Row]:
    """The rows of the table, in the order of the contestants."""
    made = []
    for contestant in found:
        greedy = next(c for c in found if c.model == contestant.model)
        scores = contestant.scores
        assert scores is not None
        slower = [
            (time / reference).cpu
            for time, reference in zip(contestant.pipe, greedy.pipe, strict=True)
        ]
        made.append(
            Row(
                contestant.model,
                contestant.name,
                scores.uas,
                scores.las,
                _speed(contestant.core, n_words),
                _speed(contestant.pipe, n_words),
                Summary.of(slower),
            )
        )
    return made


def _speed(times: list[Time], n_words: int) -> Summary:
    return Summary.of([n_words / max(time.cpu, 1e-9) for time in times])


def table_of(made: list[Row], title: str) -> Table:
    """The table for the terminal."""
    table = Table(title=title, title_justify="left")
    table.add_column("model")
    table.add_column("search")
    for column in ("UAS", "LAS", "core, words/s", "nlp.pipe, words/s", "times greedy"):
        table.add_column(column, justify="right")
    for row in made:
        if row.search == "greedy":
            table.add_section()
        table.add_row(
            row.model,
            row.search,
            f"{100 * row.uas:.2f}",
            f"{100 * row.las:.2f}",
            f"{row.core.median:,.0f}",
            f"{row.pipe.median:,.0f}",
            f"{row.slower.median:.2f} ({row.slower.min:.2f} - {row.slower.max:.2f})",
        )
    return table


@app.command()
@one_line_errors
def main(
    treebank: Annotated[
        Path, typer.Option(help="Directory with train, dev and test.conllu.")
    ] = SAMPLE,
    model: Annotated[
        list[Path] | None,
        typer.Option(help="Trained pipeline; repeatable. Without it, see --system."),
    ] = None,
    system: Annotated[
        list[str], typer.Option(help="Systems to train without --model; repeatable.")
    ] = ["ArcEager", "ArcHybrid", "ArcStandard"],  # noqa: B006
    learner: Annotated[
        str, typer.Option(help=f"Learner without --model: {', '.join(LEARNERS)}.")
    ] = "AdaGrad-RDA",
    epochs: Annotated[int, typer.Option(min=1, help="Epochs without --model.")] = 5,
    lang: Annotated[str, typer.Option(help="Language, without --model.")] = "en",
    beam_size: Annotated[
        list[int], typer.Option(help="Size of a beam; repeatable.")
    ] = [1, 4, 16, 64],  # noqa: B006
    split: Annotated[str, typer.Option(help="File that is parsed.")] = "test",
    limit: Annotated[
        int | None, typer.Option(min=1, help="Number of its first sentences to parse.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Timed rounds.")] = 3,
    seed: Annotated[int, typer.Option(help="Seeds training without --model.")] = 1,
    output: Annotated[
        Path | None, typer.Option(help="File for the results as JSON.")
    ] = None,
) -> None:
    """Score and time beams of several sizes beside greedy search."""
    if learner not in LEARNERS:
        raise CommandError(f"--learner {learner}: not one of {', '.join(LEARNERS)}")
    searches = the_searches(beam_size)
    sentences = list(read_conllu(treebank_file(treebank, split)))[:limit]
    rounds = Rounds(sentences)
    with Progress(console=Console(stderr=True), transient=True) as bar:
        if model:
            pipelines = {f"model {i}": load(path) for i, path in enumerate(model, 1)}
        else:
            task = bar.add_task("Training", total=len(system) * epochs)
            train = examples(documents(treebank, "train", 1, blank(lang).vocab))
            pipelines = {}
            for name in system:
                block: dict[str, Any] = {"@misc": f"spacy_dynoracle.{name}.v1"}
                nlp = train_ours(
                    train,
                    lang,
                    epochs,
                    seed,
                    lambda: bar.advance(task),
                    system=block,
                    **LEARNERS[learner],
                )
                # Loading it again drops the training state, which takes much more
                # memory.
                parser = the_parser(nlp)
                assert parser.model is not None
                parser.set_model(parser.model.freeze())
                pipelines[name] = nlp
        # Scoring comes before the rounds in which the searches take turns.
        described = {name: describe(the_parser(nlp)) for name, nlp in pipelines.items()}
        found = contestants(pipelines, searches)
        task = bar.add_task("Parsing", total=len(found) * (repeats + 1))
        for number in range(repeats + 1):
            for contestant in found:
                if number:
                    rounds.time(contestant)
                else:
                    rounds.score(contestant)
                bar.advance(task)
    made = rows(found, rounds.n_words)
    settings = conditions() | {
        "treebank": treebank.resolve().name,
        "documents": f"{len(sentences):,} sentences of {split}, {rounds.n_words:,} "
        f"words; gold tags",
        "models": ", ".join(map(str, model))
        if model
        else f"here, {learner}, {epochs} epochs",
        "threads": "one",
        "repeats": f"{repeats}, CPU time, after a warm-up",
        "seed": str(seed),
    }
    settings |= described
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    show(console, settings, [])
    console.print(table_of(made, "Beams"))
    if output is not None:
        data = {"settings": settings, "rows": [asdict(row) for row in made]}
        with output_stream(output) as stream:
            stream.write(json.dumps(data, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    app()
