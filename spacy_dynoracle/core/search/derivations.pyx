# cython: boundscheck=False, wraparound=False
"""The derivations of a beam: their steps, and the configurations that they lead to.

A beam has many derivations that differ little, and at each step some of them get
several successors, which need configurations of their own. These are not made anew:
those of derivations that have left the beam are changed into them. Only the words that
either derivation has changed since the two separated are copied.

In a long text, some derivations may have separated long ago and have done the same
since. Copies between them cost much, so a look-ahead has an end.
"""
from libcpp.algorithm cimport reverse

from ..state.configuration cimport (
    NO_LABEL,
    ROOT,
    N,
    S,
    copy_configuration,
    copy_ends,
    position,
    release,
    reserve,
)
from ..systems.base cimport Arc, Transition
from .stepper cimport NOTHING


cdef int outer_sibling(const ConfigurationC* c, Arc arc) noexcept nogil:
    """The dependent of the same head on the same side that is next to the dependent of
    an arc, farther from the head, or ROOT. The arc is in the configuration.
    """
    cdef int k = c.nodes[arc.head].leftmost
    if arc.dependent > position(c, arc.head):
        k = c.nodes[arc.head].rightmost
    if k == arc.dependent:
        return ROOT
    while c.nodes[k].sibling != arc.dependent:
        k = c.nodes[k].sibling
    return k


cdef class Derivations:
    """The states of a beam, and those that it has no use for at present.

    Whoever inherits from this sets `system`.
    """

    def __dealloc__(self):
        cdef BeamState* state
        self._put_away(&self.states)
        self._put_away(&self.following)
        for state in self.unused:
            release(&state.c)
            del state

    cdef BeamState* start_derivations(self, int length) except NULL nogil:
        """Begin a sentence.

        Returns:
            The only state of its first beam, the configuration of which is to be set.
        """
        cdef BeamState* state
        self._put_away(&self.states)
        self._put_away(&self.following)
        self.steps.clear()
        self.n_sentences += 1
        state = self._new_state()
        self.states.push_back(state)
        reserve(&state.c, length)
        state.score = 0
        state.last = NOTHING
        state.sentence = self.n_sentences
        return state

    cdef int keep_best(self) except -1 nogil:
        """Let all states but the first leave the beam."""
        while self.states.size() > 1:
            self.unused.push_back(self.states.back())
            self.states.pop_back()
        return 0

    cdef int inherit(self) except -1 nogil:
        """Replace the states of the beam.

        The new i-th state is equal to the old one with the rank `parents[i]`. The last
        child of a parent gets the parent itself, the others get copies.
        """
        cdef BeamState* state
        cdef int i, parent
        self.last_use.assign(self.states.size(), NOTHING)
        for i in range(<int>self.parents.size()):
            self.last_use[self.parents[i]] = i
        for i in range(<int>self.states.size()):
            state = self.states[i]
            if self.last_use[i] == NOTHING:
                self.unused.push_back(state)
                self.states[i] = NULL
        for i in range(<int>self.parents.size()):
            parent = self.parents[i]
            state = self.states[parent]
            if self.last_use[parent] == i:
                self.states[parent] = NULL
                self.following.push_back(state)
            else:
                self.following.push_back(self._new_state())
                self._copy(self.following.back(), state)
        self.states.swap(self.following)
        self.following.clear()
        return 0

    cdef int follow(
        self, BeamState* state, const ScoredTransition& chosen
    ) except -1 nogil:
        """Carry out a transition, and record it as a step."""
        cdef void* transition = self.system.transitions[chosen.transition]
        cdef ConfigurationC* c = &state.c
        cdef int label = NO_LABEL
        cdef Step step
        cdef Arc arc
        if chosen.action != NOTHING:
            label = self.actions.label[chosen.action]
        step.before = state.last
        step.action = chosen.action
        step.transition = chosen.transition
        step.words = [S(c, 0), S(c, 1), N(c, 0), ROOT]
        if (<Transition>transition).adds_arc:
            arc = (<Transition>transition).arc(c)
            (<Transition>transition).apply(c, label)
            step.words[3] = outer_sibling(c, arc)
        else:
            (<Transition>transition).apply(c, label)
        state.last = <int>self.steps.size()
        self.steps.push_back(step)
        return 0

    cdef int _copy(self, BeamState* to, const BeamState* state) except -1 nogil:
        """Make an unused state equal to another state.

        If it was in a beam of this sentence, only what is different is copied.
        """
        if to.sentence == self.n_sentences:
            self._copy_changes(to, state)
        else:
            copy_configuration(&to.c, &state.c)
        to.last = state.last
        to.sentence = self.n_sentences
        return 0

    cdef void _copy_changes(self, BeamState* to, const BeamState* state) noexcept nogil:
        """Make a state equal to another one of the sentence by copying what may have
        changed since the two derivations separated.
        """
        cdef int a = to.last
        cdef int b = state.last
        cdef int n_steps = 0
        cdef int i, word
        cdef const Step* step
        # Every step may change ROOT.
        to.c.nodes[ROOT] = state.c.nodes[ROOT]
        # A step always has a higher number than the step before it.
        while a != b:
            step = &self.steps[max(a, b)]
            if a > b:
                a = step.before
            else:
                b = step.before
            for i in range(4):
                word = step.words[i]
                if word > ROOT:
                    to.c.nodes[word] = state.c.nodes[word]
            n_steps += 1
        copy_ends(&to.c, &state.c, n_steps)

    cdef void _put_away(self, vector[BeamStateP]* states) noexcept nogil:
        """Keep states that are not in a beam, to be used again."""
        cdef BeamState* state
        for state in states[0]:
            if state is not NULL:
                self.unused.push_back(state)
        states.clear()

    cdef BeamState* _new_state(self) except NULL nogil:
        """The state that was put away last, or a new one."""
        cdef BeamState* state
        if self.unused.empty():
            # All of its members are 0 or NULL.
            return new BeamState()
        state = self.unused.back()
        self.unused.pop_back()
        return state

    cdef void derivation(
        self, int last, vector[Step]* steps, int first=0
    ) noexcept nogil:
        """Write the steps of the derivation that ends with the step `last`, in order,
        from the step `first` on.
        """
        steps.clear()
        while last >= first:
            steps.push_back(self.steps[last])
            last = self.steps[last].before
        reverse(steps.begin(), steps.end())
