"""Training a reranker in a process of its own, with all of its settings.

``python -m spacy_dynoracle.experiments.rerankers MODEL TRAIN DEV OUTPUT CANDIDATES JOBS
SETTINGS`` trains a reranker for the parser of MODEL and stores the pipeline in OUTPUT.
CANDIDATES is the directory of the candidates, JOBS the number of parsers trained at a
time, and SETTINGS the `RerankSettings` as JSON.
"""

from __future__ import annotations

import sys
from pathlib import Path

import spacy
import srsly

from ..cli.common import store_in_new
from ..rerank import RerankSettings, train


def main(arguments: list[str]) -> None:
    """Train a reranker and store the pipeline."""
    model, training, development, output, candidates, jobs, settings = arguments
    nlp = spacy.load(model)
    train(
        nlp,
        training,
        development,
        RerankSettings(**srsly.json_loads(settings)),
        directory=candidates,
        n_jobs=int(jobs),
    )
    store_in_new(nlp, Path(output))


if __name__ == "__main__":
    main(sys.argv[1:])
