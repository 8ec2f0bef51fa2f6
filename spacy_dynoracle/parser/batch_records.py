"""Makes the records of arcs from the parses of a batch of documents."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..core.results import ArcCounts
from ..doc.attribute_table import AttributeTable
from ..util.arrays import IdArray, Int32Array, IntArray
from .arc_records import DRAW, OWN, ROW, ArcRecord, checks, kept_strings
from .strategies import Parses

if TYPE_CHECKING:
    from .label_names import LabelNames


class BatchRecords:
    """Collects the records of a batch of documents.

    It handles the whole batch at once where it can, because numpy calls for each
    document would cost as much as parsing. Tokens are numbered through the batch.

    Args:
        tokens: The tokens of the documents.
        n_samples: The number of derivations drawn for each sentence.
    """

    def __init__(self, tokens: AttributeTable, n_samples: int) -> None:
        self.n_samples = n_samples
        self.bounds = tokens.bounds
        self.at: IntArray = tokens.characters
        self.orth: IdArray = tokens.orth
        self.rows = np.zeros(len(self.at), dtype=ROW)
        for name in ("transition", "log", "lowest"):
            self.rows[name] = np.nan
        self.draws = Draws(self.at)

    def add(
        self, tokens: IntArray, lengths: list[int], parses: Parses, names: LabelNames
    ) -> None:
        """Add the parses of some sentences.

        They replace earlier parses of the same tokens.

        Args:
            tokens: The number of each word.
            lengths: The numbers of words of the sentences.
            names: The labels of the model.
        """
        if parses.decisions is not None:
            self.rows["transition"][tokens] = parses.decisions.arcs
            self.rows["log"][tokens] = parses.decisions.log_words
            self.rows["lowest"][tokens] = parses.decisions.lowest_words
        if parses.drawn is not None:
            firsts = np.cumsum([0, *lengths])[:-1]
            starts = np.repeat(firsts, lengths)
            self.draws.add(tokens, starts, parses, parses.drawn, names)

    def finished(self, table: IdArray) -> list[ArcRecord | None]:
        """The records of the documents; None for documents without tokens.

        Args:
            table: The offsets of heads and ids of labels of all tokens, as in the
                documents.
        """
        heads = np.arange(len(table)) + table[:, 0].view(np.int64)
        distance = self.at[heads] - self.at
        self.rows["check"] = checks(self.orth, table[:, 1], distance)
        at = self.at.astype("<i4")
        records: list[ArcRecord | None] = []
        for start, end in pairwise(self.bounds):
            if start == end:
                records.append(None)
                continue
            record: ArcRecord = {
                "at": at[start:end].tobytes(),
                "rows": self.rows[start:end].tobytes(),
            }
            if self.draws.n:
                record["n_samples"] = self.n_samples
                record.update(self.draws.of_tokens(start, end))
            records.append(record)
        return records


class Draws:
    """The arcs that were drawn for the tokens of a batch.

    Args:
        at: The first character of each token in its document.
    """

    def __init__(self, at: IntArray) -> None:
        self.at = at
        self.own = np.zeros(len(at), dtype=OWN)
        # For each token the number of its first draw, and the number of its draws.
        self.first = np.zeros(len(at), dtype=np.int64)
        self.count = np.zeros(len(at), dtype=np.int64)
        self.parts: list[npt.NDArray[Any]] = []
        self.n = 0
        self.labels: list[str] = []

    def add(
        self,
        tokens: IntArray,
        starts: IntArray,
        parses: Parses,
        drawn: ArcCounts,
        names: LabelNames,
    ) -> None:
        """Add the drawn arcs of some sentences; see `BatchRecords.add`.

        Args:
            starts: For each word the first word of its sentence, counted in these
                words.
        """

        def arcs(
            words: IntArray, heads: Int32Array, labels: Int32Array
        ) -> tuple[IntArray, IntArray]:
            """Distances of heads and numbers of labels."""
            head_words = np.where(heads > 0, starts[words] + heads - 1, words)
            distance = self.at[tokens[head_words]] - self.at[tokens[words]]
            return distance, names.numbers_of(heads, labels)

        first, drawn_heads, drawn_labels, counts = drawn
        all_words = np.arange(len(tokens))
        words = np.repeat(all_words, np.diff(first))
        heads, labels = arcs(words, drawn_heads, drawn_labels)
        chosen = arcs(all_words, parses.heads, parses.labels)
        self.add_arcs(tokens, words, (heads, labels), counts, chosen)
        self.labels = names.distinct

    def add_arcs(
        self,
        tokens: IntArray,
        words: IntArray,
        drawn: tuple[IntArray, IntArray],
        counts: IntArray | Int32Array,
        chosen: tuple[IntArray, IntArray],
    ) -> None:
        """Add arcs as the documents have them: distances of heads and numbers of
        labels.

        Args:
            tokens: The tokens of some words.
            words: For each drawn arc its word among them.
            drawn: These arcs.
            counts: How often each was drawn.
            chosen: For each of the words the arc of the result.
        """
        heads, labels = drawn
        own = heads == chosen[0][words]
        self.own["head"][tokens] = np.bincount(words, counts * own, len(tokens))
        own &= labels == chosen[1][words]
        self.own["dep"][tokens] = np.bincount(words, counts * own, len(tokens))

        # Add up equal arcs. Labels that differ only in the record of a lift have the
        # same number. One key for each arc is sorted faster than its three numbers.
        shifted = heads - heads.min(initial=0)
        ranges = len(tokens), shifted.max(initial=0) + 1, labels.max(initial=0) + 1
        keys = np.ravel_multi_index((words, shifted, labels), ranges)
        _, first, draw_of_arc = np.unique(keys, return_index=True, return_inverse=True)
        draws = np.empty(len(first), dtype=DRAW)
        draws["head"] = heads[first]
        draws["label"] = labels[first]
        draws["count"] = np.bincount(draw_of_arc, counts)
        word_of_draw = words[first]
        most_frequent_first = np.lexsort((-draws["count"], word_of_draw))
        self.parts.append(draws[most_frequent_first])
        n_draws = np.bincount(word_of_draw, minlength=len(tokens))
        self.first[tokens] = self.n + np.cumsum(n_draws) - n_draws
        self.count[tokens] = n_draws
        self.n += len(draws)

    def arcs(self) -> tuple[IntArray, npt.NDArray[Any]]:
        """For each drawn arc its token, and the arc, a `DRAW`."""
        draws = np.concatenate([np.empty(0, dtype=DRAW), *self.parts])
        tokens = np.repeat(np.arange(len(self.at)), self.count)
        before = np.cumsum(self.count) - self.count
        places = np.repeat(self.first - before, self.count) + np.arange(len(tokens))
        return tokens, draws[places]

    def of_tokens(self, start: int, end: int) -> ArcRecord:
        """The members of the record of a document with these tokens."""
        if len(self.parts) > 1:
            self.parts = [np.concatenate(self.parts)]
        count = self.count[start:end]
        first = np.concatenate([[0], np.cumsum(count)])
        places = np.repeat(self.first[start:end] - first[:-1], count)
        draws = self.parts[0][places + np.arange(first[-1])]
        used, draws["label"] = np.unique(draws["label"], return_inverse=True)
        return {
            "own": self.own[start:end].tobytes(),
            "first": first.astype("<i4").tobytes(),
            "draws": draws.tobytes(),
            "labels": kept_strings([self.labels[i] for i in used.tolist()]),
        }
