# cython: boundscheck=False, wraparound=False
"""The derivations of a beam: their steps, and the configurations that they lead to.

A beam has many derivations that differ little, and at each step some of them get
several successors, which need configurations of their own. These are not made anew:
those of derivations that have left the beam are changed into them. In long texts such a
derivation can have separated from the others long ago. Therefore the configurations are
kept by lineage there. In very long texts, blocks of nodes are compared by their hashes
where only strangers are left: two derivations mostly differ where they separated, and
have done the same since.
"""
from libcpp.algorithm cimport reverse
from libcpp.vector cimport vector

from ..state.configuration cimport (
    NO_NODE,
    ConfigurationC,
    N,
    Node,
    S,
    copy_changes,
    copy_configuration,
    copy_ends,
    copy_lists,
    position,
    release,
    reserve,
)
from ..systems.base cimport Arc, Transition

cdef enum:
    NOTHING = -1
    # Number of beams after which the lineages are divided anew.
    GENERATION = 32
    # Up to this length, copying much costs less than finding out what to copy.
    LONG = 500
    # If two derivations in a very long text have taken more steps than this since they
    # separated, what they have in common is found by hashes.
    MANY_STEPS = 100

# Up to this length, copying everything costs less than hashing what has changed.
cdef int very_long = 4000


def set_very_long(int length):
    """Let longer texts than this have the copies of very long ones, for tests. No
    result depends on it. Returns the length before."""
    global very_long
    before = very_long
    very_long = length
    return before


cdef inline unsigned int first_touched(const Step* step) noexcept nogil:
    """The first word that a step has changed, less 1; a high number for none."""
    # ROOT and NO_NODE become high numbers.
    cdef unsigned int first = <unsigned int>step.touched[0] - 1
    first = min(first, <unsigned int>step.touched[1] - 1)
    return min(first, <unsigned int>step.touched[2] - 1)


cdef int outer_sibling(const ConfigurationC* c, Arc arc) noexcept nogil:
    """The dependent of the same head on the same side that is next to the dependent of
    an arc, farther from the head, or NO_NODE. The arc is in the configuration."""
    cdef const Node* head = &c.nodes[arc.head]
    cdef int k = head.leftmost
    if arc.dependent > position(c, arc.head):
        k = head.rightmost
    if k == arc.dependent:
        return NO_NODE
    while c.nodes[k].sibling != arc.dependent:
        k = c.nodes[k].sibling
    return k


