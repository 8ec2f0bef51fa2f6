# cython: boundscheck=False, wraparound=False
"""Actions: what the model chooses among.

An action is a transition together with its label, if it carries one. Their numbers are
fixed when they are added and are stored with the model; ties between scores go to the
lowest number.
"""
from libc.math cimport INFINITY
from libc.string cimport memchr, memset

from ..state.configuration cimport NO_LABEL, ROOT
from ..state.gold cimport UNKNOWN, is_gold
from .base cimport Arc, Transition

from ..state.labels import Labels

MAX_ACTIONS = 0xFFFF - 32  # type: int


cdef class Actions:
    """The set of actions of a transition system.

    Args:
        system: Its scored transitions without a label become actions at once.
        labels: Names for the labels; the ids of `Labels` are those in arcs.
    """

    def __cinit__(self, TransitionSystem system not None, labels: Labels | None = None):
        self.system = system
        self.labels = Labels() if labels is None else labels
        self.keys = []
        self.ids = {}
        self.root_label = NO_LABEL
        self.table.resize(system.n_transitions)
        cdef Transition transition
        for transition, name in zip(system._transitions, system.transition_names):
            if transition.scored and not transition.adds_arc:
                self.add(name)

    def add(self, name: str, label: str | None = None) -> int:
        """The number of an action, which is added if it is new.

        Raises:
            ValueError: When there is no such scored transition, when it needs a label
                or cannot have one, or when there are too many actions.
        """
        if (name, label) in self.ids:
            return self.ids[name, label]
        cdef int t = self.system.find(name)
        cdef Transition transition = self.system._transitions[t]
        if not transition.scored:
            raise ValueError(f"{name} is never scored, so it is no action")
        if (label is None) == transition.adds_arc:
            raise ValueError(f"{name} with label {label!r} is no action")
        if self.n >= MAX_ACTIONS:
            raise ValueError(
                f"more than {MAX_ACTIONS} actions ({len(self.labels)} labels): "
                f"reduce the number of labels in the treebank"
            )
        cdef int a = self.n
        cdef int label_id = NO_LABEL if label is None else self.labels.add(label)
        self.transition.push_back(t)
        self.label.push_back(label_id)
        if self.runs.empty() or self.runs.back().transition != t:
            self.runs.push_back(Run(transition=t, start=a, end=a))
        self.runs.back().end = a + 1
        if self.table[t].size() < <size_t>label_id + 2:
            self.table[t].resize(label_id + 2, -1)
        self.table[t][label_id + 1] = a
        self.ids[name, label] = a
        self.keys.append((name, label))
        self.n += 1
        return a

    def constrain_root_label(self, label: str) -> None:
        """Make a label legal exactly on arcs out of ROOT, and no other label there.

        A gold label on the wrong side of this counts as unknown.
        """
        self.root_label = self.labels.add(label)

    cdef int id_of(self, int transition, int label) noexcept nogil:
        """The action of a transition and a label id, or -1."""
        if <size_t>label + 1 >= self.table[transition].size():
            return -1
        return self.table[transition][label + 1]

    cdef ScoredTransition scored(
        self, int row, int action, const float* scores
    ) noexcept nogil:
        """An action of a row, as a transition with its score."""
        return ScoredTransition(
            score=scores[action],
            row=row,
            action=action,
            transition=self.transition[action],
        )

    cdef bint may_label(self, int action, const ConfigurationC* c) noexcept nogil:
        """Whether the label of an action suits the arc its transition adds in c."""
        cdef void* transition = self.system.transitions[self.transition[action]]
        if self.root_label == NO_LABEL or not (<Transition>transition).adds_arc:
            return True
        return (
            ((<Transition>transition).arc(c).head == ROOT)
            == (self.label[action] == self.root_label)
        )

    cdef int mask(
        self, unsigned int legal, int n_scores, vector[float]* mask
    ) except -1 nogil:
        """Fill a mask of scores: 0 for the actions of legal transitions, and minus
        infinity for everything else.
        """
        cdef int a
        mask.assign(n_scores, -INFINITY)
        for a in range(self.n):
            if legal >> self.transition[a] & 1:
                mask[0][a] = 0
        return 0

    cdef void mark_legal(
        self, char* flags, unsigned int legal, const ConfigurationC* c
    ) noexcept nogil:
        """Mark the actions of legal transitions whose labels are legal."""
        cdef bint any_label = self.root_label == NO_LABEL
        cdef Run run
        cdef int a
        memset(flags, 0, self.n)
        for run in self.runs:
            if not legal >> run.transition & 1:
                continue
            if any_label:
                memset(flags + run.start, 1, run.end - run.start)
                continue
            for a in range(run.start, run.end):
                flags[a] = self.may_label(a, c)

    cdef int best_marked(self, const float* scores, const char* flags) noexcept nogil:
        """argmax of the scores over the actions that are marked, or -1."""
        cdef const char* end = flags + self.n
        cdef const char* mark = <const char*>memchr(flags, 1, self.n)
        cdef int a
        cdef int best = -1
        # Few of the actions are marked, and treebanks may have thousands of tags.
        while mark is not NULL:
            a = <int>(mark - flags)
            if best == -1 or scores[a] > scores[best]:
                best = a
            mark = <const char*>memchr(mark + 1, 1, end - mark - 1)
        return best

    cdef void mark_correct(
        self,
        char* correct,
        unsigned int transitions,
        const ConfigurationC* c,
        const Gold* gold,
    ) noexcept nogil:
        """Mark the actions of correct transitions, labels taken into account.

        A gold arc must get its gold label; any legal label will do on an arc that is
        not gold, or whose gold label is unknown, not legal, or not among the labels of
        the actions.
        """
        cdef Run run
        cdef int t, a
        cdef Arc arc
        memset(correct, 0, self.n)
        for run in self.runs:
            t = run.transition
            if not transitions >> t & 1:
                continue
            if (<Transition>self.system.transitions[t]).adds_arc:
                arc = (<Transition>self.system.transitions[t]).arc(c)
                if (
                    is_gold(gold, arc.head, arc.dependent)
                    and gold.label[arc.dependent] != UNKNOWN
                ):
                    a = self.id_of(t, gold.label[arc.dependent])
                    if a != -1 and self.may_label(a, c):
                        correct[a] = 1
                        continue
            for a in range(run.start, run.end):
                correct[a] = self.may_label(a, c)

    def copy(self) -> Actions:
        """A copy with the same actions, which can grow on its own."""
        restore, parts = self.__reduce__()
        return restore(*parts)

    def __contains__(self, key) -> bool:
        """Whether there is an action (transition name, label or None)."""
        return key in self.ids

    def __len__(self) -> int:
        return self.n

    def __reduce__(self):
        root_label = None
        if self.root_label != NO_LABEL:
            root_label = self.labels[self.root_label]
        return _restore, (self.system, list(self.labels), self.keys, root_label)


def _restore(system, labels, keys, root_label=None):
    actions = Actions(system, Labels(labels))
    for name, label in keys:
        actions.add(name, label)
    if root_label is not None:
        actions.constrain_root_label(root_label)
    return actions
