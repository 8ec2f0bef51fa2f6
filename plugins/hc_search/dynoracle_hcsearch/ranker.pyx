# cython: boundscheck=False, wraparound=False
"""The ranker, which chooses the best candidate tree of a sentence.

Its score, from features of whole trees, is C(x, y) = w . Phi(x, y) in Liu et al. 2015,
section 3.1. `mixture.py` mixes this score with the score of the search that found the
candidates. `trainer.pyx` learns the weights.
"""
from libc.stdint cimport int32_t, uint8_t, uint64_t

import numpy as np

from spacy_dynoracle.errors import ModelFileError

from spacy_dynoracle.core.state.sentence cimport Sentence, SentenceC
from spacy_dynoracle.core.weights.aligned import address_of
from .extractor cimport MAX_TEMPLATES, PartExtractor
from .parts cimport PartFinder, TreeWorkspace

from .mixture import choices
from .templates import RankingTemplates
from .word_classes import WordClasses

SLOT = np.dtype([("fingerprint", "<u4"), ("weight", "<f4")])


cdef class TreeScorer:
    """Scores whole trees by their features.

    Args:
        templates: The `RankingTemplates`.
        columns: Names of the columns of sentences, with those of the templates among
            them.
        classes: The `WordClasses`.

    Raises:
        ValueError: For invalid columns.
    """

    def __init__(self, templates, columns, classes):
        self.finder = PartFinder(templates, columns, classes)
        self.extractor = PartExtractor(templates, columns)

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

    def scores(self, Sentence sentence not None, candidates not None):
        """Compute the scores C of candidates. A higher score is better.

        Args:
            sentence: A sentence with the columns of the scorer.
            candidates: The `Candidates` of the sentence.

        Returns:
            float64 of shape (k,).

        Raises:
            ValueError: If sentence and candidates do not fit together, or if a
                candidate is not a tree.
        """
        cdef TreeWorkspace work = TreeWorkspace()
        self.check_candidates(sentence, candidates)
        k = len(candidates.scores)
        if k == 0 or sentence.c.length == 0:
            return np.zeros(k)
        cdef const int32_t[:, ::1] heads = np.ascontiguousarray(candidates.heads)
        cdef const int32_t[:, ::1] labels = np.ascontiguousarray(candidates.labels)
        cdef const int32_t[::1] losses = np.zeros(k, dtype=np.int32)
        with nogil:
            self.score_trees(
                &sentence.c, &heads[0, 0], &labels[0, 0], &losses[0], heads.shape[0],
                0, work,
            )
        return np.array(work.tree_scores)

    cdef int check_candidates(self, Sentence sentence, candidates) except -1:
        """Raise ValueError unless the shapes of candidates and sentence fit together.
        """
        cdef int n = sentence.c.length
        if sentence.c.n_columns != self.finder.n_columns:
            raise ValueError(
                f"the ranker reads {self.finder.n_columns} attributes of a word, the "
                f"sentence has {sentence.c.n_columns}"
            )
        k = len(candidates.scores)
        for name in ("heads", "labels"):
            array = getattr(candidates, name)
            if array.shape != (k, n) or array.dtype != np.int32:
                raise ValueError(
                    f"the {name} of {k} candidates for {n} words: expected int32 of "
                    f"shape ({k}, {n}), got {array.dtype} of shape {array.shape}"
                )
        return 0

    cdef double weight_of(self, const uint64_t* keys, int n_keys) noexcept nogil:
        """The sum of the weights of some features."""
        return 0

    cdef int score_trees(
        self,
        const SentenceC* sentence,
        const int32_t* heads,
        const int32_t* labels,
        const int32_t* losses,
        Py_ssize_t n_trees,
        int least,
        TreeWorkspace work,
    ) except -1 nogil:
        """Write the scores of trees that are stored one after the other to
        `work.tree_scores`. Trees with a loss below `least` are left out: they get no
        parts and the score 0.

        Raises:
            ValueError: If the heads of a candidate are not a tree.
        """
        cdef uint64_t[MAX_TEMPLATES] keys
        cdef int n_keys
        cdef size_t i, tree
        cdef Py_ssize_t n = sentence.length
        cdef double total
        self.finder.begin(sentence, work)
        for tree in range(<size_t>n_trees):
            if losses[tree] >= least:
                self.finder.add_tree(
                    sentence, heads + tree * n, labels + tree * n, work
                )
            else:
                work.table.end_tree()
        work.scores.resize(work.table.parts.size())
        for i in range(work.table.parts.size()):
            n_keys = self.extractor.extract(sentence, &work.table.parts[i], keys)
            work.scores[i] = self.weight_of(keys, n_keys) * work.table.parts[i].amount
        work.tree_scores.resize(n_trees)
        for tree in range(<size_t>n_trees):
            total = 0
            for i in range(work.table.start(tree), work.table.ends[tree]):
                total += work.scores[work.table.numbers[i]]
            work.tree_scores[tree] = total
        return 0


