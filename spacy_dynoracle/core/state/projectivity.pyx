# cython: boundscheck=False
"""Projectivity: tests, and the pseudo-projective transformation.

Nivre & Nilsson (2005), encoding scheme *Head*: the label of a lifted dependent names
the label of its original head behind a separator, `label||head label`. The format is
that of spaCy, so that decorated labels mean the same in both.

Heads are sequences over the words 1..n: a word, 0 for ROOT or None for unknown. All
functions but `find_cycle` and `deprojectivize` raise ValueError when a head is out of
range or the heads form a cycle, and all for another number of labels than of heads.
"""
from bisect import bisect_left, insort
from collections import deque

from libcpp.algorithm cimport sort
from libcpp.pair cimport pair
from libcpp.vector cimport vector

from .preorder cimport Preorder

SEPARATOR = "||"

# Words of the longest sentence whose arcs are lifted one by one, in cubic time.
cdef int LONGEST = 300
# Nodes below a head among which `deprojectivize` looks for the head of a lifted word.
cdef int MOST_NODES = 1000


def find_cycle(heads: Sequence[int | None]) -> list[int]:
    """The words of a cycle in a head sequence, ascending, or an empty list.

    An unknown head ends a chain as ROOT does. Heads must be in range.
    """
    seen_from = [0] * (len(heads) + 1)
    for start in range(1, len(heads) + 1):
        k = start
        while k and not seen_from[k]:
            seen_from[k] = start
            k = heads[k - 1] or 0
        if k and seen_from[k] == start:
            cycle = [k]
            while heads[cycle[-1] - 1] != k:
                cycle.append(heads[cycle[-1] - 1])
            return sorted(cycle)
    return []


