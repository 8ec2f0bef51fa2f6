# cython: boundscheck=False, wraparound=False
"""A derivation, step by step: look at what can be chosen, take one of it.

A configuration offers its actions in rows (see `TransitionTable`). A transition touches
only some of the rows, and what is known of the others stays in their slots. So an
easy-first system needs O(n) feature extractions for a sentence. Finding the best row is
a linear scan, which costs next to nothing beside them in a sentence (Goldberg & Elhadad
2010, section 6). In a long text it is a tournament.
"""
cimport cython
from libc.math cimport INFINITY, exp
from libc.stdint cimport uint64_t

from ..features.extractor cimport Extractor
from ..model.model cimport Model
from ..softmax cimport LogSum, merge, share_of
from ..state.configuration cimport (
    NO_LABEL,
    ConfigurationC,
    copy_configuration,
    release,
    reserve,
)
from ..state.sentence cimport SentenceC
from ..systems.actions cimport Actions, check_actions
from ..systems.base cimport RowRange, TransitionSystem
from ..weights.scorer cimport Scorer, argmax

cdef enum:
    NEGLIGIBLE = -40
    # Up to this number of rows a linear scan is faster than a tournament.
    FEW_ROWS = 100

# The score of a transition for which the model has no action: less than that of any
# action.
cdef float NO_ACTION = -1e30


