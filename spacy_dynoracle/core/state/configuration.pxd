"""Configurations (stack, buffer, arcs) as one flat, copyable block of memory."""
from libc.stdint cimport uint64_t

cdef enum Place:
    IN_BUFFER = 0
    ON_STACK = 1
    REDUCED = 2

cdef enum Root:
    ROOT_LAST = 0
    ROOT_FIRST = 1
    ROOT_NONE = 2

# A configuration has one of these rules from its start on, and the preconditions of the
# transitions read it.
cpdef enum class RootRule:
    """How many words of a sentence may become dependents of ROOT.

    Source: Nivre & Fernandez-Gonzalez 2014, for the tree constraint.

    Attributes:
        ANY: Any number, those included that are attached to ROOT at the end.
        TREE: The tree constraint of arc-eager, after which no word is left to be
            attached; like ONE in the other systems.
        ONE: One.
        ONE_AT_END: One, and ROOT waits until no other word is left; like ONE in the
            systems other than arc-eager.
    """
    ANY = 0
    TREE = 1
    ONE = 2
    ONE_AT_END = 3

# Stack and buffer end in this many "no node" entries, so that S0..S2 and N0..N2
# can be read without asking how long they are.
cdef enum:
    PADDING = 3
    NO_NODE = -1
    NO_LABEL = -1
    ROOT = 0

cdef struct Node:
    # The extractor reads members by their place (see `MEMBERS` there), which is why
    # these are all `int`.
    int head
    int label
    int leftmost
    int rightmost
    int sibling
    int n_left
    int n_right
    int place
    # Words of the subtree below the node, itself included, in a system that attaches a
    # word only after all of its dependents.
    int size
    # Whether UNSHIFT has put it back into the buffer.
    int marked
    uint64_t left_labels
    uint64_t right_labels

cdef struct ConfigurationC:
    int length
    int root
    RootRule root_rule
    int stack_size
    int n_headless
    int front
    int end
    int capacity
    Node* nodes
    int* stack
    int* buffer
    void* block

cdef int reserve(ConfigurationC* c, int length) except -1 nogil
cdef void release(ConfigurationC* c) noexcept nogil
cdef void clear(
    ConfigurationC* c, int length, int root, RootRule root_rule
) noexcept nogil
cdef int copy_configuration(ConfigurationC* to, const ConfigurationC* c) except -1 nogil
cdef void copy_ends(
    ConfigurationC* to, const ConfigurationC* c, int n_steps
) noexcept nogil
cdef void add_arc(ConfigurationC* c, int head, int label, int dependent) noexcept nogil
cdef void remove_arc(ConfigurationC* c, int dependent) noexcept nogil


cdef inline int S(const ConfigurationC* c, int i) noexcept nogil:
    """The i-th stack item from the top, or NO_NODE (i < PADDING)."""
    return c.stack[c.stack_size - 1 - i]


cdef inline int N(const ConfigurationC* c, int i) noexcept nogil:
    """The i-th buffer item from the front, or NO_NODE (i < PADDING)."""
    return c.buffer[c.front + i]


cdef inline int buffer_size(const ConfigurationC* c) noexcept nogil:
    return c.end - c.front


cdef inline bint has_single_root(const ConfigurationC* c) noexcept nogil:
    """Whether the number of roots is restricted at all."""
    return c.root_rule != RootRule.ANY


cdef inline bint is_headless(const ConfigurationC* c, int k) noexcept nogil:
    return c.nodes[k].head == NO_NODE


cdef inline bint on_stack(const ConfigurationC* c, int k) noexcept nogil:
    return c.nodes[k].place == ON_STACK


cdef inline bint in_buffer(const ConfigurationC* c, int k) noexcept nogil:
    return c.nodes[k].place == IN_BUFFER


cdef inline int position(const ConfigurationC* c, int k) noexcept nogil:
    """Place of a node in the order of the sentence; ROOT stands last or first."""
    return c.length + 1 if k == ROOT and c.root == ROOT_LAST else k


cdef inline void push(ConfigurationC* c, int k) noexcept nogil:
    c.stack[c.stack_size] = k
    c.stack_size += 1
    c.nodes[k].place = ON_STACK
    c.n_headless += k != ROOT and c.nodes[k].head == NO_NODE


cdef inline int pop(ConfigurationC* c) noexcept nogil:
    cdef int k
    c.stack_size -= 1
    k = c.stack[c.stack_size]
    c.nodes[k].place = REDUCED
    c.n_headless -= k != ROOT and c.nodes[k].head == NO_NODE
    return k


cdef inline int next_word(ConfigurationC* c) noexcept nogil:
    """Remove and return the front of the buffer."""
    c.front += 1
    return c.buffer[c.front - 1]


cdef inline void put_back(ConfigurationC* c, int k) noexcept nogil:
    """Put a node before the front of the buffer."""
    c.front -= 1
    c.buffer[c.front] = k
    c.nodes[k].place = IN_BUFFER


cdef class Configuration:
    cdef ConfigurationC c
    cdef readonly object labels  # type: Labels