cdef class HeadArray:
    """A head sequence as a C array; index 0 is ROOT and -1 means unknown.
    """

    cdef vector[int] head
    cdef int n
    cdef bint complete

    def __cinit__(self, heads: Sequence[int | None]):
        self.n = len(heads)
        self.complete = None not in heads
        self.head.push_back(-1)
        for d, h in enumerate(heads, 1):
            if h is not None and (not 0 <= h <= self.n or h == d):
                raise ValueError(
                    f"word {d} of {self.n} has head {h}: expected another word, 0 for "
                    f"ROOT or None for unknown"
                )
            self.head.push_back(-1 if h is None else h)
        cycle = find_cycle(heads)
        if cycle:
            raise ValueError(
                f"the heads form a cycle through words {', '.join(map(str, cycle))}"
            )

    cdef bint may_descend(self, int k, int h, int low, int high) noexcept nogil:
        """Whether k descends from h, or could once unknown heads become known.

        An unknown head inside the span low..high can still be anything, unless h itself
        descends from that word; a chain that leaves the span and ends elsewhere than in
        h crosses the arc.
        """
        while k > 0 and k != h:
            if self.head[k] == -1:
                return low < k < high and not self.descends(h, k)
            k = self.head[k]
        return k == h

    cdef bint descends(self, int k, int h) noexcept nogil:
        while k > 0 and k != h:
            k = self.head[k]
        return k == h

    cdef bint crosses(self, int d, int first, int end) noexcept nogil:
        """Whether the arc to d crosses another known arc; ROOT stands at 0.

        Args:
            first, end: Of the run of words that holds d.
        """
        cdef int low = min(self.head[d], d)
        cdef int high = max(self.head[d], d)
        cdef int k, inner, outer
        if self.head[d] <= 0:
            return False
        for k in range(first, end):
            if self.head[k] == -1:
                continue
            inner, outer = min(self.head[k], k), max(self.head[k], k)
            if inner < low < outer < high or low < inner < high < outer:
                return True
        return False

    cdef bint is_nonprojective(self, int d) noexcept nogil:
        cdef int h = self.head[d]
        cdef int low = min(h, d)
        cdef int high = max(h, d)
        cdef int k
        if h <= 0:
            return False
        for k in range(low + 1, high):
            if not self.may_descend(k, h, low, high):
                return True
        return False

    cdef vector[int] closest_heads(self, Preorder order) noexcept nogil:
        """For each word the closest node above it from which all words between descend.

        It is the head itself if the arc is projective. A tree with these heads is
        projective, and no arc could be lifted less. Unknown heads count as ROOT, and a
        word that would get one as its head has -1.

        Args:
            order: Is built from the tree.

        Returns:
            The node for each word, of shape (n + 1).
        """
        cdef vector[int] found
        # Around each word, those that descend from it form a block of neighbours. The
        # first and the last word of a block know the word to which it belongs.
        cdef vector[int] first
        cdef vector[int] last
        cdef vector[int] owner
        cdef int k, h, place
        order.build(self.head.data(), self.n)
        found = self.head
        for place in range(1, self.n + 1):
            k = order.node[place]
            if self.head[k] > 0:
                found[k] = found[self.head[k]]
        first.resize(self.n + 1)
        last.resize(self.n + 1)
        owner.resize(self.n + 1)
        # Nodes with larger numbers come first, so a node comes before its head.
        for place in range(self.n, 0, -1):
            h = order.node[place]
            k = h - 1
            while k > 0 and order.descends(k, h):
                found[owner[k]] = h
                k = first[owner[k]] - 1
            first[h] = k + 1
            k = h + 1
            while k <= self.n and order.descends(k, h):
                found[owner[k]] = h
                k = last[owner[k]] + 1
            last[h] = k - 1
            owner[first[h]] = owner[last[h]] = h
        return found

    cdef void lift(self, Preorder order, int* lifted) noexcept nogil:
        """Lift arcs until the tree is projective, as `projectivize` says.

        Args:
            order: Is built from the tree.
            lifted: Is set to 1 for each word whose head has changed.
        """
        cdef vector[int] closest
        cdef vector[int] starts
        cdef size_t i
        cdef int d
        if not self.complete and self.is_partly_projective(order):
            return
        closest = self.closest_heads(order)
        if self.complete and closest == self.head:
            return
        self.find_runs(starts)
        for i in range(1, starts.size()):
            if starts[i] - starts[i - 1] > LONGEST:
                # In one step, so that the time is linear.
                for d in range(starts[i - 1], starts[i]):
                    lifted[d] = closest[d] != self.head[d]
                    self.head[d] = closest[d]
                continue
            d = self.shortest_nonprojective(starts[i - 1], starts[i])
            while d:
                self.head[d] = self.head[self.head[d]]
                lifted[d] = 1
                d = self.shortest_nonprojective(starts[i - 1], starts[i])

    cdef bint is_partly_projective(self, Preorder order) noexcept nogil:
        """Whether a tree with unknown heads is projective, as `is_projective` says.

        It is if no known arcs cross, and no arc has a word below ROOT, or the word
        without known head that is above the arc, inside its span.

        Args:
            order: Is built from the tree.
        """
        # From the left end; if it is the same, the longest arc comes first. Arcs of
        # ROOT go from the word to the end.
        cdef vector[pair[int, int]] arcs
        cdef vector[int] open_ends
        cdef vector[int] top
        cdef int place, k, low, high
        order.build(self.head.data(), self.n)
        top.resize(self.n + 1)
        for place in range(1, self.n + 1):
            k = order.node[place]
            top[k] = top[self.head[k]] if self.head[k] > 0 else k
            if self.head[k] > 0:
                low, high = min(self.head[k], k), max(self.head[k], k)
                if self.head[top[k]] == -1 and low < top[k] < high:
                    return False
                arcs.push_back(pair[int, int](low, -high))
            elif self.head[k] == 0:
                arcs.push_back(pair[int, int](k, -self.n - 1))
        sort(arcs.begin(), arcs.end())
        for arc in arcs:
            while not open_ends.empty() and open_ends.back() <= arc.first:
                open_ends.pop_back()
            if not open_ends.empty() and open_ends.back() < -arc.second:
                return False
            open_ends.push_back(-arc.second)
        return True

    cdef void find_runs(self, vector[int]& starts) noexcept nogil:
        """Cut the words into runs that no arc between words leaves.

        All words above and below a word, and all arcs that cross its arc, are in the
        run of the word.

        Args:
            starts: Set to the first words of the runs, and last n + 1.
        """
        cdef vector[int] change
        cdef int n_arcs = 0
        cdef int k
        change.assign(self.n + 1, 0)
        for k in range(1, self.n + 1):
            if self.head[k] > 0:
                change[min(self.head[k], k)] += 1
                change[max(self.head[k], k)] -= 1
        starts.clear()
        for k in range(1, self.n + 1):
            if n_arcs == 0:
                starts.push_back(k)
            n_arcs += change[k]
        starts.push_back(self.n + 1)

    cdef int shortest_nonprojective(self, int first, int end) noexcept nogil:
        """Dependent of the shortest non-projective arc of a run (leftmost of
        equals), or 0.
        """
        cdef int d
        cdef int shortest = 0
        cdef int length = self.n + 1
        for d in range(first, end):
            if abs(self.head[d] - d) < length and self.is_nonprojective(d):
                shortest = d
                length = abs(self.head[d] - d)
        if shortest:
            return shortest
        # In a partial tree arcs can cross without either being non-projective yet; no
        # completion is projective all the same.
        for d in range(first, end):
            if abs(self.head[d] - d) < length and self.crosses(d, first, end):
                shortest = d
                length = abs(self.head[d] - d)
        return shortest


