# cython: boundscheck=False, wraparound=False
"""The table of transitions of a system, as search and training see it.

Transitions have the numbers with which a system adds them; a set of transitions is a
bit mask over these numbers.
"""
from ..state.configuration cimport (
    ROOT,
    ROOT_FIRST,
    N,
    S,
    add_arc,
    clear,
    next_word,
    pop,
    push,
    put_back,
)


cdef class Transition:
    """A transition of a system: its name is that of the class, in capitals.

    Attributes:
        adds_arc: Whether it adds an arc, and hence carries a label.
        replaces: Whether it removes the arc that its dependent has; such a transition
            sets it in `__cinit__`.
    """

    def __cinit__(self):
        self.scored = True

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        """The precondition."""
        return False

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        """The effect: c becomes t(c)."""

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        """C(t; c, T); not asked if `new_costs` of the system returns costs of its own.
        """
        return 0

    cdef Arc arc(self, const ConfigurationC* c) noexcept nogil:
        """The arc that it will add in c; only asked of an `ArcTransition`."""
        return Arc(head=ROOT, dependent=ROOT)


cdef class ArcTransition(Transition):
    """A transition that adds an arc."""

    def __cinit__(self):
        self.adds_arc = True


cdef class Push(Transition):
    """Pushes the front of the buffer."""

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        push(c, next_word(c))


cdef class LeftArc(ArcTransition):
    """Adds an arc from the front of the buffer to the top of the stack, which it pops.
    """

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        add_arc(c, N(c, 0), label, S(c, 0))
        pop(c)

    cdef Arc arc(self, const ConfigurationC* c) noexcept nogil:
        return Arc(head=N(c, 0), dependent=S(c, 0))


cdef class RightArc(ArcTransition):
    """Adds an arc from the top of the stack to the front of the buffer, which it
    pushes.
    """

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        add_arc(c, S(c, 0), label, N(c, 0))
        push(c, next_word(c))

    cdef Arc arc(self, const ConfigurationC* c) noexcept nogil:
        return Arc(head=S(c, 0), dependent=N(c, 0))


