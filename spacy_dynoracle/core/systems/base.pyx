# cython: boundscheck=False, wraparound=False
"""What every transition system consists of, and the Python view of it.

A system is a table of transitions, each of which states its precondition, its effect
and its cost, plus an initial and a terminal configuration. A new system is one new
file beside this one: a subclass of `TransitionSystem` that fills the
table. `SYSTEMS` of this package finds it there, and everything that lists systems goes
through `SYSTEMS`: what is to be said about a system stands in its own file.

Transitions are numbered in the order in which a system adds them; a set of
transitions is a bit mask over these numbers.
"""
from ..state.configuration cimport (
    IN_BUFFER,
    NO_LABEL,
    NO_NODE,
    REDUCED,
    ROOT,
    ROOT_FIRST,
    ROOT_LAST,
    ROOT_NONE,
    Configuration,
    ConfigurationC,
    RootRule,
    add_arc,
    clear,
    count_descendants,
    pop,
    push,
    put_back,
)
from ..state.gold cimport UNKNOWN, Gold, GoldTree, is_gold

from ..state.labels import Labels
from ..state.projectivity import find_cycle

MAX_WORDS = 0x3FFFFFFF
ROOT_PLACES = {"last": ROOT_LAST, "first": ROOT_FIRST, "none": ROOT_NONE}


cdef class Costs:
    """C(t; c, T), the costs of the transitions of a system, labels left aside.

    The number of gold arcs that are reachable from c and not from t(c) (Goldberg &
    Nivre 2013, section 4.1). Most systems have a formula for each transition; one
    that has not makes another object of this kind in `TransitionSystem.new_costs`.

    It owns the memory that the computation needs, so each thread has its own.
    """

    def __cinit__(self, TransitionSystem system not None):
        self.system = system

    cdef void start(self) noexcept nogil:
        """Called once for each sentence and gold tree, before any of its costs."""

    cdef int cost(
        self, int t, const ConfigurationC* c, const Gold* gold
    ) except? -1 nogil:
        """C(t; c, T); t must be legal in c."""
        return self.system.transitions[t].cost(c, gold)


