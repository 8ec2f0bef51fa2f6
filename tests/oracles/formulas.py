"""The published cost formulas, right and wrong, as vectors over gold trees.

A second implementation beside the package's, for the negative controls: what the
exhaustive search has to reject. Goldberg & Nivre (2013, TACL 1), section 4.5; for
Covington's system the loss of Gomez-Rodriguez & Fernandez-Gonzalez (2015), counted from
its definition.
"""

import numpy as np

from .reference_systems import ROOT, ArcEager, ArcHybrid, NonMonotonicArcEager


def arc_eager_costs(c, golds, literal=False, headless_only=True):
    """{transition: costs} of arc-eager with ROOT last.

    Args:
        literal: The dependents of LEFT without b, those of RIGHT without s, as printed.
        headless_only: The correction of GN13 footnote 11.
    """
    stack, buffer, heads = c
    b, beta = buffer[0], buffer[1:]
    sigma, s = stack[:-1], stack[-1] if stack else None

    def lost(nodes):
        return [k for k in nodes if heads[k - 1] is None or not headless_only]

    arcs = {
        "SHIFT": [(k, b) for k in stack] + [(b, k) for k in lost(stack)],
        "REDUCE": [(s, k) for k in buffer],
        "LEFT": [(k, s) for k in beta]
        + [(s, k) for k in (beta if literal else buffer)],
        "RIGHT": [(k, b) for k in sigma + beta]
        + [(b, k) for k in lost(sigma if literal else stack)],
    }
    legal = [name for name, _, _ in ArcEager("last").successors(c)]
    return {name: _count(golds, arcs[name]) for name in legal}


def non_monotonic_costs(
    c, golds, root, single_root, headless_only=False, back=True, adjusted=True
):
    """{transition: costs} of non-monotonic arc-eager.

    Args:
        headless_only: RIGHT loses only headless dependents, as in arc-eager.
        back: LEFT loses the arcs that s could get by going back.
        adjusted: With ROOT last and one root, a word with a head cannot become it.
    """
    stack, buffer, heads, marked = c
    sigma, s, b = (
        stack[:-1],
        stack[-1] if stack else None,
        buffer[0] if buffer else None,
    )
    words = [k for k in stack if k != ROOT]
    head = heads[s - 1] if s else None
    closing = adjusted and single_root and root == "last"
    later = [k for k in buffer if k != ROOT or not closing or head is None]
    goes_back = back and sigma and head is None and s not in marked
    lost = [k for k in words if heads[k - 1] is None or not headless_only]
    of_s = [(s, k) for k in buffer]
    arcs = {
        "SHIFT": [],
        "UNSHIFT": [],
        "REDUCE": of_s + [(k, s) for k in later],
        "LEFT": of_s + [(k, s) for k in later if k != b] + [(head, s)],
        "RIGHT": [(b, k) for k in lost] + [(k, b) for k in sigma],
    }
    if goes_back:
        arcs["LEFT"] += [(k, s) for k in sigma] + [(s, k) for k in words]
    if closing:
        arcs["RIGHT"].append((ROOT, b))
    system = NonMonotonicArcEager(root, single_root)
    legal = [name for name, _, _ in system.successors(c)]
    return {name: _count(golds, arcs[name]) for name in legal}


def arc_hybrid_costs(c, golds, root, single_root=False, adjusted=True):
    """{transition: costs} of arc-hybrid.

    Args:
        adjusted: With ROOT last and a single root, (ROOT, d) is lost by the transitions
            after which d is neither in the buffer nor at the bottom of the stack.
            Without, the formulas as printed.
    """
    stack, buffer, _ = c
    below, s1, s0 = stack[:-1], stack[-2:-1], stack[-1] if stack else None
    b, beta = buffer[:1], buffer[1:]
    adjusted = adjusted and single_root and root == "last"
    if adjusted:
        words = tuple(node for node in buffer if node != ROOT)
        later = tuple(node for node in beta if node != ROOT)
        alone = len(stack) == 1 and b != (ROOT,)
    else:
        words, later, alone = buffer, beta, False
    arcs = {
        "LEFT": [(s0, k) for k in words]
        + [(k, s0) for k in s1 + later]
        + [(ROOT, s0)] * alone,
        "RIGHT": [(s0, k) for k in words] + [(k, s0) for k in words],
        "SHIFT": [(b[0], k) for k in stack if b] + [(k, b[0]) for k in below if b],
    }
    if adjusted and stack:
        arcs["SHIFT"].append((ROOT, b[0]))
    legal = [name for name, _, _ in ArcHybrid(root, single_root).successors(c)]
    return {name: _count(golds, arcs[name]) for name in legal}


def covington_loss(c, gold, cycles=True, walk=True):
    """The loss of Gomez-Rodriguez & Fernandez-Gonzalez (2015) for one gold tree.

    Args:
        cycles: Without, the loss of systems whose arcs are independent of each other.
        walk: Whether arcs of the words that the focus has left are lost.
    """
    stack, buffer, heads = c
    b = buffer[0]
    passed = set(range(1, b or len(heads) + 1)) - set(stack) if walk else set()
    path, lost = dict(enumerate(heads, 1)), 0
    for d, h in enumerate(gold, 1):
        if h is None or heads[d - 1] is not None:
            lost += h not in (None, heads[d - 1])
        elif h == ROOT:
            # ROOT takes what is left in the end.
            path[d] = h
        elif not {h, d} & set(buffer) or (b in (h, d) and {h, d} & passed):
            lost += 1
        else:
            path[d] = h
    on_cycle = {k for k in path if k in _nodes_from(path.get(k), path)}
    found = {frozenset(_nodes_from(k, path)) for k in on_cycle}
    return lost + (len(found) if cycles else 0)


def _nodes_from(node, path):
    nodes = []
    while node not in (None, ROOT) and node not in nodes:
        nodes.append(node)
        node = path.get(node)
    return nodes


def covington_costs(c, brute, **variant):
    """{transition: costs} of Covington's system: losses after it less those before."""

    def losses(c):
        found = [covington_loss(c, gold, **variant) for gold in brute.golds.heads]
        return np.array(found)

    before = losses(c)
    return {name: losses(a) - before for name, _, a in brute.graph.successors[c]}


def _count(golds, arcs):
    return golds.count((h, d) for h, d in arcs if d != ROOT)
