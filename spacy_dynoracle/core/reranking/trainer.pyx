# cython: boundscheck=False, wraparound=False
"""Training of the ranker: algorithm 4 of Liu et al. (2015).

Passive-aggressive updates with the difference of the losses as margin (Crammer et al.
2006), averaged over all pairs.
"""
from libc.stdint cimport SIZE_MAX, int32_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.pair cimport pair
from libcpp.vector cimport vector

import numpy as np

from ..random cimport Random
from ..state.sentence cimport Sentence, SentenceC
from .extractor cimport MAX_TEMPLATES, PartExtractor
from .ranker cimport (
    FrozenRankingWeights,
    FrozenWeight,
    KeyWeight,
    RankingWeights,
    add_up,
    check_candidates,
)
from .parts cimport PartFinder, TreeWorkspace

from .groups import ranking_pairs
from .ranker import Ranker

cdef struct Pair:
    # The highest-scoring worse candidate and the lowest-scoring better candidate.
    Py_ssize_t better
    Py_ssize_t worse


cdef Pair choose(
    const double* scores, const int32_t* losses, Py_ssize_t n_trees, int least
) noexcept nogil:
    """Find the lowest score in the better group and the highest in the worse group. The
    first candidate wins a tie."""
    cdef Pair chosen
    cdef Py_ssize_t i
    chosen.better = chosen.worse = -1
    for i in range(n_trees):
        if losses[i] == least:
            if chosen.better < 0 or scores[i] < scores[chosen.better]:
                chosen.better = i
        elif losses[i] > least:
            if chosen.worse < 0 or scores[i] > scores[chosen.worse]:
                chosen.worse = i
    return chosen


