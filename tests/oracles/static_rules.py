"""The static oracles of the papers as rules tried from top to bottom.

Each is valid along its own derivation only (Goldberg & Nivre 2013, TACL 1, section 4.1
and footnote 6). A rule takes a configuration of the reference and the gold heads and
returns the name of a transition.
"""

from .reference_systems import ROOT


class _At:
    """Gold heads seen from one configuration."""

    def __init__(self, c, gold):
        self.stack, self.buffer, self.heads = c[:3]
        self.s0 = self.stack[-1] if self.stack else None
        self.s1 = self.stack[-2] if len(self.stack) > 1 else None
        self.b = self.buffer[0] if self.buffer else None
        self.gold = gold

    def head(self, word):
        """The gold head of a word; of ROOT and of a missing word nothing."""
        return "none" if word in (None, ROOT) else self.gold[word - 1]

    def has_head(self, word):
        return word not in (None, ROOT) and self.heads[word - 1] is not None

    def dependents(self, word):
        return [d for d, head in enumerate(self.gold, 1) if head == word]

    def has_all(self, word, after=0):
        """Whether all gold dependents of a word, those after a place, are attached."""
        return all(
            self.heads[d - 1] == word for d in self.dependents(word) if d > after
        )

    def finished(self, word):
        """Whether a word has no gold dependent in the buffer."""
        return not set(self.dependents(word)) & set(self.buffer)

    def b_needs_stack_below(self):
        """Whether b has its head or a dependent below the top of the stack."""
        return any(
            self.head(self.b) == k or self.head(k) == self.b for k in self.stack[:-1]
        )


def arc_eager_shift(c, gold):
    """Nivre's oracle, MaltParser: REDUCE only where it is needed."""
    at = _At(c, gold)
    return _arc_eager(at, at.b_needs_stack_below() or at.b in (None, ROOT))


def arc_eager_reduce(c, gold):
    """REDUCE as soon as possible, the static oracle of Goldberg & Nivre (2013)."""
    at = _At(c, gold)
    return _arc_eager(at, at.finished(at.s0))


def _arc_eager(at, may_reduce):
    if at.head(at.s0) == at.b and not at.has_head(at.s0):
        return "LEFT"
    if at.head(at.b) == at.s0:
        return "RIGHT"
    return "REDUCE" if at.has_head(at.s0) and may_reduce else "SHIFT"


def arc_hybrid_right(c, gold):
    """RIGHT as soon as possible, the static oracle of Goldberg & Nivre (2013)."""
    return _arc_hybrid(_At(c, gold), True)


def arc_hybrid_shift(c, gold):
    """RIGHT only where b needs what is below the top, or nothing can be shifted."""
    at = _At(c, gold)
    # With ROOT at the front of the buffer below a word, ROOT is last: no SHIFT.
    return _arc_hybrid(at, at.b in (None, ROOT) or at.b_needs_stack_below())


def _arc_hybrid(at, may_go_right):
    if at.b is not None and at.head(at.s0) == at.b:
        return "LEFT"
    has_right = at.s1 is not None and at.head(at.s0) == at.s1 and at.finished(at.s0)
    return "RIGHT" if has_right and may_go_right else "SHIFT"


def arc_standard_left_first(c, gold):
    """LEFT as soon as possible."""
    at = _At(c, gold)
    if at.s1 is not None and at.head(at.s1) == at.s0:
        return "LEFT"
    if at.s1 is not None and at.head(at.s0) == at.s1 and at.has_all(at.s0):
        return "RIGHT"
    return "SHIFT"


def arc_standard_left_last(c, gold):
    """LEFT when the head has all its right dependents (Liu et al. 2015, Figure 3)."""
    at = _At(c, gold)
    has_left = at.s1 is not None and at.head(at.s1) == at.s0
    if has_left and (at.s0 == ROOT or at.has_all(at.s0, after=at.s0)):
        return "LEFT"
    if at.s1 is not None and at.head(at.s0) == at.s1 and at.has_all(at.s0):
        return "RIGHT"
    return "SHIFT"


# By system, and by the variant's name in the package; the default comes first.
RULES = {
    "arc-eager": {"reduce": arc_eager_reduce, "shift": arc_eager_shift},
    "non-monotonic": {"reduce": arc_eager_reduce, "shift": arc_eager_shift},
    "arc-hybrid": {"right": arc_hybrid_right, "shift": arc_hybrid_shift},
    "arc-standard": {
        "left-first": arc_standard_left_first,
        "left-last": arc_standard_left_last,
    },
}


def is_valid(c, gold, head, dependent):
    """Easy-first: the arc is gold and the dependent has its own (GE10, isValid)."""
    at = _At(c, gold)
    return at.head(dependent) == head and at.has_all(dependent)
