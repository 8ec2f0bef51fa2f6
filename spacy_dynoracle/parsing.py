"""From documents to annotations: segments, threads, pseudo-projective arcs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from spacy.strings import get_string_id
from spacy.tokens import Doc

from .core.model import Model
from .core.projectivity import base_label, deprojectivize, is_decorated
from .core.search.base import Search
from .core.sentence import Sentence
from .documents import (
    NO_LABEL,
    ROOT_LABEL,
    Annotations,
    BoolArray,
    IdArray,
    Segment,
    TokenArrays,
    segments,
)

Int32Array = npt.NDArray[np.int32]


@dataclass
class Job:
    """A segment of the document with this number, and its words for the parser."""

    doc: int
    segment: Segment
    sentence: Sentence


class DocumentParser:
    """Parses documents with a model that is given at each call.

    search: the search algorithm. sentences: what the documents' boundaries mean, see
    `segments`. single_root: whether every tree must have one root; None where the
    segment is bound to. n_threads: threads that share a batch.
    """

    # Labels this class can give although the model has never seen them.
    own_labels = (NO_LABEL, ROOT_LABEL)

    def __init__(
        self,
        search: Search,
        sentences: str,
        single_root: bool | None,
        n_threads: int,
    ) -> None:
        self.search = search
        self.sentences = sentences
        self.single_root = single_root
        self.n_threads = n_threads
        self._names: LabelNames | None = None

    def parse(
        self, model: Model, docs: list[Doc], tokens: list[TokenArrays]
    ) -> list[Annotations]:
        """The annotations of every document."""
        jobs = [
            Job(i, segment, tokens[i].sentence(segment.words))
            for i, doc in enumerate(docs)
            for segment in segments(doc, tokens[i], self.sentences)
        ]
        one_root = [job for job in jobs if self._has_one_root(job.segment)]
        others = [job for job in jobs if not self._has_one_root(job.segment)]
        annotations: list[Annotations | None] = [None] * len(docs)
        if others:
            heads, labels = self._search(model, others, False)
            self._collect(model, others, heads, labels, tokens, annotations)
            one_root += self._respect_sentences(model, others, heads, tokens)
        if one_root:
            heads, labels = self._search(model, one_root, True)
            self._collect(model, one_root, heads, labels, tokens, annotations)
        return [
            self._finished(annotation, t)
            for annotation, t in zip(annotations, tokens, strict=True)
        ]

    def _has_one_root(self, segment: Segment) -> bool:
        if self.single_root is None:
            return segment.one_root
        return self.single_root

    def _search(
        self, model: Model, jobs: list[Job], one_root: bool
    ) -> tuple[Int32Array, Int32Array]:
        """Heads and label ids of all words of all jobs, one after the other."""
        variant = model.with_system(model.system.with_single_root(one_root))
        sentences = [job.sentence for job in jobs]
        n_chunks = min(self.n_threads, len(jobs))
        if n_chunks == 1:
            return self.search.parse(variant, sentences)
        size = -(-len(jobs) // n_chunks)
        chunks = [sentences[i : i + size] for i in range(0, len(jobs), size)]
        with ThreadPoolExecutor(n_chunks) as pool:
            parts = list(
                pool.map(lambda chunk: self.search.parse(variant, chunk), chunks)
            )
        return (
            np.concatenate([heads for heads, _ in parts]),
            np.concatenate([labels for _, labels in parts]),
        )

    def _collect(
        self,
        model: Model,
        jobs: list[Job],
        heads: Int32Array,
        labels: Int32Array,
        tokens: list[TokenArrays],
        annotations: list[Annotations | None],
    ) -> None:
        """Put the trees of the jobs into the annotations of their documents.

        Everything that can be is done for the whole batch at once: per document, numpy
        calls cost as much as parsing.
        """
        names = self._label_names(model)
        starts, ends = bounds(jobs)
        heads = names.restore_lifted(heads, labels, starts, ends)
        positions = np.arange(len(heads)) - np.repeat(starts, ends - starts)
        table = np.empty((len(heads), 2), dtype=np.uint64)
        table[:, 0] = np.where(heads > 0, heads - 1 - positions, 0).view(np.uint64)
        table[:, 1] = names.ids[labels]
        table[(labels < 0) & (heads == 0), 1] = names.root_id
        for job, start, end in zip(jobs, starts.tolist(), ends.tolist(), strict=True):
            if job.segment.words is None:
                annotations[job.doc] = Annotations(table[start:end])
                continue
            annotation = annotations[job.doc]
            if annotation is None:
                annotation = Annotations.empty(len(tokens[job.doc]))
                annotations[job.doc] = annotation
            annotation.add(job.segment.words, table[start:end])

    def _respect_sentences(
        self,
        model: Model,
        jobs: list[Job],
        heads: Int32Array,
        tokens: list[TokenArrays],
    ) -> list[Job]:
        """Stretches that must be parsed again, with one root: several trees that cross
        one another, or that meet where no sentence may start."""
        again: list[Job] = []
        for job, start, end in zip(jobs, *bounds(jobs), strict=True):
            inner = job.segment.inner if self.single_root is None else None
            if inner is not None and not inner.any():
                inner = None
            if inner is None and model.system.projective:
                continue
            root = roots(heads[start:end])
            starts = stretch_starts(root)
            if inner is not None:
                starts = starts[~inner[starts] | (starts == 0)]
            words = job.segment.words
            if words is None:
                words = np.arange(end - start)
            for first, last in pairwise([*starts.tolist(), len(root)]):
                if (root[first:last] != root[first]).any():
                    part = words[first:last]
                    segment = Segment(part, True)
                    again.append(Job(job.doc, segment, tokens[job.doc].sentence(part)))
        return again

    @staticmethod
    def _finished(annotation: Annotations | None, tokens: TokenArrays) -> Annotations:
        if annotation is None:
            annotation = Annotations.empty(len(tokens))
        if tokens.has_spaces:
            annotation.attach_spaces(tokens.is_space)
        return annotation

    def _label_names(self, model: Model) -> LabelNames:
        names = self._names
        if names is None or names.model is not model or names.is_outdated():
            names = self._names = LabelNames(model)
        return names


def bounds(jobs: list[Job]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Where the words of each job start and end among those of all jobs."""
    lengths = np.array([len(job.sentence) for job in jobs], dtype=np.int64)
    ends = np.cumsum(lengths)
    return ends - lengths, ends


