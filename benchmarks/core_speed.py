"""Speed and answers of the core alone, compared with those of other compiled trees.

Every tree parses or tags the same sentences in a process of its own, on one thread. The
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
from spacy import util

from benchmarks.data import Text, count_words, read_texts
from benchmarks.memory import ROOT
from spacy_dynoracle.cli.common import CommandError, load_pipeline, one_line_errors
from spacy_dynoracle.doc.attribute_table import AttributeTable
from spacy_dynoracle.parser.component import DynOracleParser
from spacy_dynoracle.tagger.component import DynOracleTagger

SAMPLE = ROOT / "treebanks" / "English-Harbour"
PROBABILITIES = "probabilities"
# What a process runs. Its arguments are a model file, sentences, the beam size or
# PROBABILITIES, and the file for the answers of the first round.
BEGINNING = """
import json, sys, time
from pathlib import Path
import numpy as np
from spacy_dynoracle.core.state.sentence import consecutive_sentences

saved, data, how = Path(sys.argv[1]), np.load(sys.argv[2]), sys.argv[3]
sentences = consecutive_sentences(
    data["values"], data["bounds"].tolist(), data["nullable"].tolist()
)
"""
PARSER = """
from spacy_dynoracle.core.model.file import read_model
from spacy_dynoracle.core.probability.greedy import parse_with_probabilities
from spacy_dynoracle.core.search.beam_search import BeamSearch
from spacy_dynoracle.core.search.greedy import GreedySearch

model = read_model(saved.read_bytes())
if how != "probabilities":
    search = GreedySearch() if how == "1" else BeamSearch(int(how))

def run():
    if how == "probabilities":
        return parse_with_probabilities(model, sentences)[:2]
    return search.parse(model, sentences)

def answers(heads, labels):
    # The label -1 is that of ROOT's dependents in some models.
    names = np.array([*model.labels, model.root_label or ""])
    return {"HEAD": heads.astype(str), "DEP": names[labels]}
"""
TAGGER = """
from spacy_dynoracle.tagger.tagging import TagModels, labels_with_lexicon

models = TagModels.from_bytes(saved.read_bytes())
orth = data["orth"]

def run():
    return labels_with_lexicon(models, sentences, orth)

def answers(*labels):
    return {
        attr: np.array([*model.labels, ""])[column]
        for (attr, model), column in zip(models.by_attr.items(), labels, strict=True)
    }
"""
END = """
np.savez(sys.argv[4], **answers(*run()))
print("null", flush=True)
for _ in sys.stdin:
    start = time.thread_time()
    run()
    print(json.dumps(time.thread_time() - start), flush=True)
"""
CHILDREN = {"dynoracle_parser": PARSER, "dynoracle_tagger": TAGGER}
# The answers of a treebank.
GOLD = {"HEAD": "heads", "DEP": "labels", "TAG": "tags", "POS": "pos"}

app = typer.Typer(add_completion=False, rich_markup_mode=None)


class Contestant:
    """A process that parses or tags with the package of one tree.

    Args:
        factory: That of its component.
        arguments: The first ones of the process.
        answers_path: The file for its answers.
        environment: Further environment variables.

    Attributes:
        answers: By attribute the answers for all words, as strings.
        times: CPU seconds of the rounds so far.

    Raises:
        CommandError: If the process cannot use its model.
    """

    def __init__(
        self,
        tree: Path,
        factory: str,
        arguments: list[str],
        answers_path: Path,
        environment: dict[str, str],
    ) -> None:
        code = BEGINNING + CHILDREN[factory] + END
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments, str(answers_path)],
            env={**os.environ, "PYTHONPATH": str(tree.resolve()), **environment},
            cwd=tempfile.gettempdir(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.tree = tree
        self._answer()
        with np.load(answers_path) as answers:
            self.answers = dict(answers)
        self.times: list[float] = []

    def run(self) -> None:
        """Parse or tag all sentences once."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.times.append(self._answer())

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise CommandError(
                f"{self.tree}: its process has ended (see above). If it cannot read "
                f"the model, name one that it trained with --peer-model"
            )
        return json.loads(line)

    def n_other(self, other: Contestant) -> int:
        """The number of words that have another answer.

        Raises:
            CommandError: If the answers are not those to the same questions.
        """
        if self.answers.keys() != other.answers.keys():
            raise CommandError(
                f"{other.tree} answers {', '.join(other.answers)}, and {self.tree} "
                f"{', '.join(self.answers)}: expected pipelines of the same kind"
            )
        pairs = [(self.answers[name], other.answers[name]) for name in self.answers]
        return int(np.any([one != another for one, another in pairs], axis=0).sum())

    def percent_right(self, texts: list[Text]) -> float | None:
        """The percentage of words with the head and the label of the treebank, or with
        its TAG and POS. Words without a head in the treebank are left out for a parser.
        None if nothing can be compared.
        """
        names = self.answers.keys() & GOLD.keys()
        is_right = np.ones(count_words(texts), dtype=bool)
        for name in names:
            gold = [answer for text in texts for answer in getattr(text, GOLD[name])]
            is_right &= self.answers[name] == np.array([str(answer) for answer in gold])
        if "HEAD" in names:
            heads = [head for text in texts for head in text.heads]
            is_right = is_right[[head is not None for head in heads]]
        return 100 * float(is_right.mean()) if names else None

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


