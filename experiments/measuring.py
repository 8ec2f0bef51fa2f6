"""Measurements of a trained pipeline for the tables of Goldberg (2013).

``python -m experiments.measuring MODEL FILE OUTPUT`` measures in a
separate process.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any, cast

import spacy
import srsly
from spacy.language import Language

from spacy_dynoracle.confidence import reliability
from spacy_dynoracle.confidence.measured import CalibrationSet
from spacy_dynoracle.core.weights.frozen import FrozenWeights
from spacy_dynoracle.evaluation.attachment import (
    Evaluation,
    SentenceCounts,
    scored_words,
)
from spacy_dynoracle.treebank import TreebankWord, heads_and_labels, read_conllu
from spacy_dynoracle.util.files import replace_file

from .parsing import model_of, parser_of
from .scoring import BATCH_SIZE, unparsed

# The choices of scored words.
ALL = "all words"
NO_PUNCTUATION = "without punctuation"
PUNCTUATION_NOTE = (
    "Without punctuation: no words that begin with an ASCII punctuation mark and none "
    "with the label p or punct. The paper leaves out punctuation, but not how; this is "
    "what programs of its author do."
)
COLUMNS = tuple(field.name for field in fields(SentenceCounts))
SAMPLES = 64
SEED = 0


def without_punctuation(words: Sequence[TreebankWord]) -> list[TreebankWord]:
    """The words, with unknown heads for the words that NO_PUNCTUATION does not
    score."""
    rules = [scored_words(name) for name in ("first-char", "spacy")]
    return [
        word if all(rule(word) for rule in rules) else word._replace(head=None)
        for word in words
    ]


def measure(nlp: Language, path: Path, model_file: Path) -> dict[str, Any]:
    """Parse the sentences of a file with gold tags, and measure the results.

    Returns values for JSON. scores: a record for `Result` for each choice of scored
    words. parameters: number of weights that are not zero. bytes: size of the model
    file. calibration: only for models whose scores are probabilities, the calibration
    of everything that `reliability` measures, where transitions compete with the legal
    actions.
    """
    sentences = list(read_conllu(path))
    docs = unparsed(nlp, sentences)
    start = time.perf_counter()
    docs = list(nlp.pipe(docs, batch_size=BATCH_SIZE))
    seconds = time.perf_counter() - start
    words = sum(len(sentence.words) for sentence in sentences)
    scores = {}
    for name in (ALL, NO_PUNCTUATION):
        evaluation = Evaluation()
        rows = []
        for sentence, doc in zip(sentences, docs, strict=True):
            gold: Sequence[TreebankWord] = sentence.words
            if name == NO_PUNCTUATION:
                gold = without_punctuation(gold)
            rows.append(astuple(evaluation.add(gold, *heads_and_labels(doc))))
        scores[name] = {
            "scores": {name: evaluation.scores().as_dict(per_relation=False)},
            "words_per_second": words / seconds,
            "columns": COLUMNS,
            "sentences": rows,
        }
    model = model_of(nlp)
    weights = cast(FrozenWeights, model.freeze().weights)
    return {
        "scores": scores,
        "parameters": weights.n_parameters,
        "bytes": model_file.stat().st_size,
        "calibration": None if model.temperature is None else _calibration(nlp, path),
    }


def _calibration(nlp: Language, path: Path) -> dict[str, Any]:
    model, data = model_of(nlp), CalibrationSet.of(nlp, path)
    found, arcs = data.decisions(model), data.arcs(model, SAMPLES, SEED)
    measured = reliability.calibrations(found, arcs, "legal")
    return reliability.calibration_dicts(measured)


def main(arguments: list[str]) -> None:
    """Measure a model on a file and write the result as JSON."""
    model, path, output = arguments
    nlp = spacy.load(model)
    model_file = Path(model) / parser_of(nlp).name / "model"
    result = measure(nlp, Path(path), model_file)
    replace_file(Path(output), srsly.json_dumps(result).encode("utf-8"))


if __name__ == "__main__":
    main(sys.argv[1:])