cdef class RankerTrainer:
    """Training state of a ranker.

    templates: the `RankingTemplates`. columns: names of the columns of sentences.
    classes: the `WordClasses`. groups: "fine" or "coarse", see `ranking_pairs`. seed:
        of the order of the pairs.

    n_pairs: number of pairs seen. n_updates: number of pairs that changed the weights.
    """

    cdef readonly PartFinder finder
    cdef readonly PartExtractor extractor
    cdef readonly str groups
    cdef readonly Random random
    cdef readonly size_t n_pairs
    cdef readonly size_t n_updates
    cdef RankingWeights weights
    cdef vector[int] counts
    cdef vector[pair[uint64_t, double]] difference

    def __init__(self, templates, columns, classes, groups="fine", seed=0):
        ranking_pairs([], groups)
        self.groups = groups
        self.finder = PartFinder(templates, columns, classes)
        self.extractor = PartExtractor(templates, columns)
        self.random = Random(seed)

    @property
    def columns(self):
        """Names of the columns of sentences."""
        return self.finder.columns

    @property
    def n_features(self):
        """The number of features that have ever had a weight."""
        return self.weights.size()

    def train(self, list examples not None):
        """Train one round on the pairs of all sentences, in random order. The GIL is
        released for each pair.

        examples: for each sentence (`Sentence`, its `Candidates`, their losses as an
            int32 array).

        Returns (number of pairs, number of pairs that changed the weights). Raises
        ValueError if the parts of an example do not fit together, or a candidate is not
        a tree.
        """
        cdef Sentence sentence
        cdef const int32_t[:, ::1] heads
        cdef const int32_t[:, ::1] labels
        cdef const int32_t[::1] losses
        cdef size_t n_updates = self.n_updates
        cdef Py_ssize_t n_trees
        cdef int better
        cdef TreeWorkspace work = TreeWorkspace()
        pairs = []
        for number, (sentence, candidates, loss) in enumerate(examples):
            check_candidates(self.finder, sentence, candidates)
            if len(loss) != len(candidates.scores):
                raise ValueError(
                    f"{len(candidates.scores)} candidates have {len(loss)} losses"
                )
            pairs += [(number, least) for least in ranking_pairs(loss, self.groups)]
        self.random.shuffle(pairs)
        for number, better in pairs:
            sentence, candidates, loss = examples[number]
            heads, labels, losses = candidates.heads, candidates.labels, loss
            n_trees = losses.shape[0]
            # Trees without words all have the same loss.
            with nogil:
                self.learn(
                    &sentence.c, &heads[0, 0], &labels[0, 0], &losses[0],
                    n_trees, better, work,
                )
        return len(pairs), self.n_updates - n_updates

    def scores(self, Sentence sentence not None, candidates not None):
        """The scores of candidates with the current weights, which are not averaged.

        Returns float64 of shape (k,). Raises ValueError as `train` does.
        """
        cdef TreeWorkspace work = TreeWorkspace()
        cdef const int32_t[:, ::1] heads = candidates.heads
        cdef const int32_t[:, ::1] labels = candidates.labels
        check_candidates(self.finder, sentence, candidates)
        k = len(candidates.scores)
        cdef const int32_t[::1] losses = np.zeros(k, dtype=np.int32)
        if k == 0 or sentence.c.length == 0:
            return np.zeros(k)
        with nogil:
            self.score(
                &sentence.c, &heads[0, 0], &labels[0, 0], &losses[0],
                heads.shape[0], 0, work,
            )
        return np.array([work.tree_scores[i] for i in range(k)])

    cdef int learn(
        self,
        const SentenceC* sentence,
        const int32_t* heads,
        const int32_t* labels,
        const int32_t* losses,
        Py_ssize_t n_trees,
        int least,
        TreeWorkspace work,
    ) except -1 nogil:
        """Learn from one pair: the candidates with this loss, and all worse
        candidates."""
        cdef Pair chosen
        cdef double margin, score
        cdef double norm = 0
        cdef double step
        cdef size_t i
        self.score(sentence, heads, labels, losses, n_trees, least, work)
        chosen = choose(work.tree_scores.data(), losses, n_trees, least)
        margin = losses[chosen.worse] - losses[chosen.better]
        score = work.tree_scores[chosen.better] - work.tree_scores[chosen.worse]
        if score < margin:
            self.subtract(sentence, chosen, work)
            for i in range(self.difference.size()):
                norm += self.difference[i].second * self.difference[i].second
            if norm > 0:
                step = (margin - score) / norm
                for i in range(self.difference.size()):
                    self.weights.add(
                        self.difference[i].first,
                        step * self.difference[i].second,
                        <double>self.n_pairs,
                    )
                self.n_updates += 1
        self.n_pairs += 1
        return 0

    cdef int score(
        self,
        const SentenceC* sentence,
        const int32_t* heads,
        const int32_t* labels,
        const int32_t* losses,
        Py_ssize_t n_trees,
        int least,
        TreeWorkspace work,
    ) except -1 nogil:
        """Score the candidates of a pair with the current weights. Candidates outside
        both groups become trees without parts."""
        cdef uint64_t[MAX_TEMPLATES] keys
        cdef int n_keys
        cdef size_t i, tree
        cdef Py_ssize_t n = sentence.length
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
            work.scores[i] = (
                self.weights.sum(keys, n_keys) * work.table.parts[i].amount
            )
        work.tree_scores.resize(n_trees)
        add_up(work, work.tree_scores.data())
        return 0

    cdef int subtract(
        self, const SentenceC* sentence, Pair chosen, TreeWorkspace work
    ) except -1 nogil:
        """Write the difference between the features of both trees to `difference`, by
        key."""
        cdef uint64_t[MAX_TEMPLATES] keys
        cdef pair[uint64_t, double] entry
        cdef size_t i, part
        cdef size_t n = 0
        cdef int n_keys, j
        self.counts.assign(work.table.parts.size(), 0)
        for i in range(work.table.start(chosen.better), work.table.ends[chosen.better]):
            self.counts[work.table.numbers[i]] += 1
        for i in range(work.table.start(chosen.worse), work.table.ends[chosen.worse]):
            self.counts[work.table.numbers[i]] -= 1
        self.difference.clear()
        for part in range(self.counts.size()):
            if self.counts[part] == 0:
                continue
            n_keys = self.extractor.extract(sentence, &work.table.parts[part], keys)
            entry.second = self.counts[part] * <double>work.table.parts[part].amount
            for j in range(n_keys):
                entry.first = keys[j]
                self.difference.push_back(entry)
        sort(self.difference.begin(), self.difference.end())
        # Different parts can have the same feature.
        for i in range(self.difference.size()):
            if n and self.difference[n - 1].first == self.difference[i].first:
                self.difference[n - 1].second += self.difference[i].second
            else:
                self.difference[n] = self.difference[i]
                n += 1
        self.difference.resize(n)
        return 0

    def freeze(self, alpha=0.0, max_features=None):
        """Make a `Ranker` with the average of the weights after each pair so far.

        max_features: number of weights to keep, the largest first; None for all.

        Raises ValueError for a negative number and for an invalid alpha.
        """
        if max_features is not None and max_features < 0:
            raise ValueError(f"max_features {max_features}: expected 0 or more")
        cdef size_t limit = SIZE_MAX if max_features is None else max_features
        cdef vector[KeyWeight] kept
        with nogil:
            kept = FrozenRankingWeights.largest(
                self.weights, <double>self.n_pairs, limit
            )
        cdef size_t n_slots = FrozenRankingWeights.slots_for(kept.size())
        slots = np.zeros(n_slots * sizeof(FrozenWeight), dtype=np.uint8)
        cdef unsigned char[::1] view = slots
        with nogil:
            FrozenRankingWeights.fill(kept, <FrozenWeight*>&view[0], n_slots)
        # After the check nobody may change the weights.
        slots.flags.writeable = False
        return Ranker(
            self.finder.templates,
            self.finder.columns,
            self.finder.classes,
            slots,
            alpha,
        )
