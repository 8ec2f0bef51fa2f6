"""Simulated active learning: do uncertain sentences teach more than random ones?

A first parser learns from randomly chosen sentences. Each step then annotates more
sentences, which means that they get their gold trees, and trains a new parser on all
annotated sentences. The strategy chooses either the sentences that the present parser
is least sure of or, for comparison, random sentences. The amount of annotation is
counted in words.

``python -m experiments.active_learning CHAIN.json`` does the missing
steps of one chain of steps. Each finished step has a file, so an interrupted chain
continues where it stopped.
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import spacy
import srsly
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.confidence.uncertainty import MEASURES, ask_for, most_uncertain
from spacy_dynoracle.evaluation.attachment import Evaluation
from spacy_dynoracle.parser.component import NAME, DynOracleParser
from spacy_dynoracle.parser.factory import DEFAULT_CONFIG
from spacy_dynoracle.treebank import (
    TreebankSentence,
    heads_and_labels,
    read_conllu,
    to_doc,
)
from spacy_dynoracle.util.files import replace_file

from .processes import RunError, execute, work_through
from .runs import read_json

# The strategies that choose at random and that annotate everything at once.
RANDOM = "random"
ALL = "all"
STRATEGIES = (RANDOM, *MEASURES)
DEFAULT_STRATEGIES = (RANDOM, "entropy")
DEFAULT_OUTPUT = Path("training/active-learning")
LANGUAGE = "xx"
BATCH_SIZE = 256


@dataclass(frozen=True)
class Settings:
    """The settings that all chains of a comparison share.

    start: number of sentences in the first step. steps: number of steps that add
    sentences. step_words: smallest number of words that a step adds; 0 for the average
    number of words of `start` sentences. alpha, epochs: step size and epochs of
    training, which uses AdaGrad-RDA and sampling exploration. n_samples: number of
    derivations drawn for each sentence to estimate entropies. split: split that is
    scored.

    Raises ValueError for a value out of range.
    """

    start: int = 500
    steps: int = 5
    step_words: int = 0
    alpha: float = 0.25
    epochs: int = 8
    n_samples: int = 64
    split: str = "test"

    def __post_init__(self) -> None:
        if self.split not in ("test", "dev"):
            raise ValueError(f"split {self.split!r}: expected test or dev")
        if self.alpha <= 0:
            raise ValueError(f"alpha {self.alpha}: expected a positive number")

    @property
    def name(self) -> str:
        """The name of a directory. Settings that differ only in the number of steps
        share it."""
        return (
            f"start{self.start}-words{self.step_words or 'auto'}-alpha{self.alpha:g}-"
            f"{self.epochs}epochs-{self.n_samples}samples-{self.split}"
        )


@dataclass(frozen=True)
class Chain:
    """The steps of one strategy with one seed.

    train, test: treebank files for training and for scoring. strategy: one of
    STRATEGIES, or ALL. directory: directory of the files of the steps.
    """

    treebank: str
    train: str
    test: str
    strategy: str
    seed: int
    settings: Settings
    directory: str

    def __str__(self) -> str:
        return f"{self.treebank} {self.strategy} seed {self.seed}"

    @classmethod
    def load(cls, path: Path) -> Chain:
        """Read a chain from the JSON file of its members."""
        values = read_json(path)
        return cls(**{**values, "settings": Settings(**values["settings"])})

    def step_file(self, step: int) -> Path:
        """The file of a step, which exists when the step is done."""
        return Path(self.directory) / f"step{step}.json"

    def records(self) -> list[dict[str, Any]]:
        """The records of the finished steps, up to the first step that is missing.

        Each record has: added (indices of the sentences annotated in this step, counted
        from 0), words (number of words annotated so far), uas and las (in per cent,
        over all words), and digest (digest of the treebank files).

        Raises RunError if the steps were made from other files.
        """
        digest = digest_of(self.train, self.test)
        found = []
        for step in range(self.n_steps):
            path = self.step_file(step)
            if not path.exists():
                break
            record = read_json(path)
            if record["digest"] != digest:
                raise RunError(
                    f"the treebank {self.treebank} has changed since {path} was made; "
                    "remove its directory or name another --output"
                )
            found.append(record)
            if record["is_last"]:
                break
        return found

    @property
    def n_steps(self) -> int:
        """The number of steps, including the first one."""
        return 1 if self.strategy == ALL else self.settings.steps + 1

    def is_done(self) -> bool:
        """Whether all steps are done."""
        records = self.records()
        return len(records) == self.n_steps or bool(records and records[-1]["is_last"])


def digest_of(*paths: str) -> str:
    """A digest of the contents of the files."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(hashlib.sha256(Path(path).read_bytes()).digest())
    return digest.hexdigest()


