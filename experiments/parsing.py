"""Parsing with the core, for details that a pipeline does not show."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from spacy.language import Language

from spacy_dynoracle.core.model.model import Model
from spacy_dynoracle.core.search.greedy import GreedySearch
from spacy_dynoracle.core.state.configuration import Configuration, RootRule
from spacy_dynoracle.core.state.sentence import Sentence
from spacy_dynoracle.core.systems.easy_first import EasyFirst
from spacy_dynoracle.doc.token_arrays import TokenArrays
from spacy_dynoracle.explain.candidates import candidates
from spacy_dynoracle.parser.annotations import NO_LABEL
from spacy_dynoracle.parser.component import DynOracleParser
from spacy_dynoracle.treebank import TreebankSentence

from .runs import PARSER
from .scoring import unparsed

# The heads (0 for ROOT) and labels of the words of a sentence.
HeadsAndLabels = tuple[list[int], list[str]]


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
    """Make the input of the core for treebank sentences, with their gold tags."""
    attributes = list(parser_of(nlp).sources.values())
    return [
        TokenArrays(doc, attributes).sentence(None) for doc in unparsed(nlp, sentences)
    ]


def parse(
    model: Model, sentences: Sequence[Sentence], root_rule: RootRule | None = None
) -> list[HeadsAndLabels]:
    """Parse greedily. Lifted arcs are not restored; the labels still record them.
    root_rule: as in `Search.parse`."""
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
    """Yield every configuration of the greedy derivation of a sentence.

    The terminal configuration is the last one. All of them are the same object, which
    changes.
    """
    c = model.system.initial(len(sentence), root_rule)
    for label in model.labels:
        c.labels.add(label)
    yield c
    while not model.system.is_terminal(c):
        found = candidates(model, c, sentence, None)
        # The first of equal actions wins, as in the search of the core.
        best = max(found, key=lambda x: -math.inf if x.score is None else x.score)
        if isinstance(model.system, EasyFirst) and best.position is not None:
            model.system.focus(c, best.position)
        model.system.apply(c, best.transition, best.label)
        yield c


def interleaved_seconds(
    contestants: Sequence[tuple[Callable[[], Any], Callable[[Any], Any]]], repeats: int
) -> list[list[float]]:
    """Time the contestants, which take turns. A first round does not count.

    contestants: for each a function that makes the input, which is not timed, and a
    function that is timed.
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
    """The median over the rounds of the ratio of two contestants' times."""
    return statistics.median(a / b for a, b in zip(times, others, strict=True))
