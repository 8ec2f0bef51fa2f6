# cython: boundscheck=False, wraparound=False
"""A stepper that has a gold tree, and an oracle to ask about it."""
from ..oracles.base cimport check_tree
from ..search.stepper cimport NOTHING

cdef enum:
    # The least cost where no transition is legal.
    NO_COST = 0x7FFFFFFF


cdef class OracleStepper(KeepingRowsStepper):
    """Follows derivations and knows which actions are correct.

    Whoever makes one sets its `oracle`.

    Attributes:
        alternatives: After `ask` and until the next step the keys, scores, correct and
            legal actions of every row.
        correct_transitions: The correct transitions of every row.
    """

    def __cinit__(self):
        self.costs = self.system.new_costs()

    cdef int begin(self, const SentenceC* sentence, const Gold* gold) except -1 nogil:
        """Begin a sentence with its gold tree."""
        cdef size_t n
        self.start(sentence)
        # Not for all rows that there is room for: a long text before may have had more.
        n = <size_t>self.system.n_slots(sentence.length) * self.n_scores
        self.correct_actions.assign(n, 0)
        self.legal_actions.assign(n, 0)
        self.gold = gold
        self.costs.start()
        return 0

    cdef int ask(self) except -1 nogil:
        """Find out which actions of the present configuration are correct and legal."""
        cdef Alternatives* row
        cdef char* correct
        cdef char* legal
        cdef int r, slot
        self._find_transitions()
        self.alternatives.resize(self.system.n_rows(&self.at.c))
        for r in range(self.system.n_rows(&self.at.c)):
            slot = self.system.focus_row(&self.at.c, r)
            correct = self.correct_actions.data() + <size_t>slot * self.n_scores
            legal = self.legal_actions.data() + <size_t>slot * self.n_scores
            self.actions.mark_correct(
                correct, self.correct_transitions[r], &self.at.c, self.gold
            )
            self.actions.mark_legal(legal, self.at.rows[slot].legal, &self.at.c)
            row = &self.alternatives[r]
            row.keys = self.keys_of(slot)
            row.n_keys = self.at.rows[slot].n_keys
            row.scores = self.scores_of(slot)
            row.correct = correct
            row.legal = legal
        return 0

    cdef int _find_transitions(self) except -1 nogil:
        """Find the correct transitions of every row.

        Of several rows these are the ones that cost as little as any in all rows: 0,
        unless the gold tree is not projective.
        """
        cdef int n_rows = self.system.n_rows(&self.at.c)
        cdef int least = NO_COST
        cdef int r
        cdef unsigned int legal
        self.correct_transitions.assign(n_rows, 0)
        self.least.assign(n_rows, NO_COST)
        for r in range(n_rows):
            legal = self.at.rows[self.system.focus_row(&self.at.c, r)].legal
            if legal:
                self.correct_transitions[r] = self.oracle.correct_set(
                    self.costs, &self.at.c, self.gold, legal
                )
                if n_rows > 1:
                    self.least[r] = self.costs.cost(
                        self.system.lowest(self.correct_transitions[r]),
                        &self.at.c,
                        self.gold,
                    )
                    least = min(least, self.least[r])
        for r in range(n_rows):
            if self.least[r] > least:
                self.correct_transitions[r] = 0
        return 0

    cdef ScoredTransition best_correct(self) noexcept nogil:
        """The best of the correct actions, the first of equals; the action is NOTHING
        if no action is correct.
        """
        cdef ScoredTransition best = ScoredTransition(
            score=0, row=0, action=NOTHING, transition=NOTHING
        )
        cdef const Alternatives* row
        cdef int r, action
        for r in range(<int>self.alternatives.size()):
            row = &self.alternatives[r]
            action = self.actions.best_marked(row.scores, row.correct)
            if action != NOTHING and (
                best.action == NOTHING or row.scores[action] > best.score
            ):
                best = self.actions.scored(r, action, row.scores)
        return best


cdef int check_example(
    TransitionSystem system,
    Oracle oracle,
    int n_columns,
    Sentence sentence,
    GoldTree gold,
) except -1:
    """Raise an error unless a sentence with some attributes and its gold tree go
    together, and the oracle is defined for the tree.
    """
    if sentence is None or gold is None:
        raise TypeError("expected pairs of a Sentence and a GoldTree, got None")
    if sentence.c.n_columns != n_columns:
        raise ValueError(
            f"the templates read {n_columns} attributes of a word, the sentence has "
            f"{sentence.c.n_columns}"
        )
    if sentence.c.length != gold.gold.length:
        raise ValueError(
            f"a sentence of {sentence.c.length} words cannot have a gold tree over "
            f"{gold.gold.length} words"
        )
    return check_tree(system, oracle, gold)