def roots(heads: Int32Array) -> npt.NDArray[np.int64]:
    """For each word (from 0) the root of its tree."""
    words = np.arange(len(heads))
    root = np.where(heads > 0, heads - 1, words)
    # Every round doubles how far a word sees up its tree.
    while not np.array_equal(root[root], root):
        root = root[root]
    return root


def stretch_starts(root: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The words at which a tree may be cut off from those before it: no tree spans the
    place. root: as `roots` gives it."""
    words = np.arange(len(root))
    last = np.zeros(len(root), dtype=np.int64)
    np.maximum.at(last, root, words)
    ends = np.flatnonzero(np.maximum.accumulate(last[root]) == words)
    return np.concatenate(([0], ends[:-1] + 1))


class LabelNames:
    """From the label ids of a model to those of the string store.

    ids: for each label id, and for -1 (no label) at the end, the id of the string,
    without the record of a lift. root_id: the same for roots without a label.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        # The last entry stands for -1, no label.
        self.labels = [*model.labels, NO_LABEL]
        self.base_labels = list(map(base_label, self.labels))
        self.decorated: BoolArray = np.array(list(map(is_decorated, self.labels)))
        self.any_decorated = bool(self.decorated.any())
        self.ids: IdArray = np.array(
            [get_string_id(label) for label in self.base_labels], dtype=np.uint64
        )
        self.root_id = np.uint64(get_string_id(model.root_label or ROOT_LABEL))

    def is_outdated(self) -> bool:
        """Whether the model, still in training, has got more labels."""
        return len(self.labels) != len(self.model.labels) + 1

    def restore_lifted(
        self,
        heads: Int32Array,
        labels: Int32Array,
        starts: npt.NDArray[np.int64],
        ends: npt.NDArray[np.int64],
    ) -> Int32Array:
        """The heads of a batch with lifted arcs put back where labels record them.

        A word that depends on ROOT stays where it is: below ROOT are all sentences of
        the document.
        """
        if not self.any_decorated:
            return heads
        lifted = np.flatnonzero(self.decorated[labels] & (heads > 0))
        if not len(lifted):
            return heads
        heads = heads.copy()
        for job in np.unique(np.searchsorted(ends, lifted, side="right")).tolist():
            part = slice(starts[job], ends[job])
            names = [
                (self.labels if head else self.base_labels)[label]
                for head, label in zip(heads[part], labels[part], strict=True)
            ]
            heads[part] = deprojectivize(heads[part].tolist(), names)[0]
        return heads
