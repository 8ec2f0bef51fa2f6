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
from ..weights.scorer cimport argmax
from .stepper cimport NOTHING

cdef extern from "search/log_sum.hpp" namespace "dynoracle" nogil:
    double log_sum_of(const float* scores, const float* mask, int n, float factor)

MAX_BEAM_SIZE = 0xFFFF

cdef enum:
    NEGLIGIBLE = -40
    # With a threshold, derivations of thousands of equal words may stay equally likely,
    # and to copy one takes the longer, the longer ago the two have separated.
    MOST_AHEAD = 1000
    # More do not stay in a fast cache, which costs more than scoring again.
    PLACES = 512
    FEWEST_PLACES = 64
    MOST_SCORES = 0x400000


def check_suits_beam(TransitionSystem system not None) -> None:
    """Raise ValueError if a beam cannot search for the derivations of the system."""
    if not system.suits_beam:
        raise ValueError(
            f"search: a beam cannot search for derivations of {system!r}: use "
            f"GreedySearch"
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
        threshold: As of `BeamSearch`.

    Raises:
        ValueError: For an invalid size, and for an easy-first system.
    """

    def __cinit__(
        self,
        Classifier model not None,
        int size,
        temperature: float | None = None,
        root_rule: RootRule | None = None,
        double threshold=0,
    ):
        check_beam_size(size)
        check_suits_beam(model.system)
        model.check_actions()
        self.system = model.system
        self.root_rule = model.system.root_rule_or_default(root_rule)
        self.actions = model.actions
        self.size = size
        self.per_temperature = 0.0 if temperature is None else 1.0 / temperature
        self.reach = INFINITY if threshold == 0 else -log(threshold)
        n_places = places_for(model.weights.n_scores())
        # A beam with a threshold is small and ends soon, and is made for each batch.
        self.memo = ScoreMemo(model, n_places // 4 if threshold else n_places)
        self.fit()

    cdef int fit(self) except -1:
        """Make room for all actions, whose number may have grown."""
        self.memo.fit()
        self.legal.resize(self.actions.n + 1)
        self.places.resize(self.size)
        # The last place is for scores that the memo does not have.
        self.totals.resize(self.memo.n_places + 1)
        self.totals_of.resize(self.memo.n_places + 1)
        self.masks.clear()
        self.masks.resize((1 << self.system.n_transitions) + 1)
        return 0

    cdef int start(self, const SentenceC* sentence) except -1 nogil:
        """Begin a sentence. The beam then holds its initial configuration."""
        cdef BeamState* state
        self.successors.start(self.size)
        self.memo.forget()
        state = self.start_derivations(sentence.length)
        self.system.start(&state.c, sentence.length, self.root_rule)
        return 0

    cdef float margin(self):
        """How far an action must be ahead of all others so that nothing else stays in
        the beam.
        """
        if self.per_temperature == 0:
            return INFINITY
        return <float>(self.reach / self.per_temperature)

    cdef int look_ahead(
        self, vector[ScoredTransition]* taken, const float* scores
    ) except -1 nogil:
        """Look ahead from where somebody else has gone on.

        The configuration is not copied, since in a long sentence that takes long.

        Args:
            taken: What was taken since the beam began the sentence or had one
                derivation left.
            scores: Those of all actions in the configuration that this leads to.
        """
        cdef BeamState* state = self.states[0]
        cdef ScoredTransition each
        for each in taken[0]:
            self.follow(state, each)
        state.score = 0
        self.first_step = <int>self.steps.size()
        self.n_ahead = 0
        self.begin_step()
        # The scores are not those of a place of the memo.
        self.memo.place = self.memo.n_places
        self.memo.is_new = True
        offer_scored(self, 0, scores)
        self.rank = 1
        return 0

    cdef bint goes_on(self, const SentenceC* sentence) except -1 nogil:
        """Look ahead until scores have to be made.

        Returns:
            False when one derivation is left, or all have ended.
        """
        while not self.look(sentence):
            self.successors.finish(self.reach)
            self.take_over()
            self.n_ahead += 1
            if self.n_ahead > MOST_AHEAD and self.reach != INFINITY:
                self.keep_best()
            if self.states.size() == 1 or not self.begin_step():
                return False
        return True

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
        if not self.begin_step():
            return False
        while self.look(sentence):
            self.take()
        self.successors.finish(self.reach)
        return True

    cdef bint begin_step(self) noexcept nogil:
        """Begin to find the successors; False if all configurations are terminal."""
        cdef BeamState* state
        cdef bint is_finished = True
        for state in self.states:
            is_finished = is_finished and self.system.terminal(&state.c)
        self.rank = 0
        self.successors.start(self.size)
        return not is_finished

    cdef bint look(self, const SentenceC* sentence) noexcept nogil:
        """Offer the successors of the states in turn, up to one whose scores have to be
        made, and begin to make them.

        Returns:
            False at the end of the beam.
        """
        while self.rank < <int>self.states.size():
            if not offer_unscored(self, self.rank):
                if self.memo.begin(&self.states[self.rank].c, sentence):
                    return True
                offer_scored(self, self.rank, self.memo.finish())
            self.rank += 1
        return False

    cdef void take(self) noexcept nogil:
        """Offer the successors of the state whose scores `look` has begun to make."""
        offer_scored(self, self.rank, self.memo.finish())
        self.rank += 1

    cdef bint skips(self, unsigned int legal) noexcept nogil:
        """Whether only one transition is legal and it does not change the score,
        because it has no action or its probability is 1.
        """
        cdef void* transition = self.system.transitions[self.system.lowest(legal)]
        return self.system.is_forced(legal) and (
            self.per_temperature != 0 or not (<Transition>transition).scored
        )

    cdef const float* mask_of(
        self, unsigned int legal, const ConfigurationC* c
    ) noexcept nogil:
        """0 for the legal actions, and minus infinity for the others."""
        cdef vector[float]* mask = &self.masks[legal]
        cdef int a
        if self.actions.root_label == NO_LABEL:
            if mask.empty():
                self.actions.mask(legal, self.memo.n_scores, mask)
            return mask.data()
        # Whether a label is legal depends on the words, too.
        mask = &self.masks.back()
        mask.assign(self.memo.n_scores, -INFINITY)
        self.actions.mark_legal(self.legal.data(), legal, c)
        for a in range(self.actions.n):
            if self.legal[a]:
                mask[0][a] = 0
        return mask.data()

    cdef bint has_twin(self, int rank) noexcept nogil:
        """Whether a better state has the same features, with as much left to do.

        Its successors have the same scores and are better. Words may differ: deeper in
        the stack, equal ones on top of it, or, with SWAP, in the buffer. The scores of
        the state have just been made.
        """
        cdef const ConfigurationC* c = &self.states[rank].c
        cdef const ConfigurationC* other
        cdef int i
        self.places[rank] = self.memo.place
        for i in range(rank):
            if self.places[i] != self.memo.place:
                continue
            other = &self.states[i].c
            if self.memo.is_new:
                # The memo has forgotten the features of that state.
                self.places[i] = self.memo.n_places
            elif other.stack_size == c.stack_size and other.front == c.front:
                return True
        return False

    cdef int take_over(self) except -1 nogil:
        """Make the next beam. Its i-th configuration is the i-th successor."""
        cdef const ScoredTransition* next
        cdef BeamState* state
        cdef int i
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
                self.follow(state, next[0])
        return 0


cdef bint offer_unscored(Beam beam, int rank) noexcept nogil:
    """Offer the successor of a configuration that is terminal or has only one.

    Returns:
        False, and offers nothing, for another one.
    """
    cdef BeamState* state = beam.states[rank]
    cdef ScoredTransition next = ScoredTransition(
        score=state.score, row=rank, action=NOTHING, transition=NOTHING
    )
    cdef unsigned int legal
    beam.places[rank] = beam.memo.n_places
    if not beam.system.terminal(&state.c):
        legal = beam.system.legal_set(&state.c)
        if not beam.skips(legal):
            return False
        next.transition = beam.system.lowest(legal)
    beam.successors.offer(next)
    return True


cdef void offer_scored(Beam beam, int rank, const float* scores) noexcept nogil:
    """Offer all successors of a configuration to the next beam.

    Args:
        scores: Those that the memo has just returned for it, or others.
    """
    cdef BeamState* state = beam.states[rank]
    cdef unsigned int legal = beam.system.legal_set(&state.c)
    cdef ScoredTransition next = ScoredTransition(
        score=state.score,
        row=rank,
        action=NOTHING,
        transition=beam.system.lowest(legal),
    )
    if beam.reach != INFINITY:
        offer_likely(beam, next, legal, scores)
        return
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


cdef void offer_likely(
    Beam beam, ScoredTransition next, unsigned int legal, const float* scores
) noexcept nogil:
    """Offer the successors of a configuration to a beam with a threshold, for each
    transition that with the best label, unless the configuration has a twin.
    """
    cdef const ConfigurationC* c = &beam.states[next.row].c
    cdef bint any_action = False
    cdef size_t place = beam.memo.place
    cdef double start = next.score
    cdef int n = beam.memo.n_scores
    cdef int t
    if beam.has_twin(next.row):
        return
    if (
        beam.memo.is_new
        or beam.totals_of[place] != legal
        or beam.actions.root_label != NO_LABEL
    ):
        beam.totals[place] = log_sum_of(
            scores, beam.mask_of(legal, c), n, <float>beam.per_temperature
        )
        beam.totals_of[place] = legal
    for t in range(beam.system.n_transitions):
        if not legal >> t & 1:
            continue
        next.action = argmax(scores, beam.mask_of(1u << t, c), n)
        if next.action != NOTHING:
            any_action = True
            next.transition = t
            next.score = start - beam.totals[place]
            next.score += beam.per_temperature * scores[next.action]
            beam.successors.offer(next)
    if not any_action:
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
