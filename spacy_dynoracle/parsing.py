"""From documents to annotations: segments, threads, pseudo-projective arcs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from spacy.strings import get_string_id
from spacy.tokens import Doc

from .batch_records import BatchRecords
from .columns import IdArray
from .core.model import Model
from .core.projectivity import base_label, deprojectivize, is_decorated
from .core.search.base import Search
from .core.sentence import Sentence
from .documents import (
    NO_LABEL,
    ROOT_LABEL,
    Annotations,
    BoolArray,
    IntArray,
    Segment,
    TokenArrays,
    segments,
)
from .probabilities import Int32Array, Parses, ProbabilitySettings, parse_sentences
from .threads import in_chunks


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
    segment is bound to. n_threads: threads that share a batch. settings: which
    probabilities the annotations come with.
    """

    # Labels this class can give although the model has never seen them.
    own_labels = (NO_LABEL, ROOT_LABEL)

    def __init__(
        self,
        search: Search,
        sentences: str,
        single_root: bool | None,
        n_threads: int,
        settings: ProbabilitySettings,
    ) -> None:
        self.search = search
        self.sentences = sentences
        self.single_root = single_root
        self.n_threads = n_threads
        self.settings = settings
        self._names: LabelNames | None = None
        # A string store, and the model of which so many labels were added to it.
        self._labels_in: tuple[Any, Model | None, int] = (None, None, 0)

    def add_labels(self, model: Model, strings: Any) -> None:
        """Make the labels of a model known to a string store.

        Documents may come with another vocab than the component's, and labels may be
        added in training.
        """
        n_labels = len(model.labels)
        known_to, of_model, n_known = self._labels_in
        if known_to is not strings or of_model is not model or n_known != n_labels:
            for label in (*base_labels(model), *self.own_labels):
                strings.add(label, allow_transient=False)
            self._labels_in = (strings, model, n_labels)

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
        batch = Batch(tokens, self.settings)
        if others:
            parses = self._search(model, others, False)
            self._collect(model, others, parses, batch)
            one_root += self._respect_sentences(model, others, parses.heads, tokens)
        if one_root:
            self._collect(model, one_root, self._search(model, one_root, True), batch)
        return batch.finished()

    def _has_one_root(self, segment: Segment) -> bool:
        if self.single_root is None:
            return segment.one_root
        return self.single_root

    def _search(self, model: Model, jobs: list[Job], one_root: bool) -> Parses:
        """The parses of all jobs."""
        variant = model.with_system(model.system.with_single_root(one_root))
        sentences = [job.sentence for job in jobs]
        parse = partial(parse_sentences, self.search, self.settings, variant)
        return Parses.joined(in_chunks(parse, sentences, self.n_threads))

    def _collect(
        self, model: Model, jobs: list[Job], parses: Parses, batch: Batch
    ) -> None:
        """Put the trees of the jobs into the annotations of their documents.

        Everything that can be is done for the whole batch at once: per document, numpy
        calls cost as much as parsing.
        """
        names = self._label_names(model)
        starts, ends = bounds(jobs)
        labels = parses.labels
        heads = names.restore_lifted(parses.heads, labels, starts, ends)
        positions = np.arange(len(heads)) - np.repeat(starts, ends - starts)
        table = np.empty((len(heads), 2), dtype=np.uint64)
        table[:, 0] = np.where(heads > 0, heads - 1 - positions, 0).view(np.uint64)
        table[:, 1] = names.ids[labels]
        table[(labels < 0) & (heads == 0), 1] = names.root_id
        for job, start, end in zip(jobs, starts.tolist(), ends.tolist(), strict=True):
            batch.add_tree(job, table[start:end])
        batch.add_probabilities(jobs, parses, names)

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

    def _label_names(self, model: Model) -> LabelNames:
        names = self._names
        if names is None or names.model is not model or names.is_outdated():
            names = self._names = LabelNames(model)
        return names


class Batch:
    """The annotations of some documents in the making.

    tokens: of each document. settings: which probabilities the annotations come with.
    """

    def __init__(
        self, tokens: list[TokenArrays], settings: ProbabilitySettings
    ) -> None:
        self.tokens = tokens
        self.annotations: list[Annotations | None] = [None] * len(tokens)
        self.records: BatchRecords | None = None
        if settings.wanted and tokens:
            self.records = BatchRecords(tokens, settings.n_samples)

    def add_tree(self, job: Job, table: IdArray) -> None:
        """Take over the tree of a job, in the form of `Annotations`."""
        words = job.segment.words
        if words is None:
            self.annotations[job.doc] = Annotations(table)
            return
        annotation = self.annotations[job.doc]
        if annotation is None:
            annotation = Annotations.empty(len(self.tokens[job.doc]))
            self.annotations[job.doc] = annotation
        annotation.add(words, table)

    def add_probabilities(
        self, jobs: list[Job], parses: Parses, names: LabelNames
    ) -> None:
        """Take over the probabilities of the parses of some jobs."""
        if self.records is None:
            return
        starts, ends = bounds(jobs)
        starts_of_words = np.repeat(starts, ends - starts)
        # The number of each word in the batch.
        docs = self.records.starts[[job.doc for job in jobs]]
        numbers = np.repeat(docs - starts, ends - starts) + np.arange(ends[-1])
        for job, doc, start, end in zip(
            jobs, docs.tolist(), starts.tolist(), ends.tolist(), strict=True
        ):
            if job.segment.words is not None:
                numbers[start:end] = doc + job.segment.words
        self.records.add(numbers, starts_of_words, parses, names)

    def finished(self) -> list[Annotations]:
        """The annotations of every document, whitespace attached."""
        finished = []
        for annotation, tokens in zip(self.annotations, self.tokens, strict=True):
            if annotation is None:
                annotation = Annotations.empty(len(tokens))
            if tokens.has_spaces:
                annotation.attach_spaces(tokens.is_space)
            finished.append(annotation)
        if self.records is not None:
            records = self.records.finished([a.table for a in finished])
            for annotation, record in zip(finished, records, strict=True):
                annotation.record = record
        return finished


def bounds(jobs: list[Job]) -> tuple[IntArray, IntArray]:
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
    without the record of a lift. root_id: the same for roots without a label. distinct:
    the strings, each once.
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
        root_label = model.root_label or ROOT_LABEL
        self.root_id = np.uint64(get_string_id(root_label))
        self.distinct = list(dict.fromkeys([*self.base_labels, root_label]))
        numbers = {label: i for i, label in enumerate(self.distinct)}
        self._numbers = np.array([numbers[label] for label in self.base_labels])
        self._root_number = numbers[root_label]

    def is_outdated(self) -> bool:
        """Whether the model, still in training, has got more labels."""
        return len(self.labels) != len(self.model.labels) + 1

    def numbers_of(self, heads: Int32Array, labels: Int32Array) -> IntArray:
        """The numbers of the labels of arcs among the distinct ones."""
        numbers: IntArray = self._numbers[labels]
        numbers[(labels < 0) & (heads == 0)] = self._root_number
        return numbers

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


def base_labels(model: Model) -> list[str]:
    """The labels that a model can give to tokens."""
    labels = [*map(base_label, model.labels), model.root_label]
    return [label for label in dict.fromkeys(labels) if label is not None]
