# cython: boundscheck=False, wraparound=False
"""Steppers for any system, also for those whose configurations have several rows.

A configuration offers its actions in rows (see `TransitionTable`). A transition touches
only some of the rows, and what is known of the others stays in their slots. So an
easy-first system needs O(n) feature extractions for a sentence.
"""
cimport cython
from libc.math cimport INFINITY
from libcpp.pair cimport pair
from libcpp.queue cimport priority_queue

from ..softmax cimport LogSum, merge
from ..state.configuration cimport NO_LABEL
from ..systems.base cimport RowRange
from .stepper cimport NOTHING, ScoringStepper, row_of


cdef class RowStepper(Stepper):
    """Knows the best action of every row, and keeps keys and scores of the row that was
    scored last.

    Finding the best row is a linear scan (Goldberg & Elhadad 2010, section 6).
    """

    cdef int prepare(self) except -1 nogil:
        """Make room for the rows of the sentence, none of which is known."""
        if self.at.rows.size() < <size_t>self.system.n_slots(self.sentence.length):
            self.at.rows.resize(self.system.n_slots(self.sentence.length))
        self.at.touched = RowRange(first=0, end=self.system.n_rows(&self.at.c))
        return 0

    cdef bint look(self) except -1 nogil:
        """Look at the rows that have changed. False in a terminal configuration."""
        cdef int row
        if self.system.terminal(&self.at.c):
            return False
        for row in range(self.at.touched.first, self.at.touched.end):
            self.look_at(row)
        self.at.touched = RowRange(first=0, end=0)
        return True

    cdef ScoredTransition best(self) noexcept nogil:
        cdef const ScoredTransition* best = &self.row(0).best
        cdef const ScoredTransition* other
        cdef ScoredTransition found
        cdef int row
        cdef int best_row = 0
        for row in range(1, self.system.n_rows(&self.at.c)):
            other = &self.row(row).best
            if other.transition != NOTHING and (
                best.transition == NOTHING or other.score > best.score
            ):
                best = other
                best_row = row
        found = best[0]
        # Its number may have changed since it was looked at.
        found.row = best_row
        return found

    cdef void apply(self, int row, int transition, int label) noexcept nogil:
        self.system.focus_row(&self.at.c, row)
        Stepper.apply(self, row, transition, label)
        self.at.touched = self.system.touched(&self.at.c)

    cdef LogSum total(self) noexcept nogil:
        cdef LogSum total = LogSum(largest=-INFINITY, mass=0)
        cdef int row
        for row in range(self.system.n_rows(&self.at.c)):
            merge(&total, self.row(row).total)
        return total

    # ---- rows ------------------------------------------------------------------------

    @cython.final
    cdef Row* row(self, int row) noexcept nogil:
        return &self.at.rows[self.system.slot(&self.at.c, row)]

    cdef int look_at(self, int row) except -1 nogil:
        """Find out what a row has to offer."""
        cdef int slot = self.system.focus_row(&self.at.c, row)
        cdef Row* known = &self.at.rows[slot]
        known[0] = row_of(self.system, row, self.legal_set())
        if not known.is_forced:
            known.n_keys = self.extractor.extract(
                &self.at.c, self.sentence, self.keys_of(slot)
            )
            self.score(slot)
        return 0

    cdef void score(self, int slot) noexcept nogil:
        """Score the row in focus from its keys, and find its best transition."""
        cdef Row* known = &self.at.rows[slot]
        self.scoring.begin(self.keys_of(slot), known.n_keys)
        self.scoring.write(self.scores_of(slot))
        self.choose(known, self.scores_of(slot))

    cdef uint64_t* keys_of(self, int slot) noexcept nogil:
        """The feature keys of the row that was scored last."""
        return self.keys.data()

    cdef float* scores_of(self, int slot) noexcept nogil:
        """The scores of all actions in this row, legal or not."""
        return self.scores.data()

    cdef unsigned int legal_set(self) except? -1 nogil:
        """The transitions to choose from in the row in focus."""
        return self.system.legal_set(&self.at.c)


cdef class SortingStepper(RowStepper):
    """Keeps the rows in a heap by their scores, which pays in a long text."""

    # Scores of rows in which something is legal, with the slot, whose sign lets the
    # first of equals win. Those of rows that have changed since go when they come up.
    cdef priority_queue[pair[double, int]] order

    cdef int prepare(self) except -1 nogil:
        self.order = priority_queue[pair[double, int]]()
        return RowStepper.prepare(self)

    cdef int look_at(self, int row) except -1 nogil:
        cdef int slot = self.system.slot(&self.at.c, row)
        cdef const ScoredTransition* best = &self.at.rows[slot].best
        RowStepper.look_at(self, row)
        if best.transition != NOTHING:
            self.order.push(pair[double, int](best.score, -slot))
        return 0

    cdef ScoredTransition best(self) noexcept nogil:
        cdef ScoredTransition found
        cdef int slot
        while not self.order.empty():
            slot = -self.order.top().second
            found = self.at.rows[slot].best
            if found.transition != NOTHING and found.score == self.order.top().first:
                found.row = self.system.row_in(&self.at.c, slot)
                return found
            self.order.pop()
        return RowStepper.best(self)

    cdef void apply(self, int row, int transition, int label) noexcept nogil:
        # One of the nodes leaves the list. The row of the other is looked at again.
        self.row(row).best.transition = NOTHING
        self.row(row + 1).best.transition = NOTHING
        RowStepper.apply(self, row, transition, label)


cdef class KeepingRowsStepper(RowStepper):
    """Keeps keys and scores of all rows, also of those in which nothing is legal."""

    cdef int prepare(self) except -1 nogil:
        cdef size_t n_slots = self.system.n_slots(self.sentence.length)
        RowStepper.prepare(self)
        if self.keys.size() < n_slots * self.extractor.n_templates:
            self.keys.resize(n_slots * self.extractor.n_templates)
        if self.scores.size() < n_slots * self.n_scores:
            self.scores.resize(n_slots * self.n_scores)
        return 0

    cdef uint64_t* keys_of(self, int slot) noexcept nogil:
        """The feature keys of any row."""
        return self.keys.data() + <size_t>slot * self.extractor.n_templates

    cdef float* scores_of(self, int slot) noexcept nogil:
        """The scores of all actions in any row."""
        return self.scores.data() + <size_t>slot * self.n_scores


cdef Stepper stepper_of(Model model, root_rule, temperature=None):
    """The stepper that follows the greedy derivations of a model soonest.

    Args:
        temperature: As of `Stepper`.
    """
    if model.system.has_rows:
        kind = SortingStepper
    elif temperature is None and model.actions.root_label == NO_LABEL:
        kind = Stepper
    else:
        kind = ScoringStepper
    return kind(model, root_rule, temperature)
