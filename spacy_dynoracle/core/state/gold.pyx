# cython: boundscheck=False, wraparound=False
"""The gold tree of a sentence: heads and labels, each of which may be unknown."""
from .configuration cimport ROOT

from .labels import Labels
from .projectivity import is_projective


cdef class GoldTree:
    """A gold tree, possibly partial.

    Words with an unknown head contribute no arc, hence no cost.

    Args:
        heads: For each word 1..n the gold head: a word, 0 for ROOT or None if unknown.
        labels: For each word the label of its gold arc, or None if unknown; no labels
            at all by default.
        inventory: The `Labels` that give labels their ids; new labels are added to it.
            By default the tree has its own.

    Raises:
        ValueError: When a head is out of range, a word is its own head, the arcs form a
            cycle or the two sequences differ in length.
    """

    def __init__(
        self,
        heads: Sequence[int | None],
        labels: Sequence[str | None] | None = None,
        inventory: Labels | None = None,
    ):
        cdef int n = len(heads)
        cdef int d
        self.inventory = Labels() if inventory is None else inventory
        if labels is None:
            labels = [None] * n
        if len(labels) != n:
            raise ValueError(
                f"a tree over {n} words has one label each, but got {len(labels)}"
            )
        self.projective = is_projective(heads)
        self._allocate(n)
        self.n_known = 0
        for d in range(1, n + 1):
            head = heads[d - 1]
            self.gold.head[d] = UNKNOWN if head is None else head
            self.n_known += head is not None
            label = labels[d - 1]
            self.gold.label[d] = UNKNOWN if label is None else self.inventory.add(label)
        index_dependents(&self.gold)
        rank_nodes(&self.gold, self.complete)
        find_least_ranks(&self.gold)

    cdef int _allocate(self, int n) except -1:
        cdef int* block
        self.block.assign(6 * (<size_t>n + 1) + 1, 0)
        block = self.block.data()
        self.gold.length = n
        self.gold.head = block
        self.gold.label = block + (n + 1)
        self.gold.first = block + 2 * (n + 1)
        self.gold.dependents = block + 3 * (n + 1) + 1
        self.gold.rank = block + 4 * (n + 1) + 1
        self.gold.least_rank = block + 5 * (n + 1) + 1
        self.gold.head[0] = UNKNOWN
        self.gold.label[0] = UNKNOWN
        return 0

    def __len__(self) -> int:
        """The number of words."""
        return self.gold.length

    @property
    def heads(self) -> tuple[int | None, ...]:
        """The gold head of each word 1..n; None where it is unknown."""
        return tuple(
            None if self.gold.head[d] == UNKNOWN else self.gold.head[d]
            for d in range(1, self.gold.length + 1)
        )

    @property
    def labels(self) -> tuple[str | None, ...]:
        """The gold label of each word 1..n; None where it is unknown."""
        return tuple(
            None
            if self.gold.label[d] == UNKNOWN
            else self.inventory[self.gold.label[d]]
            for d in range(1, self.gold.length + 1)
        )

    @property
    def complete(self) -> bool:
        """Whether every word has a known head."""
        return self.n_known == self.gold.length

    def __repr__(self):
        return f"GoldTree(heads={list(self.heads)}, labels={list(self.labels)})"

    def __reduce__(self):
        return GoldTree, (self.heads, self.labels)


cdef void index_dependents(Gold* gold):
    """Fill `first` and `dependents`."""
    cdef int n = gold.length
    cdef int d, k, start = 0
    for k in range(n + 2):
        gold.first[k] = 0
    for d in range(1, n + 1):
        if gold.head[d] != UNKNOWN:
            gold.first[gold.head[d]] += 1
    for k in range(n + 2):
        start += gold.first[k]
        gold.first[k] = start
    # Filling from the right leaves first[k] at the start of k's dependents.
    for d in range(n, 0, -1):
        if gold.head[d] != UNKNOWN:
            k = gold.head[d]
            gold.first[k] -= 1
            gold.dependents[gold.first[k]] = d


cdef int rank_nodes(Gold* gold, bint is_complete) except -1:
    """Fill `rank`."""
    cdef vector[int] agenda
    cdef int i, k
    cdef int rank = 1
    for k in range(1, gold.length + 1):
        gold.rank[k] = k
    gold.rank[ROOT] = gold.length + 1
    if not is_complete:
        return 0
    agenda.push_back(ROOT)
    while not agenda.empty():
        k = agenda.back()
        agenda.pop_back()
        if k < 0:
            # All to the left of this word has been visited.
            gold.rank[-k] = rank
            rank += 1
            continue
        i = gold.first[k + 1] - 1
        while i >= gold.first[k] and gold.dependents[i] > k > ROOT:
            agenda.push_back(gold.dependents[i])
            i -= 1
        if k != ROOT:
            agenda.push_back(-k)
        while i >= gold.first[k]:
            agenda.push_back(gold.dependents[i])
            i -= 1
    return 0


cdef void find_least_ranks(Gold* gold):
    """Fill `least_rank`."""
    cdef int k
    cdef int least = gold.rank[ROOT]
    for k in range(gold.length, 0, -1):
        least = min(least, gold.rank[k])
        gold.least_rank[k] = least
