"""The transition systems of the papers as sets of tuples, for the brute-force search.

Written from the definitions alone, sharing no code with the package: Goldberg & Nivre
(2013, TACL 1), section 2.2; Nivre & Fernandez-Gonzalez (2014, CL 40:2), section 3; de
Lhoneux, Stymne & Nivre (2017) for SWAP; Honnibal & Johnson (2015) for non-monotonic
arc-eager.

A configuration is an immutable tuple that starts with (stack, buffer, heads): the
stack bottom first, the buffer front first, heads[d - 1] the head of word d or None.
A transition system is a class with the five methods of `System`; another one is
added by writing such a class.
"""

from __future__ import annotations

from itertools import pairwise

ROOT = 0


class System:
    """The interface of a transition system, and what all of them share."""

    def initial(self, n):
        """The initial configuration for n words."""
        raise NotImplementedError

    def is_terminal(self, c):
        """Whether the parser stops in c."""
        raise NotImplementedError

    def successors(self, c):
        """[(transition, arc it adds or None, next configuration)], c not terminal."""
        raise NotImplementedError

    def arcs(self, c):
        """The arcs (head, dependent) of c."""
        return [(h, d) for d, h in enumerate(c[2], 1) if h is not None]

    def final_arcs(self, c):
        """The arcs added after the terminal c, where the system does so."""
        return []


def attach(heads, head, dependent):
    """The heads with one arc more."""
    return (*heads[: dependent - 1], head, *heads[dependent:])


def headless_to_root(c):
    """The arcs that attach the words of c left without a head to ROOT."""
    return [(ROOT, d) for d, h in enumerate(c[2], 1) if h is None]


class ArcEager(System):
    """Arc-eager with ROOT last, first or absent (GN13 2.2; NF14 2)."""

    def __init__(self, root):
        self.root = root

    def initial(self, n):
        words = tuple(range(1, n + 1))
        stack = (ROOT,) if self.root == "first" else ()
        buffer = words + ((ROOT,) if self.root == "last" else ())
        return stack, buffer, (None,) * n

    def is_terminal(self, c):
        stack, buffer, _ = c
        if self.root == "last":
            return stack == () and buffer == (ROOT,)
        return buffer == ()

    def successors(self, c):
        stack, buffer, heads = c
        b, beta = buffer[0], buffer[1:]
        steps = []
        if b != ROOT:
            steps.append(("SHIFT", None, ((*stack, b), beta, heads)))
        if stack and stack[-1] != ROOT:
            sigma, s = stack[:-1], stack[-1]
            if heads[s - 1] is None:
                steps.append(("LEFT", (b, s), (sigma, buffer, attach(heads, b, s))))
            else:
                steps.append(("REDUCE", None, (sigma, buffer, heads)))
        if stack and b != ROOT:
            s = stack[-1]
            after = ((*stack, b), beta, attach(heads, s, b))
            steps.append(("RIGHT", (s, b), after))
        return steps

    def final_arcs(self, c):
        return headless_to_root(c)


class ArcEagerUnshift(System):
    """Arc-eager with the tree constraint; configurations carry the flag e last.

    ROOT first or absent after NF14 section 3, with ([], [w], A, true) terminal when
    there is no ROOT. ROOT last is the derived combination: ROOT waits behind the
    words until one headless word is left.
    """

    def __init__(self, root):
        self.root = root

    def initial(self, n):
        stack, buffer, heads = ArcEager(self.root).initial(n)
        return stack, buffer, heads, n == 0

    def is_terminal(self, c):
        stack, buffer, _, end_seen = c
        if self.root == "last":
            return stack == () and buffer == (ROOT,)
        if not end_seen:
            return False
        if self.root == "none":
            return len(stack) + len(buffer) <= 1
        return stack == (ROOT,) and buffer == ()

    def successors(self, c):
        stack, buffer, heads, end_seen = c
        rest = (ROOT,) if self.root == "last" else ()
        steps = []

        def step(transition, arc, sigma, beta):
            after = heads if arc is None else attach(heads, *arc)
            seen = end_seen or beta == rest
            steps.append((transition, arc, (sigma, beta, after, seen)))

        sigma, s = stack[:-1], stack[-1] if stack else None
        headless = s not in (None, ROOT) and heads[s - 1] is None
        if s not in (None, ROOT) and not headless:
            step("REDUCE", None, sigma, buffer)
        if buffer != rest:
            b, beta = buffer[0], buffer[1:]
            # With ROOT last the word that emptied the stack goes back to it, so
            # that ROOT can take it.
            if not end_seen or (self.root == "last" and not stack):
                step("SHIFT", None, (*stack, b), beta)
            if stack:
                step("RIGHT", (s, b), (*stack, b), beta)
            if headless:
                step("LEFT", (b, s), sigma, buffer)
        elif headless:
            alone = [w for w in stack if heads[w - 1] is None] == [s]
            if self.root == "last" and alone:
                step("LEFT", (ROOT, s), sigma, buffer)
            else:
                step("UNSHIFT", None, sigma, (s, *rest))
        return steps

    def final_arcs(self, c):
        return headless_to_root(c)


