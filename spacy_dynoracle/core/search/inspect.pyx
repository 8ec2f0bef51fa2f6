# cython: boundscheck=False, wraparound=False
"""What a search can choose from, for those who want to see more than its choice."""
from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

from ..model.model cimport Model
from ..state.configuration cimport NO_LABEL, Configuration
from ..state.gold cimport UNKNOWN, GoldTree, is_gold
from ..state.sentence cimport Sentence
from ..systems.base cimport Arc, Costs, Transition, check_length
from .rows cimport KeepingRowsStepper
from .stepper cimport NOTHING, Row

from ..results import FeatureWeight, OfferedAction


def offered_actions(
    Model model not None,
    Configuration c not None,
    Sentence sentence not None,
    GoldTree gold=None,
) -> list[OfferedAction]:
    """Every action in a configuration, with its score and its cost.

    Args:
        c: Its labels must have the numbers they have in the model, so add
            `model.labels` to `c.labels`, in their order, before the first arc.
        gold: What costs refer to, with any inventory of labels.

    Returns:
        A list of `OfferedAction`: pair by pair in easy-first, then in the order of the
        actions of the model, then legal transitions without an action. Greedy search
        takes the first legal one of those with the highest score, or the first one if
        none has a score. In a terminal configuration the list is empty.

    Raises:
        ValueError: When sentence, configuration and tree do not fit together.
    """
    model.extractor.check_sentence(c, sentence)
    if gold is not None:
        check_length(c, gold)
    cdef Inspector inspector = Inspector(model)
    cdef list found = []
    cdef int row
    model.weights.prepare()
    inspector.gold = gold
    inspector.costs.start()
    inspector.start_from(&c.c, &sentence.c)
    if inspector.look():
        for row in range(inspector.n_rows()):
            found += inspector._row(row)
    return found


def feature_weights(
    Model model not None,
    Configuration c not None,
    Sentence sentence not None,
    action: tuple[str, str | None],
) -> list[FeatureWeight]:
    """The features of a configuration with their weights for an action.

    Args:
        c: As for `offered_actions`; in easy-first with the focus on the pair that the
            features belong to.
        action: A (transition, label) of `model.actions.keys`.

    Returns:
        A list of `FeatureWeight`, in the order of the templates. The weights add up to
        the score of the action.

    Raises:
        ValueError: When sentence and configuration do not fit together, and for an
            action that the model does not have.
    """
    cdef vector[float] scores
    cdef uint64_t key
    cdef int number = model.actions.keys.index(action)
    model.weights.prepare()
    scores.resize(model.weights.n_scores())
    keys = model.extractor.numbered_keys(c, sentence)
    nodes = model.extractor.atom_nodes(c)
    found = []
    for t, key in keys:
        model.weights.score(&key, 1, scores.data())
        found.append(FeatureWeight(t, nodes[t], scores[number]))
    return found


cdef class Inspector(KeepingRowsStepper):
    """Lists what the rows of a configuration offer."""

    cdef Costs costs
    cdef GoldTree gold

    def __cinit__(self):
        self.costs = self.system.new_costs()

    cdef list _row(self, int row):
        """What one row offers."""
        cdef int slot = self.focus(row)
        cdef const Row* known = &self.at.rows[slot]
        cdef const float* scores = self.scores_of(slot)
        cdef bint has_costs = self.gold is not None and self.system.has_costs(
            &self.at.c, known.legal
        )
        cdef unsigned int without_action = known.legal
        cdef list found = []
        cdef int a, t
        if not known.is_forced:
            self.actions.mark_legal(self.legal.data(), known.legal, &self.at.c)
            for a in range(self.actions.n):
                t = self.actions.transition[a]
                if self.legal[a]:
                    without_action &= ~(1u << t)
                label = self.actions.keys[a][1]
                found.append(
                    self._offered(
                        row, t, label, self.legal[a], scores[a], has_costs
                    )
                )
        for t in range(self.system.n_transitions):
            if without_action >> t & 1:
                found.append(self._offered(row, t, None, True, None, has_costs))
        return found

    cdef object _offered(
        self, int row, int t, label, bint legal, score, bint has_costs
    ):
        cdef Transition transition = self.system._transitions[t]
        cdef Arc arc
        if legal:
            arc = transition.arc(&self.at.c)
        return OfferedAction(
            self.system.transition_names[t],
            label,
            row + 1 if self.system.chooses_pair else None,
            legal,
            (arc.head, arc.dependent) if legal and transition.adds_arc else None,
            score,
            self._cost(t, label) if legal and has_costs else None,
        )

    cdef int _cost(self, int t, label) except -1:
        """The cost of a legal transition with a label."""
        cdef int cost = self.costs.cost(t, &self.at.c, &self.gold.gold)
        right = self._right_label(t)
        return cost + (right is not None and right != label)

    cdef object _right_label(self, int t):
        """The label with which the arc of a transition costs nothing more; None if any
        will do, for the arc is not gold or the model has no action for it with its gold
        label, or if it adds none.
        """
        cdef Arc arc = (<Transition>self.system.transitions[t]).arc(&self.at.c)
        cdef int gold_label = self.gold.gold.label[arc.dependent]
        cdef int label, action
        if gold_label == UNKNOWN or not is_gold(
            &self.gold.gold, arc.head, arc.dependent
        ):
            return None
        name = self.gold.inventory[gold_label]
        label = self.actions.labels.find(name)
        if label == NO_LABEL:
            return None
        action = self.actions.id_of(t, label)
        if action == NOTHING or not self.actions.may_label(action, &self.at.c):
            return None
        return name
