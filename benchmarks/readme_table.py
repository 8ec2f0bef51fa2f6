"""The table of the README, which compares this parser with spaCy's and UDPipe's.

Run it as `python -m benchmarks.readme_table`, with `--help` for the options. UDPipe
takes part when `ufal.udpipe` is installed. README.md beside this file explains the
columns.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Annotated

import spacy
import typer
from rich.console import Console
from rich.progress import Progress
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

if not __package__:
    # As a script, this file needs the directory above it on the path.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.data import treebank_file
from benchmarks.memory import ROOT
from benchmarks.pipelines import blank, train_spacy, trained
from benchmarks.running import SENTENCES_PER_BATCH, consume
from benchmarks.timing import Summary, Time, measure
from benchmarks.udpipe import UDPipe, arcs_of, is_installed
from spacy_dynoracle.cli.common import one_line_errors
from spacy_dynoracle.evaluation.attachment import Evaluation, Scores
from spacy_dynoracle.treebank import (
    TreebankSentence,
    heads_and_labels,
    read_conllu,
    to_doc,
)

SAMPLE = ROOT / "treebanks" / "English-Harbour"
OURS, SPACYS, UDPIPES = "`dynoracle_parser`", "spaCy's `parser`", "UDPipe 1's parser"
LOADS = 5
MEGA = 1e6

app = typer.Typer(
    add_completion=False, rich_markup_mode=None, pretty_exceptions_show_locals=False
)


@dataclass
class Contestant:
    """A trained parser.

    Attributes:
        paths: Model files.
        load: Function that loads them.
        prepare: Function that makes the input, which is not timed, and returns a
            function that parses it.
        training: Description of the training for the caption.
    """

    name: str
    paths: list[Path]
    load: Callable[[], object]
    prepare: Callable[[], Callable[[], object]]
    scores: Scores
    training: str
    times: list[Time] = field(default_factory=list)

    @property
    def megabytes(self) -> float:
        """The size of the model files."""
        files = chain(self.paths, *(path.rglob("*") for path in self.paths))
        return sum(file.stat().st_size for file in files if file.is_file()) / MEGA

    def load_milliseconds(self) -> float:
        """The median time to load the model, with its files in the cache."""
        self.load()
        return 1000 * Summary.of([measure(self.load).wall for _ in range(LOADS)]).median


def spacy_contestant(
    name: str,
    nlp: Language,
    path: Path,
    sentences: list[TreebankSentence],
    training: str,
) -> Contestant:
    """Save a component of a spaCy pipeline and load it again."""
    nlp.to_disk(path)
    nlp = spacy.load(path)

    def load() -> None:
        for component, pipe in nlp.pipeline:
            pipe.from_disk(path / component, exclude=["vocab"])  # type: ignore[attr-defined]

    def documents() -> list[Doc]:
        return [document(sentence, nlp.vocab) for sentence in sentences]

    def prepare() -> Callable[[], object]:
        docs = documents()
        return lambda: consume(nlp.pipe(docs, batch_size=SENTENCES_PER_BATCH))

    evaluation = Evaluation()
    parsed = nlp.pipe(documents(), batch_size=SENTENCES_PER_BATCH)
    for sentence, doc in zip(sentences, parsed, strict=True):
        evaluation.add(sentence.words, *heads_and_labels(doc))
    scores = evaluation.scores()
    components = [path / component for component in nlp.pipe_names]
    return Contestant(name, components, load, prepare, scores, training)


def document(sentence: TreebankSentence, vocab: Vocab) -> Doc:
    """A Doc of one sentence, with gold tags and without a tree."""
    doc = to_doc(sentence, vocab, tree=False)
    for token in doc:
        token.is_sent_start = token.i == 0
    return doc


def udpipe_contestant(
    udpipe: UDPipe,
    path: Path,
    treebank: Path,
    sentences: list[TreebankSentence],
    training: str,
) -> Contestant:
    """The parser of UDPipe in a file."""
    parse = udpipe.load(path)
    read = udpipe.read(treebank_file(treebank, "test"))
    parse(read)
    evaluation = Evaluation()
    for sentence, parsed in zip(sentences, read, strict=True):
        evaluation.add(sentence.words, *arcs_of(parsed))
    return Contestant(
        UDPIPES,
        [path],
        lambda: udpipe.load(path),
        lambda: lambda: parse(read),
        evaluation.scores(),
        training,
    )


def contestants(
    treebank: Path, lang: str, epochs: int, steps: int, iterations: int, work: Path
) -> Iterator[Contestant]:
    """Train all parsers one after the other: ours, spaCy's, UDPipe's."""
    sentences = list(read_conllu(treebank_file(treebank, "test")))
    nlp = trained(treebank, lang, epochs, 1)
    yield spacy_contestant(
        OURS, nlp, work / "ours", sentences, f"{epochs} epochs, gold UPOS"
    )
    nlp = train_spacy(treebank, lang, blank(lang).vocab, steps, 1, lambda: None)
    training = f"with its tok2vec, {steps} batches of 1,000 words, no tags"
    yield spacy_contestant(SPACYS, nlp, work / "spacy", sentences, training)
    if iterations and is_installed():
        udpipe = UDPipe()
        path = work / "udpipe"
        udpipe.train(treebank, iterations, path)
        training = f"{iterations} iterations, a hidden layer of 100, gold UPOS"
        yield udpipe_contestant(udpipe, path, treebank, sentences, training)


def table_of(found: list[Contestant], n_words: int) -> list[str]:
    """The lines of the Markdown table."""
    reference = found[1]
    lines = [
        "| | words per second | times spaCy's | UAS | LAS | model | loading |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for contestant in found:
        speed = Summary.of([n_words / max(t.cpu, 1e-9) for t in contestant.times])
        ratio = Summary.of(
            [
                (other / mine).cpu
                for mine, other in zip(contestant.times, reference.times, strict=True)
            ]
        )
        cells = [
            contestant.name,
            f"{speed.median:,.0f}",
            f"{ratio.median:.1f}",
            f"{100 * contestant.scores.uas:.1f}",
            f"{100 * contestant.scores.las:.1f}",
            f"{contestant.megabytes:.1f} MB",
            f"{contestant.load_milliseconds():.0f} ms",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


@app.command()
@one_line_errors
def main(
    treebank: Annotated[
        Path, typer.Option(help="Directory with train.conllu and test.conllu.")
    ] = SAMPLE,
    lang: Annotated[str, typer.Option(help="Language of the treebank.")] = "en",
    epochs: Annotated[int, typer.Option(min=1, help="Epochs for our parser.")] = 15,
    spacy_steps: Annotated[
        int, typer.Option(min=1, help="Batches for spaCy's parser.")
    ] = 1000,
    udpipe_iterations: Annotated[
        int, typer.Option(min=0, help="Iterations for UDPipe's parser; 0 omits it.")
    ] = 3,
    repeats: Annotated[int, typer.Option(min=1, help="Timed rounds.")] = 5,
) -> None:
    """Train three parsers on a treebank and print a Markdown table of the results."""
    console = Console(stderr=True)
    with (
        tempfile.TemporaryDirectory() as work,
        Progress(console=console, transient=True, redirect_stderr=False) as bar,
    ):
        found = list(
            bar.track(
                contestants(
                    treebank, lang, epochs, spacy_steps, udpipe_iterations, Path(work)
                ),
                3,
                description="Training",
            )
        )
        words = read_conllu(treebank_file(treebank, "test"))
        n_words = sum(len(sentence.words) for sentence in words)
        for _ in bar.track(range(repeats), description="Parsing"):
            for contestant in found:
                contestant.times.append(measure(contestant.prepare()))
        lines = table_of(found, n_words)
    trainings = [f"{each.name}: {each.training}" for each in found]
    caption = (
        f"{treebank.name}, test set: gold sentences and words, all words scored, one "
        f"thread. Training: {'; '.join(trainings)}."
    )
    typer.echo("\n".join(chain(lines, ["", caption])))


if __name__ == "__main__":
    app()
