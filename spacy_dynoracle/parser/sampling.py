"""Sampled derivations beside the trees of a batch of documents."""

from __future__ import annotations

from dataclasses import replace

from ..core.model.model import Model
from ..doc.attribute_table import AttributeTable
from ..registry.probabilities import WantedProbabilities
from ..util.arrays import IdArray
from .batch_records import Draws
from .label_names import LabelNames
from .parsing import DocumentParser


def trees_and_draws(
    parser: DocumentParser,
    model: Model,
    names: LabelNames,
    tokens: AttributeTable,
    n_samples: int,
) -> tuple[IdArray, Draws]:
    """Heads and labels of all tokens, as in `Annotations`, and the arcs of sampled
    derivations.

    parser: its search must be greedy. Its settings for probabilities are not used, but
    for the seed. model: must have a temperature. names: its labels. tokens: of one
    document at least. n_samples: derivations drawn of each sentence.
    """
    parser = replace(parser, probabilities=WantedProbabilities(n_samples))
    batch = parser.parsed(model, names, tokens)
    assert batch.records is not None
    draws, batch.records = batch.records.draws, None
    # Whitespace is attached in `found`.
    parser.annotate(batch)
    return batch.found, draws
