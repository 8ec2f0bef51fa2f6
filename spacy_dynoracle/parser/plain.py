"""Parsing where nothing but the trees of the search is wanted: no probabilities, no
preset arcs.

It makes no `Segment`: for short sentences, all of these take a tenth of the time of the
search.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..core.model.model import Model
from ..core.search.base import Search
from ..core.state.configuration import RootRule
from ..doc.attribute_table import AttributeTable
from ..doc.segments import segment_bounds
from ..doc.tables import place_trees
from ..util.arrays import IdArray
from ..util.threads import in_chunks
from .label_names import LabelNames
from .strategies import Parses, root_rule


@dataclass(frozen=True)
class PlainParser:
    """Parses all segments of a batch at once. The members are those of
    `DocumentParser`."""

    search: Search
    sentences: str
    single_root: bool | None
    n_threads: int

    def can_parse(self, model: Model, tokens: AttributeTable) -> bool:
        """Whether the trees of a batch are those of the search, and all segments have
        one root or all have any number."""
        return model.system.projective and (
            self.sentences != "predict" or not tokens.any_start
        )

    def is_one_segment(self, model: Model, tokens: AttributeTable) -> bool:
        """Whether a batch is one document, which is one segment."""
        return (
            len(tokens.docs) == 1
            and model.system.projective
            and len(tokens) > 0
            and not tokens.any_space
            and (self.sentences == "doc" or not tokens.any_start)
        )

    @property
    def rule(self) -> RootRule:
        """How many roots a segment may have."""
        one_root = self.single_root
        if one_root is None:
            one_root = self.sentences != "predict"
        return root_rule(one_root)

    def parse(
        self, model: Model, names: LabelNames, tokens: AttributeTable, found: IdArray
    ) -> None:
        """Write the trees of a batch for which `can_parse` is true.

        found: uint64 of shape (n tokens, 2), as that of `Batch`.
        """
        bounds = segment_bounds(tokens, self.sentences)
        parts = in_chunks(
            lambda some: Parses(*self.search.parse(model, some, self.rule)),
            tokens.sentences_of_words(bounds),
            self.n_threads,
            len,
        )
        lengths = [last - first for first, last in pairwise(bounds)]
        self._place(names, tokens, lengths, Parses.joined(parts), found)

    def parse_one(
        self, model: Model, names: LabelNames, tokens: AttributeTable
    ) -> IdArray:
        """The heads and labels of a document for which `is_one_segment` is true, as
        they are in `found` of `parse`.

        It makes no tables of a batch, which take longer than the search of a short
        document.
        """
        parses = Parses(*self.search.parse(model, [tokens.sentence()], self.rule))
        found = np.zeros((len(tokens), 2), dtype=np.uint64)
        self._place(names, tokens, [len(tokens)], parses, found)
        return found

    @staticmethod
    def _place(
        names: LabelNames,
        tokens: AttributeTable,
        lengths: list[int],
        parses: Parses,
        found: IdArray,
    ) -> None:
        labels = parses.labels
        heads = names.restore_lifted(parses.heads, labels, lengths)
        place_trees(
            found, tokens.words, lengths, heads, labels, names.ids, names.root_id
        )
