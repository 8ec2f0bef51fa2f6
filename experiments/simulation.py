"""Simulated active learning: do uncertain sentences teach more than random ones?

A first parser learns from randomly chosen sentences. Each step then annotates more
sentences, which means that they get their gold trees, and trains a new parser on all
annotated sentences. The strategy chooses the sentences that the present parser is least
sure of or, for comparison, random sentences or all at once. The amount of annotation is
counted in words.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_dynoracle.evaluation.attachment import Evaluation
from spacy_dynoracle.treebank import (
    TreebankSentence,
    heads_and_labels,
    read_conllu,
    to_doc,
)

from .settings import ALL, PARSER, RANDOM, Setting
from .treebanks import Corpus

if TYPE_CHECKING:
    from .runs import Run

LANGUAGE = "xx"
BATCH_SIZE = 256


def simulate(
    component: Mapping[str, Any], run: Run, corpus: Corpus, split: str
) -> dict[str, dict[str, Any]]:
    """Do all steps of a strategy.

    Args:
        component: Config of the parser.

    Returns:
        Measurements as a metric does: after step i, words@i are annotated, and UAS and
        LAS on the split are uas@i and las@i.
    """
    train = list(read_conllu(corpus.text("train")))
    test = list(read_conllu(corpus.text(split)))
    simulator = Simulator(component, run.setting, run.seed, train)
    found: dict[str, Any] = {}
    for step, chosen in enumerate(simulator.steps()):
        words = simulator.words(chosen)
        found[f"words@{step}"] = {"parts": [words], "wholes": [1], "unit": 1}
        evaluation = Evaluation()
        for sentence, doc in zip(test, simulator.parsed(test), strict=True):
            evaluation.add(sentence.words, *heads_and_labels(doc))
        scores = evaluation.scores()
        for name in ("uas", "las"):
            value = 100 * getattr(scores, name)
            found[f"{name}@{step}"] = {"parts": [value], "wholes": [1], "unit": 1}
    return {"": found}


class Simulator:
    """Does the steps of a strategy.

    Args:
        component: Config of the parser.
        setting: Its strategy.

    Attributes:
        start: Number of sentences in the first step.
        steps: Number of steps that add sentences.
        step_words: Smallest number of words that a step adds, 0 for as many as the
            first step has on average.

    Raises:
        ValueError: If the first step leaves no sentence to choose.
    """

    def __init__(
        self,
        component: Mapping[str, Any],
        setting: Setting,
        seed: int,
        sentences: Sequence[TreebankSentence],
    ) -> None:
        if len(sentences) <= setting.start:
            raise ValueError(
                f"{len(sentences)} sentences to train on leave none to choose after a "
                f"start of {setting.start}"
            )
        self.component = dict(component)
        self.setting = setting
        self.sentences = sentences
        self.lengths = [len(sentence.words) for sentence in sentences]
        self.vocab = Vocab()
        self.examples = [
            Example(self._unparsed(sentence), to_doc(sentence, self.vocab))
            for sentence in sentences
        ]
        # The sentences of the first step come first. The others follow in random order.
        self.shuffled = list(range(len(sentences)))
        random.Random(seed).shuffle(self.shuffled)

    def steps(self) -> Iterator[list[int]]:
        """Do the steps, and yield the sentences that are annotated after each."""
        everything = self.setting.strategy == ALL
        chosen = self.shuffled[: None if everything else self.setting.start]
        for step in range(self.setting.steps + 1):
            chosen = chosen + (self.more(chosen, step) if step else [])
            self.train(chosen)
            yield chosen
            if len(chosen) == len(self.sentences):
                break

    def more(self, chosen: Sequence[int], step: int) -> list[int]:
        """The sentences to annotate in a step: the fewest that reach its number of
        words.
        """
        known = set(chosen)
        pool = [i for i in self.shuffled if i not in known]
        if self.setting.strategy != RANDOM:
            # The largest first; equal ones stay in order.
            values = dict(zip(pool, self.uncertainty(pool), strict=True))
            pool.sort(key=lambda i: -values[i])
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
        """The number of words to annotate up to a step.

        The last sentence may exceed it.
        """
        start = self.setting.start
        mean_length = sum(self.lengths) / len(self.lengths)
        step_words = self.setting.step_words or start * mean_length
        return self.words(self.shuffled[:start]) + step * step_words

    def words(self, chosen: Sequence[int]) -> int:
        """The number of words of the chosen sentences."""
        return sum(self.lengths[i] for i in chosen)

    def train(self, chosen: Sequence[int]) -> None:
        """Train a new parser on the chosen sentences."""
        examples = [self.examples[i] for i in chosen]
        self.nlp = spacy.blank(LANGUAGE, vocab=self.vocab)
        self.parser: Any = self.nlp.add_pipe(PARSER, config=self.component)
        self.nlp.initialize(lambda: examples)
        for _ in range(self.setting.n_epochs):
            self.parser.update(examples)
        # Parsing is slow with weights that are not frozen.
        self.parser.set_model(self.parser.model.freeze())

    def uncertainty(self, pool: Sequence[int]) -> list[float]:
        """The uncertainty of the present parser about each sentence of the pool."""
        self.parser.ask_for("marginal")
        docs = self.parsed([self.sentences[i] for i in pool])
        return [doc._.dep_entropy / len(doc) for doc in docs]

    def parsed(self, sentences: Sequence[TreebankSentence]) -> Iterator[Doc]:
        """Sentences with their gold tags, parsed by the present parser."""
        docs = (self._unparsed(sentence) for sentence in sentences)
        return self.nlp.pipe(docs, batch_size=BATCH_SIZE)

    def _unparsed(self, sentence: TreebankSentence) -> Doc:
        return to_doc(sentence, self.vocab, tree=False)
