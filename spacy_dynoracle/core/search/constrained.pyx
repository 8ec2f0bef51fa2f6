# cython: boundscheck=False, wraparound=False
"""Greedy search for the trees that contain given arcs.

The arcs are a partial tree. A transition is taken only if all of them can still be in
the tree afterwards, which is what the costs of a dynamic oracle tell: those that cost
nothing with respect to the partial tree keep every arc of it reachable, and there is
always one of them. Among them the best scored action wins. So the arcs are there in
the end, and what is chosen besides them is chosen in their presence.

Source: the costs are those of Goldberg & Nivre 2013, section 4.5, and of Goldberg,
Sartorio & Satta 2014; see `TransitionSystem.new_keeping_costs`.
"""
from libcpp.vector cimport vector

from ..model.model cimport Model
from ..state.configuration cimport ROOT, RootRule
from ..state.gold cimport UNKNOWN, Gold, GoldTree
from ..state.sentence cimport SentenceC
from ..systems.base cimport Costs, RowRange
from .base cimport sentences_of
from .rows cimport KeepingRowsStepper
from .stepper cimport Row
from .trees cimport TreeArrays


cdef class KeepingStepper(KeepingRowsStepper):
    """Follows derivations of which given arcs stay possible; each thread has its own.

    Which transitions keep the arcs depends on the whole configuration, while scores
    depend on the row alone. So the choices of rows that were not touched are made anew,
    from scores that are there.
    """

    cdef Costs costs
    cdef const Gold* arcs
    cdef vector[char] allowed

    def __cinit__(self):
        self.costs = self.system.new_keeping_costs()
        self.allowed.resize(self.actions.n + 1)

    cdef int begin(self, const SentenceC* sentence, const Gold* arcs) except -1 nogil:
        """Begin a sentence with its given arcs."""
        self.arcs = arcs
        self.costs.start()
        return self.start(sentence)

    cdef bint look(self) except -1 nogil:
        cdef RowRange touched = self.at.touched
        cdef Row* known
        cdef int row, slot
        cdef unsigned int keeping
        if not KeepingRowsStepper.look(self):
            return False
        for row in range(self.system.n_rows(&self.at.c)):
            if not touched.first <= row < touched.end:
                slot = self.system.focus_row(&self.at.c, row)
                known = &self.at.rows[slot]
                keeping = self.legal_set()
                if keeping != known.legal:
                    known.legal = keeping
                    self.choose(known, self.scores_of(slot))
        return True

    cdef unsigned int legal_set(self) except? -1 nogil:
        """The legal transitions that keep all arcs possible."""
        cdef unsigned int legal = self.system.legal_set(&self.at.c)
        cdef unsigned int keeping = 0
        cdef int t
        for t in range(self.system.n_transitions):
            if legal >> t & 1 and self.costs.cost(t, &self.at.c, self.arcs) == 0:
                keeping |= 1u << t
        return keeping

    cdef int best_action(self, const float* scores, unsigned int legal) noexcept nogil:
        """The best action, with the given label where it adds a given arc."""
        self.actions.mark_correct(self.allowed.data(), legal, &self.at.c, self.arcs)
        return self.actions.best_marked(scores, self.allowed.data())


cdef int trees_of(
    Model model,
    RootRule root_rule,
    list arcs,
    const vector[const SentenceC*]& sentences,
    vector[const Gold*]* golds,
) except -1:
    """Append the trees of given arcs, one for each sentence, to `golds`.

    Raises:
        ValueError: For arcs with other labels, and for arcs that cannot all be in one
            tree.
    """
    cdef GoldTree tree
    cdef Py_ssize_t i
    if <size_t>len(arcs) != sentences.size():
        raise ValueError(f"{sentences.size()} sentences, but arcs for {len(arcs)}")
    for i in range(len(arcs)):
        tree = arcs[i]
        if tree is None or tree.inventory is not model.labels:
            raise ValueError("expected GoldTree objects with the labels of the model")
        if len(tree) != sentences[i].length:
            raise ValueError(
                f"the arcs belong to a sentence of {len(tree)} words, not "
                f"{sentences[i].length}"
            )
        if not tree.projective:
            raise ValueError(
                f"no projective tree has all of these arcs: {tree!r}; leave out those "
                f"that cross others"
            )
        if root_rule != RootRule.ANY and tree.heads.count(ROOT) > 1:
            raise ValueError(
                f"a sentence is to have one root, but these arcs are of several: "
                f"{tree!r}"
            )
        golds.push_back(&tree.gold)
    return 0


def parse_with_arcs(
    Model model not None,
    list sentences not None: list[Sentence],
    list arcs not None: list[GoldTree],
    root_rule: RootRule | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Parse sentences greedily, keeping arcs that are given; the GIL is released.

    Args:
        sentences: `Sentence` objects whose columns are those of the model's templates.
        arcs: For each of them a `GoldTree`, whose inventory is `model.labels`, with the
            arcs that the tree must have, the other heads unknown; an arc with an
            unknown label gets the label that scores best. The arcs must be projective,
            whatever the system.
        root_rule: As of `Search.parse`.

    Returns:
        Heads and labels as `Search.parse` does. Every given head and label is in them.
        Without given arcs they are what `GreedySearch` finds.

    Raises:
        ValueError: For arcs that cannot all be in one tree, and for sentences with
            other columns.
    """
    cdef RootRule rule = model.system.root_rule_or_default(root_rule)
    cdef KeepingStepper stepper = KeepingStepper(
        model, model.system.keeping_root_rule(rule)
    )
    cdef vector[const SentenceC*] pointers
    cdef vector[const Gold*] golds
    cdef Py_ssize_t n_words = sentences_of(model, sentences, &pointers)
    cdef TreeArrays trees = TreeArrays(n_words, model.root_label_id)
    cdef Py_ssize_t i
    trees_of(model, rule, arcs, pointers, &golds)
    with nogil:
        model.weights.prepare()
        for i in range(<Py_ssize_t>pointers.size()):
            stepper.begin(pointers[i], golds[i])
            while stepper.look():
                stepper.take(stepper.best())
            trees.add(&stepper.at.c)
            set_labels(trees, golds[i])
    return trees.heads, trees.labels


cdef void set_labels(TreeArrays trees, const Gold* arcs) noexcept nogil:
    """Write the given labels into the last tree, for no action of the model may have
    them.
    """
    cdef Py_ssize_t before = trees.at - arcs.length - 1
    cdef int k
    for k in range(1, arcs.length + 1):
        if arcs.head[k] != UNKNOWN and arcs.label[k] != UNKNOWN:
            trees._labels[before + k] = arcs.label[k]
