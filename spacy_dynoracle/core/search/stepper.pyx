# cython: boundscheck=False, wraparound=False
"""A derivation, step by step: look at what can be taken, take one of it.

`Stepper` is what all steppers share, and the fastest one for systems that work from
left to right. `rows` has those for easy-first systems.
"""
cimport cython
from libc.math cimport INFINITY, exp

from ..model.model cimport Classifier
from ..softmax cimport share_of
from ..state.configuration cimport NO_LABEL, release, reserve
from ..systems.base cimport Transition
from ..weights.scorer cimport argmax

cdef enum:
    NEGLIGIBLE = -40

# The score of a transition for which the model has no action: less than that of any
# action.
cdef double NO_ACTION = -1e30


cdef class Stepper:
    """Follows derivations; each thread has its own.

        stepper.start(sentence)
        while stepper.look():
            stepper.take(stepper.best())

    is greedy search: it takes the legal action with the highest score until the
    configuration is terminal. Of equal scores the lowest action of the first row wins.
    A transition that is forced and carries no label is not scored.

    This one is for systems that work from left to right. It finds the best action, and
    only that: it keeps no scores, gives no probabilities and ignores the constraint of
    root labels. `look` only begins to score, and `best` finishes it. Meanwhile memory
    arrives that `best` needs: a second stepper can use this time.

    Args:
        root_rule: As of `Search.parse`.
        temperature: If not None, `probability` is that of the softmax of scores /
            temperature over the legal actions.

    Raises:
        ValueError: When the actions are not those of the system and the weights.
    """

    def __cinit__(
        self,
        Classifier model not None,
        root_rule: RootRule | None = None,
        temperature: float | None = None,
    ):
        model.check_actions()
        self.system = model.system
        self.extractor = model.extractor
        self.actions = model.actions
        self.weights = model.weights
        self.scoring = model.weights.new_scoring()
        self.root_rule = model.system.root_rule_or_default(root_rule)
        self.per_temperature = 0.0 if temperature is None else 1.0 / temperature
        self.at = &self.own
        self.keys.resize(model.extractor.n_templates + 1)
        self.fit()

    def __dealloc__(self):
        release(&self.own.c)

    cdef int fit(self) except -1:
        """Make room for all actions, which may have become more."""
        self.n_scores = self.weights.n_scores()
        self.scores.resize(self.n_scores + 1)
        self.legal.resize(self.actions.n + 1)
        self.terms.resize(self.actions.n + 1)
        self.masks.clear()
        self.masks.resize(1 << self.system.n_transitions)
        return 0

    # ---- the loop --------------------------------------------------------------------

    cdef int start(self, const SentenceC* sentence) except -1 nogil:
        """Begin a sentence with its initial configuration."""
        reserve(&self.at.c, sentence.length)
        self.system.start(&self.at.c, sentence.length, self.root_rule)
        self.sentence = sentence
        return self.prepare()

    cdef int prepare(self) except -1 nogil:
        """Get ready for the sentence that begins."""
        return 0

    cdef bint look(self) except -1 nogil:
        """Look at what can be taken. False in a terminal configuration."""
        cdef ConfigurationC* c = &self.at.c
        cdef int n_keys
        if self.system.terminal(c):
            return False
        self.known = row_of(self.system, 0, self.system.legal_set(c))
        if not self.known.is_forced:
            n_keys = self.extractor.extract(c, self.sentence, self.keys.data())
            self.scoring.begin(self.keys.data(), n_keys)
        return True

    cdef ScoredTransition best(self) noexcept nogil:
        """The best transition of all rows, the first of equals."""
        if not self.known.is_forced:
            self.finish()
        return self.known.best

    cdef void finish(self) noexcept nogil:
        """Find the best action."""
        cdef float score = 0
        cdef int action = self.scoring.best(self.mask_of(self.known.legal), &score)
        self.known.best.action = action
        self.known.best.score = score
        if action == NOTHING:
            self.known.best.transition = self.system.lowest(self.known.legal)
        else:
            self.known.best.transition = self.actions.transition[action]

    cdef bint is_sure(self, ScoredTransition chosen, float margin) noexcept nogil:
        """Whether no action of another transition comes as near as a margin."""
        return True

    cdef void take(self, ScoredTransition chosen) noexcept nogil:
        """Carry out a transition that was chosen."""
        self.apply(
            chosen.row,
            chosen.transition,
            NO_LABEL if chosen.action == NOTHING else self.actions.label[chosen.action],
        )

    cdef void apply(self, int row, int transition, int label) noexcept nogil:
        """Carry out a transition, with the label of the arc that it adds, if any."""
        (<Transition>self.system.transitions[transition]).apply(&self.at.c, label)

    # ---- the best action of a row ----------------------------------------------------

    @cython.final
    cdef void choose(self, Row* row, const float* scores) noexcept nogil:
        """Find the best transition of the row in focus, which has been scored."""
        row.best.score = NO_ACTION
        row.best.transition = NOTHING
        row.best.action = NOTHING
        if row.legal == 0:
            return
        row.best.action = self.best_action(scores, row.legal)
        if row.best.action == NOTHING:
            row.best.transition = self.system.lowest(row.legal)
            return
        row.best.transition = self.actions.transition[row.best.action]
        row.best.score = scores[row.best.action]
        if self.per_temperature != 0:
            row.total = self.log_sum(scores, row.legal, row.best.score)

    cdef int best_action(self, const float* scores, unsigned int legal) noexcept nogil:
        """The best action of the row in focus, the lowest of equals, or NOTHING."""
        if self.actions.root_label != NO_LABEL:
            self.actions.mark_legal(self.legal.data(), legal, &self.at.c)
            return self.actions.best_marked(scores, self.legal.data())
        return argmax(scores, self.mask_of(legal), self.n_scores)

    @cython.final
    cdef const float* mask_of(self, unsigned int legal) noexcept nogil:
        """The mask of a set of legal transitions, which `Actions.mask` makes once."""
        cdef vector[float]* mask = &self.masks[legal]
        if mask.empty():
            self.actions.mask(legal, self.n_scores, mask)
        return mask.data()

    # ---- probabilities ---------------------------------------------------------------

    @cython.final
    cdef LogSum log_sum(
        self, const float* scores, unsigned int legal, double highest
    ) noexcept nogil:
        """The sum over the legal actions of the row in focus, which it marks in
        `legal`.

        Args:
            highest: The highest of their scores.
        """
        cdef LogSum total = LogSum(largest=highest * self.per_temperature, mass=0)
        cdef double* terms = self.terms.data()
        cdef int n = 0
        cdef int a
        self.actions.mark_legal(self.legal.data(), legal, &self.at.c)
        # Without branches, because processors cannot foresee which actions count.
        for a in range(self.actions.n):
            terms[n] = scores[a] * self.per_temperature - total.largest
            # A smaller term changes no digit of the sum.
            n += self.legal[a] & (terms[n] > NEGLIGIBLE)
        for a in range(n):
            total.mass += exp(terms[a])
        return total

    cdef double probability(self, ScoredTransition chosen) noexcept nogil:
        """The share of an action that was scored in the sum over all legal actions."""
        return share_of(self.total(), chosen.score * self.per_temperature)

    cdef LogSum total(self) noexcept nogil:
        """The sum over the legal actions of all rows."""
        return LogSum(largest=-INFINITY, mass=0)


cdef class ScoringStepper(Stepper):
    """Does the same from the scores of all actions, and gives probabilities."""

    cdef void finish(self) noexcept nogil:
        self.scoring.write(self.scores.data())
        self.choose(&self.known, self.scores.data())

    cdef bint is_sure(self, ScoredTransition chosen, float margin) noexcept nogil:
        cdef const float* scores = self.scores.data()
        cdef unsigned int others = self.known.legal & ~(1u << chosen.transition)
        cdef int next = self.best_action(scores, others) if others else NOTHING
        return next == NOTHING or scores[next] < <float>chosen.score - margin

    cdef LogSum total(self) noexcept nogil:
        return self.known.total


cdef Row row_of(TransitionSystem system, int number, unsigned int legal) noexcept nogil:
    """A row with some legal transitions, which has not been scored."""
    cdef Row row
    row.legal = legal
    row.is_forced = legal and system.is_forced(legal)
    row.n_keys = 0
    row.best = ScoredTransition(
        score=NO_ACTION, row=number, action=NOTHING, transition=NOTHING
    )
    if row.is_forced:
        row.best.transition = system.lowest(legal)
    row.total = LogSum(largest=-INFINITY, mass=0)
    return row