cdef class Lineages:
    """The states of a beam, and those that it has no use for at present.

    Whoever inherits from this sets `system` and `puts_back`.
    """

    def __dealloc__(self):
        cdef BeamState* state
        self._put_all_away()
        while True:
            state = self._unused()
            if state is NULL:
                break
            release(&state.c)
            del state

    cdef BeamState* start_lineages(self, int length) except NULL nogil:
        """Begin a sentence. Returns the only state of its first beam, the configuration
        of which is to be set."""
        cdef BeamState* state
        self._put_all_away()
        self.steps.clear()
        self.n_sentences += 1
        self.n_beams = 0
        self.is_long = length > LONG
        self.is_very_long = length > max(LONG, very_long)
        state = self._new_state()
        self.states.push_back(state)
        reserve(&state.c, length)
        state.score = 0
        state.last = NOTHING
        state.lineage = state.next_lineage = 0
        state.sentence = self.n_sentences
        state.reach = 0
        if self.is_very_long:
            # The words, ROOT, and the node that is not there.
            state.blocks.start(length + 2)
            state.hashed_at = NOTHING
        return state

    cdef int inherit(self) except -1 nogil:
        """Replace the states of the beam. The new i-th state is equal to the old one
        with the number `parents[i]`. The last child of a parent gets the parent itself,
        the others get copies."""
        cdef int i
        self.last_use.assign(self.states.size(), NOTHING)
        for i in range(<int>self.parents.size()):
            self.last_use[self.parents[i]] = i
        self.following.clear()
        if self.is_long:
            self._inherit_from_relatives()
        else:
            self._inherit_from_anybody()
        self.states.swap(self.following)
        self.following.clear()
        self.n_beams += 1
        if self.n_beams % GENERATION == 0:
            for i in range(<int>self.states.size()):
                self.states[i].lineage = self.states[i].next_lineage
                self.states[i].next_lineage = i
        return 0

    cdef int _inherit_from_anybody(self) except -1 nogil:
        """Fill `following`; copies are made of any unused state."""
        cdef BeamState* state
        cdef int i, parent
        for i in range(<int>self.parents.size()):
            parent = self.parents[i]
            state = self.states[parent]
            if self.last_use[parent] == i:
                self.states[parent] = NULL
            else:
                state = self._new_state()
                self._copy(state, self.states[parent])
            self.following.push_back(state)
        for state in self.states:
            if state is not NULL:
                self._put_away(state)
        return 0

    cdef int _inherit_from_relatives(self) except -1 nogil:
        """Fill `following`; copies are made of states of the same lineage, if there are
        any."""
        cdef int n = <int>self.parents.size()
        cdef BeamState* state
        cdef int i, parent
        for i in range(<int>self.states.size()):
            if self.last_use[i] == NOTHING:
                self._put_away(self.states[i])
                self.states[i] = NULL
        self.following.assign(n, <BeamState*>NULL)
        # Relatives differ least. They come first, lest others take them.
        for i in range(n):
            parent = self.parents[i]
            if self.last_use[parent] == i:
                self.following[i] = self.states[parent]
                self.states[parent] = NULL
                continue
            state = self._relative(self.states[parent])
            if state is not NULL:
                self.following[i] = state
                self._copy(state, self.states[parent])
        for i in range(n):
            if self.following[i] is NULL:
                state = self._new_state()
                self.following[i] = state
                self._copy(state, self.following[self.last_use[self.parents[i]]])
        return 0

    cdef int follow(
        self, BeamState* state, int action, int transition, int label
    ) except -1 nogil:
        """Carry out a transition, and record it as a step."""
        cdef const Transition* chosen = &self.system.transitions[transition]
        cdef ConfigurationC* c = &state.c
        cdef Step step
        cdef Arc arc
        step.before = state.last
        step.action = action
        step.transition = transition
        step.touched[0] = S(c, 0)
        step.touched[1] = S(c, 1)
        step.touched[2] = N(c, 0)
        step.touched[3] = NO_NODE
        # SWAP puts a word where the front is now, UNSHIFT before it.
        state.reach = max(state.reach, c.front + 1)
        # Only copies in long texts ask for this node, and finding it takes time.
        if chosen.arc is NULL or not self.is_long:
            chosen.apply(c, label)
        else:
            arc = chosen.arc(c)
            chosen.apply(c, label)
            step.touched[3] = outer_sibling(c, arc)
        state.last = <int>self.steps.size()
        self.steps.push_back(step)
        return 0

    cdef int _copy(self, BeamState* to, BeamState* state) except -1 nogil:
        """Make an unused state equal to another state. If it was in a beam of this
        sentence, only what is different is copied. The cost of a copy therefore hardly
        grows with the text."""
        cdef int limit = <int>self.steps.size()
        if self.is_very_long:
            limit = MANY_STEPS
        elif self.is_long:
            # A step costs about as much as the nodes that it has touched.
            limit = state.c.length // TOUCHED + TOUCHED
        if to.sentence != self.n_sentences or (self.puts_back and not self.is_long):
            self._copy_all(to, state)
        elif not self._copy_since(to, state, limit):
            if self.is_very_long:
                self._copy_blocks(to, state)
            else:
                self._copy_all(to, state)
        to.last = state.last
        to.lineage = state.lineage
        to.next_lineage = state.next_lineage
        to.sentence = self.n_sentences
        to.reach = state.reach
        return 0

    cdef int _copy_all(self, BeamState* to, const BeamState* state) except -1 nogil:
        """Make a state equal to another one by copying everything."""
        copy_configuration(&to.c, &state.c)
        if self.is_very_long:
            to.blocks.copy_from(state.blocks)
            to.hashed_at = state.hashed_at
        return 0

    cdef int _copy_since(
        self, BeamState* to, BeamState* state, int limit
    ) except -1 nogil:
        """Make a state equal to another one by copying what may have changed since the
        two derivations separated. Changes nothing and returns 0 if they have taken
        more than `limit` steps since, both together; else returns 1."""
        cdef int a = to.last
        cdef int b = state.last
        cdef int n_steps = 0
        cdef unsigned int first = state.c.length
        cdef int last = min(state.c.length, max(to.c.front, state.c.front))
        # A step always has a higher number than the step before it.
        while a != b and n_steps <= limit:
            n_steps += 1
            if a > b:
                first = min(first, first_touched(&self.steps[a]))
                a = self.steps[a].before
            else:
                first = min(first, first_touched(&self.steps[b]))
                b = self.steps[b].before
        if n_steps > limit:
            return 0
        if self.is_very_long and to.hashed_at > a:
            # Its hashes are those of a derivation that it no longer has.
            self._touch_since(to, to.hashed_at, a)
            to.hashed_at = a
        if self.is_long and (self.puts_back or last - <int>first > TOUCHED * n_steps):
            self._copy_touched(to, state, n_steps)
        else:
            copy_changes(&to.c, &state.c, <int>first + 1)
        return 1

    cdef void _copy_touched(
        self, BeamState* to, const BeamState* state, int n_steps
    ) noexcept nogil:
        """Make a state equal to another one by copying the nodes that either has
        touched in the `n_steps` steps since the two derivations separated."""
        cdef int a = to.last
        cdef int b = state.last
        cdef int i, k
        cdef const Step* step
        while a != b:
            step = &self.steps[max(a, b)]
            if a > b:
                a = step.before
            else:
                b = step.before
            for i in range(TOUCHED):
                k = step.touched[i]
                to.c.nodes[k] = state.c.nodes[k]
        # A step moves at most two words.
        copy_ends(&to.c, &state.c, 2 * n_steps)

    cdef int _copy_blocks(self, BeamState* to, BeamState* state) except -1 nogil:
        """Make a state equal to another one by copying the blocks of nodes that differ,
        the stack, and the part of the buffer that may have changed."""
        self._touch_since(to, to.last, to.hashed_at)
        self._touch_since(state, state.last, state.hashed_at)
        to.blocks.copy_nodes(
            <char*>(to.c.nodes + NO_NODE),
            state.blocks,
            <const char*>(state.c.nodes + NO_NODE),
            sizeof(Node),
        )
        to.hashed_at = state.hashed_at = state.last
        copy_lists(&to.c, &state.c, max(to.reach, state.reach))
        return 0

    cdef int _touch_since(
        self, BeamState* state, int last, int before
    ) except -1 nogil:
        """Tell the blocks of a state what the steps up to `last` have touched since the
        step `before` of the same derivation."""
        cdef int k
        while last != before:
            # Tagging also changes ROOT, which is in the block of NO_NODE.
            for k in self.steps[last].touched:
                state.blocks.touch(k - NO_NODE)
            last = self.steps[last].before
        return 0

    cdef void _put_away(self, BeamState* state) noexcept nogil:
        """Keep a state that is not in a beam, to be used again."""
        while self.unused.size() <= <size_t>state.lineage:
            self.unused.push_back(vector[BeamStateP]())
        self.unused[state.lineage].push_back(state)
        self.first_unused = min(self.first_unused, state.lineage)

    cdef void _put_all_away(self) noexcept nogil:
        cdef BeamState* state
        for state in self.states:
            if state is not NULL:
                self._put_away(state)
        for state in self.following:
            if state is not NULL:
                self._put_away(state)
        self.states.clear()
        self.following.clear()

    cdef BeamState* _relative(self, const BeamState* of) noexcept nogil:
        """An unused state of the same lineage, or NULL."""
        cdef BeamState* state
        if <size_t>of.lineage >= self.unused.size() or self.unused[of.lineage].empty():
            return NULL
        state = self.unused[of.lineage].back()
        self.unused[of.lineage].pop_back()
        return state

    cdef BeamState* _unused(self) noexcept nogil:
        """Any unused state, or NULL."""
        cdef BeamState* state
        while <size_t>self.first_unused < self.unused.size():
            if not self.unused[self.first_unused].empty():
                state = self.unused[self.first_unused].back()
                self.unused[self.first_unused].pop_back()
                return state
            self.first_unused += 1
        return NULL

    cdef BeamState* _new_state(self) except NULL nogil:
        cdef BeamState* state = self._unused()
        if state is NULL:
            state = new BeamState()
            state.c.block = NULL
            state.c.capacity = 0
            state.sentence = 0
        return state

    cdef void derivation(self, int last, vector[Step]* steps) noexcept nogil:
        """Write the steps of the derivation that ends with the step `last`, in
        order."""
        steps.clear()
        while last != NOTHING:
            steps.push_back(self.steps[last])
            last = self.steps[last].before
        reverse(steps.begin(), steps.end())
