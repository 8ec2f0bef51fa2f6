# cython: boundscheck=False, wraparound=False
"""Training of the ranker: algorithm 4 of Liu et al. (2015).

Passive-aggressive updates with the difference of the losses as margin (Crammer et al.
2006), averaged over all pairs.
"""
from libc.stdint cimport int32_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.pair cimport pair
from libcpp.vector cimport vector

import numpy as np

from spacy_dynoracle.core.random cimport Random
from spacy_dynoracle.core.state.sentence cimport Sentence, SentenceC
from .extractor cimport MAX_TEMPLATES
from .parts cimport TreeWorkspace
from .ranker cimport (
    FrozenRankingWeights,
    FrozenWeight,
    RankingWeights,
    TreeScorer,
)

from .ranker import Ranker

GROUPS = ("fine", "coarse")

cdef struct Pair:
    # The highest-scoring worse candidate and the lowest-scoring better candidate.
    Py_ssize_t better
    Py_ssize_t worse


cdef Pair choose(
    const double* scores, const int32_t* losses, Py_ssize_t n_trees, int least
) noexcept nogil:
    """Find the lowest score in the better group and the highest in the worse group.

    The first candidate wins a tie.
    """
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


def ranking_pairs(losses, groups):
    """Divide the candidates of a sentence into pairs of a better and a worse group.

    Source: Liu et al. 2015, section 3.3.

    Args:
        losses: Loss of each candidate.
        groups: "fine" makes a pair for every distinct loss except the largest; "coarse"
            makes one pair, for the smallest loss.

    Returns:
        One loss for each pair. The better group has the candidates with this loss, and
        the worse group has all candidates with a larger loss. The list is empty if all
        losses are equal.

    Raises:
        ValueError: For other values of `groups`.
    """
    if groups not in GROUPS:
        raise ValueError(f"ranking groups {groups!r}: expected one of {GROUPS}")
    better = np.unique(losses).tolist()
    if better:
        better.pop()
    return better if groups == "fine" else better[:1]


cdef class RankerTrainer(TreeScorer):
    """Training state of a ranker.

    Its scores are those of the current weights, which are not averaged.

    Args:
        templates, columns, classes: As of `TreeScorer`.
        groups: "fine" or "coarse", see `ranking_pairs`.
        seed: Of the order of the pairs.

    Attributes:
        n_pairs: Number of pairs seen.
        n_updates: Number of pairs that changed the weights.
    """

    cdef readonly str groups
    cdef readonly Random random
    cdef readonly size_t n_pairs
    cdef readonly size_t n_updates
    cdef RankingWeights weights
    cdef vector[int] counts
    cdef vector[pair[uint64_t, double]] difference

    def __init__(self, templates, columns, classes, groups="fine", seed=0):
        super().__init__(templates, columns, classes)
        ranking_pairs([], groups)
        self.groups = groups
        self.random = Random(seed)

    @property
    def n_features(self):
        """The number of features that have ever had a weight."""
        return self.weights.size()

    def train(self, list examples not None):
        """Train one round on the pairs of all sentences, in random order.

        The GIL is released for each pair.

        Args:
            examples: For each sentence (`Sentence`, its `Candidates`, their losses as
                an int32 array).

        Returns:
            (number of pairs, number of pairs that changed the weights).

        Raises:
            ValueError: If the parts of an example do not fit together, or a candidate
                is not a tree.
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
            self.check_candidates(sentence, candidates)
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

    cdef double weight_of(self, const uint64_t* keys, int n_keys) noexcept nogil:
        return self.weights.sum(keys, n_keys)

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
        candidates.
        """
        cdef Pair chosen
        cdef double margin, score
        cdef double norm = 0
        cdef double step
        cdef size_t i
        self.score_trees(sentence, heads, labels, losses, n_trees, least, work)
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

    cdef int subtract(
        self, const SentenceC* sentence, Pair chosen, TreeWorkspace work
    ) except -1 nogil:
        """Write the difference between the features of both trees to `difference`, by
        key.
        """
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

        Args:
            max_features: Number of weights to keep, the largest first; None for all.
                Weights of equal size are all kept or all left out.

        Raises:
            ValueError: For a negative number and for an invalid alpha.
        """
        if max_features is not None and max_features < 0:
            raise ValueError(f"max_features {max_features}: expected 0 or more")
        cdef Py_ssize_t n = self.weights.size()
        keys = np.empty(n, dtype=np.uint64)
        weights = np.empty(n, dtype=np.float32)
        cdef uint64_t[::1] key_view = keys
        cdef float[::1] weight_view = weights
        with nogil:
            self.weights.averages(
                <double>self.n_pairs, &key_view[0], &weight_view[0]
            )
        sizes = np.abs(weights)
        smallest = 0
        if max_features is not None and max_features < n:
            place = n - 1 - max_features
            smallest = np.partition(sizes, place)[place]
        kept = sizes > smallest
        key_view, weight_view = keys[kept], weights[kept]
        n = key_view.shape[0]
        # A third of the slots stays empty.
        cdef Py_ssize_t n_slots = n * 3 // 2 + 16
        array = np.zeros(n_slots * sizeof(FrozenWeight), dtype=np.uint8)
        cdef unsigned char[::1] slots = array
        with nogil:
            FrozenRankingWeights.fill(
                &key_view[0], &weight_view[0], n, <FrozenWeight*>&slots[0], n_slots
            )
        # After the check nobody may change the weights.
        array.flags.writeable = False
        return Ranker(self.templates, self.columns, self.classes, array, alpha)