def chains_of(
    treebank: str,
    files: tuple[Path, Path],
    strategies: Sequence[str],
    seeds: int,
    settings: Settings,
    output: Path,
) -> list[Chain]:
    """All chains of a treebank, ordered by seed.

    files: the training file and the file to score on. One chain of each seed annotates
    all sentences at once.

    Raises ValueError for an unknown strategy.
    """
    for strategy in strategies:
        if strategy not in STRATEGIES:
            raise ValueError(
                f"strategy {strategy!r}: expected one of {', '.join(STRATEGIES)}"
            )
    train, test = map(str, files)
    base = output / "runs" / treebank / settings.name
    return [
        Chain(
            treebank,
            train,
            test,
            strategy,
            seed,
            settings,
            str(base / f"seed{seed}" / strategy),
        )
        for seed in range(1, seeds + 1)
        for strategy in (*strategies, ALL)
    ]


def complete(chains: Sequence[Chain], jobs: int) -> list[str]:
    """Do all missing steps, `jobs` chains at a time, and show a progress bar.

    Returns the messages of the chains that failed.
    """
    todo = [chain for chain in chains if not chain.is_done()]
    return work_through("Simulating", todo, _run, jobs)


def _run(chain: Chain) -> None:
    directory = Path(chain.directory)
    directory.mkdir(parents=True, exist_ok=True)
    plan = directory / "chain.json"
    replace_file(plan, srsly.json_dumps(asdict(chain)).encode("utf-8"))
    command = [__name__, str(plan)]
    try:
        execute(command, directory / "chain.log")
    except RunError as error:
        raise RunError(f"{chain}: {error}") from error


# ---- the child process ---------------------------------------------------------------


