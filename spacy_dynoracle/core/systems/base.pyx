# cython: boundscheck=False, wraparound=False
"""The base class of all transition systems, with its Python interface.

A system is a table of transitions, each of which states its precondition, its effect
and its cost, plus an initial and a terminal configuration. A new system is one new
file beside this one: a subclass of `TransitionSystem` that fills the table.
`SYSTEMS` of this package finds it there, and everything that lists systems goes
through `SYSTEMS`: what is to be said about a system stands in its own file.
"""
from ..state.configuration cimport (
    NO_LABEL,
    NO_NODE,
    ROOT,
    ROOT_FIRST,
    ROOT_LAST,
    ROOT_NONE,
    add_arc,
    is_headless,
    reserve,
)
from ..state.gold cimport UNKNOWN, is_gold

from ..state.by_hand import set_by_hand
from ..state.labels import Labels

MAX_WORDS = 0x3FFFFFFF
ROOT_PLACES = {  # type: dict[str, int]
    "last": ROOT_LAST, "first": ROOT_FIRST, "none": ROOT_NONE
}


cdef class TransitionSystem(TransitionTable):
    """Base class of the transition systems.

    Args:
        root: Where ROOT stands: "last" (behind the words), "first" (before them) or
            "none". A system offers some of these; the first of its `root_places` is the
            default.
        single_root: Whether ROOT gets exactly one dependent where the caller does not
            say (see `RootRule`). None is off, but lets a component switch it on where
            it promises one root.
        root_label_constraint: Whether the label of the root is legal exactly on arcs
            out of ROOT, and no other label is legal there.

    Raises:
        ValueError: For a placement that the system does not offer.
    """

    # The placements of ROOT that a system offers.
    root_places = ()  # type: tuple[Literal["last", "first", "none"], ...]
    # For each variant of the static oracle, the numbers of the transitions from the
    # most to the least preferred (see `StaticOracle`); the first variant is the
    # canonical one.
    static_preferences = {}  # type: dict[str, tuple[int, ...]]
    # Whether its arcs are those of a dependency tree.
    builds_trees = True
    # Whether every tree it derives is projective.
    projective = True
    # Whether its costs are defined for complete gold trees only.
    needs_full_tree = False
    # Whether a decision is also one for a pair of neighbours in a list of nodes: its
    # feature templates have addresses in that list (see `EasyFirst`).
    chooses_pair = False
    # Whether it meets a rule for the number of roots by UNSHIFT, which has no costs.
    unshifts = False
    # Whether training stays at a configuration until the prediction is correct
    # (Goldberg & Nivre 2013, section 3).
    repeats_decisions = False
    # Whether the costs of all configurations of a derivation take time that is linear
    # in the length of a sentence.
    has_linear_costs = True
    # Whether a beam can search for its derivations.
    suits_beam = True
    # The registered names of the feature sets that a parser has if its config names
    # none: the usual one, and one for text with TAG and POS, which loses its templates
    # of the second tag if the text has one tag. None is the usual one.
    default_features = ""
    default_features_with_both_tags = None  # type: str | None
    # The name of the parameter `single_root` in constructor and config, and what it
    # does, for the reference.
    single_root_name = "single_root"
    single_root_help = "Whether ROOT takes one word only"

    def __init__(
        self,
        root: Literal["last", "first", "none"] | None = None,
        single_root: bool | None = None,
        root_label_constraint=False,
    ):
        root = next(iter(self.root_places), None) if root is None else root
        if root not in self.root_places:
            places = ", ".join(map(repr, self.root_places)) or "its root_places"
            raise ValueError(
                f"{type(self).__name__} has no root placement {root!r}: expected one "
                f"of {places}"
            )
        self.has_rows = self.chooses_pair
        self.root = root
        self.root_place = ROOT_PLACES[root]
        self.single_root = single_root
        self.root_label_constraint = root_label_constraint

    def default_root_rule(self) -> RootRule:
        """The rule for the number of roots that its `single_root` asks for."""
        return RootRule.ONE if self.single_root else RootRule.ANY

    def keeping_root_rule(self, root_rule: RootRule) -> RootRule:
        """The rule to search with when arcs are given (see `keeping`) and the trees
        have to meet `root_rule`; the same one in most systems.
        """
        return root_rule

    def training_root_rule(self, single_root: bool) -> RootRule:
        """The rule under which training runs.

        Args:
            single_root: Whether every gold tree has one root, which counts if the
                system leaves it open.
        """
        if self.single_root is not None:
            single_root = self.single_root
        return RootRule.ONE if single_root else RootRule.ANY

    def new_costs(self) -> Costs:
        """The costs of its transitions, for one thread."""
        return Costs(self)

    def new_keeping_costs(self) -> Costs:
        """The costs by which a search keeps given arcs, for one thread.

        They are 0 for transitions after which all arcs of a partial tree can still be
        in the tree, and under the `keeping_root_rule` for at least one legal
        transition, if all transitions before had a cost of 0. The partial tree must be
        projective. It may have several dependents of ROOT only under `RootRule.ANY`.

        In most systems these are the costs of the dynamic oracle. Then they are 0 for
        no other transition, and they can be asked wherever the arcs are still possible.
        A system whose costs are not defined for partial trees makes an object of its
        own.
        """
        return self.new_costs()

    cdef RootRule root_rule_or_default(self, root_rule) except *:
        """A rule that a caller has given, or the system's own one if it is None."""
        return self.default_root_rule() if root_rule is None else root_rule

    # ---- Python view ------------------------------------------------------------

    cdef int find(self, name) except -1:
        """The number of a transition; raises ValueError for an unknown one."""
        if name in self.transition_names:
            return self.transition_names.index(name)
        raise ValueError(
            f"{type(self).__name__} has no transition {name!r}: expected one of "
            f"{', '.join(self.transition_names)}"
        )

    cdef tuple names_in(self, unsigned int transitions):
        """The names of the transitions of a set."""
        return tuple([
            name for t, name in enumerate(self.transition_names) if transitions >> t & 1
        ])

    def is_labelled(self, name: str) -> bool:
        """Whether a transition adds an arc and hence carries a label."""
        return (<Transition>self.transitions[self.find(name)]).adds_arc

    def transitions_of(self, int head, int dependent) -> tuple[str, ...]:
        """The transitions that can add an arc; none where only `finish` adds it.

        Systems whose arcs do not follow the direction override this.
        """
        cdef int t = self.left if dependent < head else self.right
        if head == ROOT and self.root_place == ROOT_LAST:
            t = self.left
        if t == NO_TRANSITION or (head == ROOT and self.root_place == ROOT_NONE):
            return ()
        return (self.transition_names[t],)

    def initial(self, int n_words, root_rule: RootRule | None = None) -> Configuration:
        """The initial configuration for a sentence of `n_words` words.

        Args:
            root_rule: How many roots there may be, a `RootRule`; by default the
                system's own.

        Raises:
            ValueError: For a negative or an absurd number.
        """
        if not 0 <= n_words <= MAX_WORDS:
            raise ValueError(f"a sentence cannot have {n_words} words")
        cdef Configuration c = Configuration.__new__(Configuration)
        c.labels = Labels()
        reserve(&c.c, n_words)
        self.start(&c.c, n_words, self.root_rule_or_default(root_rule))
        return c

    def configuration(
        self,
        int n_words,
        *,
        stack: Sequence[int] = (),
        buffer: Sequence[int] = (),
        arcs: Sequence[tuple[int, str | None, int]] = (),
        marked: Sequence[int] = (),
        root_rule: RootRule | None = None,
    ) -> Configuration:
        """Any configuration, set by hand.

        Args:
            stack: Nodes, the top last.
            buffer: Nodes, the front first.
            arcs: Triples (head, label or None, dependent). Nodes that are neither on
                the stack nor in the buffer count as reduced.
            marked: Words that UNSHIFT has put back.
            root_rule: As in `initial`.

        Raises:
            ValueError: When a node does not exist, stands in two places or gets a
                second head, when ROOT stands where it cannot, and when the arcs form a
                cycle.
        """
        cdef Configuration view = self.initial(n_words, root_rule)
        set_by_hand(view, stack, buffer, arcs, marked)
        return view

    def is_terminal(self, Configuration c not None) -> bool:
        """Whether parsing ends here."""
        return bool(self.terminal(&c.c))

    def legal(self, Configuration c not None) -> list[str]:
        """Names of the legal transitions; none in a terminal configuration."""
        return list(self.names_in(0 if self.is_terminal(c) else self.legal_set(&c.c)))

    def costs(self, Configuration c not None, GoldTree gold not None) -> dict[str, int]:
        """C(t; c, T) of every legal transition t, labels left aside.

        The number of gold arcs that are reachable from c and not from t(c), unless the
        system says otherwise.

        Raises:
            ValueError: When the tree belongs to a sentence of another length, or is
                partial and the system `needs_full_tree`.
        """
        self._check_full(gold)
        return self._costs(self.new_costs(), c, gold)

    def keeping(self, Configuration c not None, GoldTree arcs not None) -> list[str]:
        """Names of the legal transitions that keep all arcs of a partial tree possible,
        if all transitions before kept them (see `new_keeping_costs`).

        Raises:
            ValueError: When the tree belongs to a sentence of another length.
        """
        costs = self._costs(self.new_keeping_costs(), c, arcs)
        return [name for name, cost in costs.items() if cost == 0]

    def _costs(self, Costs formulas, Configuration c, GoldTree gold):
        check_length(c, gold)
        return {
            name: formulas.cost(self.find(name), &c.c, &gold.gold)
            for name in self.legal(c)
        }

    def cost(
        self,
        Configuration c not None,
        GoldTree gold not None,
        name: str,
        label: str | None = None,
    ) -> int:
        """C(t; c, T) of one legal transition with its label.

        A gold arc costs 1 if its label is wrong. If it is replaced later, this 1 is not
        counted again.

        Raises:
            ValueError: When the transition is unknown or not legal in c, and as
                `costs`.
        """
        self._check_full(gold)
        check_length(c, gold)
        cdef Transition transition = self._legal_transition(c, name)
        cdef Costs formulas = self.new_costs()
        cdef int cost = formulas.cost(self.find(name), &c.c, &gold.gold)
        cdef Arc arc = transition.arc(&c.c)
        if transition.adds_arc:
            cost += has_wrong_label(gold, arc.head, arc.dependent, label)
            replaced = c._label(arc.dependent)
            head = c.c.nodes[arc.dependent].head
            cost -= has_wrong_label(gold, head, arc.dependent, replaced)
        return cost

    def apply(
        self, Configuration c not None, name: str, label: str | None = None
    ) -> None:
        """Carry out a transition: `c` becomes t(c).

        Args:
            label: The label of the arc, for transitions that add one.

        Raises:
            ValueError: When the transition is unknown, not legal in c, or has a label
                although it adds no arc, and in a configuration that the system cannot
                reach, where a word would get a second head.
        """
        cdef Transition transition = self._legal_transition(c, name)
        cdef int d = transition.arc(&c.c).dependent
        if label is not None and not transition.adds_arc:
            raise ValueError(f"{name} adds no arc, so it cannot have label {label!r}")
        # The lists of dependents would become rings, which never end.
        if transition.adds_arc and not transition.replaces and not is_headless(&c.c, d):
            raise ValueError(
                f"{name} would give word {d} a second head: {self!r} does not come to "
                f"{c!r}, unless the transition is one that `replaces` heads"
            )
        transition.apply(&c.c, NO_LABEL if label is None else c.labels.add(label))

    def finish(self, Configuration c not None, label: str | None = None) -> None:
        """Attach every word that is still headless to ROOT.

        The root-attachment heuristic (Nivre & Fernandez-Gonzalez 2014, section 2),
        with `label` on the new arcs.
        """
        attach_to_root(&c.c, NO_LABEL if label is None else c.labels.add(label))

    def _check_full(self, GoldTree gold):
        if self.needs_full_tree and not gold.complete:
            raise ValueError(f"{self!r} needs the head of every word, got {gold!r}")

    def _legal_transition(self, Configuration c, name):
        transition = self._transitions[self.find(name)]
        if name not in self.legal(c):
            raise ValueError(
                f"{name} is not legal in {c!r}: legal are {self.legal(c)}"
            )
        return transition

    def settings(self) -> dict[str, Any]:
        """The settings that must be the same in a model and in its system."""
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
            f"{self.single_root_name}={self.single_root}, "
            f"root_label_constraint={self.root_label_constraint})"
        )


cdef bint has_wrong_label(GoldTree gold, int head, int dependent, label):
    """Whether an arc is gold and has another than the gold label."""
    cdef int expected = gold.gold.label[dependent]
    return (
        is_gold(&gold.gold, head, dependent)
        and label is not None
        and expected != UNKNOWN
        and gold.inventory[expected] != label
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