def measured_part(model: Path) -> tuple[str, str]:
    """The name of the parser of a saved pipeline, or else that of its tagger, and the
    name of its factory.

    Raises:
        CommandError: If it has neither.
    """
    try:
        config = util.load_config(model / "config.cfg")
        names = {
            config["components"][name]["factory"]: name
            for name in reversed(config["nlp"]["pipeline"])
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CommandError(
            f"{model}: not a pipeline that can be read: {error}"
        ) from error
    for factory in CHILDREN:
        if factory in names:
            return names[factory], factory
    raise CommandError(f"{model}: its pipeline has none of {', '.join(CHILDREN)}")


def write_sentences(path: Path, model: Path, texts: list[Text]) -> None:
    """Write texts, as the parser or tagger of a saved pipeline reads them, to a file.

    Raises:
        CommandError: If the pipeline cannot be loaded or is not trained.
    """
    nlp = load_pipeline(str(model))
    component = nlp.get_pipe(measured_part(model)[0])
    assert isinstance(component, (DynOracleParser, DynOracleTagger))
    if component.model is None:
        raise CommandError(f"{model}: its {component.name!r} is not trained")
    # The models of a tagger all read the same.
    models = getattr(component.model, "by_attr", {"": component.model})
    first = next(iter(models.values()))
    table = AttributeTable(
        [text.doc(nlp.vocab) for text in texts], tuple(first.sources.values())
    )
    np.savez(
        path,
        values=np.ascontiguousarray(table.values),
        bounds=np.array(table.bounds),
        nullable=np.array(table.nullable, dtype=np.int64),
        orth=table.orth,
    )


@app.command()
@one_line_errors
def main(
    model: Annotated[Path, typer.Argument(help="Directory of a saved pipeline.")],
    treebank: Annotated[Path, typer.Option(help="Treebank to parse or tag.")] = SAMPLE,
    peer: Annotated[
        list[Path] | None,
        typer.Option(help="Directory with another, compiled spacy_dynoracle."),
    ] = None,
    peer_model: Annotated[
        list[Path] | None,
        typer.Option(help="Pipeline for each of the other trees; by default MODEL."),
    ] = None,
    beam_size: Annotated[int, typer.Option(help="Beam of a parser; 1: greedy.")] = 1,
    probabilities: Annotated[
        bool, typer.Option(help="Find the probabilities of a parser's transitions.")
    ] = False,
    rounds: Annotated[int, typer.Option(help="Number of rounds.")] = 9,
    seed: Annotated[int, typer.Option(help="Order of sentences and turns.")] = 1,
) -> None:
    """Print words per second of peers and of this tree, with and without AVX2, and
    compare their answers for dev and test.
    """
    rng = random.Random(seed)
    peers = peer or []
    models = peer_model or [model] * len(peers)
    if len(models) != len(peers):
        raise typer.BadParameter(f"{len(models)} --peer-model for {len(peers)} --peer")
    how = PROBABILITIES if probabilities else str(beam_size)
    if how != "1" and measured_part(model)[1] != "dynoracle_parser":
        raise typer.BadParameter("--beam-size and --probabilities are for parsers")
    if probabilities and beam_size != 1:
        raise typer.BadParameter("--probabilities are those of greedy search")
    with tempfile.TemporaryDirectory() as directory:
        data = Path(directory, "sentences.npz")
        texts = read_texts(treebank, seed)
        write_sentences(data, model, texts)

        def contestant(tree: Path, saved: Path, **environment: str) -> Contestant:
            name, factory = measured_part(saved)
            arguments = [str((saved / name / "model").resolve()), str(data)]
            return Contestant(
                tree,
                factory,
                [*arguments, how],
                data.with_name("answers.npz"),
                environment,
            )

        contestants = {
            str(tree): contestant(tree, saved)
            for tree, saved in zip(peers, models, strict=True)
        }
        contestants["this tree"] = contestant(ROOT, model)
        contestants["this tree, portable"] = contestant(
            ROOT, model, DYNORACLE_PORTABLE="1"
        )
        for _ in range(rounds):
            for each in rng.sample(list(contestants.values()), len(contestants)):
                each.run()
        for each in contestants.values():
            each.close()
    show(contestants, texts)


def show(contestants: dict[str, Contestant], texts: list[Text]) -> None:
    """Print a table of the contestants.

    The first one is what the others are compared with.
    """
    n_words = count_words(texts)
    first = next(iter(contestants.values()))
    first_time = statistics.median(first.times)
    table = Table(
        "tree", "words per second", "best round", "ratio", "other words", "right"
    )
    for name, each in contestants.items():
        time = statistics.median(each.times)
        right = each.percent_right(texts)
        table.add_row(
            name,
            f"{n_words / time:,.0f}",
            f"{n_words / min(each.times):,.0f}",
            f"{first_time / time:.2f}",
            f"{each.n_other(first):,} of {n_words:,}",
            "-" if right is None else f"{right:.3f}",
        )
    Console(width=100).print(table)


if __name__ == "__main__":
    app()