def is_projective(heads: Sequence[int | None]) -> bool:
    """Whether the known arcs are projective (no arc has a node inside its span that
    is not a descendant of its head). Words with an unknown head are not counted
    against it as long as some head could make them descendants.
    """
    cdef HeadArray tree = HeadArray(heads)
    if tree.complete:
        return tree.closest_heads(Preorder()) == tree.head
    return tree.is_partly_projective(Preorder())


def nonprojective_arcs(heads: Sequence[int | None]) -> list[int]:
    """The dependents of all non-projective arcs, ascending.
    """
    cdef HeadArray tree = HeadArray(heads)
    cdef vector[int] closest
    cdef int d
    if not tree.complete:
        if tree.is_partly_projective(Preorder()):
            return []
        return [d for d in range(1, tree.n + 1) if tree.is_nonprojective(d)]
    closest = tree.closest_heads(Preorder())
    return [d for d in range(1, tree.n + 1) if closest[d] != tree.head[d]]


def projectivize(
    heads: Sequence[int | None], labels: Sequence[str | None]
) -> tuple[list[int | None], list[str | None]]:
    """Lift arcs until the tree is projective and record the lifts in the labels.

    While there is a non-projective arc (h, d), the shortest one (leftmost of equals)
    is replaced by (head of h, d). A lifted word keeps its label, decorated with the
    label of its original head; a label that is unknown stays unknown.

    In text of more than 300 words that arcs hold together, each arc is lifted as little
    as possible in one step, so that the time is linear. Arcs over words with unknown
    heads are lifted there, too.

    Source: Nivre & Nilsson 2005, section 3.

    Returns:
        Heads and labels as lists; projective trees come back as they were. Where the
        head of h is unknown, so is the lifted one.
    """
    cdef HeadArray tree = HeadArray(heads)
    cdef Preorder order = Preorder()
    cdef vector[int] lifted
    cdef int d
    check_labels(heads, labels)
    lifted.assign(tree.n + 1, 0)
    with nogil:
        tree.lift(order, lifted.data())
    new_heads, new_labels = list(heads), list(labels)
    for d in range(1, tree.n + 1):
        if not lifted[d]:
            continue
        new_heads[d - 1] = None if tree.head[d] == -1 else tree.head[d]
        original = labels[heads[d - 1] - 1]
        if labels[d - 1] is not None and original is not None:
            new_labels[d - 1] = f"{labels[d - 1]}{SEPARATOR}{original}"
    return new_heads, new_labels


cdef int check_labels(heads, labels) except -1:
    if len(heads) != len(labels):
        raise ValueError(f"{len(heads)} heads and {len(labels)} labels")
    return 0


def is_decorated(label: str) -> bool:
    """Whether a label records a lift."""
    return SEPARATOR in label


def base_label(label: str) -> str:
    """The label without the record of a lift."""
    return label.partition(SEPARATOR)[0]


def deprojectivize(
    heads: Iterable[int], labels: Iterable[str]
) -> tuple[list[int], list[str]]:
    """Undo the lifts that decorated labels record.

    For every word with a label `X||Y`, from left to right, the subtree of its head is
    searched breadth first, each level from left to right and not through the word
    itself, for a node with label Y. The word is attached there; where there is none
    among the first thousand nodes, it keeps its head. Its label becomes X in either
    case.

    heads must be complete.

    Source: Nivre & Nilsson 2005, section 3.

    Returns:
        Heads and labels as lists.
    """
    heads, labels = list(heads), list(labels)
    check_labels(heads, labels)
    dependents = [[] for _ in range(len(heads) + 1)]
    for d, h in enumerate(heads, 1):
        dependents[h].append(d)
    for d, label in enumerate(labels, 1):
        if not is_decorated(label):
            continue
        label, _, head_label = label.partition(SEPARATOR)
        new_head = _search(dependents, labels, heads[d - 1], d, head_label)
        if new_head:
            siblings = dependents[heads[d - 1]]
            del siblings[bisect_left(siblings, d)]
            insort(dependents[new_head], d)
            heads[d - 1] = new_head
        labels[d - 1] = label
    return heads, labels


def _search(dependents, labels, top, word, wanted):
    pending, n_seen = deque([top]), 0
    while pending:
        for child in dependents[pending.popleft()]:
            if child == word:
                continue
            if labels[child - 1] == wanted:
                return child
            n_seen += 1
            if n_seen == MOST_NODES:
                return 0
            pending.append(child)
    return 0
