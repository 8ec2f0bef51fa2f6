# cython: boundscheck=False, wraparound=False
"""Configurations of a transition system.

A configuration is a triple of stack, buffer and arcs (Goldberg & Nivre 2013,
section 2.1). Nodes are the words 1..n and ROOT, which is 0 wherever it stands.
Everything of one configuration lies in one block of memory, so that copying it,
as beam search does all the time, is little more than a `memcpy`.

The dependents of a node are linked lists, one for each side, from the outermost
dependent inward: `leftmost`, then `sibling`, `sibling` ...
"""
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from ..hashing cimport mix

from .labels import Labels


cdef size_t block_size(int capacity) noexcept nogil:
    return (
        <size_t>(capacity + 2) * sizeof(Node)
        + 2 * <size_t>(capacity + 1 + 2 * PADDING) * sizeof(int)
    )


cdef void point_into_block(ConfigurationC* c) noexcept nogil:
    cdef int* integers
    # Index -1 is the node that is not there; all of its members say "nothing".
    c.nodes = <Node*>c.block + 1
    integers = <int*>(<Node*>c.block + c.capacity + 2)
    c.stack = integers + PADDING
    c.buffer = integers + (c.capacity + 1 + 2 * PADDING)


cdef int reserve(ConfigurationC* c, int length) except -1 nogil:
    """Make room for a sentence of `length` words; the content is lost."""
    cdef int capacity = max(2 * c.capacity, length)
    if c.block is not NULL and length <= c.capacity:
        return 0
    free(c.block)
    c.block = malloc(block_size(capacity))
    if c.block is NULL:
        c.capacity = 0
        with gil:
            raise MemoryError(f"no memory for a sentence of {length} words")
    c.capacity = capacity
    point_into_block(c)
    return 0


cdef void release(ConfigurationC* c) noexcept nogil:
    free(c.block)
    c.block = NULL
    c.capacity = 0


cdef void clear(
    ConfigurationC* c, int length, int root, RootRule root_rule
) noexcept nogil:
    """All words in the buffer, no arcs; ROOT where `root` says. Needs `reserve`."""
    cdef int i
    cdef Node nothing
    nothing.head = nothing.leftmost = nothing.rightmost = NO_NODE
    nothing.sibling = NO_NODE
    nothing.label = NO_LABEL
    nothing.n_left = nothing.n_right = nothing.marked = 0
    nothing.size = 1
    nothing.left_labels = nothing.right_labels = 0
    nothing.place = REDUCED
    c.nodes[NO_NODE] = nothing
    c.nodes[ROOT] = nothing
    nothing.place = IN_BUFFER
    # The place before the words is for ROOT, should it stand first in the buffer.
    for i in range(1, length + 1):
        c.nodes[i] = nothing
        c.buffer[i] = i
    c.length = length
    c.root = root
    c.root_rule = root_rule
    c.stack_size = 0
    c.n_headless = 0
    c.front = 1
    c.end = length + 1
    if root == ROOT_LAST:
        c.buffer[c.end] = ROOT
        c.nodes[ROOT].place = IN_BUFFER
        c.end += 1
    for i in range(PADDING):
        c.stack[i - PADDING] = NO_NODE
        c.buffer[c.end + i] = NO_NODE
    if root == ROOT_FIRST:
        push(c, ROOT)


cdef int copy_configuration(
    ConfigurationC* to, const ConfigurationC* c
) except -1 nogil:
    """Make `to` equal to `c`; copies only what is used of the block."""
    cdef void* block
    cdef int capacity
    if to.block is NULL or to.capacity < c.length:
        release(to)
        reserve(to, c.capacity)
    block = to.block
    capacity = to.capacity
    to[0] = c[0]
    to.block = block
    to.capacity = capacity
    point_into_block(to)
    memcpy(to.nodes + NO_NODE, c.nodes + NO_NODE, <size_t>(c.length + 2) * sizeof(Node))
    memcpy(
        to.stack - PADDING,
        c.stack - PADDING,
        <size_t>(c.stack_size + PADDING) * sizeof(int),
    )
    memcpy(
        to.buffer + c.front,
        c.buffer + c.front,
        <size_t>(buffer_size(c) + PADDING) * sizeof(int),
    )
    return 0


cdef void copy_ends(
    ConfigurationC* to, const ConfigurationC* c, int n_steps
) noexcept nogil:
    """Make `to` equal to `c`, but for the nodes.

    Both have come from one configuration by transitions, `n_steps` of both together. A
    transition changes the two nodes on the top of the stack and the front of the
    buffer, and it makes neither longer or shorter by more than one node.
    """
    # One of them may be the other's ancestor, with ends that are n_steps away.
    cdef int n_moved = 2 * n_steps + 1
    cdef int lowest = max(0, c.stack_size - n_moved)
    cdef int highest = min(c.end, c.front + n_moved)
    memcpy(
        to.stack + lowest,
        c.stack + lowest,
        <size_t>(c.stack_size - lowest) * sizeof(int),
    )
    memcpy(
        to.buffer + c.front,
        c.buffer + c.front,
        <size_t>(highest - c.front) * sizeof(int),
    )
    to.stack_size = c.stack_size
    to.n_headless = c.n_headless
    to.front = c.front
    to.end = c.end


cdef bint has_label(const ConfigurationC* c, int first, int label) noexcept nogil:
    while first != NO_NODE:
        if c.nodes[first].label == label:
            return True
        first = c.nodes[first].sibling
    return False


