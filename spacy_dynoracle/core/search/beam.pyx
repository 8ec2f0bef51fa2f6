# cython: boundscheck=False, wraparound=False
"""The beam, which holds the best derivations of each length.

Source: Liu, Che, Qin & Liu 2015, algorithm 1.
"""
from libc.math cimport INFINITY, exp, log
from libcpp.algorithm cimport pop_heap, push_heap, reverse, sort_heap
from libcpp.vector cimport vector

from ..systems.actions cimport Actions, Run, check_actions
from ..state.configuration cimport (
    NO_LABEL,
    NO_NODE,
    ConfigurationC,
    N,
    Node,
    S,
    copy_changes,
    copy_configuration,
    copy_ends,
    position,
    release,
    reserve,
)
from ..features.extractor cimport Extractor
from ..weights.scorer cimport Scorer
from ..state.sentence cimport SentenceC
from ..softmax cimport LogSum
from ..systems.base cimport Arc, Transition, TransitionSystem
from .memo cimport ScoreMemo

MAX_BEAM_SIZE = 0xFFFF

cdef enum:
    NOTHING = -1
    NEGLIGIBLE = -40
    PLACES = 4096
    FEWEST_PLACES = 64
    MOST_SCORES = 0x400000
    # Number of beams after which the lineages are divided anew.
    GENERATION = 32


cdef bint is_better(const Successor& a, const Successor& b) noexcept nogil:
    """The order of a beam: equal scores go to the lower rank, then the lower action."""
    if a.score != b.score:
        return a.score > b.score
    return a.parent < b.parent if a.parent != b.parent else a.action < b.action


def check_left_to_right(TransitionSystem system not None):
    """Raise ValueError if a beam cannot search for the derivations of the system."""
    if not system.suits_beam:
        raise ValueError(
            f"a beam needs a system that works from left to right, not {system!r}: use "
            f"GreedySearch"
        )


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


cdef int places_for(int n_scores) noexcept nogil:
    """The number of rows of scores to keep: fewer of a model with thousands of actions,
    so that they take no more than 16 MB."""
    cdef int places = PLACES
    while places > FEWEST_PLACES and <size_t>places * n_scores > MOST_SCORES:
        places //= 2
    return places


cdef int check_beam_size(size) except -1:
    if not 1 <= size <= MAX_BEAM_SIZE:
        raise ValueError(f"beam_size = {size}: expected 1 to {MAX_BEAM_SIZE}")
    return 0


