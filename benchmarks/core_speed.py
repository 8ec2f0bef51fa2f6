"""Speed and answers of the core alone, compared with those of other compiled trees.

Every tree parses, tags, splits or lemmatizes the same sentences in a process of its
own, on one thread. The processes take turns in random order, and CPU time counts. The
sentences are prepared before, with the tags of the treebank. A tree that cannot read
the model gets one that it trained itself on the same data. Run it as
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
from spacy.tokens import Doc
from spacy.vocab import Vocab

from benchmarks.data import Text, count_words, joined, read_texts
from benchmarks.memory import ROOT
from spacy_dynoracle.cli.common import CommandError, load_pipeline, one_line_errors
from spacy_dynoracle.doc.attribute_table import AttributeTable
from spacy_dynoracle.lemmatizer.component import DynOracleLemmatizer
from spacy_dynoracle.lemmatizer.words import LemmaBatch
from spacy_dynoracle.senter.component import DynOracleSenter
from spacy_dynoracle.senter.splitting import StartBatch

SAMPLE = ROOT / "treebanks" / "English-Harbour"
PROBABILITIES = "probabilities"
# What a process runs. Its arguments are a model file, its input, the beam size or
# PROBABILITIES, and the file for the answers of the first round.
BEGINNING = """
import json, sys, time
from pathlib import Path
import numpy as np

saved, data, how = Path(sys.argv[1]), dict(np.load(sys.argv[2])), sys.argv[3]
"""
SENTENCES = """
from spacy_dynoracle.core.state.sentence import consecutive_sentences

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
SENTER = """
from spacy_dynoracle.core.search.tagging import tag_words
from spacy_dynoracle.tagger.tagging import TagModels

models = TagModels.from_bytes(saved.read_bytes(), ["SENT_START"])
model = models.by_attr["SENT_START"]

def run():
    return [tag_words(model, sentences, data["known"].copy())]

def answers(labels):
    return {"SENT_START": np.array(model.labels)[labels]}
"""
LEMMATIZER = """
from spacy_dynoracle.lemmatizer.model import LemmaModel

model = LemmaModel.from_bytes(saved.read_bytes())
forms = data["forms"].tolist()
form, *tags = (data[name] for name in ("form", "pos", "morph"))

def run():
    numbers = model.find(form, *tags)
    rest = np.flatnonzero(numbers == -1)
    read = [column[rest] for column in (*tags, data["context"])]
    return numbers, rest, model.rarer([forms[i] for i in rest.tolist()], *read)

def answers(numbers, rest, found):
    lemmas = np.array([*model.lemmas, ""])[numbers].astype(object)
    lemmas[rest] = found
    return {"LEMMA": lemmas.astype(str)}
"""
END = """
np.savez(sys.argv[4], **answers(*run()))
print("null", flush=True)
for _ in sys.stdin:
    start = time.thread_time()
    run()
    print(json.dumps(time.thread_time() - start), flush=True)
"""
# By the name of the factory; without --component the first one of a pipeline counts.
CHILDREN = {
    "dynoracle_parser": SENTENCES + PARSER,
    "dynoracle_tagger": SENTENCES + TAGGER,
    "dynoracle_senter": SENTENCES + SENTER,
    "dynoracle_lemmatizer": LEMMATIZER,
}
# A senter splits documents of so many sentences.
SENTENCES_PER_DOC = 10
# The answers of a treebank.
GOLD = {
    "HEAD": "heads",
    "DEP": "labels",
    "TAG": "tags",
    "POS": "pos",
    "LEMMA": "lemmas",
}

app = typer.Typer(add_completion=False, rich_markup_mode=None)


class Contestant:
    """A process that runs a component of the package of one tree.

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
        """Parse, tag, split or lemmatize all sentences once."""
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
        its TAG and POS or with its lemma. Words without a head in the treebank are left
        out for a parser. None if nothing can be compared.
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


def measured_part(model: Path, wanted: str | None = None) -> tuple[str, str]:
    """The name of the component of a saved pipeline that is measured, and the name of
    its factory.

    Args:
        wanted: The name of a factory; None for that of the parser, or else the next one
            of `CHILDREN`.

    Raises:
        CommandError: If the pipeline does not have it.
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
    factories = CHILDREN if wanted is None else (wanted,)
    for factory in factories:
        if factory in names:
            return names[factory], factory
    raise CommandError(f"{model}: its pipeline has none of {', '.join(factories)}")


def write_input(path: Path, model: Path, texts: list[Text], wanted: str | None) -> None:
    """Write texts, as a component of a saved pipeline reads them, to a file.

    Args:
        wanted: As in `measured_part`.

    Raises:
        CommandError: If the pipeline cannot be loaded or the component is not trained.
    """
    nlp = load_pipeline(str(model))
    component: Any = nlp.get_pipe(measured_part(model, wanted)[0])
    if component.model is None:
        raise CommandError(f"{model}: its {component.name!r} is not trained")
    if isinstance(component, DynOracleSenter):
        texts = joined(texts, SENTENCES_PER_DOC)
    docs = [text.doc(nlp.vocab) for text in texts]
    if isinstance(component, DynOracleLemmatizer):
        columns = of_lemmatizer(LemmaBatch(docs), nlp.vocab)
    else:
        # The models of a tagger all read the same.
        models = getattr(component.model, "by_attr", {"": component.model})
        sources = tuple(next(iter(models.values())).sources.values())
        columns = of_sentences(docs, sources, component)
    np.savez(path, **columns)  # type: ignore[arg-type]


def of_sentences(
    docs: list[Doc], sources: tuple[str, ...], component: Any
) -> dict[str, np.ndarray]:
    """The input of a parser, a tagger or a senter."""
    known = {}
    table = AttributeTable(docs, sources)
    if isinstance(component, DynOracleSenter):
        table = StartBatch(docs, sources, component.recipe.overwrite)
        table.keep_inside(component.model.lexicon)
        known = {"known": table.known}
    return {
        "values": np.ascontiguousarray(table.values),
        "bounds": np.array(table.bounds),
        "nullable": np.array(table.nullable, dtype=np.int64),
        "orth": table.orth,
        **known,
    }


def of_lemmatizer(batch: LemmaBatch, vocab: Vocab) -> dict[str, np.ndarray]:
    """The input of a lemmatizer."""
    return {
        "forms": np.array(batch.normal_forms(np.arange(len(batch)), vocab)),
        "form": batch.form,
        "pos": batch.pos,
        "morph": batch.morph,
        "context": batch.context,
    }


@app.command()
@one_line_errors
def main(
    model: Annotated[Path, typer.Argument(help="Directory of a saved pipeline.")],
    treebank: Annotated[Path, typer.Option(help="Treebank to read.")] = SAMPLE,
    component: Annotated[
        str | None,
        typer.Option(help="Factory of the component. Default: the parser or tagger."),
    ] = None,
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
    if component is not None and component not in CHILDREN:
        raise CommandError(
            f"--component {component}: expected one of {', '.join(CHILDREN)}"
        )
    if how != "1" and measured_part(model, component)[1] != "dynoracle_parser":
        raise typer.BadParameter("--beam-size and --probabilities are for parsers")
    if probabilities and beam_size != 1:
        raise typer.BadParameter("--probabilities are those of greedy search")
    with tempfile.TemporaryDirectory() as directory:
        data = Path(directory, "sentences.npz")
        texts = read_texts(treebank, seed)
        write_input(data, model, texts, component)

        def contestant(tree: Path, saved: Path, **environment: str) -> Contestant:
            name, factory = measured_part(saved, component)
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
