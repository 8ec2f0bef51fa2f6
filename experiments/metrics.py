"""Measurements of a trained pipeline on the sentences of a file.

A metric returns values for JSON: by row of the tables and by measure the counts of
`verdicts.Counts`. The row "" is that of the training itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import starmap
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from spacy.language import Language

from spacy_dynoracle.confidence.calibration import Calibration
from spacy_dynoracle.confidence.measured import CalibrationSet, calibration_of
from spacy_dynoracle.confidence.reliability import (
    ARCS,
    CHOSEN,
    HEADS,
    TRANSITIONS,
    calibrations,
)
from spacy_dynoracle.core.results import Candidates
from spacy_dynoracle.core.state.configuration import RootRule
from spacy_dynoracle.core.state.projectivity import nonprojective_arcs
from spacy_dynoracle.core.weights.frozen import FrozenWeights
from spacy_dynoracle.evaluation.attachment import (
    Evaluation,
    scored_words,
)
from spacy_dynoracle.treebank import (
    TreebankWord,
    heads_and_labels,
    read_conllu,
    to_doc,
)

from .leftover import leftover
from .papers import CALIBRATED, DISTANCE, distance
from .parsing import (
    BATCH_SIZE,
    attachment,
    core_sentences,
    counts,
    derive,
    model_of,
    parser_of,
    unparsed,
)
from .settings import PARSER

SAMPLES = 64
SEED = 0
# How measures are called in tables.
MEASURES = {
    "uas": "UAS",
    "las": "LAS",
    "uas_no_punct": "UAS without punctuation",
    "las_no_punct": "LAS without punctuation",
    "crossing_precision": "precision of crossing arcs",
    "crossing_recall": "recall of crossing arcs",
    "crossing_f": "F of crossing arcs",
    "recall": "recall",
    "recall_root": "recall, root",
    "recall_other": "recall, other",
    "leftover": "leftover words, per cent",
    "trees": "trees",
    "one_root": "one root, per cent",
    "parameters": "thousands of weights",
    "megabytes": "MB",
    "calibration": "per cent correct",
    "calibration_transitions": "transitions",
    "calibration_chosen": "not forced",
    "calibration_heads": "heads",
    "calibration_arcs": "labelled arcs",
    "generation": "generation loss",
    "selection": "selection loss",
    "mean_distance": "mean distance to the best trees",
    "total": "total loss",
    "gold": "gold",
    "transitions": "transitions / words",
    "known_heads": "known heads",
    "cpu_seconds": "CPU s",
    "given_up": "given up",
    "speed": "speed",
}
Measured = dict[str, dict[str, dict[str, Any]]]


# ---- scores --------------------------------------------------------------------------


class CrossingCounts(NamedTuple):
    """Counts of the non-projective arcs of one sentence.

    An arc is non-projective if some word between head and dependent is not a descendant
    of the head.

    Attributes:
        gold: Number in the gold tree.
        found: Number of these that were predicted.
        predicted: Number in the predicted tree.
        right: Number of these that are gold arcs, which need not be non-projective in
            the gold tree.
        common: Number of gold arcs that are non-projective in both trees.
    """

    gold: int
    found: int
    predicted: int
    right: int
    common: int


def crossing_counts(
    gold: Sequence[int | None], predicted: Sequence[int | None]
) -> CrossingCounts:
    """Count the non-projective arcs of a sentence.

    Words with an unknown gold head do not count.
    """
    known = [d for d, head in enumerate(gold, 1) if head is not None]
    in_gold = set(nonprojective_arcs(gold)).intersection(known)
    in_predicted = set(nonprojective_arcs(predicted)).intersection(known)
    hits = {d for d in known if gold[d - 1] == predicted[d - 1]}
    return CrossingCounts(
        gold=len(in_gold),
        found=len(in_gold & hits),
        predicted=len(in_predicted),
        right=len(in_predicted & hits),
        common=len(in_gold & in_predicted & hits),
    )


def without_punctuation(words: Sequence[TreebankWord]) -> list[TreebankWord]:
    """The words, with unknown heads for those that begin with an ASCII punctuation mark
    or have the label p or punct.
    """
    rules = [scored_words(name) for name in ("first-char", "spacy")]
    return [
        word if all(rule(word) for rule in rules) else word._replace(head=None)
        for word in words
    ]


def scores(nlp: Language, path: Path, model: Path) -> Measured:
    """UAS and LAS over all words and without punctuation, precision, recall and F
    of crossing arcs; with gold tags.
    """
    sentences = list(read_conllu(path))
    every, some = Evaluation(), Evaluation()
    crossing: list[CrossingCounts] = []
    docs = nlp.pipe(unparsed(nlp, sentences), batch_size=BATCH_SIZE)
    for sentence, doc in zip(sentences, docs, strict=True):
        heads, labels = heads_and_labels(doc)
        every.add(sentence.words, heads, labels)
        words = without_punctuation(sentence.words)
        some.add(words, heads, labels)
        crossing.append(crossing_counts(sentence.heads, heads))
    own = {
        **attachment(every.scores()),
        **attachment(some.scores(), "_no_punct"),
    }
    own["crossing_precision"] = counts(
        [c.right for c in crossing], [c.predicted for c in crossing]
    )
    own["crossing_recall"] = counts(
        [c.found for c in crossing], [c.gold for c in crossing]
    )
    own["crossing_f"] = counts(
        [2 * c.common for c in crossing], [c.gold + c.predicted for c in crossing]
    )
    return {"": own}


# ---- models and probabilities --------------------------------------------------------


def size(nlp: Language, path: Path, model: Path) -> Measured:
    """Thousands of weights that are not zero, and megabytes of the model file."""
    weights = cast(FrozenWeights, model_of(nlp).freeze().weights)
    n_bytes = (model / PARSER / "model").stat().st_size
    return {
        "": {
            "parameters": counts([weights.n_parameters / 1000], [1], unit=1),
            "megabytes": counts([n_bytes / 1e6], [1], unit=1),
        }
    }


def calibration(nlp: Language, path: Path, model: Path) -> Measured:
    """Expected calibration errors of transitions among the legal actions, of those that
    were not forced, and of heads and labelled arcs by sampled derivations.
    """
    data, own = CalibrationSet.of(nlp, path), model_of(nlp)
    arcs = data.arcs(own, SAMPLES, SEED)
    found = calibrations(data.decisions(own), arcs)
    names = {"transitions": TRANSITIONS, "chosen": CHOSEN, "heads": HEADS, "arcs": ARCS}
    return {
        "": {
            f"calibration_{name}": counts([found[key].error], [1])
            for name, key in names.items()
        }
    }


def bins(nlp: Language, path: Path, model: Path) -> Measured:
    """The per cent of right transitions in each bin of probability, in rows by the
    lower end of the bin, and their distance from calibration.
    """
    decisions = CalibrationSet.of(nlp, path).decisions(model_of(nlp))
    return rows_of_bins(calibration_of(decisions))


def rows_of_bins(found: Calibration) -> Measured:
    """The rows of the bins."""
    by_start = {round(i / 10, 1): each for i, each in enumerate(found.bins)}
    rows = {
        f"{start:.1f}": {
            "calibration": counts([each.count * each.accuracy], [each.count])
        }
        for start, each in by_start.items()
    }
    away = distance(
        {start: (each.count, 100 * each.accuracy)
         for start, each in by_start.items() if start in CALIBRATED}
    )  # fmt: skip
    rows[DISTANCE] = {"calibration": counts([away], [1], unit=1)}
    return rows


# ---- beams and derivations -----------------------------------------------------------


def hc_search() -> Any:
    """The plug-in with HC-search.

    Raises:
        ImportError: With its installation if it is not there.
    """
    try:
        import dynoracle_hcsearch
    except ImportError as error:
        raise ImportError(
            "beams and rerankers are measured by a plug-in: pip install "
            "--no-build-isolation ./plugins/hc_search"
        ) from error
    return dynoracle_hcsearch


def losses(nlp: Language, path: Path, model: Path) -> Measured:
    """The losses of a beam and of the choice in it, the number of candidates with
    different heads, and the per cent of sentences with all gold heads in the beam.
    """
    parser, reranker = parser_of(nlp), model_of(nlp).parts.get("ranker")
    data = hc_search().candidates.RerankingSet(
        parser, [to_doc(s, nlp.vocab) for s in read_conllu(path)]
    )
    found = data.candidates(parser)
    chosen = [
        0 if reranker is None else reranker.choose(sentence, candidates)
        for sentence, candidates in zip(data.sentences, found, strict=True)
    ]
    written = map(data.written, found)
    rows = list(starmap(_losses_of, zip(written, data.golds, chosen, strict=True)))
    words = [row["words"] for row in rows]
    own = {
        name: counts([row[name] for row in rows], words)
        for name in ("generation", "selection", "mean_distance", "total")
    }
    one = [1] * len(rows)
    own["trees"] = counts([row["trees"] for row in rows], one, unit=1)
    own["gold"] = counts([row["generation"] == 0 for row in rows], one)
    return {"": own}


def _losses_of(found: Candidates, gold: Any, choice: int) -> Mapping[str, float]:
    """The losses of one sentence in words, by Liu et al. 2015, sections 3.1 and 4.4.

    The generation loss is the loss of the best candidate, the selection loss the
    further loss of the chosen one (Eq. 1). Table 2 of the paper reports another value
    as selection loss: the distance of the choice to the best candidate, the mean where
    there are several.
    """
    loss = hc_search().losses.losses(found, gold)
    least, total = int(loss.min()), int(loss[choice])
    differ = (found.heads != found.heads[choice]) & gold.counts()
    return {
        "words": int(gold.counts().sum()),
        "generation": least,
        "selection": total - least,
        "mean_distance": round(float(differ.sum(axis=1)[loss == least].mean()), 6),
        "total": total,
        "trees": len(np.unique(found.heads, axis=0)),
    }


def derivations(nlp: Language, path: Path, model: Path) -> Measured:
    """The number of transitions for each word, parsed with one root."""
    own = model_of(nlp)
    sentences: Iterable[Any] = core_sentences(nlp, list(read_conllu(path)))
    steps = [
        (sum(1 for _ in derive(own, sentence, RootRule.ONE)) - 1, len(sentence))
        for sentence in sentences
    ]
    return {"": {"transitions": counts(*zip(*steps, strict=True), unit=1)}}


METRICS: Mapping[str, Callable[[Language, Path, Path], Measured]] = {
    "scores": scores,
    "size": size,
    "calibration": calibration,
    "bins": bins,
    "losses": losses,
    "leftover": leftover,
    "derivations": derivations,
}