class WithRoot(System):
    """A system with ROOT first or last, which stops when nothing but ROOT is left."""

    def __init__(self, root, single_root=False):
        self.root = root
        self.single_root = single_root

    def is_terminal(self, c):
        last = ((ROOT,), ()) if self.root == "first" else ((), (ROOT,))
        return c[:2] == last


class NonMonotonicArcEager(WithRoot):
    """Arc-eager whose decisions can be repaired; configurations carry the marked words.

    LEFT replaces the head of s. A headless s is not reduced but goes back to the buffer
    and is marked. A marked word is shifted onto an empty stack only.

    Args:
        single_root: ROOT takes one word: last, when no other is left; first, unless it
            has one, which stays on the stack until the buffer is empty.
    """

    def initial(self, n):
        return *ArcEager(self.root).initial(n), frozenset()

    def successors(self, c):
        stack, buffer, heads, marked = c
        sigma, s = stack[:-1], stack[-1] if stack else None
        b, beta = buffer[0] if buffer else None, buffer[1:]
        steps = []
        if b not in (None, ROOT) and (b not in marked or not stack):
            steps.append(("SHIFT", None, ((*stack, b), beta, heads, marked)))
        if s is None:
            return steps
        only = self.single_root and self.root == "first" and ROOT in heads
        if b not in (None, ROOT) and not (s == ROOT and only):
            after = ((*stack, b), beta, attach(heads, s, b), marked)
            steps.append(("RIGHT", (s, b), after))
        if s == ROOT:
            return steps
        if b is not None and (b != ROOT or not self.single_root or not sigma):
            after = (sigma, buffer, attach(heads, b, s), marked)
            steps.append(("LEFT", (b, s), after))
        head = heads[s - 1]
        if head is None and sigma and s not in marked:
            after = (sigma, (s, *buffer), heads, marked | {s})
            steps.append(("UNSHIFT", None, after))
        if head is not None and not (only and head == ROOT and buffer):
            steps.append(("REDUCE", None, (sigma, buffer, heads, marked)))
        return steps


class RootInBuffer(WithRoot):
    """A system whose buffer begins or ends with ROOT."""

    def initial(self, n):
        words = tuple(range(1, n + 1))
        buffer = (ROOT, *words) if self.root == "first" else (*words, ROOT)
        return (), buffer, (None,) * n


class ArcHybrid(RootInBuffer):
    """Arc-hybrid with ROOT first or last (GN13 2.2).

    Args:
        single_root: ROOT takes its dependent in the very last transition.
    """

    def successors(self, c):
        stack, buffer, heads = c
        steps = []
        if buffer and (self.root == "first" or buffer[0] != ROOT):
            after = ((*stack, buffer[0]), buffer[1:], heads)
            steps.append(("SHIFT", None, after))
        if stack and buffer and stack[-1] != ROOT:
            b, s0 = buffer[0], stack[-1]
            if b != ROOT or not self.single_root or len(stack) == 1:
                after = (stack[:-1], buffer, attach(heads, b, s0))
                steps.append(("LEFT", (b, s0), after))
        if len(stack) >= 2:
            s1, s0 = stack[-2:]
            only = len(stack) == 2 and not buffer
            if s1 != ROOT or not self.single_root or only:
                after = (stack[:-1], buffer, attach(heads, s1, s0))
                steps.append(("RIGHT", (s1, s0), after))
        return steps


class ArcHybridSwap(ArcHybrid):
    """Arc-hybrid, ROOT last, with SWAP: the top goes back behind the buffer's front."""

    def __init__(self, single_root=False):
        super().__init__("last", single_root)

    def successors(self, c):
        stack, buffer, heads = c
        steps = super().successors(c)
        if stack and buffer[0] != ROOT and stack[-1] < buffer[0]:
            b, s0, beta = buffer[0], stack[-1], buffer[1:]
            steps.append(("SWAP", None, (stack[:-1], (b, s0, *beta), heads)))
        return steps


class ArcStandard(RootInBuffer):
    """Arc-standard with ROOT first or last (GN13 2.2).

    Args:
        single_root: With ROOT first its dependent is the last arc, with ROOT last ROOT
            is shifted onto a single word.
    """

    def is_terminal(self, c):
        return c[:2] == ((ROOT,), ())

    def successors(self, c):
        stack, buffer, heads = c
        steps = []
        closing = self.root == "last" and self.single_root
        if buffer and not (closing and buffer[0] == ROOT and len(stack) > 1):
            after = ((*stack, buffer[0]), buffer[1:], heads)
            steps.append(("SHIFT", None, after))
        if len(stack) < 2:
            return steps
        sigma, (s1, s0) = stack[:-2], stack[-2:]
        if s1 != ROOT:
            after = ((*sigma, s0), buffer, attach(heads, s0, s1))
            steps.append(("LEFT", (s0, s1), after))
        only = len(stack) == 2 and not buffer
        if s0 != ROOT and (s1 != ROOT or not self.single_root or only):
            after = ((*sigma, s1), buffer, attach(heads, s1, s0))
            steps.append(("RIGHT", (s1, s0), after))
        return steps