class Simulator:
    """Does the steps of a chain."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.settings = chain.settings
        self.nlp = spacy.blank(LANGUAGE)
        self.nlp.add_pipe(NAME, config=self._config())
        self.sentences = list(read_conllu(chain.train))
        self.test = list(read_conllu(chain.test))
        if len(self.sentences) <= chain.settings.start:
            raise SystemExit(
                f"{len(self.sentences)} sentences to train on leave none to choose "
                f"after a start of {chain.settings.start}"
            )
        self.lengths = [len(sentence.words) for sentence in self.sentences]
        self.examples = [
            Example(self._unparsed(sentence), to_doc(sentence, self.nlp.vocab))
            for sentence in self.sentences
        ]
        # The sentences of the first step come first. The others follow in random order.
        self.shuffled = list(range(len(self.sentences)))
        random.Random(chain.seed).shuffle(self.shuffled)

    def _config(self) -> dict[str, Any]:
        return {
            **DEFAULT_CONFIG,
            "tag_attr": "POS",
            "seed": self.chain.seed,
            "n_samples": self.settings.n_samples,
            "learner": {
                "@misc": "spacy_dynoracle.AdaGradRDA.v1",
                "alpha": self.settings.alpha,
            },
            "exploration": {"@misc": "spacy_dynoracle.SamplingExploration.v1", "k": 0},
        }

    @property
    def parser(self) -> DynOracleParser:
        """The parser, as the latest step trained it."""
        parser: DynOracleParser = self.nlp.get_pipe(NAME)  # type: ignore[assignment]
        return parser

    def steps(self, done: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Do the steps that follow the finished ones, and yield their records."""
        chosen = [i for record in done for i in record["added"]]
        if done and self.chain.strategy != RANDOM:
            # Training is deterministic, so this restores the parser of the last step.
            self.train(chosen)
        for step in range(len(done), self.chain.n_steps):
            added = self.more(chosen, step) if step else self.first()
            chosen += added
            self.train(chosen)
            is_last = len(chosen) == len(self.sentences)
            yield {
                "added": added,
                "words": self.words(chosen),
                "is_last": is_last,
                **self.score(),
            }
            if is_last:
                break

    def first(self) -> list[int]:
        """The sentences of the first step."""
        if self.chain.strategy == ALL:
            return self.shuffled
        return self.shuffled[: self.settings.start]

    def more(self, chosen: Sequence[int], step: int) -> list[int]:
        """The sentences to annotate in a step: the fewest that reach its number of
        words."""
        known = set(chosen)
        pool = [i for i in self.shuffled if i not in known]
        if self.chain.strategy != RANDOM:
            values = self.uncertainty(pool)
            pool = [pool[k] for k in most_uncertain(values)]
        # The target counts from the start, so a step that overshoots shortens the next
        # one.
        wanted = self.target(step) - self.words(chosen)
        added = []
        for i in pool:
            if wanted <= 0:
                break
            added.append(i)
            wanted -= self.lengths[i]
        return added

    def target(self, step: int) -> float:
        """The number of words to annotate up to a step. The last sentence may exceed
        it."""
        settings = self.settings
        mean_length = sum(self.lengths) / len(self.lengths)
        step_words = settings.step_words or settings.start * mean_length
        return self.words(self.shuffled[: settings.start]) + step * step_words

    def words(self, chosen: Sequence[int]) -> int:
        """The number of words of the chosen sentences."""
        return sum(self.lengths[i] for i in chosen)

    def train(self, chosen: Sequence[int]) -> None:
        """Train a new parser on the chosen sentences."""
        examples = [self.examples[i] for i in chosen]
        self.parser.change(probabilities="none", decode="greedy")
        self.nlp.initialize(lambda: examples)
        for _ in range(self.settings.epochs):
            self.parser.update(examples)
        # Parsing is slow with weights that are not frozen.
        model = self.parser.model
        self.parser.set_model(None if model is None else model.freeze())

    def uncertainty(self, pool: Sequence[int]) -> list[float]:
        """The uncertainty of the present parser about each sentence of the pool."""
        measure = MEASURES[self.chain.strategy]
        ask_for(self.parser, measure.probabilities)
        docs = self._parsed([self.sentences[i] for i in pool])
        return [measure.value(doc) for doc in docs]

    def score(self) -> dict[str, float]:
        """UAS and LAS of the present parser in per cent, over all words."""
        evaluation = Evaluation()
        for sentence, doc in zip(self.test, self._parsed(self.test), strict=True):
            evaluation.add(sentence.words, *heads_and_labels(doc))
        scores = evaluation.scores()
        return {"uas": 100 * scores.uas, "las": 100 * scores.las}

    def _parsed(self, sentences: Sequence[TreebankSentence]) -> Iterator[Doc]:
        docs = (self._unparsed(sentence) for sentence in sentences)
        return self.nlp.pipe(docs, batch_size=BATCH_SIZE)

    def _unparsed(self, sentence: TreebankSentence) -> Doc:
        return to_doc(sentence, self.nlp.vocab, tree=False)


def simulate(chain: Chain) -> None:
    """Do the missing steps of a chain and write a file for each."""
    done = chain.records()
    digest = digest_of(chain.train, chain.test)
    for step, record in enumerate(Simulator(chain).steps(done), len(done)):
        record["digest"] = digest
        replace_file(chain.step_file(step), srsly.json_dumps(record).encode("utf-8"))


if __name__ == "__main__":
    simulate(Chain.load(Path(sys.argv[1])))