cdef class TransitionSystem:
    """Base class of the transition systems.

    root: where ROOT stands: "last" (behind the words), "first" (before them) or
        "none"; a system offers some of these.
    single_root: whether ROOT gets exactly one dependent where the caller does not say
        (see `RootRule`). None is off, but lets a component switch it on where it
        promises one root.
    root_label_constraint: whether the label of the root is legal exactly on arcs out of
        ROOT, and no other label is legal there.

    Raises ValueError for a placement that the system does not offer.
    """

    # The placements of ROOT that a system offers.
    root_places = ()
    # For each variant of the static oracle, the transitions from the most to the least
    # preferred (see `StaticOracle`); the first variant is the canonical one.
    static_preferences = {}
    # Whether its arcs are those of a dependency tree.
    builds_trees = True
    # Whether every tree it derives is projective.
    projective = True
    # Whether its costs are defined for complete gold trees only.
    needs_full_tree = False
    # The registered names of the feature sets that a parser has if its config names
    # none: the usual one, one without tags, and one for text that has both TAG and POS.
    # None is the usual set, without tags that of its templates that use none.
    default_features = ""
    default_features_without_tags = None
    default_features_with_both_tags = None
    # The name of the parameter `single_root` in constructor and config, and what it
    # does, for the reference.
    restriction = "single_root"
    restriction_help = "Whether ROOT takes one word only"

    def __init__(self, root="last", single_root=None, root_label_constraint=False):
        if root not in self.root_places:
            raise ValueError(
                f"{type(self).__name__} has no root placement {root!r}: expected one "
                f"of {', '.join(map(repr, self.root_places))}"
            )
        self.n_transitions = 0
        self.root = root
        self.root_place = ROOT_PLACES[root]
        self.root_in_buffer = False
        self.single_root = single_root
        self.root_label_constraint = root_label_constraint
        # Whether a decision is also one for a pair of neighbours (see `EasyFirst`).
        self.chooses_pair = False

    def own_rule(self):
        """The rule for the number of roots that its `single_root` asks for."""
        return RootRule.ONE if self.single_root else RootRule.ANY

    def keeping_rule(self, root_rule):
        """The rule under which search keeps given arcs (see `keeping`), if trees are to
        meet another one."""
        return root_rule

    def training_rule(self, one_root):
        """The rule under which training runs.

        one_root: whether every gold tree has one root.
        """
        single_root = one_root if self.single_root is None else self.single_root
        return RootRule.ONE if single_root else RootRule.ANY

    def new_costs(self):
        """The costs of its transitions, for one thread."""
        return Costs(self)

    def new_keeping_costs(self):
        """The costs by which a search keeps given arcs, for one thread.

        They are 0 for transitions after which all arcs of a partial tree can still be
        in the tree, if they could be before, and for at least one legal transition.
        The partial tree must be projective, with no more dependents of ROOT than the
        system allows.

        In most systems these are the costs of the dynamic oracle, and 0 for no other
        transition. A system whose costs are not defined for partial trees makes an
        object of its own.
        """
        return self.new_costs()

    cdef RootRule chosen_rule(self, root_rule) except *:
        """A rule that a caller has given, or the system's own one if it is None."""
        return self.own_rule() if root_rule is None else root_rule

    # ---- what a system fills in -------------------------------------------------

    cdef int add_transition(self, Transition transition) except -1:
        if self.n_transitions == MAX_TRANSITIONS:
            raise ValueError(f"a system has at most {MAX_TRANSITIONS} transitions")
        self.transitions[self.n_transitions] = transition
        self.n_transitions += 1
        return 0

    cdef bint terminal(self, const ConfigurationC* c) noexcept nogil:
        return True

    # ---- generic part -----------------------------------------------------------

    cdef void start(
        self, ConfigurationC* c, int length, RootRule root_rule
    ) noexcept nogil:
        """Set `c`, which has room for it, to the initial configuration."""
        clear(c, length, self.root_place, root_rule)
        if c.root == ROOT_FIRST and self.root_in_buffer:
            put_back(c, pop(c))

    cdef unsigned int legal_set(self, const ConfigurationC* c) noexcept nogil:
        """LEGAL(c), as a bit mask over the numbers of the transitions."""
        cdef unsigned int legal = 0
        cdef int t
        for t in range(self.n_transitions):
            if self.transitions[t].legal(c):
                legal |= 1u << t
        return legal

    cdef unsigned int by_transition(
        self, unsigned int correct, const ConfigurationC* c, const Gold* gold
    ) noexcept nogil:
        """Those of the correct transitions after which every gold arc can still be
        added by a transition, as static oracles demand, and not only by `finish`."""
        return correct

    cdef bint may_explore(self, int predicted, unsigned int correct) noexcept nogil:
        """Whether training may take a transition, wrong or not, where `correct` are the
        correct ones."""
        return True

    cdef bint puts_back(self, RootRule root_rule) noexcept nogil:
        """Whether a word that has left the buffer can come back into it."""
        return False

    cdef bint is_forced(self, unsigned int legal) noexcept nogil:
        """Whether only one transition is legal and there is no label to choose."""
        return (
            legal & (legal - 1) == 0
            and self.transitions[self.lowest(legal)].arc is NULL
        )

    cdef int lowest(self, unsigned int legal) noexcept nogil:
        """The number of the first legal transition; there must be one."""
        cdef int t
        for t in range(self.n_transitions):
            if legal >> t & 1:
                return t
        return 0

    cdef int find(self, name) except -1:
        for t in range(self.n_transitions):
            if self.transitions[t].name.decode("ascii") == name:
                return t
        raise ValueError(
            f"{type(self).__name__} has no transition {name!r}: expected one of "
            f"{', '.join(self.transition_names)}"
        )

    # ---- Python view ------------------------------------------------------------

    @property
    def transition_names(self):
        """Names of the transitions, in the order of their numbers."""
        return tuple(
            self.transitions[t].name.decode("ascii")
            for t in range(self.n_transitions)
        )

    def is_labelled(self, name):
        """Whether a transition adds an arc and hence carries a label."""
        return self.transitions[self.find(name)].arc is not NULL

    def transitions_of(self, int head, int dependent):
        """The transitions that can add an arc; none where only `finish` adds it.

        Systems whose arcs do not follow the direction override this.
        """
        if head == ROOT:
            return {"last": ("LEFT",), "first": ("RIGHT",), "none": ()}[self.root]
        return ("LEFT",) if dependent < head else ("RIGHT",)

    def initial(self, int n_words, root_rule=None):
        """The initial configuration for a sentence of `n_words` words.

        root_rule: how many roots there may be, a `RootRule`; by default the system's
            own.

        Raises ValueError for a negative or an absurd number.
        """
        if not 0 <= n_words <= MAX_WORDS:
            raise ValueError(f"a sentence cannot have {n_words} words")
        cdef Configuration c = Configuration.create(n_words, self.root_place, Labels())
        self.start(&c.c, n_words, self.chosen_rule(root_rule))
        return c

    def configuration(
        self,
        int n_words,
        *,
        stack=(),
        buffer=(),
        arcs=(),
        end_seen=False,
        root_rule=None,
    ):
        """Any configuration, set by hand.

        stack: nodes, the top last. buffer: nodes, the front first. arcs: triples
        (head, label or None, dependent). Nodes that are neither on the stack nor in
        the buffer count as reduced. root_rule: as in `initial`.

        Raises ValueError when a node does not exist, stands in two places or gets a
        second head, when ROOT stands where it cannot, and when the arcs form a cycle.
        """
        cdef Configuration view = self.initial(n_words, root_rule)
        cdef ConfigurationC* c = &view.c
        cdef int k
        nodes = [*stack, *buffer]
        for k in [*nodes, *(h for h, _, _ in arcs), *(d for _, _, d in arcs)]:
            if not 0 <= k <= n_words:
                raise ValueError(f"no node {k} in a sentence of {n_words} words")
        if len(set(nodes)) != len(nodes):
            raise ValueError(
                f"a node stands twice in stack {stack} and buffer {buffer}"
            )
        if ROOT in nodes:
            places = {"first": 0, "last": len(nodes) - 1}
            if nodes.index(ROOT) != places.get(self.root):
                raise ValueError(
                    f"ROOT cannot stand there in stack {stack} and buffer {buffer}: "
                    f"its placement is {self.root!r}"
                )
        c.stack_size = c.n_headless = 0
        for k in range(n_words + 1):
            c.nodes[k].place = REDUCED
        c.front = c.end - len(buffer)
        for i, k in enumerate(buffer):
            c.buffer[c.front + i] = k
            c.nodes[k].place = IN_BUFFER
        for k in stack:
            push(c, k)
        for h, label, d in arcs:
            if d == ROOT or h == d or c.nodes[<int>d].head != NO_NODE:
                raise ValueError(
                    f"({h}, {label}, {d}) cannot be an arc: word {d} is ROOT, its own "
                    f"head or has a head already"
                )
            add_arc(c, h, NO_LABEL if label is None else view.labels.add(label), d)
        cycle = find_cycle(view.heads)
        if cycle:
            words = ", ".join(map(str, cycle))
            raise ValueError(f"the arcs form a cycle through words {words}")
        count_descendants(c)
        c.end_seen = end_seen
        return view

    def is_terminal(self, Configuration c not None):
        """Whether parsing ends here."""
        return bool(self.terminal(&c.c))

    def legal(self, Configuration c not None):
        """Names of the legal transitions; none in a terminal configuration."""
        if self.terminal(&c.c):
            return []
        cdef unsigned int legal = self.legal_set(&c.c)
        return [
            name
            for t, name in enumerate(self.transition_names)
            if legal >> <unsigned int>t & 1
        ]

    def costs(self, Configuration c not None, GoldTree gold not None):
        """C(t; c, T) of every legal transition t, labels left aside.

        The number of gold arcs that are reachable from c and not from t(c). Raises
        ValueError when the tree belongs to a sentence of another length.
        """
        check_length(c, gold)
        cdef dict costs = {}
        cdef Costs formulas = self.new_costs()
        cdef unsigned int legal
        cdef int t
        if not self.terminal(&c.c):
            legal = self.legal_set(&c.c)
            for t in range(self.n_transitions):
                if legal >> t & 1:
                    costs[self.transitions[t].name.decode("ascii")] = formulas.cost(
                        t, &c.c, &gold.gold
                    )
        return costs

    def keeping(self, Configuration c not None, GoldTree arcs not None):
        """Names of the legal transitions that keep all arcs of a partial tree possible
        (see `new_keeping_costs`), if they are possible in c.

        Raises ValueError when the tree belongs to a sentence of another length.
        """
        check_length(c, arcs)
        cdef Costs costs = self.new_keeping_costs()
        cdef list names = []
        cdef unsigned int legal
        cdef int t
        if not self.terminal(&c.c):
            legal = self.legal_set(&c.c)
            for t in range(self.n_transitions):
                if legal >> t & 1 and costs.cost(t, &c.c, &arcs.gold) == 0:
                    names.append(self.transitions[t].name.decode("ascii"))
        return names

    def cost(self, Configuration c not None, GoldTree gold not None, name, label=None):
        """C(t; c, T) of one legal transition with its label.

        A gold arc with another than its gold label costs 1. Raises ValueError when
        the transition is unknown or not legal in c.
        """
        check_length(c, gold)
        cdef int t = self.find(name)
        cdef Arc arc
        cdef Costs formulas = self.new_costs()
        self._check_legal(c, t)
        cdef int cost = formulas.cost(t, &c.c, &gold.gold)
        if self.transitions[t].arc is not NULL and label is not None:
            arc = self.transitions[t].arc(&c.c)
            if (
                is_gold(&gold.gold, arc.head, arc.dependent)
                and gold.gold.label[arc.dependent] != UNKNOWN
                and gold.inventory[gold.gold.label[arc.dependent]] != label
            ):
                cost += 1
        return cost

    def apply(self, Configuration c not None, name, label=None):
        """Carry out a transition: `c` becomes t(c).

        label: the label of the arc, for transitions that add one.

        Raises ValueError when the transition is unknown, not legal in c, or has a
        label although it adds no arc.
        """
        cdef int t = self.find(name)
        self._check_legal(c, t)
        if label is not None and self.transitions[t].arc is NULL:
            raise ValueError(f"{name} adds no arc, so it cannot have label {label!r}")
        self.transitions[t].apply(
            &c.c, NO_LABEL if label is None else c.labels.add(label)
        )

    def finish(self, Configuration c not None, label=None):
        """Attach every word that is still headless to ROOT.

        The root-attachment heuristic (Nivre & Fernandez-Gonzalez 2014, section 2),
        with `label` on the new arcs.
        """
        attach_to_root(&c.c, NO_LABEL if label is None else c.labels.add(label))

    def _check_legal(self, Configuration c, int t):
        if self.terminal(&c.c) or not self.transitions[t].legal(&c.c):
            raise ValueError(
                f"{self.transitions[t].name.decode('ascii')} is not legal in {c!r}: "
                f"legal are {self.legal(c)}"
            )

    def settings(self):
        """What a model must agree on with the system."""
        return {
            "name": type(self).__name__,
            "root": self.root,
            "root_label_constraint": self.root_label_constraint,
        }

    def __reduce__(self):
        return type(self), (self.root, self.single_root, self.root_label_constraint)

    def __repr__(self):
        return (
            f"{type(self).__name__}(root={self.root!r}, "
            f"{self.restriction}={self.single_root}, "
            f"root_label_constraint={self.root_label_constraint})"
        )


cdef int check_length(Configuration c, GoldTree gold) except -1:
    if c.c.length != gold.gold.length:
        raise ValueError(
            f"the gold tree has {gold.gold.length} words, the configuration "
            f"{c.c.length}"
        )
    return 0


cdef void attach_to_root(ConfigurationC* c, int label) noexcept nogil:
    cdef int k
    for k in range(1, c.length + 1):
        if c.nodes[k].head == NO_NODE:
            add_arc(c, ROOT, label, k)