class EasyFirst(System):
    """Easy-first (GN13 2.2), ROOT first; the list lambda stands in the stack's place.

    A transition is (name, i) for the i-th pair of neighbours in lambda, counted from 1:
    ("LEFT", i) is LEFT^i+1 of the paper, ("RIGHT", i) its RIGHT^i.

    Args:
        single_root: ROOT takes its dependent when no other word is left.
    """

    root = "first"

    def __init__(self, single_root=False):
        self.single_root = single_root

    def initial(self, n):
        return tuple(range(n + 1)), (), (None,) * n

    def is_terminal(self, c):
        return c[0] == (ROOT,)

    def successors(self, c):
        nodes, buffer, heads = c
        steps = []

        def step(transition, head, dependent):
            left = tuple(node for node in nodes if node != dependent)
            after = left, buffer, attach(heads, head, dependent)
            steps.append((transition, (head, dependent), after))

        for i, (first, second) in enumerate(pairwise(nodes), 1):
            if first != ROOT:
                step(("LEFT", i), second, first)
            if first != ROOT or not self.single_root or len(nodes) == 2:
                step(("RIGHT", i), first, second)
        return steps


class Covington(RootInBuffer):
    """Covington (2001) as a transition system (Nivre 2008), ROOT last, with JUMP.

    The stack is lambda1; lambda2 is what lies between it and the buffer. The focus, the
    top of the stack, is always a word that can have an arc with the front of the
    buffer.

    Args:
        single_root: ROOT chooses one of the words that are left, which takes the rest.
            Else ROOT takes those that it has passed in the end.
    """

    def is_terminal(self, c):
        return c[:2] == ((), (ROOT,))

    def final_arcs(self, c):
        return headless_to_root(c)

    def successors(self, c):
        stack, buffer, heads = c
        b = buffer[0]
        roots = [d for d, head in enumerate(heads, 1) if head == ROOT]
        steps = []

        def step(transition, stack, arc=None):
            after = heads if arc is None else attach(heads, *arc)
            steps.append((transition, arc, self._settled(stack, buffer, after)))

        if b != ROOT:
            after = self._settled(tuple(range(1, b + 1)), buffer[1:], heads)
            steps.append(("SHIFT", None, after))
        if not stack:
            return steps
        i, below = stack[-1], stack[:-1]
        if b == ROOT and self.single_root:
            head = roots[0] if roots else ROOT
            walk = below if roots else tuple(range(1, len(heads) + 1))
            step("LEFT", walk, (head, i))
            if not roots and any(heads[k - 1] is None for k in below):
                step("PASS", below)
            return steps
        if heads[i - 1] is None and i not in _above(b, heads):
            step("LEFT", below, (b, i))
        if b == ROOT:
            step("PASS", below)
            return steps
        if heads[b - 1] is None and b not in _above(i, heads):
            step("RIGHT", below, (i, b))
        if below:
            step("PASS", below)
        target = self.target(i, heads)
        if 0 < target < i - 1:
            step("JUMP", stack[:target])
        return steps

    @staticmethod
    def target(i, heads):
        """Where JUMP leads from i."""
        if heads[i - 1] not in (None, ROOT) and heads[i - 1] < i:
            return heads[i - 1]
        while i in heads[: i - 1]:
            i = heads.index(i) + 1
        return i - 1

    @staticmethod
    def _settled(stack, buffer, heads):
        b = buffer[0]
        while stack:
            i = stack[-1]
            if heads[i - 1] is None and i not in _above(b, heads):
                break
            if b != ROOT and heads[b - 1] is None and b not in _above(i, heads):
                break
            stack = stack[:-1]
        return stack, buffer, heads


def _above(node, heads):
    """A node and the nodes on its way up."""
    path = [node]
    while node != ROOT and heads[node - 1] is not None:
        node = heads[node - 1]
        path.append(node)
    return path


class Labelled(System):
    """A system whose arcs carry one of the labels; its configuration is (c, labels).

    Transitions are pairs (transition, label or None). An arc added at the end
    counts as correctly labelled: no transition chooses its label.
    """

    def __init__(self, system, labels):
        self.system = system
        self.labels = tuple(labels)

    def initial(self, n):
        return self.system.initial(n), (None,) * n

    def is_terminal(self, c):
        return self.system.is_terminal(c[0])

    def successors(self, c):
        steps = []
        for transition, arc, after in self.system.successors(c[0]):
            if arc is None:
                steps.append(((transition, None), None, (after, c[1])))
                continue
            for label in self.labels:
                labels = attach(c[1], label, arc[1])
                steps.append(((transition, label), (*arc, label), (after, labels)))
        return steps

    def arcs(self, c):
        return [(h, d, c[1][d - 1]) for h, d in self.system.arcs(c[0])]

    def final_arcs(self, c):
        return [(*arc, None) for arc in self.system.final_arcs(c[0])]
