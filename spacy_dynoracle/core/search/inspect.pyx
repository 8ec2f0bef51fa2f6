# cython: boundscheck=False, wraparound=False
"""The transitions that a search can choose from, and the features that score them."""
from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

from ..model.model cimport Model
from ..state.configuration cimport Configuration, ConfigurationC, copy_configuration
from ..state.gold cimport GoldTree
from ..state.sentence cimport Sentence
from ..systems.base cimport Arc, Costs, Transition, check_length
from ..weights.scorer cimport Scoring
from .rows cimport KeepingRowsStepper
from .stepper cimport Row

from ..results import FeatureWeight, ScoredTransition
from ..state.labels import Labels


def offered_actions(
    Model model not None,
    Configuration c not None,
    Sentence sentence not None,
    GoldTree gold=None,
) -> list[ScoredTransition]:
    """The legal transitions of a configuration with their labels, scores and costs.

    Args:
        c: Its labels must have the numbers they have in the model, so add
            `model.labels` to `c.labels`, in their order, before the first arc.
        gold: What costs refer to, with any inventory of labels. As in training, any
            label of an arc is right if the model has no action for the gold one.

    Returns:
        A list of `ScoredTransition`: pair by pair in easy-first, then in the order of
        the actions of the model, then transitions without an action. Greedy search
        takes the first of those with the highest score, or the first one if none has a
        score. In a terminal configuration the list is empty.

    Raises:
        ValueError: When sentence, configuration and tree do not fit together.
    """
    model.extractor.check_sentence(c, sentence)
    if gold is not None:
        check_length(c, gold)
        if list(gold.inventory)[:len(model.labels)] != list(model.labels):
            gold = GoldTree(gold.heads, gold.labels, Labels(model.labels))
    cdef Inspector inspector = Inspector(model)
    cdef list found = []
    cdef int row
    model.weights.prepare()
    inspector.gold = gold
    inspector.costs.start()
    copy_configuration(&inspector.at.c, &c.c)
    inspector.sentence = &sentence.c
    inspector.prepare()
    if inspector.look():
        for row in range(model.system.n_rows(&inspector.at.c)):
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
    cdef Scoring scoring = model.weights.new_scoring()
    model.weights.prepare()
    scores.resize(model.weights.n_scores())
    keys = model.extractor.numbered_keys(c, sentence)
    nodes = model.extractor.atom_nodes(c)
    found = []
    for t, key in keys:
        scoring.begin(&key, 1)
        scoring.write(scores.data())
        found.append(FeatureWeight(t, nodes[t], scores[number]))
    return found


cdef class Inspector(KeepingRowsStepper):
    """Lists what the rows of a configuration offer."""

    cdef Costs costs
    cdef GoldTree gold
    cdef vector[char] correct

    def __cinit__(self):
        self.costs = self.system.new_costs()

    cdef list _row(self, int row):
        """The legal transitions of one row."""
        cdef int slot = self.system.focus_row(&self.at.c, row)
        cdef const Row* known = &self.at.rows[slot]
        cdef const ConfigurationC* c = &self.at.c
        cdef const float* scores = self.scores_of(slot)
        cdef bint has_costs = self.gold is not None and self.system.has_costs(
            c, known.legal
        )
        cdef unsigned int without_action = known.legal
        cdef list found = []
        cdef int a, t
        self.correct.resize(self.actions.n + 1)
        if not known.is_forced:
            self.actions.mark_legal(self.legal.data(), known.legal, c)
            if has_costs:
                self.actions.mark_correct(
                    self.correct.data(), known.legal, c, &self.gold.gold
                )
            for a in range(self.actions.n):
                if not self.legal[a]:
                    continue
                t = self.actions.transition[a]
                without_action &= ~(1u << t)
                cost = None
                if has_costs:
                    # An arc that is gold costs one more with a wrong label.
                    cost = self.costs.cost(t, c, &self.gold.gold)
                    cost += not self.correct[a]
                label = self.actions.keys[a][1]
                found.append(self._scored(row, t, label, scores[a], cost))
        for t in range(self.system.n_transitions):
            if without_action >> t & 1:
                cost = self.costs.cost(t, c, &self.gold.gold) if has_costs else None
                found.append(self._scored(row, t, None, None, cost))
        return found

    cdef object _scored(self, int row, int t, label, score, cost):
        cdef Transition transition = self.system._transitions[t]
        cdef Arc arc = transition.arc(&self.at.c)
        return ScoredTransition(
            self.system.transition_names[t],
            label,
            row + 1 if self.system.chooses_pair else None,
            (arc.head, arc.dependent) if transition.adds_arc else None,
            score,
            cost,
        )