cdef class Stepper:
    """Follows derivations; each thread has its own.

        stepper.start(sentence)
        while stepper.look():
            stepper.take(stepper.best())

    is greedy search: it takes the legal action with the highest score until the
    configuration is terminal. Of equal scores the lowest action of the first row wins.
    A transition that is forced and carries no label is not scored.

    Unless rows are kept, or there can be several, `look` only begins to score. `best`
    finishes it; until then scores, totals and the best choice of the row are not
    there. Meanwhile memory arrives that `best` needs: a second stepper can use this
    time.

    root_rule: as of `Search.parse`.
    keeps_rows: whether keys and scores of all rows stay at hand, also of those in which
        nothing is legal; else there are only those of the last row scored.
    temperature: if not None, `total` sums exp(score / temperature) over legal actions.

    Raises ValueError when the actions are not those of the system and the scorer.
    """

    def __cinit__(
        self,
        TransitionSystem system not None,
        Extractor extractor not None,
        Actions actions not None,
        Scorer weights not None,
        root_rule=None,
        bint keeps_rows=False,
        temperature=None,
    ):
        check_actions(system, actions, weights)
        self.system = system
        self.has_rows = system.has_rows
        self.extractor = extractor
        self.actions = actions
        self.weights = weights
        self.root_rule = system.chosen_rule(root_rule)
        self.keeps_rows = keeps_rows
        self.per_temperature = 0.0 if temperature is None else 1.0 / temperature
        self.needs_best_only = (
            type(self) is Stepper
            and temperature is None
            and not keeps_rows
            and actions.root_label == NO_LABEL
        )
        self.scoring = weights.new_scoring()
        init_state(&self.own)
        self.at = &self.own
        self.keys.resize(extractor.n_templates + 1)
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
        return self._begin(sentence)

    cdef int start_from(
        self, const ConfigurationC* c, const SentenceC* sentence
    ) except -1 nogil:
        """Begin a sentence with a copy of any of its configurations."""
        copy_configuration(&self.at.c, c)
        return self._begin(sentence)

    @cython.final
    cdef int _begin(self, const SentenceC* sentence) except -1 nogil:
        """Make room for the rows of a sentence, none of which is known."""
        cdef size_t n_slots = self.system.n_slots(sentence.length)
        self.sentence = sentence
        if self.at.rows.size() < n_slots:
            self.at.rows.resize(n_slots)
        if self.keeps_rows:
            if self.keys.size() < n_slots * self.extractor.n_templates:
                self.keys.resize(n_slots * self.extractor.n_templates)
            if self.scores.size() < n_slots * self.n_scores:
                self.scores.resize(n_slots * self.n_scores)
        self.at.touched = RowRange(first=0, end=self.n_rows())
        self.is_pending = False
        self.has_tournament = (
            self.system.slots_are_ordered
            and not self.keeps_rows
            and n_slots > FEW_ROWS
            and self.at is &self.own
        )
        if self.has_tournament:
            self.tournament.start(<int>n_slots)
        return 0

    cdef bint look(self) except -1 nogil:
        """Look at the rows that have changed. False in a terminal configuration."""
        cdef int row
        if self.system.terminal(&self.at.c):
            return False
        if not self.has_rows:
            self.look_at(0)
            return True
        for row in range(self.at.touched.first, self.at.touched.end):
            self.look_at(row)
            if self.has_tournament:
                self._enter(row)
        self.at.touched = RowRange(first=0, end=0)
        return True

    @cython.final
    cdef void _enter(self, int row) noexcept nogil:
        """Let a row take part in the tournament as it is now."""
        cdef int slot = self.slot(row)
        if self.at.rows[slot].best.transition == NOTHING:
            self.tournament.remove(slot)
        else:
            self.tournament.set(slot, self.at.rows[slot].best.score)

    cdef Choice best(self) noexcept nogil:
        """The best choice of all rows, the first of equals."""
        if self.is_pending:
            self.finish(0)
        return self.best_of_rows() if self.has_rows else self.at.rows[0].best

    @cython.final
    cdef Choice best_of_rows(self) noexcept nogil:
        """Do the same as `best` for a system whose configurations have several rows."""
        cdef const Choice* choice
        cdef const Choice* best = &self.at.rows[self.slot(0)].best
        cdef Choice found
        cdef int row
        cdef int best_row = 0
        if self.has_tournament and self.tournament.best() != NOTHING:
            found = self.at.rows[self.tournament.best()].best
            found.row = self.system.row_in(&self.at.c, self.tournament.best())
            return found
        for row in range(1, self.n_rows()):
            choice = &self.at.rows[self.slot(row)].best
            if choice.transition != NOTHING and (
                best.transition == NOTHING or choice.score > best.score
            ):
                best = choice
                best_row = row
        found = best[0]
        found.row = best_row
        return found

    cdef void take(self, Choice choice) noexcept nogil:
        """Carry out a choice."""
        self.apply(
            choice.row,
            choice.transition,
            NO_LABEL if choice.action == NOTHING else self.actions.label[choice.action],
        )

    @cython.final
    cdef void apply(self, int row, int transition, int label) noexcept nogil:
        """Carry out a transition, with the label of the arc that it adds, if any."""
        self.focus(row)
        if self.has_tournament:
            # One of the nodes leaves the list. The row of the other is looked at again.
            self.tournament.remove(self.slot(row))
            self.tournament.remove(self.slot(row + 1))
        self.system.transitions[transition].apply(&self.at.c, label)
        if self.has_rows:
            self.at.touched = self.system.touched(&self.at.c)

    # ---- rows ------------------------------------------------------------------------

    @cython.final
    cdef int n_rows(self) noexcept nogil:
        """The number of rows of the configuration."""
        return self.system.n_rows(&self.at.c) if self.has_rows else 1

    @cython.final
    cdef int slot(self, int row) noexcept nogil:
        """Where a row is kept."""
        return self.system.slot(&self.at.c, row) if self.has_rows else 0

    @cython.final
    cdef int focus(self, int row) noexcept nogil:
        """Make the configuration show a row, and return its slot."""
        return self.system.focus_row(&self.at.c, row) if self.has_rows else 0

    @cython.final
    cdef Row* row(self, int row) noexcept nogil:
        return &self.at.rows[self.slot(row)]

    @cython.final
    cdef uint64_t* keys_of(self, int slot) noexcept nogil:
        """The feature keys of a row."""
        if not self.keeps_rows:
            return self.keys.data()
        return self.keys.data() + <size_t>slot * self.extractor.n_templates

    @cython.final
    cdef float* scores_of(self, int slot) noexcept nogil:
        """The scores of all actions in a row, legal or not."""
        if not self.keeps_rows:
            return self.scores.data()
        return self.scores.data() + <size_t>slot * self.n_scores

    @cython.final
    cdef int look_at(self, int row) except -1 nogil:
        """Find out what a row has to offer, but for what `finish` finds if the row is
        pending then."""
        cdef int slot = self.focus(row)
        cdef Row* known = &self.at.rows[slot]
        self.is_pending = False
        known.legal = self.legal_set()
        known.is_forced = known.legal and self.system.is_forced(known.legal)
        known.n_keys = 0
        known.best = Choice(
            row=row, action=NOTHING, transition=NOTHING, score=NO_ACTION
        )
        known.total = LogSum(largest=-INFINITY, mass=0)
        if known.is_forced:
            known.best.transition = self.system.lowest(known.legal)
        elif known.legal or self.keeps_rows:
            known.n_keys = self.extractor.extract(
                &self.at.c, self.sentence, self.keys_of(slot)
            )
            if self.keeps_rows:
                self.weights.score(
                    self.keys_of(slot), known.n_keys, self.scores_of(slot)
                )
                self.choose(slot)
                return 0
            self.scoring.begin(self.keys_of(slot), known.n_keys)
            self.is_pending = True
            if self.has_rows:
                self.finish(slot)
        return 0

    @cython.final
    cdef void finish(self, int slot) noexcept nogil:
        """Find the best choice of the row that is pending."""
        self.is_pending = False
        if self.needs_best_only:
            self.choose_best(slot)
        else:
            self.scoring.write(self.scores_of(slot))
            self.choose(slot)

    cdef int score_again(self) except -1 nogil:
        """Score all rows with weights that have changed; needs `keeps_rows`."""
        cdef int row, slot
        for row in range(self.n_rows()):
            slot = self.focus(row)
            self.weights.score(
                self.keys_of(slot), self.at.rows[slot].n_keys, self.scores_of(slot)
            )
            self.choose(slot)
        return 0

    @cython.final
    cdef void choose(self, int slot) noexcept nogil:
        """Find the best choice of the row in focus, which has been scored."""
        cdef Row* known = &self.at.rows[slot]
        cdef const float* scores = self.scores_of(slot)
        if known.legal == 0:
            known.best.transition = NOTHING
            return
        known.best.action = self.best_action(scores, known.legal)
        if known.best.action == NOTHING:
            known.best.transition = self.system.lowest(known.legal)
            known.best.score = NO_ACTION
        else:
            known.best.transition = self.actions.transition[known.best.action]
            known.best.score = scores[known.best.action]
            if self.per_temperature != 0:
                known.total = self.log_sum(scores, known.legal, known.best.score)

    @cython.final
    cdef void choose_best(self, int slot) noexcept nogil:
        """Do the same as `choose` with scores that are not written down."""
        cdef Row* known = &self.at.rows[slot]
        known.best.action = self.scoring.best(
            self.mask_of(known.legal), &known.best.score
        )
        if known.best.action == NOTHING:
            known.best.transition = self.system.lowest(known.legal)
        else:
            known.best.transition = self.actions.transition[known.best.action]

    cdef Choice choice(self, int row, int action) noexcept nogil:
        """An action of a row as a choice, without its score."""
        return Choice(
            row=row, action=action, transition=self.actions.transition[action], score=0
        )

    # ---- what others may be particular about -----------------------------------------

    cdef unsigned int legal_set(self) except? -1 nogil:
        """The transitions to choose from in the row in focus."""
        return self.system.legal_set(&self.at.c)

    cdef int best_action(self, const float* scores, unsigned int legal) noexcept nogil:
        """The best action of the row in focus, the lowest of equals, or NOTHING."""
        if self.actions.root_label != NO_LABEL:
            return self.actions.best_legal(scores, legal, &self.at.c)
        return argmax(scores, self.mask_of(legal), self.n_scores)

    @cython.final
    cdef const float* mask_of(self, unsigned int legal) noexcept nogil:
        """What `Actions.mask` gives for a set of legal transitions."""
        cdef vector[float]* mask = &self.masks[legal]
        if mask.empty():
            self.actions.mask(legal, self.n_scores, mask)
        return mask.data()

    # ---- probabilities ---------------------------------------------------------------

    cdef LogSum log_sum(
        self, const float* scores, unsigned int legal, double highest
    ) noexcept nogil:
        """The sum over the legal actions of the row in focus, which it marks in
        `legal`.

        highest: the highest of their scores.
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

    cdef double probability(self, Choice choice) noexcept nogil:
        """The share of a scored choice in the sum over all legal actions."""
        return share_of(self.total(), choice.score * self.per_temperature)

    cdef LogSum total(self) noexcept nogil:
        """The sum over the legal actions of all rows."""
        cdef LogSum total = LogSum(largest=-INFINITY, mass=0)
        cdef int row
        for row in range(self.n_rows()):
            merge(&total, self.row(row).total)
        return total


cdef Stepper stepper_of(Model model, root_rule):
    """What follows the derivations of a model."""
    return Stepper(
        model.system, model.extractor, model.actions, model.weights, root_rule
    )


cdef void init_state(StepperState* state) noexcept nogil:
    """Make a new state one that is safe to start from, and to release."""
    state.c.block = NULL
    state.c.capacity = 0
