# cython: boundscheck=False, wraparound=False
"""The ranker, which chooses the best candidate tree of a sentence.

Its score, from features of whole trees, is C(x, y) = w . Phi(x, y) in Liu et al. 2015,
section 3.1. `mixture.py` mixes this score with the score of the search that found the
candidates. `trainer.pyx` learns the weights.
"""
from libc.stdint cimport int32_t, uint8_t, uint64_t

import numpy as np

from ...errors import ModelFileError

from ..state.sentence cimport Sentence, SentenceC
from ..weights.aligned import check_aligned
from .extractor cimport MAX_TEMPLATES, PartExtractor
from .parts cimport PartFinder, TreeWorkspace

from .mixture import choices

SLOT = np.dtype([("fingerprint", "<u4"), ("weight", "<f4")])


cdef int check_candidates(
    PartFinder finder, Sentence sentence, candidates
) except -1:
    """Raise ValueError unless the shapes of candidates and sentence fit together."""
    cdef int n = sentence.c.length
    if sentence.c.n_columns != finder.n_columns:
        raise ValueError(
            f"the ranker reads {finder.n_columns} attributes of a word, the sentence "
            f"has {sentence.c.n_columns}"
        )
    k = len(candidates.scores)
    for name in ("heads", "labels"):
        array = getattr(candidates, name)
        if array.shape != (k, n) or array.dtype != np.int32:
            raise ValueError(
                f"the {name} of {k} candidates for {n} words: expected int32 of shape "
                f"({k}, {n}), got {array.dtype} of shape {array.shape}"
            )
    return 0


cdef void add_up(TreeWorkspace work, double* scores) noexcept nogil:
    """Add the scores of the parts up to scores of the trees."""
    cdef size_t tree, i
    cdef double total
    for tree in range(work.table.ends.size()):
        total = 0
        for i in range(work.table.start(tree), work.table.ends[tree]):
            total += work.scores[work.table.numbers[i]]
        scores[tree] = total


def checked_slots(slots):
    """Check the table of a ranker and return it as an array of `SLOT`.

    slots: array of bytes, aligned to 8 bytes.

    Raises ModelFileError if the array is not aligned, if the table has no empty place
    or if a weight is not finite.
    """
    if slots.dtype != np.uint8 or slots.ndim != 1 or len(slots) % SLOT.itemsize:
        raise ModelFileError("the table of the ranker has the wrong size")
    check_aligned("slots", slots.ctypes.data)
    table = slots.view(SLOT)
    if not 1 <= len(table) <= 0xFFFFFFFF or table["weight"].all():
        raise ModelFileError("the table of the ranker has no empty place")
    if not np.isfinite(table["weight"]).all():
        raise ModelFileError("the ranker has weights that are not finite")
    return table


cdef class Ranker:
    """Scores whole trees: immutable, shared by all threads.

    templates: the `RankingTemplates`. columns: names of the columns of sentences, with
        those of the templates among them. classes: the `WordClasses`. slots: the
        weights, as an array of bytes that is not copied; made by
        `RankerTrainer.freeze`. alpha: share of the score of the search in the mixture,
        from 0 to 1.

    n_features: number of features with a weight.

    Raises ValueError for invalid columns or an invalid share, and ModelFileError if the
    table of weights is invalid.
    """

    def __init__(self, templates, columns, classes, slots, alpha=0.0):
        table = checked_slots(slots)
        cdef const uint8_t[::1] view = slots
        self.finder = PartFinder(templates, columns, classes)
        self.extractor = PartExtractor(templates, columns)
        self.slots = slots
        self.alpha = checked_alpha(alpha)
        self.n_features = np.count_nonzero(table["weight"])
        self.weights.table.slots = <const FrozenWeight*>&view[0]
        self.weights.table.size = len(table)

    @property
    def templates(self):
        """The `RankingTemplates`."""
        return self.extractor.templates

    @property
    def columns(self):
        """Names of the columns of sentences."""
        return self.finder.columns

    @property
    def classes(self):
        """The `WordClasses`."""
        return self.finder.classes

    def with_alpha(self, alpha):
        """A copy of the ranker with another share of the score of the search.

        Raises ValueError unless the share is from 0 to 1.
        """
        return Ranker(self.templates, self.columns, self.classes, self.slots, alpha)

    def scores(self, Sentence sentence not None, candidates not None):
        """Compute the scores C of candidates. A higher score is better.

        sentence: a sentence with the columns of the ranker. candidates: the
        `Candidates` of the sentence.

        Returns float64 of shape (k,). Raises ValueError if sentence and candidates do
        not fit together, or if a candidate is not a tree.
        """
        cdef TreeWorkspace work = TreeWorkspace()
        check_candidates(self.finder, sentence, candidates)
        k = len(candidates.scores)
        scores = np.empty(k, dtype=np.float64)
        if k == 0 or sentence.c.length == 0:
            return np.zeros(k)
        cdef const int32_t[:, ::1] heads = np.ascontiguousarray(candidates.heads)
        cdef const int32_t[:, ::1] labels = np.ascontiguousarray(candidates.labels)
        cdef double[::1] view = scores
        with nogil:
            self.score_trees(
                &sentence.c, &heads[0, 0], &labels[0, 0], heads.shape[0], work, &view[0]
            )
        return scores

    def choose(self, Sentence sentence not None, candidates not None):
        """Find the best candidate by the mixture of both scores, and return its index.

        Both scores are scaled to the range 0 to 1 over the candidates. Scores that are
        all equal become 0. Among equal candidates the highest score of the search wins.

        Raises ValueError as `scores` does, and if there is no candidate.
        """
        scores = self.scores(sentence, candidates)
        if len(scores) == 0:
            raise ValueError("there is no candidate to choose from")
        return int(choices(candidates.scores, scores, np.array([self.alpha]))[0])

    cdef int score_trees(
        self,
        const SentenceC* sentence,
        const int32_t* heads,
        const int32_t* labels,
        Py_ssize_t n_trees,
        TreeWorkspace work,
        double* scores,
    ) except -1 nogil:
        """Write the scores of trees that are stored one after the other.

        Raises ValueError if one of them is not a tree.
        """
        cdef uint64_t[MAX_TEMPLATES] keys
        cdef int n_keys
        cdef size_t i
        cdef Py_ssize_t tree
        cdef Py_ssize_t n = sentence.length
        self.finder.begin(sentence, work)
        for tree in range(n_trees):
            self.finder.add_tree(sentence, heads + tree * n, labels + tree * n, work)
        work.scores.resize(work.table.parts.size() + 1)
        for i in range(work.table.parts.size()):
            n_keys = self.extractor.extract(sentence, &work.table.parts[i], keys)
            work.scores[i] = self.weights.sum(keys, n_keys) * work.table.parts[i].amount
        add_up(work, scores)
        return 0

    def __reduce__(self):
        return Ranker, (
            self.templates, self.columns, self.classes, self.slots, self.alpha
        )


def checked_alpha(alpha):
    """Check a share and return it as a float.

    Raises ValueError unless it is a number from 0 to 1.
    """
    if isinstance(alpha, (bool, str)) or not isinstance(alpha, (int, float)):
        raise ValueError(f"alpha {alpha!r}: expected a number from 0 to 1")
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha {alpha!r}: expected a number from 0 to 1")
    return float(alpha)
