# cython: boundscheck=False, wraparound=False
"""The beam, which holds the best derivations of each length.

Source: Liu, Che, Qin & Liu 2015, algorithm 1.
"""
from libc.math cimport INFINITY, exp, log

from ..model.model cimport Classifier
from ..softmax cimport LogSum
from ..state.configuration cimport NO_LABEL
from ..systems.actions cimport Run
from ..systems.base cimport Transition, TransitionSystem

MAX_BEAM_SIZE = 0xFFFF

cdef enum:
    NOTHING = -1
    NEGLIGIBLE = -40
    # More do not stay in a fast cache, which costs more than scoring again.
    PLACES = 512
    FEWEST_PLACES = 64
    MOST_SCORES = 0x400000


def check_suits_beam(TransitionSystem system not None) -> None:
    """Raise ValueError if a beam cannot search for the derivations of the system."""
    if not system.suits_beam:
        raise ValueError(
            f"a beam cannot search for derivations of {system!r}: use GreedySearch"
        )


cdef int places_for(int n_scores) noexcept nogil:
    """The number of rows of scores to keep: fewer of a model with thousands of actions,
    so that they take no more than 16 MB.
    """
    cdef int places = PLACES
    while places > FEWEST_PLACES and <size_t>places * n_scores > MOST_SCORES:
        places //= 2
    return places


cdef int check_beam_size(size) except -1:
    if not 1 <= size <= MAX_BEAM_SIZE:
        raise ValueError(f"beam_size = {size}: expected 1 to {MAX_BEAM_SIZE}")
    return 0


cdef class Beam(Derivations):
    """The configurations that the search keeps at one step, and their derivations.

    The beam scores a transition even if no other transition is legal, unlike greedy
    search, because its configuration competes with others. A terminal configuration
    stays in the beam and competes by its score, because derivations can differ in
    length.

    Args:
        size: Largest number of configurations.
        temperature: If not None, scores become logarithms of probabilities among the
            legal actions.
        root_rule: As in `Search.parse`.

    Raises:
        ValueError: For an invalid size, and for an easy-first system.
    """

    def __cinit__(
        self,
        Classifier model not None,
        int size,
        temperature: float | None = None,
        root_rule: RootRule | None = None,
    ):
        check_beam_size(size)
        check_suits_beam(model.system)
        model.check_actions()
        self.system = model.system
        self.root_rule = model.system.root_rule_or_default(root_rule)
        self.actions = model.actions
        self.size = size
        self.per_temperature = 0.0 if temperature is None else 1.0 / temperature
        self.memo = ScoreMemo(model, places_for(model.weights.n_scores()))
        self.fit()

    cdef int fit(self) except -1:
        """Make room for all actions, whose number may have grown."""
        self.memo.fit()
        self.legal.resize(self.actions.n + 1)
        self.totals.resize(self.memo.n_places)
        self.totals_of.resize(self.memo.n_places)
        return 0

    cdef int start(self, const SentenceC* sentence) except -1 nogil:
        """Begin a sentence. The beam then holds its initial configuration."""
        cdef BeamState* state
        self.successors.start(self.size)
        self.memo.forget()
        state = self.start_derivations(sentence.length)
        self.system.start(&state.c, sentence.length, self.root_rule)
        return 0

    cdef bint advance(self, const SentenceC* sentence) except -1 nogil:
        """Advance to the next beam.

        Returns:
            False and does nothing if all configurations are terminal.
        """
        if not self.expand(sentence):
            return False
        self.take_over()
        return True

    cdef bint expand(self, const SentenceC* sentence) except -1 nogil:
        """Find the `successors` for the next beam, best first.

        Returns:
            False if all configurations are terminal.
        """
        cdef int rank
        cdef BeamState* state
        cdef bint is_finished = True
        for state in self.states:
            is_finished = is_finished and self.system.terminal(&state.c)
        if is_finished:
            return False
        self.successors.start(self.size)
        for rank in range(<int>self.states.size()):
            offer_successors(self, rank, sentence)
        self.successors.finish()
        return True

    cdef bint skips(self, unsigned int legal) noexcept nogil:
        """Whether only one transition is legal and it does not change the score,
        because it has no action or its probability is 1.
        """
        cdef void* transition = self.system.transitions[self.system.lowest(legal)]
        return self.system.is_forced(legal) and (
            self.per_temperature != 0 or not (<Transition>transition).scored
        )

    cdef int take_over(self) except -1 nogil:
        """Make the next beam. Its i-th configuration is the i-th successor."""
        cdef const ScoredTransition* next
        cdef BeamState* state
        cdef int i, label
        cdef int n = <int>self.successors.found.size()
        self.parents.clear()
        for i in range(n):
            self.parents.push_back(self.successors.found[i].row)
        self.inherit()
        for i in range(n):
            next = &self.successors.found[i]
            state = self.states[i]
            state.score = next.score
            if next.transition != NOTHING:
                label = NO_LABEL
                if next.action != NOTHING:
                    label = self.actions.label[next.action]
                self.follow(state, next.action, next.transition, label)
        return 0


