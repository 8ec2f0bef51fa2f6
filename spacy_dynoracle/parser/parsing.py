"""Parses documents in five steps: read, cut into segments, search, parse again where
presets demand it, annotate.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise

import numpy as np

from ..core.model.model import Model
from ..core.search.base import Search
from ..doc.attribute_table import AttributeTable
from ..doc.preset_arcs import PresetArcs, SegmentArcs
from ..doc.preset_boundaries import MULTIWORD, keep_presets, preset_records
from ..doc.segments import Segment, segments
from ..doc.tables import place_trees
from ..registry.probabilities import WantedProbabilities
from ..util.arrays import IdArray, Int32Array
from ..util.threads import in_chunks
from .annotations import Annotations, attach_spaces
from .batch_records import BatchRecords
from .label_names import LabelNames
from .reparse import places_between_trees, roots
from .strategies import Parses, Strategy, parse_freely, parse_keeping_arcs, root_rule


@dataclass(eq=False, slots=True)
class Batch:
    """Documents that are being parsed, with the results so far.

    Attributes:
        model: The model to parse with.
        names: Its labels as documents have them.
        tokens: The attributes of the tokens of all documents, with the sentence starts
            that are preset.
        presets: Of each document the arcs to be kept; None where there are none.
        found: uint64 of shape (n tokens, 2), heads and labels as `Annotations` has
            them, filled by and by.
        records: The probabilities of the arcs; None if they are not wanted.
    """

    model: Model
    names: LabelNames
    tokens: AttributeTable
    presets: list[PresetArcs | None]
    found: IdArray
    records: BatchRecords | None

    def put(self, some: list[Segment], parses: Parses) -> Int32Array:
        """Put the trees of some segments, all with preset arcs or all without, into the
        batch as documents have them: lifted arcs are put back, and words of labels that
        never govern have no dependents.

        Returns:
            The heads of their words.
        """
        words = np.concatenate([segment.words for segment in some])
        lengths = [len(segment.words) for segment in some]
        arcs = [segment.arcs for segment in some if segment.arcs is not None]
        known = None
        if arcs:
            known = np.array([head is not None for own in arcs for head in own.heads])
        names, labels = self.names, parses.labels
        heads = names.restore_lifted(parses.heads, labels, lengths, known)
        for own, part in zip(arcs, consecutive(lengths), strict=False):
            own.put_crossing_back(heads[part], labels[part])
        heads = names.moved_up(heads, labels, lengths, known)
        found = self.found
        place_trees(found, words, lengths, heads, labels, names.ids, names.root_id)
        if arcs:
            preset = np.concatenate([own.labels for own in arcs])
            found[words[preset != 0], 1] = preset[preset != 0]
        if self.records is not None:
            self.records.add(words, lengths, parses, names)
        return heads


@dataclass(frozen=True)
class DocumentParser:
    """Parses documents with a model that is given at each call.

    Attributes:
        search: The search algorithm.
        sentences: What the boundaries of the documents mean, see `segments`.
        single_root: Whether every tree must have one root; None where the segment is
            bound to.
        n_threads: Threads that share a batch.
        probabilities: Those that the annotations come with, if any.
        seed: Seeds sampling.
        keep_arcs: Whether arcs that are on the documents already must be in the trees.
        may_cross: Whether preset arcs may cross others although the system makes
            projective trees.
        backward: Whether sentences are read from their last word to their first one.
        strategy: How segments without preset arcs are parsed; None for the strategy of
            search and probabilities.
    """

    search: Search
    sentences: str
    single_root: bool | None
    n_threads: int = 1
    probabilities: WantedProbabilities | None = None
    seed: int = 0
    keep_arcs: bool = False
    may_cross: bool = False
    backward: bool = False
    strategy: Strategy | None = None

    def parse(
        self, model: Model, names: LabelNames, tokens: AttributeTable
    ) -> list[Annotations]:
        """The annotations of every document.

        Warns of arcs that were to be kept and cannot be, naming them.

        Args:
            names: The labels of the model.
        """
        return self.annotate(self.parsed(model, names, tokens))

    def parsed(self, model: Model, names: LabelNames, tokens: AttributeTable) -> Batch:
        """The documents with their trees, before whitespace is attached; see
        `parse`.
        """
        batch = self.read(model, names, tokens)
        cut = self.segments(batch)
        free = [segment for segment in cut if not segment.single_root]
        rest = [segment for segment in cut if segment.single_root]
        rest += self.reparse(batch, self.find(batch, free))
        self.find(batch, rest)
        return batch

    # ---- read ------------------------------------------------------------------------

    def read(self, model: Model, names: LabelNames, tokens: AttributeTable) -> Batch:
        """A batch to be parsed. In `tokens` only preset sentence starts are left."""
        presets: list[PresetArcs | None] = [None] * len(tokens.docs)
        if self.keep_arcs:
            presets = [
                PresetArcs.of(doc, tokens.is_space[tokens.part(number)])
                for number, doc in enumerate(tokens.docs)
            ]
        if self.sentences != "doc" and tokens.any_start:
            keep_presets(tokens, self.sentences, presets)
        self._start_outside(tokens)
        return Batch(
            model,
            names,
            tokens,
            presets,
            np.zeros((len(tokens), 2), dtype=np.uint64),
            BatchRecords(tokens, self.probabilities.n_samples)
            if self.probabilities is not None and tokens.docs
            else None,
        )

    def _start_outside(self, tokens: AttributeTable) -> None:
        """Let no sentence start inside of a multiword token."""
        docs, forbid = tokens.docs, self.sentences == "predict"
        if self.sentences == "doc" or not any(MULTIWORD in doc.spans for doc in docs):
            return
        from ..treebank.multiword import keep_starts_outside as keep
        from ..treebank.multiword import with_joined_starts

        found = range(len(docs)) if forbid else with_joined_starts(docs, tokens.starts)
        for i in found:
            starts = tokens.starts[tokens.part(i)]
            tokens.any_start |= keep(docs[i], starts, forbid)

    # ---- cut into segments -----------------------------------------------------------

    def segments(self, batch: Batch) -> list[Segment]:
        """The segments of the documents, with the arcs that their trees must have."""
        found = segments(batch.tokens, self.sentences)
        if self.backward:
            reverse(batch.tokens, found)
        for segment in found:
            if self.single_root is not None:
                segment.single_root = self.single_root
            segment.arcs = self._arcs_of(batch, segment)
        return found

    def part(self, batch: Batch, segment: Segment, place: slice) -> Segment:
        """A part of a segment, to be parsed with one root.

        Args:
            place: Its words among those of the segment.
        """
        words = segment.words[place]
        sentence = batch.tokens.sentence(words)
        part = Segment(segment.doc, words, True, None, sentence)
        part.arcs = self._arcs_of(batch, part)
        return part

    def _arcs_of(self, batch: Batch, segment: Segment) -> SegmentArcs | None:
        preset = batch.presets[segment.doc]
        if preset is None:
            return None
        return preset.among(
            segment.words - batch.tokens.bounds[segment.doc],
            single_root=segment.single_root,
            may_cross=self.may_cross or not batch.model.system.projective,
        )

    # ---- search ----------------------------------------------------------------------

    def find(
        self, batch: Batch, chosen: list[Segment]
    ) -> list[tuple[list[Segment], Int32Array]]:
        """Search for the trees of some segments, all of one root or all of any number,
        and put them into the batch.

        Everything that can be done for all segments at once is: for each of them, numpy
        calls would cost as much as parsing.

        Returns:
            Lists of segments that together are all of them, each with the heads of
            their words.
        """
        free = [segment for segment in chosen if segment.arcs is None]
        bound = [segment for segment in chosen if segment.arcs is not None]
        own = self.strategy or partial(
            parse_freely, self.search, self.probabilities, self.seed
        )
        keeping = partial(parse_keeping_arcs, batch.names)
        found = []
        for strategy, some in ((own, free), (keeping, bound)):
            if some:
                search = partial(parsed_by, strategy, batch.model)
                parsed = in_chunks(search, some, self.n_threads, len)
                found += [(part, batch.put(part, parses)) for part, parses in parsed]
        return found

    # ---- parse again -----------------------------------------------------------------

    def reparse(
        self, batch: Batch, found: list[tuple[list[Segment], Int32Array]]
    ) -> Iterator[Segment]:
        """The parts of segments that must be parsed again, with one root.

        Args:
            found: What `find` returned for segments of any number of roots.
        """
        projective = batch.model.system.projective
        if projective and not self.keep_arcs and not batch.tokens.any_start:
            # No trees can cross, and no sentence start is forbidden.
            return
        for some, heads in found:
            parts = consecutive(map(len, some))
            for segment, part in zip(some, parts, strict=True):
                for place in self.wrong_parts(batch, segment, heads[part]):
                    yield self.part(batch, segment, place)

    def wrong_parts(
        self, batch: Batch, segment: Segment, heads: Int32Array
    ) -> list[slice]:
        """The parts of a segment that must be parsed again, with one root: several
        trees that cross one another, or that meet where no sentence may start.

        A sentence that starts where none may is in such a part, since parts begin and
        end between trees, at places where one may start. What is parsed again is one
        tree. So no such start remains, and trees elsewhere stay as they are.

        Args:
            heads: Of the words of the segment.
        """
        inner = segment.inner if self.sentences == "predict" else None
        if inner is not None and not inner.any():
            inner = None
        crosses = segment.arcs is not None and segment.arcs.crossing
        if inner is None and batch.model.system.projective and not crosses:
            return []
        again: list[slice] = []
        root = roots(heads)
        starts = places_between_trees(root)
        if inner is not None:
            starts = starts[~inner[starts] | (starts == 0)]
        for first, last in pairwise([*starts.tolist(), len(root)]):
            if (root[first:last] == root[first]).all():
                continue
            cuts = [first, last]
            if segment.arcs is not None:
                cuts[1:1] = segment.arcs.cuts(first, last, heads, inner)
            again += (slice(*cut) for cut in pairwise(cuts))
        return again

    # ---- annotate --------------------------------------------------------------------

    def annotate(self, batch: Batch) -> list[Annotations]:
        """The annotations of every document, whitespace attached."""
        tokens = batch.tokens
        for doc, arcs in zip(tokens.docs, batch.presets, strict=True):
            if arcs is not None and arcs.dropped:
                warnings.warn(arcs.message(doc), stacklevel=2)
        found, any_space = batch.found, tokens.any_space
        presets = self.presets(tokens)
        annotations = []
        for number, (start, end) in enumerate(pairwise(tokens.bounds)):
            table = found[start:end]
            if any_space and (is_space := tokens.is_space[start:end]).any():
                attach_spaces(table, is_space)
            annotations.append(Annotations(table, presets[number]))
        if batch.records is not None:
            records = batch.records.finished(batch.found)
            for annotation, record in zip(annotations, records, strict=True):
                annotation.arcs = record
        return annotations

    def presets(self, tokens: AttributeTable) -> Sequence[bytes | None]:
        """For each document the record of its preset boundaries; see `Annotations`."""
        if self.sentences == "predict":
            return preset_records(tokens)
        return [None] * len(tokens.docs)


def parsed_by(
    strategy: Strategy, model: Model, some: list[Segment]
) -> tuple[list[Segment], Parses]:
    """Some segments, all of one root or all of any number, and what a strategy makes of
    them.
    """
    return some, strategy(model, root_rule(some[0].single_root), some)


def reverse(tokens: AttributeTable, some: list[Segment]) -> None:
    """Turn the words of segments round."""
    words = [np.ascontiguousarray(segment.words[::-1]) for segment in some]
    for segment, turned, sentence in zip(
        some, words, tokens.sentences(words), strict=True
    ):
        segment.words, segment.sentence = turned, sentence


def consecutive(lengths: Iterable[int]) -> Iterator[slice]:
    """Slices of these lengths, one after the other."""
    return (slice(*bounds) for bounds in pairwise(accumulate(lengths, initial=0)))
