"""From documents to annotations: segments, threads, pseudo-projective arcs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
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
    Segment,
    TokenArrays,
    segments,
)

Tree = tuple[np.ndarray, np.ndarray]


@dataclass
class Job:
    """A segment of the document with this number, and its words for the parser."""

    doc: int
    segment: Segment
    sentence: Sentence


class DocumentParser:
    """Parses documents with a model that is given at each call; holds no state.

    search: the search algorithm. sentences: what the documents' boundaries mean, see
    `segments`. tree_constraint: whether every tree must have one root; None where the
    segment is bound to. n_threads: threads that share a batch.
    """

    # Labels this class can give although the model has never seen them.
    own_labels = (NO_LABEL, ROOT_LABEL)

    def __init__(
        self,
        search: Search,
        sentences: str,
        tree_constraint: bool | None,
        n_threads: int,
    ) -> None:
        self.search = search
        self.sentences = sentences
        self.tree_constraint = tree_constraint
        self.n_threads = n_threads
        self._names: LabelNames | None = None

    def parse(
        self, model: Model, docs: list[Doc], tokens: list[TokenArrays]
    ) -> list[Annotations]:
        """The annotations of every document."""
        names = self._label_names(model)
        annotations = [Annotations(len(t.values)) for t in tokens]
        jobs = [
            Job(i, segment, tokens[i].sentence(segment.words))
            for i, doc in enumerate(docs)
            for segment in segments(doc, tokens[i], self.sentences)
        ]
        one_root = [job for job in jobs if self._has_one_root(job.segment)]
        others = [job for job in jobs if not self._has_one_root(job.segment)]
        for job, (heads, labels) in self._run(model, others, False):
            if job.segment.inner.any() and self.tree_constraint is None:
                one_root += self._respect_inner(job, heads, tokens[job.doc])
            annotations[job.doc].add(job.segment.words, *names.resolve(heads, labels))
        for job, (heads, labels) in self._run(model, one_root, True):
            annotations[job.doc].add(job.segment.words, *names.resolve(heads, labels))
        for annotation, t in zip(annotations, tokens, strict=True):
            annotation.attach_spaces(t.is_space)
        return annotations

    def _has_one_root(self, segment: Segment) -> bool:
        if self.tree_constraint is None:
            return segment.one_root
        return self.tree_constraint

    def _label_names(self, model: Model) -> LabelNames:
        names = self._names
        if names is None or names.model is not model or names.is_outdated():
            names = self._names = LabelNames(model)
        return names

    def _run(
        self, model: Model, jobs: list[Job], one_root: bool
    ) -> list[tuple[Job, Tree]]:
        if not jobs:
            return []
        system = model.system.with_tree_constraint(one_root)
        variant = model.with_system(system)
        sentences = [job.sentence for job in jobs]
        n_chunks = min(self.n_threads, len(jobs))
        if n_chunks == 1:
            heads, labels = self.search.parse(variant, sentences)
        else:
            size = -(-len(jobs) // n_chunks)
            chunks = [sentences[i : i + size] for i in range(0, len(jobs), size)]
            with ThreadPoolExecutor(n_chunks) as pool:
                parts = list(pool.map(lambda c: self.search.parse(variant, c), chunks))
            heads = np.concatenate([part[0] for part in parts])
            labels = np.concatenate([part[1] for part in parts])
        ends = np.cumsum([len(sentence) for sentence in sentences]).tolist()
        starts = [0, *ends[:-1]]
        return [
            (job, (heads[start:end], labels[start:end]))
            for job, start, end in zip(jobs, starts, ends, strict=True)
        ]

    @staticmethod
    def _respect_inner(job: Job, heads: np.ndarray, tokens: TokenArrays) -> list[Job]:
        """Stretches that must be parsed again, with one root, because the trees of the
        segment meet where no sentence may start."""
        segment = job.segment
        starts = tree_starts(heads)
        allowed = [start for start in starts if not segment.inner[start]] or [0]
        if allowed[0] != 0:
            allowed.insert(0, 0)
        again = []
        for first, last in zip(allowed, [*allowed[1:], len(heads)], strict=True):
            if sum(first <= start < last for start in starts) > 1:
                words = segment.words[first:last]
                inner = segment.inner[first:last]
                again.append(
                    Job(job.doc, Segment(words, True, inner), tokens.sentence(words))
                )
        return again


def tree_starts(heads: np.ndarray) -> list[int]:
    """The words (from 0) at which the trees of a projective head sequence start."""
    words = np.arange(len(heads))
    root = np.where(heads > 0, heads - 1, words)
    # Every round doubles how far a word sees up its tree.
    while not np.array_equal(root[root], root):
        root = root[root]
    return [0, *(np.flatnonzero(np.diff(root)) + 1).tolist()]


class LabelNames:
    """From the label ids of a model to those of the string store, arcs restored."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.labels = list(model.labels)
        self.decorated = np.array([*map(is_decorated, self.labels), False])
        # The last entry stands for -1, no label.
        self.ids = np.array(
            [get_string_id(base_label(label)) for label in self.labels]
            + [get_string_id(NO_LABEL)],
            dtype=np.uint64,
        )
        self.root_id = np.uint64(get_string_id(model.root_label or ROOT_LABEL))

    def is_outdated(self) -> bool:
        """Whether the model, still in training, has got more labels."""
        return len(self.labels) != len(self.model.labels)

    def resolve(self, heads: np.ndarray, labels: np.ndarray) -> Tree:
        """Heads and 64-bit label ids, with lifted arcs put back."""
        ids = self.ids[labels]
        if self.decorated[labels].any():
            names = [self.labels[label] if label >= 0 else NO_LABEL for label in labels]
            restored, _ = deprojectivize(heads.tolist(), names)
            heads = np.array(restored, dtype=np.int64)
        ids[(labels < 0) & (heads == 0)] = self.root_id
        return heads, ids