cdef void offer_successors(
    Beam beam, int rank, const SentenceC* sentence
) noexcept nogil:
    """Offer all successors of a configuration to the next beam."""
    cdef BeamState* state = beam.states[rank]
    cdef ScoredTransition next = ScoredTransition(
        score=state.score, row=rank, action=NOTHING, transition=NOTHING
    )
    cdef const float* scores
    cdef unsigned int legal
    if beam.system.terminal(&state.c):
        beam.successors.offer(next)
        return
    legal = beam.system.legal_set(&state.c)
    next.transition = beam.system.lowest(legal)
    if beam.skips(legal):
        beam.successors.offer(next)
        return
    scores = beam.memo.scores(&state.c, sentence)
    if beam.per_temperature == 0:
        if not offer_actions(beam, next, legal, scores, 1):
            beam.successors.offer(next)
        return
    next.score -= log_total(beam, &state.c, legal, scores)
    if next.score == INFINITY or not offer_actions(
        beam, next, legal, scores, beam.per_temperature
    ):
        next.score = state.score
        beam.successors.offer(next)


cdef bint offer_actions(
    Beam beam,
    ScoredTransition next,
    unsigned int legal,
    const float* scores,
    double factor,
) noexcept nogil:
    """Offer the successors by the legal actions.

    The score of each action, multiplied by a factor, is added to the score of
    `next`.

    Returns:
        False if no action is legal.
    """
    cdef const ConfigurationC* c = &beam.states[next.row].c
    cdef bint any_action = False
    cdef double start = next.score
    cdef Run run
    cdef int a
    for run in beam.actions.runs:
        if not legal >> run.transition & 1:
            continue
        next.transition = run.transition
        if beam.actions.root_label == NO_LABEL:
            any_action = True
            next.score = start
            beam.successors.offer_all(next, scores, run.start, run.end, factor)
            continue
        for a in range(run.start, run.end):
            if beam.actions.may_label(a, c):
                any_action = True
                next.action = a
                next.score = start + factor * scores[a]
                beam.successors.offer(next)
    return any_action


cdef double log_total(
    Beam beam, const ConfigurationC* c, unsigned int legal, const float* scores
) noexcept nogil:
    """The logarithm of the sum over the legal actions, -INFINITY if no action is
    legal.

    Args:
        scores: The scores that the memo has just returned for `c`.
    """
    cdef LogSum total = LogSum(largest=-INFINITY, mass=0)
    cdef size_t place = beam.memo.place
    cdef bint any_label = beam.actions.root_label == NO_LABEL
    cdef double score
    cdef int a
    if beam.memo.is_new:
        beam.totals_of[place] = 0
    if any_label and beam.totals_of[place] == legal:
        return beam.totals[place]
    beam.actions.mark_legal(beam.legal.data(), legal, c)
    for a in range(beam.actions.n):
        if beam.legal[a] and scores[a] * beam.per_temperature > total.largest:
            total.largest = scores[a] * beam.per_temperature
    for a in range(beam.actions.n):
        if beam.legal[a]:
            score = scores[a] * beam.per_temperature - total.largest
            # A smaller term does not change the sum.
            if score > NEGLIGIBLE:
                total.mass += exp(score)
    beam.totals_of[place] = legal
    beam.totals[place] = total.largest + log(total.mass)
    return beam.totals[place]
