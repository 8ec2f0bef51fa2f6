"""From documents to annotations: segments, threads, pseudo-projective arcs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, starmap
from typing import Any

import numpy as np
from spacy.tokens import Doc

from ..core.model.model import Model
from ..core.search.base import Search
from ..core.search.constrained import parse_with_arcs
from ..core.search.greedy import GreedySearch
from ..core.state.configuration import RootRule
from ..core.state.sentence import Sentence
from ..doc.preset_arcs import PresetArcs, SegmentArcs
from ..doc.segments import Segment, segments
from ..doc.token_arrays import TokenArrays
from ..util.arrays import IdArray, Int32Array, IntArray
from ..util.threads import in_chunks
from .annotations import NO_LABEL, ROOT_LABEL, Annotations
from .batch_records import BatchRecords
from .label_names import LabelNames, base_labels
from .probabilities import Parses, ProbabilitySettings, parse_sentences
from .reparse import roots, stretch_starts


@dataclass
class Job:
    """A segment of the document with this number, and its words for the parser.

    arcs: those that its tree must have; None if there are none.
    """

    doc: int
    segment: Segment
    sentence: Sentence
    arcs: SegmentArcs | None = None

    def __len__(self) -> int:
        """The number of words."""
        return len(self.sentence)

    @property
    def is_bound(self) -> bool:
        """Whether anything is preset, arcs or where sentences start."""
        return self.arcs is not None or self.segment.inner is not None


class DocumentParser:
    """Parses documents with a model that is given at each call.

    search: the search algorithm. sentences: what the documents' boundaries mean, see
    `segments`. single_root: whether every tree must have one root; None where the
    segment is bound to. n_threads: threads that share a batch. settings: which
    probabilities the annotations come with. keep_arcs: whether arcs that are on the
    documents already must be in the trees. may_cross: whether preset arcs may cross
    others although the system makes projective trees.
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
        keep_arcs: bool = False,
        may_cross: bool = False,
        k_best: int = 0,
    ) -> None:
        self.search = search
        self.sentences = sentences
        self.single_root = single_root
        self.n_threads = n_threads
        self.settings = settings
        self.keep_arcs = keep_arcs
        self.may_cross = may_cross
        self.k_best = k_best
        self._names: LabelNames | None = None
        # A string store, and the model of which so many labels were added to it.
        self._labels_in: tuple[Any, Model | None, int] = (None, None, 0)

    def add_labels(self, model: Model, vocab: Any) -> None:
        """Make the labels of a model known to a vocab, for good.

        Documents may come with another vocab than the component's, and labels may be
        added in training.
        """
        n_labels = len(model.labels)
        strings = vocab.strings
        known_to, of_model, n_known = self._labels_in
        if known_to is not strings or of_model is not model or n_known != n_labels:
            for label in (*base_labels(model), *self.own_labels):
                strings.add(label, allow_transient=False)
            # A label that is also a word of a text in a memory zone ends with the zone.
            if not vocab.in_memory_zone:
                self._labels_in = (strings, model, n_labels)

    def parse(
        self, model: Model, docs: list[Doc], tokens: list[TokenArrays]
    ) -> list[Annotations]:
        """The annotations of every document.

        Warns, naming them, of arcs that were to be kept and cannot be.
        """
        work = self.work(model, docs, tokens)
        one_root, others = self.jobs(work)
        one_root += self._parse(work, others, False)
        self._parse(work, one_root, True)
        for doc, arcs in zip(docs, work.presets, strict=True):
            if arcs is not None and arcs.dropped:
                warnings.warn(arcs.message(doc), stacklevel=2)
        annotations = work.batch.finished()
        for annotation, arrays in zip(annotations, tokens, strict=True):
            annotation.presets = self.presets(arrays)
        return annotations

    def work(self, model: Model, docs: list[Doc], tokens: list[TokenArrays]) -> Work:
        """What the parsing of documents goes by; `tokens` are left with the sentence
        starts that are preset."""
        presets: list[PresetArcs | None] = [None] * len(docs)
        if self.keep_arcs:
            presets = [
                PresetArcs.of(doc, t.is_space)
                for doc, t in zip(docs, tokens, strict=True)
            ]
        if self.sentences != "doc":
            for doc, arrays, arcs in zip(docs, tokens, presets, strict=True):
                arrays.keep_presets(doc, self.sentences, arcs)
        return Work(model, tokens, presets, Batch(tokens, self.settings))

    def presets(self, tokens: TokenArrays) -> bytes | None:
        """What a Doc is to remember of its preset boundaries; see `Annotations`."""
        return tokens.presets() if self.sentences == "predict" else None

    def jobs(self, work: Work) -> tuple[list[Job], list[Job]]:
        """The segments of the documents: those of one root, and the others."""
        one_root: list[Job] = []
        others: list[Job] = []
        for i, arrays in enumerate(work.tokens):
            for segment in segments(arrays, self.sentences):
                has_one_root = self._has_one_root(segment)
                job = self.job(work, i, segment, has_one_root)
                (one_root if has_one_root else others).append(job)
        return one_root, others

    def job(self, work: Work, doc: int, segment: Segment, one_root: bool) -> Job:
        """The segment of a document with this number."""
        arcs, preset = None, work.presets[doc]
        if preset is not None:
            arcs = preset.among(
                segment.words,
                one_root=one_root,
                may_cross=self.may_cross or not work.model.system.projective,
            )
        return Job(doc, segment, work.tokens[doc].sentence(segment.words), arcs)

    def _has_one_root(self, segment: Segment) -> bool:
        if self.single_root is None:
            return segment.one_root
        return self.single_root

    def _parse(self, work: Work, jobs: list[Job], one_root: bool) -> list[Job]:
        """Parse jobs; returns the stretches that must be parsed again."""
        rule = root_rule(one_root)
        again = []
        names = self.label_names(work.model)
        for parse, chosen in (
            (self._search, [job for job in jobs if job.arcs is None]),
            (
                partial(search_with_arcs, names.undecorated),
                [job for job in jobs if job.arcs is not None],
            ),
        ):
            if chosen:
                found = in_chunks(
                    partial(parse, work.model, rule),
                    chosen,
                    self.n_threads,
                    Job.__len__,
                )
                parses = Parses.joined(found)
                heads = self._collect(work, chosen, parses)
                if not one_root:
                    again += self._parts_to_parse_again(work, chosen, heads)
        return again

    def _parts_to_parse_again(
        self, work: Work, jobs: list[Job], heads: Int32Array
    ) -> list[Job]:
        """What `stretches` finds in jobs, without a look at each where it cannot find
        anything. heads: of the words of all jobs."""
        if work.model.system.projective and not any(job.is_bound for job in jobs):
            return []
        starts, ends = bounds(jobs)
        return [
            self.part(work, job, stretch)
            for job, start, end in zip(
                jobs, starts.tolist(), ends.tolist(), strict=True
            )
            for stretch in self.stretches(work, job, heads[start:end])
        ]

    def _search(self, model: Model, rule: RootRule, jobs: list[Job]) -> Parses:
        sentences = [job.sentence for job in jobs]
        return parse_sentences(self.search, self.settings, model, sentences, rule)

    def _collect(self, work: Work, jobs: list[Job], parses: Parses) -> Int32Array:
        """Put the trees of the jobs into the annotations of their documents.

        Everything that can be is done for the whole batch at once: per document, numpy
        calls cost as much as parsing. Returns the heads of all trees.
        """
        names = self.label_names(work.model)
        starts, ends = bounds(jobs)
        labels = parses.labels
        arcs = [job.arcs for job in jobs if job.arcs is not None]
        known = np.concatenate([a.are_known for a in arcs]) if arcs else None
        heads = names.restore_lifted(parses.heads, labels, starts, ends, known)
        # Either all of the jobs have arcs or none has.
        for some, start, end in zip(arcs, starts, ends, strict=False):
            some.put_crossing_back(heads[start:end], labels[start:end])
        positions = np.arange(len(heads)) - np.repeat(starts, ends - starts)
        table = np.empty((len(heads), 2), dtype=np.uint64)
        table[:, 0] = np.where(heads > 0, heads - 1 - positions, 0).view(np.uint64)
        table[:, 1] = names.ids[labels]
        table[(labels < 0) & (heads == 0), 1] = names.root_id
        if arcs:
            preset = np.concatenate([a.labels for a in arcs])
            table[preset != 0, 1] = preset[preset != 0]
        for job, start, end in zip(jobs, starts.tolist(), ends.tolist(), strict=True):
            work.batch.add_tree(job, table[start:end])
        work.batch.add_probabilities(jobs, parses, names)
        return heads

    def stretches(self, work: Work, job: Job, heads: Int32Array) -> list[slice]:
        """Stretches that must be parsed again, with one root: several trees that cross
        one another, or that meet where no sentence may start.

        A sentence that starts where none may is part of such a stretch, since those
        begin and end between trees, at places where one may start. What is parsed again
        is one tree. So no such start remains, and trees elsewhere stay as they are.

        heads: of the words of the job.
        """
        inner = job.segment.inner if self.sentences == "predict" else None
        if inner is not None and not inner.any():
            inner = None
        crosses = job.arcs is not None and job.arcs.crossing
        if inner is None and work.model.system.projective and not crosses:
            return []
        again: list[slice] = []
        root = roots(heads)
        starts = stretch_starts(root)
        if inner is not None:
            starts = starts[~inner[starts] | (starts == 0)]
        for first, last in pairwise([*starts.tolist(), len(root)]):
            if (root[first:last] == root[first]).all():
                continue
            cuts = [first, last]
            if job.arcs is not None:
                cuts[1:1] = job.arcs.cuts(first, last, heads, inner)
            again += starmap(slice, pairwise(cuts))
        return again

    def part(self, work: Work, job: Job, stretch: slice) -> Job:
        """A stretch of a job, to be parsed with one root."""
        words = job.segment.words
        if words is None:
            words = np.arange(len(job))
        return self.job(work, job.doc, Segment(words[stretch], True), True)

    def label_names(self, model: Model) -> LabelNames:
        """The labels of a model as documents have them."""
        names = self._names
        if names is None or names.model is not model or names.is_outdated():
            names = self._names = LabelNames(model)
        return names


