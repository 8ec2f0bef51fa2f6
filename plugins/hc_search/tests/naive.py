"""Whole-tree features from their definitions, without any care for speed."""

from collections import Counter
from itertools import pairwise, product


class NaiveTree:
    """A tree over words with tags; heads are words 1..n or 0 for ROOT.

    Args:
        others: Further columns by name, None where there is nothing.

    Attributes:
        prepositions, punctuation, conjunctions: Tags.
        brackets: Pairs of forms.
    """

    def __init__(self, words, tags, heads, labels, classes, others=None):
        self.n = len(heads)
        self.words = ["<root>", *words]
        self.tags = ["<root>", *tags]
        self.columns = {"w": self.words, "p": self.tags}
        for name, values in (others or {}).items():
            # There is nothing at ROOT either where there may be nothing.
            self.columns[name] = [None if name[0] == "m" else "<root>", *values]
        self.head = [None, *heads]
        self.label = [None, *labels]
        self.prepositions, self.punctuation, self.conjunctions, self.brackets = classes

    def children(self, h, side=None):
        found = [d for d in range(1, self.n + 1) if self.head[d] == h]
        if side is None:
            return found
        return [d for d in found if (d < h) == (side == "left")]

    def below(self, k):
        return [k, *(x for d in self.children(k) for x in self.below(d))]

    def is_word(self, k):
        return self.tags[k] not in self.punctuation

    def inner(self):
        """Words, which unlike ROOT may be heads of parts."""
        return range(1, self.n + 1)

    def neighbours(self, length):
        """(head, siblings) of every run of siblings on one side."""
        for h, side in product(self.inner(), ("left", "right")):
            row = self.children(h, side)
            for i in range(len(row) - length + 1):
                yield h, tuple(row[i : i + length])

    def parts(self, kind):
        """The parts of a kind: their nodes by role, and their values by name."""
        return getattr(self, "parts_" + kind.replace("+", "_"))()

    def parts_arc(self):
        for h in self.inner():
            for m in self.children(h):
                yield {"H": h, "M": m}, {}

    def parts_sibling(self):
        for h, (s, m) in self.neighbours(2):
            yield {"H": h, "S": s, "M": m}, {}

    def parts_trisibling(self):
        for h, (m, s, t) in self.neighbours(3):
            yield {"H": h, "M": m, "S": s, "T": t}, {}

    def parts_grandparent(self):
        for g in self.inner():
            for p in self.children(g):
                for m in self.children(p):
                    yield {"G": g, "P": p, "M": m}, {}

    def parts_greatgrandparent(self):
        for nodes, _ in self.parts_grandparent():
            for c in self.children(nodes["M"]):
                yield {**nodes, "C": c}, {}

    def parts_grandsibling(self):
        for p, (m, s) in self.neighbours(2):
            if self.head[p]:
                yield {"G": self.head[p], "P": p, "M": m, "S": s}, {}

    def parts_sibling_right(self):
        for h, (s, m) in self.neighbours(2):
            for c in self.children(m):
                yield {"H": h, "S": s, "M": m, "C": c}, {}

    def parts_sibling_left(self):
        for h, (s, m) in self.neighbours(2):
            for c in self.children(s):
                yield {"H": h, "S": s, "C": c, "M": m}, {}

    def parts_bigram(self):
        for left, m in pairwise(self.inner()):
            yield {"G": self.head[left], "H": self.head[m], "L": left, "M": m}, {}

    def parts_preposition(self):
        for p in self.inner():
            if self.tags[p] in self.prepositions and self.head[p]:
                for m in self.children(p):
                    yield {"H": self.head[p], "P": p, "M": m}, {}

    def parts_case(self):
        for p in self.inner():
            m = self.head[p]
            if self.tags[p] in self.prepositions and m and self.head[m]:
                yield {"H": self.head[m], "P": p, "M": m}, {}

    def parts_span(self):
        for k in self.inner():
            yield {"N": k}, {"Size": sum(map(self.is_word, self.below(k)))}

    def sides(self, k):
        for name, side in [("All", None), ("Left", "left"), ("Right", "right")]:
            yield name, [d for d in self.children(k, side) if self.is_word(d)]

    def parts_valency(self):
        for k in self.inner():
            yield {"N": k}, {name: len(found) for name, found in self.sides(k)}

    def parts_labels(self):
        for k in self.inner():
            yield (
                {"N": k},
                {
                    name: frozenset(self.label[d] for d in found)
                    for name, found in self.sides(k)
                },
            )

    def parts_children(self):
        for k in self.inner():
            left, right = self.children(k, "left"), self.children(k, "right")
            yield (
                {"N": k},
                {
                    "All": min(5, len(left) + len(right)),
                    "Sides": (min(5, len(left)), min(5, len(right))),
                    "Tags": tuple(self.tags[d] for d in left + right),
                },
            )

    def parts_end(self):
        for k in self.inner():
            low, high = min(self.below(k)), max(self.below(k))
            is_last = high == self.n
            is_before_punctuation = not is_last and not self.is_word(high + 1)
            yield (
                {"N": k},
                {
                    "Next": (is_last, is_before_punctuation),
                    "Size": min(5, high - low + 1),
                },
            )

    def parts_neighbours(self):
        for k in self.inner():
            if self.head[k]:
                low, high = min(self.below(k)), max(self.below(k))
                yield {"N": k, "H": self.head[k], "L": low - 1, "R": high + 1}, {}

    def conjunctions_of_ud(self):
        for c in self.inner():
            r = self.head[c]
            left = self.head[r] if r else 0
            if self.tags[c] in self.conjunctions and left and left < c < r:
                yield c, left, r

    def parts_coordination(self):
        for c, left, r in self.conjunctions_of_ud():
            yield {"C": c, "L": left, "R": r}, {}

    def parts_conjunct(self):
        for c, left, r in self.conjunctions_of_ud():
            if self.head[left]:
                for a in (left, r):
                    yield {"C": c, "A": a, "H": self.head[left]}, {}

    def parts_pair(self):
        for opening, closing in self.brackets:
            opened = None
            for k in self.inner():
                if opened and self.words[k] == closing:
                    h = self.head[k]
                    if h and self.head[opened] == h:
                        yield (
                            {"O": opened, "C": k, "H": h},
                            {"Inside": opened < h < k},
                        )
                    opened = None
                elif self.words[k] == opening:
                    opened = k

    def parts_rightbranch(self):
        """One part, which counts as much as its path is long."""
        k, length = 0, 0
        while right := [d for d in self.children(k, "right") if self.is_word(d)]:
            k, length = max(right), length + 1
        yield {}, {"Share": "", "amount": length / self.n}

    def value(self, column, k):
        return self.columns[column][k] if k <= self.n else None

    def atom(self, atom, kind, nodes, values):
        """The value of an atom of a part."""
        if atom in values:
            return values[atom]
        roles = list(nodes)
        arcs = ARCS.get(kind, ())
        if atom == "Dir":
            return tuple(nodes[h] < nodes[d] for h, d in arcs)
        if atom == "Rel":
            return tuple(self.label[nodes[d]] for _, d in arcs)
        if atom == "Dist":
            distance = nodes[roles[-1]] - nodes[roles[-2]]
            size = abs(distance)
            return distance > 0, size if size <= 5 else 6 if size <= 10 else 11
        node, column = nodes[atom[0]], atom[1:]
        if column[0] in "+-":
            return self.value(column[2:], node + int(column[:2]))
        if column[0].isupper():
            # What two words have in common.
            found = self.value(column[1:], node)
            other = self.value(column[1:], nodes[column[0]])
            return found if found == other and found is not None else MISSING
        return self.value(column, node)

    def features(self, templates):
        """How often each feature occurs, as (template, values of its atoms)."""
        found = Counter()
        for template in templates:
            kind, _, atoms = template.partition(":")
            for nodes, values in self.parts(kind):
                key = [self.atom(a, kind, nodes, values) for a in atoms.split(".")]
                if MISSING not in key:
                    found[template, tuple(key)] += values.get("amount", 1)
        return found


MISSING = object()
# The arcs of each kind of part, as the table of templates describes them.
ARCS = {
    "arc": ["HM"],
    "sibling": ["HS", "HM"],
    "trisibling": ["HM", "HS", "HT"],
    "grandparent": ["GP", "PM"],
    "greatgrandparent": ["GP", "PM", "MC"],
    "grandsibling": ["GP", "PM", "PS"],
    "sibling+right": ["HS", "HM", "MC"],
    "sibling+left": ["HS", "HM", "SC"],
    "bigram": ["GL", "HM"],
    "preposition": ["HP", "PM"],
    "case": ["HM", "MP"],
}