cdef class TransitionTable:
    """The C side of a `TransitionSystem`, its only subclass.

    A configuration offers its actions in *rows*. A system that goes from left to right
    has one row. In an easy-first system every pair of neighbours has a row of its own,
    with its own legal transitions, costs and features. Rows are numbered from left to
    right, so these numbers change when a node leaves the list. The *slot* of a row is a
    number that does not change.
    """

    def __cinit__(self):
        self.shift = self.left = self.right = NO_TRANSITION

    # ---- transitions ----------------------------------------------------------------

    def add(self, *transitions: Transition) -> None:
        """Add the transitions, in the order of their numbers 0, 1, 2 and so on."""
        if len(transitions) > MAX_TRANSITIONS:
            raise ValueError(f"a system has at most {MAX_TRANSITIONS} transitions")
        self._transitions = transitions
        self.n_transitions = len(transitions)
        self.transition_names = tuple([type(t).__name__.upper() for t in transitions])
        for t in range(self.n_transitions):
            self.transitions[t] = <void*>transitions[t]

    cdef bint terminal(self, const ConfigurationC* c) noexcept nogil:
        """Whether derivations end in c; every system states it."""
        return True

    cdef void start(
        self, ConfigurationC* c, int length, RootRule root_rule
    ) noexcept nogil:
        """Set `c`, which has room for it, to the initial configuration."""
        clear(c, length, self.root_place, root_rule)
        if c.root == ROOT_FIRST and self.root_in_buffer:
            put_back(c, pop(c))

    cdef unsigned int legal_set(self, const ConfigurationC* c) noexcept nogil:
        """LEGAL(c), as a bit mask over the numbers of the transitions."""
        cdef unsigned int legal = 0
        cdef int t
        for t in range(self.n_transitions):
            if (<Transition>self.transitions[t]).legal(c):
                legal |= 1u << t
        return legal

    cdef bint is_forced(self, unsigned int legal) noexcept nogil:
        """Whether only one transition is legal and there is no label to choose."""
        return legal & (legal - 1) == 0 and not (
            (<Transition>self.transitions[self.lowest(legal)]).adds_arc
        )

    cdef int lowest(self, unsigned int legal) noexcept nogil:
        """The number of the first legal transition; there must be one."""
        cdef int t
        for t in range(self.n_transitions):
            if legal >> t & 1:
                return t
        return 0

    cdef int credited_word(self, int t, const ConfigurationC* c) noexcept nogil:
        """The word to which the decision for a transition is credited (see
        `Probabilities`).
        """
        if (<Transition>self.transitions[t]).adds_arc:
            return (<Transition>self.transitions[t]).arc(c).dependent
        if N(c, 0) > ROOT and (t == self.shift or S(c, 0) <= ROOT):
            return N(c, 0)
        return S(c, 0) if S(c, 0) > ROOT else 1

    # ---- rows -----------------------------------------------------------------------

    cdef int n_slots(self, int length) noexcept nogil:
        """The number of slots that a sentence of some length needs."""
        return 1

    cdef int n_rows(self, const ConfigurationC* c) noexcept nogil:
        """The number of rows of a configuration."""
        return 1

    cdef int slot(self, const ConfigurationC* c, int row) noexcept nogil:
        """The slot of a row."""
        return 0

    cdef int row_in(self, const ConfigurationC* c, int slot) noexcept nogil:
        """The row of a slot."""
        return 0

    cdef int focus_row(self, ConfigurationC* c, int row) noexcept nogil:
        """Make transitions, costs and features of c those of a row, and return its
        slot.
        """
        return 0

    cdef RowRange touched(self, const ConfigurationC* c) noexcept nogil:
        """The rows to which the transition that led to c has made a difference."""
        return RowRange(first=0, end=1)

    # ---- training -------------------------------------------------------------------

    cdef unsigned int by_transition(
        self, unsigned int correct, const ConfigurationC* c, const Gold* gold
    ) noexcept nogil:
        """The correct transitions after which transitions can still add every gold arc,
        without `finish`. Static oracles choose among these.
        """
        return correct

    cdef unsigned int to_learn(
        self, unsigned int correct, const ConfigurationC* c, const Gold* gold
    ) noexcept nogil:
        """The transitions of least cost that oracles call correct. These are all but
        those that only make the derivation longer, that must be repaired later, or that
        leave to `finish` an arc which another transition can make.
        """
        return correct

    cdef bint has_costs(
        self, const ConfigurationC* c, unsigned int legal
    ) noexcept nogil:
        """Whether the costs of the legal transitions are defined in c."""
        return True

    cdef bint may_explore(self, int predicted, unsigned int correct) noexcept nogil:
        """Whether training may take a transition, wrong or not, where `correct` are the
        correct ones.
        """
        return True


cdef class Costs:
    """C(t; c, T), the costs of the transitions of a system, labels left aside.

    The number of gold arcs that are reachable from c and not from t(c) (Goldberg &
    Nivre 2013, section 4.1). Most systems have a formula for each transition; one
    that has not makes another object of this kind in `TransitionSystem.new_costs`.

    It owns the memory that the computation needs, so each thread has its own.
    """

    def __cinit__(self, TransitionTable system not None):
        self.system = system

    cdef void start(self) noexcept nogil:
        """Called once for each sentence and gold tree, before any of its costs."""

    cdef bint are_slow(self) noexcept nogil:
        """Whether the last cost took so long that training should not go further away
        from the gold tree.
        """
        return False

    cdef int cost(
        self, int t, const ConfigurationC* c, const Gold* gold
    ) except? -1 nogil:
        """C(t; c, T); t must be legal in c."""
        return (<Transition>self.system.transitions[t]).cost(c, gold)