cdef void add_arc(ConfigurationC* c, int head, int label, int dependent) noexcept nogil:
    """Add the arc (head, label, dependent) and update what is known of the head.

    The set of labels on each side is an order-free hash of *distinct* labels.
    """
    cdef Node* h = &c.nodes[head]
    cdef Node* d = &c.nodes[dependent]
    cdef bint left = dependent < position(c, head)
    cdef int* link = &h.leftmost if left else &h.rightmost
    cdef uint64_t* labels = &h.left_labels if left else &h.right_labels
    if not has_label(c, link[0], label):
        labels[0] ^= mix(<uint64_t>(label + 1))
    # Systems attach from the inside out, so this loop normally ends at once; only
    # configurations built by hand come in another order.
    while link[0] != NO_NODE and (link[0] < dependent) == left:
        link = &c.nodes[link[0]].sibling
    d.sibling = link[0]
    link[0] = dependent
    d.head = head
    h.size += d.size
    d.label = label
    if left:
        h.n_left += 1
    else:
        h.n_right += 1
    c.n_headless -= d.place == ON_STACK


cdef void remove_arc(ConfigurationC* c, int dependent) noexcept nogil:
    """Undo `add_arc`."""
    cdef Node* d = &c.nodes[dependent]
    cdef Node* h = &c.nodes[d.head]
    cdef bint left = dependent < position(c, d.head)
    cdef int* outermost = &h.leftmost if left else &h.rightmost
    cdef int* link = outermost
    cdef uint64_t* labels = &h.left_labels if left else &h.right_labels
    while link[0] != dependent:
        link = &c.nodes[link[0]].sibling
    link[0] = d.sibling
    if not has_label(c, outermost[0], d.label):
        labels[0] ^= mix(<uint64_t>(d.label + 1))
    h.size -= d.size
    if left:
        h.n_left -= 1
    else:
        h.n_right -= 1
    d.head = NO_NODE
    c.n_headless += d.place == ON_STACK


cdef class Configuration:
    """One configuration, as the Python view of the core shows it.

    Made by `TransitionSystem.initial` or `TransitionSystem.configuration`.
    """

    def __dealloc__(self):
        release(&self.c)

    def __init__(self) -> NoReturn:
        raise TypeError(
            "a Configuration is made by a transition system: "
            "use system.initial(n) or system.configuration(n, ...)"
        )

    def copy(self) -> Configuration:
        """An independent copy."""
        cdef Configuration other = Configuration.__new__(Configuration)
        other.labels = Labels(self.labels)
        copy_configuration(&other.c, &self.c)
        return other

    __copy__ = copy

    def __deepcopy__(self, _: Any) -> Configuration:
        return self.copy()

    def __reduce__(self) -> NoReturn:
        raise TypeError("keep stack, buffer and arcs, for `configuration` of a system")

    def __len__(self) -> int:
        """The number of words (without ROOT)."""
        return self.c.length

    @property
    def stack(self) -> tuple[int, ...]:
        """Nodes on the stack, from the bottom to the top."""
        return tuple(self.c.stack[i] for i in range(self.c.stack_size))

    @property
    def buffer(self) -> tuple[int, ...]:
        """Nodes in the buffer, front first."""
        return tuple(self.c.buffer[i] for i in range(self.c.front, self.c.end))

    @property
    def root_rule(self) -> RootRule:
        """How many words may become dependents of ROOT, a `RootRule`."""
        return self.c.root_rule

    @property
    def heads(self) -> tuple[int | None, ...]:
        """The head of each word 1..n: a node, or None while it is headless."""
        return tuple(
            None if self.c.nodes[k].head == NO_NODE else self.c.nodes[k].head
            for k in range(1, self.c.length + 1)
        )

    @property
    def arcs(self) -> tuple[tuple[int, str | None, int], ...]:
        """All arcs as (head, label, dependent), in the order of the dependents."""
        return tuple(
            (self.c.nodes[k].head, self._label(k), k)
            for k in range(1, self.c.length + 1)
            if self.c.nodes[k].head != NO_NODE
        )

    @property
    def end_seen(self) -> bool:
        """Whether the end of the input has been seen (Nivre & Fernandez-Gonzalez
        2014, section 3); only the tree constraint of arc-eager uses it.
        """
        cdef int front = N(&self.c, 0)
        return self.c.length > 0 and (front <= ROOT or self.c.nodes[front].marked != 0)

    @property
    def marked(self) -> tuple[int, ...]:
        """The words that UNSHIFT has put back into the buffer."""
        return tuple(k for k in range(1, self.c.length + 1) if self.c.nodes[k].marked)

    def dependents(self, int head) -> tuple[int, ...]:
        """The dependents of a node so far, from left to right.

        Raises:
            IndexError: When there is no such node.
        """
        if not 0 <= head <= self.c.length:
            raise IndexError(f"no node {head} in a sentence of {self.c.length} words")
        left, right = [], []
        cdef int k = self.c.nodes[head].leftmost
        while k != NO_NODE:
            left.append(k)
            k = self.c.nodes[k].sibling
        k = self.c.nodes[head].rightmost
        while k != NO_NODE:
            right.append(k)
            k = self.c.nodes[k].sibling
        return tuple(left + right[::-1])

    def _label(self, int k):
        cdef int label = self.c.nodes[k].label
        return None if label == NO_LABEL else self.labels[label]

    def __repr__(self):
        return (
            f"Configuration(stack={list(self.stack)}, buffer={list(self.buffer)}, "
            f"arcs={list(self.arcs)})"
        )