def checked_array(array):
    """Check the table of a ranker and return it as an array of `SLOT`.

    Args:
        array: Bytes, aligned to 8 bytes.

    Raises:
        ModelFileError: If the array is not aligned, if the table has no empty place or
            if a weight is not finite.
    """
    if array.dtype != np.uint8 or array.ndim != 1 or len(array) % SLOT.itemsize:
        raise ModelFileError("the table of the ranker has the wrong size")
    # Raises an error if no number can begin there.
    address_of("slots", array)
    table = array.view(SLOT)
    if not 1 <= len(table) <= 0xFFFFFFFF or table["weight"].all():
        raise ModelFileError("the table of the ranker has no empty place")
    if not np.isfinite(table["weight"]).all():
        raise ModelFileError("the ranker has weights that are not finite")
    return table


cdef class Ranker(TreeScorer):
    """A frozen scorer of whole trees, shared by all threads.

    It is the part "ranker" of a model (see `core.model.parts`).

    Args:
        templates, columns, classes: As of `TreeScorer`.
        array: The weights, as bytes that are not copied; made by
            `RankerTrainer.freeze`.
        alpha: Share of the score of the search in the mixture, from 0 to 1.

    Attributes:
        n_features: Number of features with a weight.

    Raises:
        ValueError: For invalid columns or an invalid share.
        ModelFileError: If the table of weights is invalid.
    """

    def __init__(self, templates, columns, classes, array, alpha=0.0):
        super().__init__(templates, columns, classes)
        table = checked_array(array)
        cdef const uint8_t[::1] view = array
        self.array = array
        self.alpha = checked_alpha(alpha)
        self.n_features = np.count_nonzero(table["weight"])
        self.weights.slots = <const FrozenWeight*>&view[0]
        self.weights.size = len(table)

    def with_alpha(self, alpha):
        """A copy of the ranker with another share of the score of the search.

        Raises:
            ValueError: Unless the share is from 0 to 1.
        """
        return Ranker(self.templates, self.columns, self.classes, self.array, alpha)

    def settings(self):
        """Everything beside the weights, as values for JSON."""
        return {
            "templates": list(self.templates.templates),
            "columns": list(self.columns),
            "classes": self.classes._asdict(),
            "alpha": self.alpha,
        }

    def choose(self, Sentence sentence not None, candidates not None):
        """Find the best candidate by the mixture of both scores, and return its index.

        Both scores are scaled to the range 0 to 1 over the candidates. Scores that are
        all equal become 0. Among equal candidates the highest score of the search wins.

        Raises:
            ValueError: As `scores` does, and if there is no candidate.
        """
        scores = self.scores(sentence, candidates)
        if len(scores) == 0:
            raise ValueError("there is no candidate to choose from")
        return int(choices(candidates.scores, scores, np.array([self.alpha]))[0])

    cdef double weight_of(self, const uint64_t* keys, int n_keys) noexcept nogil:
        return self.weights.sum(keys, n_keys)

    def __reduce__(self):
        return Ranker, (
            self.templates, self.columns, self.classes, self.array, self.alpha
        )


def read_ranker(settings, array):
    """The `Ranker` with these settings and weights, as a model file keeps them.

    Raises:
        ModelFileError: For damaged weights, and other errors for settings that are not
            those of a ranker.
    """
    return Ranker(
        RankingTemplates(settings["templates"]),
        settings["columns"],
        WordClasses.from_lists(**settings["classes"]),
        array,
        settings["alpha"],
    )


def checked_alpha(alpha):
    """Check a share and return it as a float.

    Raises:
        ValueError: Unless it is a number from 0 to 1.
    """
    if type(alpha) not in (int, float) or not 0 <= alpha <= 1:
        raise ValueError(f"alpha {alpha!r}: expected a number from 0 to 1")
    return float(alpha)
