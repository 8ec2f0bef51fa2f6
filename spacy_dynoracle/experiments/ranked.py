"""Scores and losses of a pipeline with a beam.

``python -m spacy_dynoracle.experiments.ranked MODEL FILE OUTPUT`` measures in a
separate process.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import spacy
import srsly
from spacy.language import Language

from ..core.reranking.losses import decompose
from ..rerank.candidates import RerankingSet
from ..treebank import read_conllu, to_doc
from ..util.files import replace_file
from .parsing import model_of, parser_of
from .scoring import score


def measure(nlp: Language, path: Path) -> dict[str, Any]:
    """Parse the sentences of a file with gold tags, and measure the results.

    Returns values for JSON: the values of `score`, and the losses of the beam.
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
    return {**score(nlp, path), "losses": losses._asdict()}


def main(arguments: list[str]) -> None:
    """Measure a model on a file and write the result as JSON."""
    model, path, output = arguments
    result = measure(spacy.load(model), Path(path))
    replace_file(Path(output), srsly.json_dumps(result).encode("utf-8"))


if __name__ == "__main__":
    main(sys.argv[1:])
