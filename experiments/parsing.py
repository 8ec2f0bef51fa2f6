"""Parsing with the core, for details that a pipeline does not show."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_dynoracle.core.model.model import Model
from spacy_dynoracle.core.search.greedy import GreedySearch
from spacy_dynoracle.core.search.inspect import offered_actions
from spacy_dynoracle.core.state.configuration import Configuration, RootRule
from spacy_dynoracle.core.state.sentence import Sentence
from spacy_dynoracle.core.systems.easy_first import EasyFirst
from spacy_dynoracle.doc.attribute_table import AttributeTable
from spacy_dynoracle.evaluation.attachment import Scores
from spacy_dynoracle.parser.component import DynOracleParser
from spacy_dynoracle.treebank import TreebankSentence, read_conllu, to_doc

from .settings import PARSER

BATCH_SIZE = 256
# Rounds in which pipelines take turns to be timed, and the sentences they parse.
REPEATS = 5
TIMED = 1000
# The heads (0 for ROOT) and labels of the words of a sentence.
HeadsAndLabels = tuple[list[int], list[str | None]]


def counts(
    parts: Sequence[float], wholes: Sequence[float], unit: float = 100
) -> dict[str, Any]:
    """The values of `verdicts.Counts` for JSON: numerators and denominators."""
    return {"parts": list(parts), "wholes": list(wholes), "unit": unit}


def attachment(scores: Scores, suffix: str = "") -> dict[str, dict[str, Any]]:
    """UAS and LAS.

    Args:
        suffix: Of their names.
    """
    return {
        f"{name}{suffix}": counts(*(each.tolist() for each in scores.counts[name]))
        for name in ("uas", "las")
    }


def unparsed(nlp: Language, sentences: Sequence[TreebankSentence]) -> list[Doc]:
    """A Doc with the gold tags for each sentence."""
    return [to_doc(sentence, nlp.vocab, tree=False) for sentence in sentences]


def parser_of(nlp: Language) -> DynOracleParser:
    """The parser of a pipeline.

    Raises:
        ValueError: If it is not trained.
    """
    parser = nlp.get_pipe(PARSER)
    if not isinstance(parser, DynOracleParser) or parser.model is None:
        raise ValueError(f"the pipeline has no trained parser {PARSER!r}")
    return parser


def model_of(nlp: Language) -> Model:
    """The model of the parser of a pipeline.

    Raises:
        ValueError: If it is not trained.
    """
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
        AttributeTable([doc], attributes).sentence(None)
        for doc in unparsed(nlp, sentences)
    ]


def parse(
    model: Model, sentences: Sequence[Sentence], root_rule: RootRule | None = None
) -> list[HeadsAndLabels]:
    """Parse greedily. Lifted arcs are not restored; the labels still record them.

    Args:
        root_rule: As in `Search.parse`.
    """
    names = [*model.labels, None]
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
        found = offered_actions(model, c, sentence)
        # The first of equal actions wins, as in the search of the core.
        best = max(found, key=lambda x: -math.inf if x.score is None else x.score)
        if isinstance(model.system, EasyFirst) and best.position is not None:
            model.system.focus(c, best.position)
        model.system.apply(c, best.transition, best.label)
        yield c


def relative_speeds(
    models: Mapping[str, Path], base: str, path: Path, repeats: int = REPEATS
) -> dict[str, float]:
    """The speed of nlp.pipe of each pipeline in units of that of `base`: the median of
    the quotients of rounds in which all take turns. The time to make the Docs does not
    count.
    """
    sentences = [s for s, _ in zip(read_conllu(path), range(TIMED), strict=False)]
    pipelines = {name: spacy.load(model) for name, model in models.items()}
    rounds = []
    for _ in range(repeats + 1):
        seconds = {}
        for name, nlp in pipelines.items():
            docs = unparsed(nlp, sentences)
            start = time.perf_counter()
            for _ in nlp.pipe(docs, batch_size=BATCH_SIZE):
                pass
            seconds[name] = time.perf_counter() - start
        rounds.append(seconds)
    # The first round warms up.
    return {
        name: statistics.median(each[base] / each[name] for each in rounds[1:])
        for name in pipelines
    }
