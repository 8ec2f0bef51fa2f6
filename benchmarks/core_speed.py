"""Speed and parses of the core alone, compared with those of other compiled trees.

Every tree parses the same sentences in a process of its own, on one thread. The
processes take turns in random order, and CPU time counts. The sentences are prepared
before. A tree that cannot read the model gets one that it trained itself on the same
data. Run it as
`python -m benchmarks.core_speed MODEL --peer TREE [--peer-model MODEL]`.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.data import Text, count_words, read_texts
from benchmarks.memory import ROOT
from benchmarks.pipelines import load, the_parser
from spacy_dynoracle.doc.attribute_table import AttributeTable

SAMPLE = ROOT / "treebanks" / "English-Harbour"
# What a process runs. Its arguments are a model file, sentences, the beam size and the
# file for the parses of the first round.
CHILD = """
import json, sys, time
from pathlib import Path
import numpy as np
from spacy_dynoracle.core.model.file import read_model
from spacy_dynoracle.core.search.beam_search import BeamSearch
from spacy_dynoracle.core.search.greedy import GreedySearch
from spacy_dynoracle.core.state.sentence import consecutive_sentences

path, data, beam_size = Path(sys.argv[1]), np.load(sys.argv[2]), int(sys.argv[3])
model = read_model(path.read_bytes())
sentences = consecutive_sentences(
    data["values"], data["bounds"].tolist(), data["nullable"].tolist()
)
search = GreedySearch() if beam_size == 1 else BeamSearch(beam_size)
heads, labels = search.parse(model, sentences)
# The label -1 is that of ROOT's dependents in some models.
names = np.array([*model.labels, model.root_label or ""])
np.savez(sys.argv[4], heads=heads, labels=names[labels])
print("null", flush=True)
for _ in sys.stdin:
    start = time.thread_time()
    search.parse(model, sentences)
    print(json.dumps(time.thread_time() - start), flush=True)
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None)


class Contestant:
    """A process that parses with the package of one tree.

    parses: the file for its parses. environment: further environment variables.
    heads, labels: of all words. times: CPU seconds of the rounds so far.
    """

    def __init__(
        self,
        tree: Path,
        arguments: list[str],
        parses: Path,
        environment: dict[str, str],
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", CHILD, *arguments, str(parses)],
            env={**os.environ, "PYTHONPATH": str(tree.resolve()), **environment},
            cwd=tempfile.gettempdir(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._answer()
        with np.load(parses) as found:
            self.heads, self.labels = found["heads"], found["labels"]
        self.times: list[float] = []

    def run(self) -> None:
        """Parse all sentences once."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.times.append(self._answer())

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def n_other(self, other: Contestant) -> int:
        """The number of words whose head or label is another one."""
        is_other = (self.heads != other.heads) | (self.labels != other.labels)
        return int(is_other.sum())

    def las(self, texts: list[Text]) -> float:
        """The percentage of the words with a head in the treebank that have this head
        and its label."""
        heads = np.array([-1 if h is None else h for t in texts for h in t.heads])
        labels = np.array([label or "" for text in texts for label in text.labels])
        is_right = (self.heads == heads) & (self.labels == labels)
        return 100 * float(is_right[heads >= 0].mean())

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


def write_sentences(path: Path, model: Path, texts: list[Text]) -> None:
    """Write texts, as the model of a saved pipeline reads them, to a file."""
    nlp = load(model)
    parser_model = the_parser(nlp).model
    assert parser_model is not None
    docs = [text.doc(nlp.vocab) for text in texts]
    table = AttributeTable(docs, tuple(parser_model.sources.values()))
    np.savez(
        path,
        values=np.ascontiguousarray(table.values),
        bounds=np.array(table.bounds),
        nullable=np.array(table.nullable, dtype=np.int64),
    )


@app.command()
def main(
    model: Annotated[Path, typer.Argument(help="Directory of a saved pipeline.")],
    treebank: Annotated[Path, typer.Option(help="Treebank to parse.")] = SAMPLE,
    peer: Annotated[
        list[Path] | None,
        typer.Option(help="Directory with another, compiled spacy_dynoracle."),
    ] = None,
    peer_model: Annotated[
        list[Path] | None,
        typer.Option(help="Pipeline for each of the other trees; by default MODEL."),
    ] = None,
    beam_size: Annotated[int, typer.Option(help="1: greedy search.")] = 1,
    rounds: Annotated[int, typer.Option(help="Number of rounds.")] = 9,
    seed: Annotated[int, typer.Option(help="Order of sentences and turns.")] = 1,
) -> None:
    """Print words per second of peers and of this tree, with and without AVX2, and
    compare their parses of dev and test."""
    rng = random.Random(seed)
    peers = peer or []
    models = peer_model or [model] * len(peers)
    if len(models) != len(peers):
        raise typer.BadParameter(f"{len(models)} --peer-model for {len(peers)} --peer")
    with tempfile.TemporaryDirectory() as directory:
        data = Path(directory, "sentences.npz")
        texts = read_texts(treebank, seed)
        write_sentences(data, model, texts)

        def contestant(tree: Path, saved: Path, **environment: str) -> Contestant:
            (component,) = (path.parent for path in saved.glob("*/model"))
            arguments = [
                str((component / "model").resolve()),
                str(data),
                str(beam_size),
            ]
            return Contestant(tree, arguments, data.with_name("parses.npz"), environment)

        found = {
            str(tree): contestant(tree, saved)
            for tree, saved in zip(peers, models, strict=True)
        }
        found["this tree"] = contestant(ROOT, model)
        found["this tree, portable"] = contestant(ROOT, model, DYNORACLE_PORTABLE="1")
        for _ in range(rounds):
            for each in rng.sample(list(found.values()), len(found)):
                each.run()
        for each in found.values():
            each.close()
    show(found, texts)


def show(found: dict[str, Contestant], texts: list[Text]) -> None:
    """Print a table of the contestants, the first of which the others are compared
    with."""
    n_words = count_words(texts)
    first = next(iter(found.values()))
    first_time = statistics.median(first.times)
    table = Table(
        "tree", "words per second", "best round", "ratio", "other words", "LAS"
    )
    for name, each in found.items():
        time = statistics.median(each.times)
        table.add_row(
            name,
            f"{n_words / time:,.0f}",
            f"{n_words / min(each.times):,.0f}",
            f"{first_time / time:.2f}",
            f"{each.n_other(first):,} of {n_words:,}",
            f"{each.las(texts):.3f}",
        )
    Console(width=100).print(table)


if __name__ == "__main__":
    app()
