"""Parsing with the core, for what a pipeline does not show."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from spacy.language import Language

from ..core.model.model import Model
from ..core.search.greedy import GreedySearch
from ..core.state.configuration import Configuration, RootRule
from ..core.state.sentence import Sentence
from ..core.systems.easy_first import EasyFirst
from ..doc.token_arrays import TokenArrays
from ..explain.candidates import candidates
from ..parser.annotations import NO_LABEL
from ..parser.component import DynOracleParser
from ..treebank import TreebankSentence
from .runs import PARSER
from .scoring import unparsed

# Heads (0: ROOT) and labels of the words of a sentence.
Tree = tuple[list[int], list[str]]


def parser_of(nlp: Language) -> DynOracleParser:
    """The parser of a pipeline. Raises ValueError if it is not trained."""
    parser = nlp.get_pipe(PARSER)
    if not isinstance(parser, DynOracleParser) or parser.model is None:
        raise ValueError(f"the pipeline has no trained parser {PARSER!r}")
    return parser


def model_of(nlp: Language) -> Model:
    """The model of the parser of a pipeline. Raises ValueError if it is not trained."""
    model = parser_of(nlp).model
    if model is None:
        raise ValueError(f"the parser {PARSER!r} is not trained")
    return model


def core_sentences(
    nlp: Language, sentences: Sequence[TreebankSentence]
) -> list[Sentence]:
    """The core's input for the sentences of a treebank, with their gold tags."""
    attributes = list(parser_of(nlp).sources.values())
    return [
        TokenArrays(doc, attributes).sentence(None) for doc in unparsed(nlp, sentences)
    ]


def parse(
    model: Model, sentences: Sequence[Sentence], root_rule: RootRule | None = None
) -> list[Tree]:
    """Parse greedily. Labels still record lifted arcs. root_rule: as of
    `Search.parse`."""
    names = [*model.labels, NO_LABEL]
    heads, labels = GreedySearch().parse(model, list(sentences), root_rule)
    all_heads, all_labels = heads.tolist(), [names[i] for i in labels.tolist()]
    trees = []
    start = 0
    for sentence in sentences:
        end = start + len(sentence)
        trees.append((all_heads[start:end], all_labels[start:end]))
        start = end
    return trees


def derive(
    model: Model, sentence: Sentence, root_rule: RootRule | None = None
) -> Iterator[Configuration]:
    """The greedy derivation of a sentence: every configuration, the terminal one last.

    It is one object, which changes.
    """
    c = model.system.initial(len(sentence), root_rule)
    for label in model.labels:
        c.labels.add(label)
    yield c
    while not model.system.is_terminal(c):
        found = candidates(model, c, sentence, None)
        # The first of equals, as the search of the core takes it.
        best = max(found, key=lambda x: -math.inf if x.score is None else x.score)
        if isinstance(model.system, EasyFirst) and best.position is not None:
            model.system.focus(c, best.position)
        model.system.apply(c, best.transition, best.label)
        yield c


def interleaved_seconds(
    contestants: Sequence[tuple[Callable[[], Any], Callable[[Any], Any]]], repeats: int
) -> list[list[float]]:
    """The times of each contestant. They take turns; a first round does not count.

    contestants: what makes the input, which is not timed, and what is timed.
    """
    times: list[list[float]] = [[] for _ in contestants]
    for turn in range(repeats + 1):
        for (prepare, run), own in zip(contestants, times, strict=True):
            prepared = prepare()
            start = time.perf_counter()
            run(prepared)
            if turn:
                own.append(time.perf_counter() - start)
    return times


def median_ratio(times: Sequence[float], others: Sequence[float]) -> float:
    """The median over the rounds of the quotient of two contestants' times."""
    return statistics.median(a / b for a, b in zip(times, others, strict=True))