cdef class Beam:
    """The configurations that the search keeps at one step, and their derivations.

    size: largest number of configurations. temperature: if not None, scores become
    logarithms of probabilities among the legal actions. root_rule: as in
    `Search.parse`.

    The beam scores a transition even if no other transition is legal, unlike greedy
    search, because its configuration competes with others. A terminal configuration
    stays in the beam and competes by its score, because derivations can differ in
    length.

    Raises ValueError for an invalid size, and for an easy-first system.
    """

    def __cinit__(
        self,
        TransitionSystem system not None,
        Extractor extractor not None,
        Actions actions not None,
        Scorer weights not None,
        int size,
        temperature=None,
        root_rule=None,
    ):
        check_beam_size(size)
        check_left_to_right(system)
        check_actions(system, actions, weights)
        self.system = system
        self.root_rule = system.chosen_rule(root_rule)
        self.puts_back = system.puts_back(self.root_rule)
        self.actions = actions
        self.size = size
        self.per_temperature = 0.0 if temperature is None else 1.0 / temperature
        self.memo = ScoreMemo(extractor, weights, places_for(weights.n_scores()))
        self.fit()

    def __dealloc__(self):
        cdef BeamState* state
        self._put_all_away()
        while True:
            state = self._unused()
            if state is NULL:
                break
            release(&state.c)
            del state

    cdef int fit(self) except -1:
        """Make room for all actions, whose number may have grown."""
        self.memo.fit()
        self.legal.resize(self.actions.n + 1)
        self.totals.resize(self.memo.n_places)
        self.totals_of.resize(self.memo.n_places)
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

    cdef int start(self, const SentenceC* sentence) except -1 nogil:
        """Begin a sentence. The beam then holds its initial configuration."""
        cdef BeamState* state
        self._put_all_away()
        self.steps.clear()
        self.successors.clear()
        self.memo.forget()
        self.n_sentences += 1
        state = self._new_state()
        self.states.push_back(state)
        reserve(&state.c, sentence.length)
        self.system.start(&state.c, sentence.length, self.root_rule)
        state.score = 0
        state.last = NOTHING
        state.lineage = state.next_lineage = 0
        state.sentence = self.n_sentences
        self.n_beams = 0
        return 0

    cdef bint advance(self, const SentenceC* sentence) except -1 nogil:
        """Advance to the next beam. Returns False and does nothing if all
        configurations are terminal."""
        if not self.expand(sentence):
            return False
        self.take_over()
        return True

    cdef bint expand(self, const SentenceC* sentence) except -1 nogil:
        """Find the `successors` for the next beam, best first. Returns False if all
        configurations are terminal."""
        cdef int rank
        cdef BeamState* state
        cdef bint is_finished = True
        for state in self.states:
            is_finished = is_finished and self.system.terminal(&state.c)
        if is_finished:
            return False
        self.successors.clear()
        for rank in range(<int>self.states.size()):
            self._offer_successors(rank, sentence)
        sort_heap(self.successors.begin(), self.successors.end(), is_better)
        return True

    cdef void _offer_successors(
        self, int rank, const SentenceC* sentence
    ) noexcept nogil:
        """Offer all successors of a configuration to the next beam."""
        cdef BeamState* state = self.states[rank]
        cdef Successor next = Successor(
            score=state.score, parent=rank, action=NOTHING, transition=NOTHING
        )
        cdef const float* scores
        cdef unsigned int legal
        if self.system.terminal(&state.c):
            self._offer(next)
            return
        legal = self.system.legal_set(&state.c)
        next.transition = self.system.lowest(legal)
        if self.skips(legal):
            self._offer(next)
            return
        scores = self.memo.scores(&state.c, sentence)
        if self.per_temperature == 0:
            if not self._offer_actions(next, legal, scores, 1):
                self._offer(next)
            return
        next.score -= self._log_total(&state.c, legal, scores)
        if next.score == INFINITY or not self._offer_actions(
            next, legal, scores, self.per_temperature
        ):
            next.score = state.score
            self._offer(next)

    cdef bint skips(self, unsigned int legal) noexcept nogil:
        """Whether only one transition is legal and it does not change the score,
        because it has no action or its probability is 1."""
        return self.system.is_forced(legal) and (
            self.per_temperature != 0
            or not self.system.transitions[self.system.lowest(legal)].scored
        )

    cdef bint _offer_actions(
        self, Successor next, unsigned int legal, const float* scores, double factor
    ) noexcept nogil:
        """Offer the successors by the legal actions. The score of each action,
        multiplied by a factor, is added to the score of `next`. Returns False if no
        action is legal."""
        cdef const ConfigurationC* c = &self.states[next.parent].c
        cdef bint any_label = self.actions.root_label == NO_LABEL
        cdef bint any_action = False
        cdef double start = next.score
        cdef double bound = self._bound(start, factor)
        cdef Run run
        cdef int a, r
        for r in range(self.actions.n_runs):
            run = self.actions.runs[r]
            if not legal >> run.transition & 1:
                continue
            next.transition = run.transition
            for a in range(run.start, run.end):
                # Most actions score too low, so a cheap test comes first.
                if any_action and scores[a] < bound:
                    continue
                if any_label or self.actions.may_label(a, c):
                    any_action = True
                    next.action = a
                    next.score = start + factor * scores[a]
                    self._offer(next)
                    bound = self._bound(start, factor)
        return any_action

    cdef double _bound(self, double start, double factor) noexcept nogil:
        """A bound for scores of actions. An action with a lower score cannot enter the
        beam."""
        cdef double bound
        if <int>self.successors.size() < self.size:
            return -INFINITY
        bound = (self.successors[0].score - start) / factor
        # The margin is larger than any rounding error.
        return bound - 1e-6 * (1 + abs(bound) + abs(start))

    cdef double _log_total(
        self, const ConfigurationC* c, unsigned int legal, const float* scores
    ) noexcept nogil:
        """The logarithm of the sum over the legal actions, -INFINITY if no action is
        legal.

        scores: the scores that the memo has just returned for `c`.
        """
        cdef LogSum total = LogSum(largest=-INFINITY, mass=0)
        cdef size_t place = self.memo.place
        cdef bint any_label = self.actions.root_label == NO_LABEL
        cdef double score
        cdef int a
        if self.memo.is_new:
            self.totals_of[place] = 0
        if any_label and self.totals_of[place] == legal:
            return self.totals[place]
        self.actions.mark_legal(self.legal.data(), legal, c)
        for a in range(self.actions.n):
            if self.legal[a] and scores[a] * self.per_temperature > total.largest:
                total.largest = scores[a] * self.per_temperature
        for a in range(self.actions.n):
            if self.legal[a]:
                score = scores[a] * self.per_temperature - total.largest
                # A smaller term does not change the sum.
                if score > NEGLIGIBLE:
                    total.mass += exp(score)
        self.totals_of[place] = legal
        self.totals[place] = total.largest + log(total.mass)
        return self.totals[place]

    cdef void _offer(self, Successor successor) noexcept nogil:
        """Keep a successor if it is among the best. `successors` is a heap with the
        worst successor on top."""
        if <int>self.successors.size() == self.size:
            # Successors arrive in the order that breaks ties.
            if successor.score <= self.successors[0].score:
                return
            pop_heap(self.successors.begin(), self.successors.end(), is_better)
            self.successors.pop_back()
        self.successors.push_back(successor)
        push_heap(self.successors.begin(), self.successors.end(), is_better)

    cdef int take_over(self) except -1 nogil:
        """Make the next beam. Its i-th configuration is the i-th successor."""
        cdef BeamState* state
        cdef int i
        self._inherit()
        for i in range(<int>self.successors.size()):
            state = self.following[i]
            state.score = self.successors[i].score
            if self.successors[i].transition != NOTHING:
                self._apply(state, &self.successors[i])
        self.states.swap(self.following)
        self.following.clear()
        self.n_beams += 1
        if self.n_beams % GENERATION == 0:
            for i in range(<int>self.states.size()):
                self.states[i].lineage = self.states[i].next_lineage
                self.states[i].next_lineage = i
        return 0

    cdef int _inherit(self) except -1 nogil:
        """Fill `following` with the parents of the successors. The last child of a
        parent gets the parent itself, the others get copies."""
        cdef int n = <int>self.successors.size()
        cdef BeamState* state
        cdef int i, parent
        self.last_use.assign(self.states.size(), NOTHING)
        for i in range(n):
            self.last_use[self.successors[i].parent] = i
        for i in range(<int>self.states.size()):
            if self.last_use[i] == NOTHING:
                self._put_away(self.states[i])
                self.states[i] = NULL
        self.following.assign(n, <BeamState*>NULL)
        # Relatives differ least. They come first, lest others take them.
        for i in range(n):
            parent = self.successors[i].parent
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
                self._copy(
                    state, self.following[self.last_use[self.successors[i].parent]]
                )
        self.states.clear()
        return 0

    cdef int _apply(self, BeamState* state, const Successor* next) except -1 nogil:
        """Carry out the transition of a successor, and record it as a step."""
        cdef const Transition* transition = &self.system.transitions[next.transition]
        cdef ConfigurationC* c = &state.c
        cdef Step step
        cdef Arc arc
        step.before = state.last
        step.action = next.action
        step.transition = next.transition
        step.touched[0] = S(c, 0)
        step.touched[1] = S(c, 1)
        step.touched[2] = N(c, 0)
        step.touched[3] = NO_NODE
        if transition.arc is NULL:
            transition.apply(c, NO_LABEL)
        else:
            arc = transition.arc(c)
            transition.apply(
                c,
                NO_LABEL if next.action == NOTHING
                else self.actions.label[next.action],
            )
            step.touched[3] = outer_sibling(c, arc)
        state.last = <int>self.steps.size()
        self.steps.push_back(step)
        return 0

    cdef int _copy(self, BeamState* to, const BeamState* state) except -1 nogil:
        """Make an unused state equal to another state. If it was in a beam of this
        sentence, only the changes since the two derivations separated are copied. The
        cost of a copy therefore does not grow with the text."""
        cdef int a = to.last
        cdef int b = state.last
        cdef int n_steps = 0
        # A step costs about as much as the nodes that it has touched.
        cdef int limit = state.c.length // TOUCHED + TOUCHED
        cdef unsigned int first = state.c.length
        cdef int last = min(state.c.length, max(to.c.front, state.c.front))
        if to.sentence != self.n_sentences:
            limit = -1
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
            copy_configuration(&to.c, &state.c)
        elif self.puts_back or last - <int>first > TOUCHED * n_steps:
            self._copy_touched(to, state, n_steps)
        else:
            copy_changes(&to.c, &state.c, <int>first + 1)
        to.last = state.last
        to.lineage = state.lineage
        to.next_lineage = state.next_lineage
        to.sentence = self.n_sentences
        return 0

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

    cdef void derivation(self, int last, vector[Step]* steps) noexcept nogil:
        """Write the steps of the derivation that ends with the step `last`, in
        order."""
        steps.clear()
        while last != NOTHING:
            steps.push_back(self.steps[last])
            last = self.steps[last].before
        reverse(steps.begin(), steps.end())
