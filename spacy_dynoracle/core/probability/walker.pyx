# cython: boundscheck=False, wraparound=False
"""Derivations with the probabilities of their decisions.

The probability of an action is its share in the softmax of scores / temperature over
the legal actions of a configuration, in easy-first over those of all pairs of
neighbours; the probability of a derivation is the product over its decisions.
Transitions that are forced and not scored have probability 1.

Source: Goldberg 2013, section 3.3.
"""
from libc.math cimport INFINITY, exp

from ..systems.actions cimport check_actions
from ..state.configuration cimport (
    NO_LABEL,
    ConfigurationC,
    copy_configuration,
    release,
    reserve,
)
from ..model.model cimport Model
from ..search.base cimport Choice, Workspace
from ..search.easiest_first cimport easiest_pair
from ..state.sentence cimport SentenceC
from ..softmax cimport LogSum, merge
from ..systems.easy_first cimport first_touched, focus, last_touched, left_node, n_pairs

cdef enum:
    NOTHING = -1
    NEGLIGIBLE = -40


cdef class Walker:
    """Walks along derivations under a model.

    root_rule: as of `Search.parse`.

    Raises ValueError for a model without a temperature.
    """

    def __cinit__(self, Model model not None, root_rule=None):
        if model.temperature is None:
            raise ValueError(
                f"scores of the learner {model.learner} are no probabilities: train "
                f"with AdaGradRDA, or fit a temperature (spacy-dynoracle calibrate)"
            )
        check_actions(model.system, model.actions, model.weights)
        self.model = model
        self.root_rule = model.system.chosen_rule(root_rule)
        self.per_temperature = 1.0 / model.temperature
        self.work = Workspace()
        self.work.fit(model.weights.n_scores())
        self.legal.resize(model.actions.n + 1)

    def __dealloc__(self):
        cdef State* state
        for state in self.unused:
            release(&state.c)
            del state

    cdef State* new_state(self) except NULL nogil:
        cdef State* state
        if not self.unused.empty():
            state = self.unused.back()
            self.unused.pop_back()
            return state
        state = new State()
        state.c.block = NULL
        state.c.capacity = 0
        return state

    cdef State* copy_of(self, const State* state) except NULL nogil:
        cdef State* copy = self.new_state()
        copy_configuration(&copy.c, &state.c)
        copy.sums = state.sums
        copy.best = state.best
        return copy

    cdef void give_back(self, State* state) noexcept nogil:
        self.unused.push_back(state)

    cdef int begin(self, State* state, const SentenceC* sentence) except -1 nogil:
        """Make `state` the initial one of a sentence."""
        cdef int n_rows = sentence.length + 1 if self.model.system.chooses_pair else 1
        reserve(&state.c, sentence.length)
        self.model.system.start(&state.c, sentence.length, self.root_rule)
        state.sums.resize(n_rows)
        state.best.resize(n_rows)
        if self.model.system.chooses_pair:
            self.look(state, sentence, 1, n_pairs(&state.c))
        return 0

    cdef bint reach_choice(
        self, State* state, const SentenceC* sentence
    ) noexcept nogil:
        """Carry out what is forced. False in a terminal configuration, else the next
        action has to be chosen, and what there is to choose from is known."""
        cdef unsigned int legal
        cdef Choice forced
        while not self.model.system.terminal(&state.c):
            if self.model.system.chooses_pair:
                if self.total(state).mass > 0:
                    return True
                forced = state.best[self.row_of(state, self.easiest(state))]
                self.apply(state, sentence, self.easiest(state), forced)
                continue
            legal = self.model.system.legal_set(&state.c)
            if not self.model.system.is_forced(legal):
                self.look_at_row(state, sentence, 0)
                if state.sums[0].mass > 0:
                    return True
            self.model.system.transitions[self.model.system.lowest(legal)].apply(
                &state.c, NO_LABEL
            )
        return False

    cdef void look(
        self, State* state, const SentenceC* sentence, int first, int last
    ) noexcept nogil:
        """Look at the pairs first..last anew."""
        cdef int i
        for i in range(first, last + 1):
            focus(&state.c, i)
            self.look_at_row(state, sentence, self.row_of(state, i))

    cdef void look_at_row(
        self, State* state, const SentenceC* sentence, int row
    ) noexcept nogil:
        """Score the actions of the pair in focus (or of the configuration)."""
        cdef LogSum total = LogSum(largest=-INFINITY, mass=0)
        cdef Choice choice
        cdef int n_keys, a
        cdef double score
        cdef unsigned int legal = self.model.system.legal_set(&state.c)
        choice.score = -1e30
        choice.action = NOTHING
        choice.transition = self.model.system.lowest(legal) if legal else NOTHING
        if legal:
            n_keys = self.model.extractor.extract(&state.c, sentence, self.work.keys)
            self.model.weights.score(self.work.keys, n_keys, self.work.scores)
            self.model.actions.mark_legal(self.legal.data(), legal, &state.c)
            choice.action = self.model.actions.best_legal(
                self.work.scores, legal, &state.c
            )
            if choice.action != NOTHING:
                choice.score = self.work.scores[choice.action]
                choice.transition = self.model.actions.transition[choice.action]
                total.largest = choice.score * self.per_temperature
            for a in range(self.model.actions.n):
                if self.legal[a]:
                    score = self.work.scores[a] * self.per_temperature - total.largest
                    # Below that it changes no digit of the sum.
                    if score > NEGLIGIBLE:
                        total.mass += exp(score)
        state.sums[row] = total
        state.best[row] = choice

    cdef LogSum total(self, const State* state) noexcept nogil:
        """The sum over all legal actions."""
        cdef LogSum total
        cdef int i
        if not self.model.system.chooses_pair:
            return state.sums[0]
        total = LogSum(largest=-INFINITY, mass=0)
        for i in range(1, n_pairs(&state.c) + 1):
            merge(&total, state.sums[self.row_of(state, i)])
        return total

    cdef int easiest(self, const State* state) noexcept nogil:
        """The pair with the best action, the first of equals; 0 in other systems."""
        if not self.model.system.chooses_pair:
            return 0
        return easiest_pair(&state.c, state.best.data())

    cdef int row_of(self, const State* state, int pair) noexcept nogil:
        """The row of a pair, or 0 where there are no pairs."""
        return left_node(&state.c, pair) if pair else 0

    cdef void apply(
        self, State* state, const SentenceC* sentence, int pair, Choice choice
    ) noexcept nogil:
        """Take an action."""
        cdef ConfigurationC* c = &state.c
        if pair:
            focus(c, pair)
        self.model.system.transitions[choice.transition].apply(
            c,
            NO_LABEL
            if choice.action == NOTHING
            else self.model.actions.label[choice.action],
        )
        if pair:
            self.look(state, sentence, first_touched(c), last_touched(c))
