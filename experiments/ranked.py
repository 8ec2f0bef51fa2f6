"""Scores and losses of a pipeline with a beam.

``python -m experiments.ranked MODEL FILE OUTPUT`` measures in a
separate process.
"""

from __future__ import annotations

import sys
from itertools import starmap
from pathlib import Path
from typing import Any

import numpy as np
import spacy
import srsly
from spacy.language import Language

from spacy_dynoracle.core.reranking.losses import GoldHeads, decompose
from spacy_dynoracle.core.results import Candidates
from spacy_dynoracle.rerank.candidates import RerankingSet
from spacy_dynoracle.treebank import read_conllu, to_doc
from spacy_dynoracle.util.files import replace_file

from .parsing import model_of, parser_of
from .scoring import score

# The losses of a sentence in words (see `Decomposition`), the number of candidates with
# different heads, and whether one of them has all gold heads.
LOSSES = ("words", "generation", "mean_distance", "total", "trees", "gold")


def measure(nlp: Language, path: Path) -> dict[str, Any]:
    """Parse the sentences of a file with gold tags, and measure the results.

    Returns values for JSON: the values of `score`, the losses of the beam, and for each
    sentence a row of the columns LOSSES.
    """
    parser = parser_of(nlp)
    reranker = model_of(nlp).ranker
    data = RerankingSet(parser, [to_doc(s, nlp.vocab) for s in read_conllu(path)])
    found = data.candidates(parser)
    chosen = [
        0 if reranker is None else reranker.choose(sentence, candidates)
        for sentence, candidates in zip(data.sentences, found, strict=True)
    ]
    losses = decompose(found, data.golds, chosen)
    rows = list(starmap(_row, zip(found, data.golds, chosen, strict=True)))
    return {
        **score(nlp, path),
        "losses": losses._asdict(),
        "loss_columns": LOSSES,
        "loss_rows": rows,
    }


def _row(found: Candidates, gold: GoldHeads, choice: int) -> list[float]:
    """The losses of one sentence in words, and what its beam holds."""
    one = decompose([found], [gold], [choice])
    share = one.n_words / 100
    trees = len(np.unique(found.heads, axis=0))
    losses = [share * x for x in (one.generation, one.mean_distance, one.total)]
    return [one.n_words, *(round(x, 6) for x in losses), trees, one.generation == 0]


def main(arguments: list[str]) -> None:
    """Measure a model on a file and write the result as JSON."""
    model, path, output = arguments
    result = measure(spacy.load(model), Path(path))
    replace_file(Path(output), srsly.json_dumps(result).encode("utf-8"))


if __name__ == "__main__":
    main(sys.argv[1:])
