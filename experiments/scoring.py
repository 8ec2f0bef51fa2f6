"""Scores of a trained pipeline, with counts of each sentence for significance tests.

``python -m experiments.scoring MODEL FILE OUTPUT`` scores in a separate
process.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any, NamedTuple

import spacy
import srsly
from spacy.language import Language
from spacy.tokens import Doc

from spacy_dynoracle.core.state.projectivity import nonprojective_arcs
from spacy_dynoracle.evaluation.attachment import (
    DEFAULT_EXCLUSION,
    Evaluation,
    SentenceCounts,
)
from spacy_dynoracle.treebank import (
    TreebankSentence,
    heads_and_labels,
    read_conllu,
    to_doc,
)
from spacy_dynoracle.util.files import replace_file

BATCH_SIZE = 256


class CrossingCounts(NamedTuple):
    """Counts of the non-projective arcs of one sentence. An arc is non-projective if
    some word between head and dependent is not a descendant of the head.

    gold: number in the gold tree. found: number of these that were predicted.
    predicted: number in the predicted tree. right: number of these that are gold arcs,
    which need not be non-projective in the gold tree.
    """

    gold: int
    found: int
    predicted: int
    right: int


def crossing_counts(
    gold: Sequence[int | None], predicted: Sequence[int | None]
) -> CrossingCounts:
    """Count the non-projective arcs of a sentence. Words with an unknown gold head do
    not count."""
    known = [d for d, head in enumerate(gold, 1) if head is not None]
    in_gold = set(nonprojective_arcs(gold)).intersection(known)
    in_predicted = set(nonprojective_arcs(predicted)).intersection(known)
    hits = {d for d in known if gold[d - 1] == predicted[d - 1]}
    return CrossingCounts(
        len(in_gold), len(in_gold & hits), len(in_predicted), len(in_predicted & hits)
    )


# The counts kept for each sentence, over all words: SentenceCounts, then
# CrossingCounts.
COLUMNS = (
    *(field.name for field in fields(SentenceCounts)),
    *(f"crossing_{name}" for name in CrossingCounts._fields),
)


def score(nlp: Language, path: Path) -> dict[str, Any]:
    """Parse the sentences of a file with gold tags, and score them.

    Returns values for JSON: the scores for each choice of scored words, the words per
    second of the pipeline, and for each sentence a row of counts with the columns
    COLUMNS.
    """
    sentences = list(read_conllu(path))
    evaluations = [Evaluation("all"), Evaluation(DEFAULT_EXCLUSION)]
    docs = unparsed(nlp, sentences)
    start = time.perf_counter()
    docs = list(nlp.pipe(docs, batch_size=BATCH_SIZE))
    seconds = time.perf_counter() - start
    rows = []
    for sentence, doc in zip(sentences, docs, strict=True):
        heads, labels = heads_and_labels(doc)
        counts, *_ = [e.add(sentence.words, heads, labels) for e in evaluations]
        crossing = crossing_counts(sentence.heads, heads)
        rows.append([*astuple(counts), *crossing])
    scores = {e.scored: e.scores().as_dict(per_relation=False) for e in evaluations}
    words = sum(len(sentence.words) for sentence in sentences)
    return {
        "scores": scores,
        "words_per_second": words / seconds,
        "columns": COLUMNS,
        "sentences": rows,
    }


def unparsed(nlp: Language, sentences: Sequence[TreebankSentence]) -> list[Doc]:
    """A Doc with the gold tags for each sentence."""
    return [to_doc(sentence, nlp.vocab, tree=False) for sentence in sentences]


def main(arguments: list[str]) -> None:
    """Score a model on a file and write the result as JSON."""
    model, path, output = arguments
    result = score(spacy.load(model), Path(path))
    replace_file(Path(output), srsly.json_dumps(result).encode("utf-8"))


if __name__ == "__main__":
    main(sys.argv[1:])