@dataclass
class Work:
    """What the parsing of a batch goes by and leads to.

    tokens, presets: of each document, the latter None where no arc is to be kept.
    """

    model: Model
    tokens: list[TokenArrays]
    presets: list[PresetArcs | None]
    batch: Batch


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


def check_keeping(search: Search, settings: ProbabilitySettings) -> None:
    """Raise ValueError for settings under which preset arcs cannot be kept."""
    if not isinstance(search, GreedySearch):
        raise ValueError(
            f"keep_preset_heads = true parses greedily: use "
            f"spacy_dynoracle.GreedySearch.v1, not {search!r}"
        )
    if settings.wanted:
        raise ValueError(
            f"probabilities = {settings.probabilities!r} are those of trees that the "
            f"parser chooses freely: with keep_preset_heads = true, set probabilities "
            f"= 'none'"
        )


def search_with_arcs(
    label_names: dict[int, str], model: Model, rule: RootRule, jobs: list[Job]
) -> Parses:
    """The trees of jobs, with the arcs they must have as far as search may keep them.

    label_names: see `SegmentArcs.tree`.
    """
    trees = [
        job.arcs.tree(model.labels, label_names) for job in jobs if job.arcs is not None
    ]
    sentences = [job.sentence for job in jobs]
    return Parses(*parse_with_arcs(model, sentences, trees, rule))


def root_rule(one_root: bool) -> RootRule:
    """The rule for sentences that must have one root, or may have any number."""
    return RootRule.ONE if one_root else RootRule.ANY


def bounds(jobs: list[Job]) -> tuple[IntArray, IntArray]:
    """Where the words of each job start and end among those of all jobs."""
    lengths = np.array([len(job.sentence) for job in jobs], dtype=np.int64)
    ends = np.cumsum(lengths)
    return ends - lengths, ends
