# cython: boundscheck=False, wraparound=False
"""Configurations that are set by hand, for examples and tests."""
from .configuration cimport (
    IN_BUFFER,
    NO_LABEL,
    NO_NODE,
    REDUCED,
    ROOT,
    ROOT_FIRST,
    ROOT_LAST,
    Configuration,
    ConfigurationC,
    add_arc,
    push,
)

from .projectivity import find_cycle


def set_by_hand(
    Configuration c not None,
    stack: Sequence[int],
    buffer: Sequence[int],
    arcs: Sequence[tuple[int, str | None, int]],
    marked: Sequence[int],
) -> None:
    """Give an initial configuration stack, buffer and arcs, as
    `TransitionSystem.configuration` says.
    """
    cdef ConfigurationC* own = &c.c
    cdef int i, k
    # Iterators would be used up by the checks.
    stack, buffer, arcs, marked = map(tuple, (stack, buffer, arcs, marked))
    check_nodes(c, stack, buffer, arcs, marked)
    own.stack_size = own.n_headless = 0
    for k in range(own.length + 1):
        own.nodes[k].place = REDUCED
    own.front = own.end - len(buffer)
    for i, k in enumerate(buffer):
        own.buffer[own.front + i] = k
        own.nodes[k].place = IN_BUFFER
    for k in stack:
        push(own, k)
    add_arcs(c, arcs)
    for k in marked:
        own.nodes[k].marked = True


cdef int check_nodes(Configuration c, stack, buffer, arcs, marked) except -1:
    """Raise ValueError when a node cannot be where it is to be."""
    cdef int n_words = c.c.length
    nodes = [*stack, *buffer]
    in_arcs = [k for h, _, d in arcs for k in (h, d)]
    for k in [*nodes, *in_arcs, *marked]:
        if not 0 <= k <= n_words:
            raise ValueError(f"no node {k} in a sentence of {n_words} words")
    if len(set(nodes)) != len(nodes):
        raise ValueError(f"a node stands twice in stack {stack} and buffer {buffer}")
    places = {ROOT_FIRST: 0, ROOT_LAST: len(nodes) - 1}
    if ROOT in nodes and nodes.index(ROOT) != places.get(c.c.root):
        raise ValueError(
            f"ROOT cannot stand there in stack {stack} and buffer {buffer}: in this "
            f"system it stands {('last', 'first', 'nowhere')[c.c.root]}"
        )
    return 0


cdef int add_arcs(Configuration c, arcs) except -1:
    """Add arcs (head, label or None, dependent); raise ValueError if they cannot be
    those of one tree.
    """
    cdef int h, d
    for h, label, d in arcs:
        if d == ROOT or h == d or c.c.nodes[d].head != NO_NODE:
            raise ValueError(
                f"({h}, {label}, {d}) cannot be an arc: word {d} is ROOT, its own head "
                f"or has a head already"
            )
        add_arc(&c.c, h, NO_LABEL if label is None else c.labels.add(label), d)
    cycle = find_cycle(c.heads)
    if cycle:
        words = ", ".join(map(str, cycle))
        raise ValueError(f"the arcs form a cycle through words {words}")
    count_descendants(&c.c)
    return 0


cdef void count_descendants(ConfigurationC* c) noexcept nogil:
    """Set the sizes of all subtrees, whatever the order of the arcs was."""
    cdef int d, h
    for d in range(c.length + 1):
        c.nodes[d].size = 1
    for d in range(1, c.length + 1):
        h = c.nodes[d].head
        while h != NO_NODE:
            c.nodes[h].size += 1
            h = c.nodes[h].head
