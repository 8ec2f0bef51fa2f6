"""What holds for every transition system, whatever its transitions are."""

import pickle
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle import (
    ArcEager,
    ArcHybrid,
    ArcHybridSwap,
    ArcStandard,
    Covington,
    DynamicOracle,
    EasyFirst,
    GoldTree,
    NonMonotonicArcEager,
)
from spacy_dynoracle.core.state.configuration import RootRule
from spacy_dynoracle.core.systems import SYSTEMS as BY_NAME
from spacy_dynoracle.core.systems.base import TransitionSystem

from ..builders import (
    SYSTEMS,
    every_system,
    heads,
    is_projective_tree,
    is_tree,
    options,
    projective_heads,
    restricted,
    single_root_heads,
    take,
    walk,
    walks,
)

# The formulas of SWAP are not losses.
EXACT = [s for s in SYSTEMS if not isinstance(s, ArcHybridSwap)]
TRANSITIONS = {
    ArcEager: ("SHIFT", "REDUCE", "LEFT", "RIGHT", "UNSHIFT"),
    ArcHybrid: ("SHIFT", "LEFT", "RIGHT"),
    ArcHybridSwap: ("SHIFT", "LEFT", "RIGHT", "SWAP"),
    ArcStandard: ("SHIFT", "LEFT", "RIGHT"),
    Covington: ("SHIFT", "LEFT", "RIGHT", "PASS", "JUMP"),
    EasyFirst: ("LEFT", "RIGHT"),
    NonMonotonicArcEager: ("SHIFT", "REDUCE", "LEFT", "RIGHT", "UNSHIFT"),
}
every_restriction = pytest.mark.parametrize("single_root", [False, True])


# ---- costs ---------------------------------------------------------------------------


@st.composite
def random_derivations(draw, single_root, labels=(None,)):
    """A partial gold tree, the end of a derivation and the sum of the costs."""
    system = draw(st.sampled_from(EXACT))
    if not isinstance(system, ArcEager | Covington):
        # The costs of these two are those without restriction.
        system = restricted(system, single_root)
    trees = single_root_heads(7) if single_root else projective_heads(7)
    if not system.projective:
        trees = heads(max_words=7)
    known = [h if draw(st.integers(0, 3)) else None for h in draw(trees)]
    gold = GoldTree(known, [draw(st.sampled_from(labels)) for _ in known])
    c = system.initial(len(known))
    total = 0
    while not system.is_terminal(c):
        possible = options(system, c)
        costs = []
        for pair, name in possible:
            if pair is not None:
                system.focus(c, pair)
            costs.append(system.cost(c, gold, name))
            # An arc that LEFT replaces may have had a wrong label.
            replaces = isinstance(system, NonMonotonicArcEager) and len(labels) > 1
            assert costs[-1] == system.costs(c, gold)[name] or replaces
        assert min(costs) == 0
        pair, name = draw(st.sampled_from(possible))
        label = draw(st.sampled_from(labels)) if system.is_labelled(name) else None
        if pair is not None:
            system.focus(c, pair)
        total += system.cost(c, gold, name, label=label)
        system.apply(c, name, label=label)
    system.finish(c)
    return gold, c, total


@every_restriction
@settings(max_examples=5 * settings().max_examples)
@given(data=st.data())
def test_costs_add_up_to_the_loss(single_root, data):
    """Along any derivation, with any known arcs, there is a transition without cost."""
    gold, c, total = data.draw(random_derivations(single_root))
    pairs = zip(gold.heads, c.heads, strict=True)
    assert total == sum(g is not None and g != h for g, h in pairs)


@given(data=st.data())
def test_labelled_costs_add_up_to_the_labelled_loss(data):
    gold, c, total = data.draw(random_derivations(False, labels=("a", "b")))
    wrong = 0
    wanted = zip(gold.heads, gold.labels, strict=True)
    for (head, label), (found, found_label, _) in zip(wanted, c.arcs, strict=True):
        # Arcs that `finish` adds carry no label and are right without one.
        is_right = head == found and found_label in (label, None)
        wrong += head is not None and not is_right
    assert total == wrong


@every_restriction
@given(data=st.data(), found=heads(max_words=8))
def test_crossing_gold_trees_have_correct_transitions(single_root, data, found):
    """Where a system cannot derive them the costs are an estimate, but there are some,
    and the least one is correct.
    """
    system = data.draw(st.sampled_from(SYSTEMS))
    rule = restricted(system, single_root).training_root_rule(single_root)
    gold, oracle = GoldTree(found), DynamicOracle()
    c = system.initial(len(found), rule)
    while not system.is_terminal(c):
        costs, correct = {}, set()
        for pair, name in options(system, c):
            if pair is not None:
                system.focus(c, pair)
            costs[pair, name] = system.costs(c, gold)[name]
            correct |= {(pair, k) for k in oracle.correct(system, c, gold)}
        least = {k for k, cost in costs.items() if cost == min(costs.values())}
        assert correct
        assert correct <= least
        assert correct == least or isinstance(system, NonMonotonicArcEager | Covington)
        take(system, c, *data.draw(st.sampled_from(sorted(costs, key=str))))


# ---- derivations ---------------------------------------------------------------------


def n_transitions(system, n, names):
    """The length of a derivation that ends in a tree of its own accord."""
    if isinstance(system, EasyFirst):
        return n
    if isinstance(system, NonMonotonicArcEager):
        return 2 * n + 2 * names.count("UNSHIFT")
    if isinstance(system, ArcStandard) or system.root == "first":
        return 2 * n + 1
    steps = names.count("PASS") + names.count("JUMP")
    assert steps <= n * (n + 1) // 2
    return 2 * n + 2 * names.count("SWAP") + steps


@every_restriction
@settings(max_examples=5 * settings().max_examples)
@given(data=st.data(), n=st.integers(0, 9))
def test_every_derivation_ends_in_a_tree(single_root, data, n):
    system = restricted(data.draw(st.sampled_from(SYSTEMS)), single_root)
    c = system.initial(n)
    names = []
    while not system.is_terminal(c):
        pair, name = data.draw(st.sampled_from(options(system, c)))
        before = {d: h for h, _, d in c.arcs}
        take(system, c, pair, name)
        names.append(name)
        after = {d: h for h, _, d in c.arcs}
        added = [(h, d) for d, h in after.items() if before.get(d) != h]
        assert len(added) == system.is_labelled(name)
        for head, dependent in added:
            # A head may be replaced.
            is_new = dependent not in before
            assert is_new or isinstance(system, NonMonotonicArcEager)
            assert before.keys() <= after.keys()
            # UNSHIFT makes arcs with words from before the front of the buffer.
            assert name in system.transitions_of(head, dependent)
    assert options(system, c) == []
    assert system.legal(c) == []
    assert system.costs(c, GoldTree([0] * n)) == {}
    if not isinstance(system, ArcEager):
        assert None not in c.heads or isinstance(system, Covington)
        if type(system) in TRANSITIONS and None not in c.heads:
            assert len(names) == n_transitions(system, n, names)
        assert names.count("SWAP") <= n * (n - 1) // 2
        assert names.count("UNSHIFT") <= n
        assert set(c.stack) | set(c.buffer) == {0}
    elif single_root:
        assert len(names) < 4 * (n + 1)
    system.finish(c)
    assert is_tree(c.heads)
    assert is_projective_tree(c.heads) or not system.projective
    if single_root and n and repr(system) != repr(ArcEager("first", True)):
        assert c.heads.count(0) == 1


@every_restriction
@given(data=st.data(), found=heads(max_words=7))
def test_swap_follows_its_oracle_to_any_tree(single_root, data, found):
    """Of the transitions without cost any may be taken, and crossing arcs come out."""
    if single_root and found.count(0) != 1:
        found = tuple(range(len(found)))
    system, gold = ArcHybridSwap(single_root=single_root), GoldTree(found)
    c = system.initial(len(found))
    while not system.is_terminal(c):
        costs = system.costs(c, gold)
        free = [name for name, cost in costs.items() if cost == 0]
        assert free == ["SWAP"] or "SWAP" not in free
        system.apply(c, data.draw(st.sampled_from(free)))
    assert c.heads == found


# ---- what a system says of itself ----------------------------------------------------


@pytest.mark.parametrize(
    "system", [s for s in SYSTEMS if type(s) in TRANSITIONS], ids=repr
)
def test_transitions(system):
    names = TRANSITIONS[type(system)]
    assert system.transition_names == names
    assert system.n_transitions == len(names)
    labelled = [name for name in names if system.is_labelled(name)]
    assert labelled == ["LEFT", "RIGHT"]
    assert system.chooses_pair == isinstance(system, EasyFirst)
    assert system.repeats_decisions == isinstance(system, EasyFirst)
    assert system.suits_beam != isinstance(system, EasyFirst | Covington)
    assert system.projective != isinstance(system, ArcHybridSwap | Covington)
    assert system.needs_full_tree == isinstance(system, ArcHybridSwap)


@every_system
def test_transitions_that_add_an_arc(system):
    if isinstance(system, ArcHybridSwap):
        # Swapped words can meet in either order; ROOT stands last.
        assert set(system.transitions_of(2, 1)) == {"LEFT", "RIGHT"}
        assert set(system.transitions_of(1, 2)) == {"LEFT", "RIGHT"}
    else:
        assert system.transitions_of(2, 1) == ("LEFT",)
        # The word that ROOT has taken may take others to both sides of it.
        left = ("LEFT",) if isinstance(system, Covington) else ()
        assert system.transitions_of(1, 2) == ("RIGHT", *left)
    of_root = {"last": ("LEFT",), "first": ("RIGHT",), "none": ()}
    assert system.transitions_of(0, 1) == of_root[system.root]


@every_system
@pytest.mark.parametrize("single_root", [None, False, True])
@pytest.mark.parametrize("root_label_constraint", [False, True])
def test_settings_repr_and_pickle(system, single_root, root_label_constraint):
    make, root = type(system), system.root
    system = make(root, single_root, root_label_constraint)
    assert system.settings() == {
        "name": make.__name__,
        "root": root,
        "root_label_constraint": root_label_constraint,
    }
    assert BY_NAME[make.__name__] is make
    named = make(root, **{system.single_root_name: single_root})
    assert named.single_root is single_root
    assert f"{make.__name__}(root={root!r}, {system.single_root_name}=" in repr(system)
    for same in (pickle.loads(pickle.dumps(system)), eval(repr(system), {**BY_NAME})):
        assert repr(same) == repr(system)
        assert same.single_root is single_root
        assert same.settings() == system.settings()


@every_system
def test_default_rule(system):
    """The tree constraint of arc-eager does not promise one root."""
    one = RootRule.TREE if isinstance(system, ArcEager) else RootRule.ONE
    for single_root, expected in [(None, 0), (False, 0), (True, one)]:
        found = restricted(system, single_root)
        assert found.default_root_rule() is RootRule(expected)
        assert found.initial(2).root_rule is RootRule(expected)
        assert found.configuration(2, buffer=[2]).root_rule is RootRule(expected)


@every_system
@pytest.mark.parametrize("rule", RootRule)
def test_given_rule(system, rule):
    for single_root in (False, True):
        found = restricted(system, single_root)
        assert found.initial(2, rule).root_rule is rule
        assert found.initial(2, rule).copy().root_rule is rule
        assert found.configuration(2, buffer=[2], root_rule=rule).root_rule is rule
    with pytest.raises(ValueError, match="7 is not a valid RootRule"):
        system.initial(2, 7).root_rule  # noqa: B018


@every_system
@pytest.mark.parametrize("all_single", [False, True])
def test_rule_for_training(system, all_single):
    """Undecided, it is what the trees are; arc-eager never learns UNSHIFT."""
    for single_root, expected in [(None, all_single), (False, False), (True, True)]:
        found = restricted(system, single_root).training_root_rule(all_single)
        one = expected and not isinstance(system, ArcEager)
        assert found is (RootRule.ONE if one else RootRule.ANY)


@pytest.mark.parametrize("system", BY_NAME.values())
@pytest.mark.parametrize("root", ["middle", "", "LAST"])
def test_unknown_root_placement(system, root):
    expected = ", ".join(map(repr, system.root_places))
    message = f"{system.__name__} has no root placement {root!r}: expected one of"
    with pytest.raises(ValueError, match=f"{message} {expected}"):
        system(root=root)


@pytest.mark.parametrize("system", [s for s in SYSTEMS if not s.chooses_pair], ids=repr)
@given(st.data())
def test_legal_transitions_are_those_that_can_be_applied(system, data):
    """`legal` and `apply` ask in different ways; a system may speed up the first."""
    system = restricted(system, data.draw(st.booleans()))
    n = data.draw(st.integers(0, 6))
    c = walk(system, n, data.draw(walks(system, n)))
    applicable = []
    for name in system.transition_names:
        try:
            system.apply(c.copy(), name)
        except ValueError:
            continue
        applicable.append(name)
    assert applicable == system.legal(c)


# ---- errors --------------------------------------------------------------------------


@every_system
def test_errors(system):
    c = system.initial(2)
    before = repr(c)
    known = ", ".join(system.transition_names)
    with pytest.raises(
        ValueError, match=f"no transition 'FLY': expected one of {known}"
    ):
        system.apply(c, "FLY")
    with pytest.raises(ValueError, match="has no transition None"):
        system.cost(c, GoldTree([2, 0]), None)
    for name in set(system.transition_names) - set(system.legal(c)):
        with pytest.raises(ValueError, match=f"{name} is not legal in Configuration"):
            system.apply(c, name)
        with pytest.raises(ValueError, match=f"{name} is not legal in Configuration"):
            system.cost(c, GoldTree([2, 0]), name)
    for ask in (system.costs, lambda c, gold: system.cost(c, gold, system.legal(c)[0])):
        with pytest.raises(ValueError, match=r"has 3 words, the config\w+ 2"):
            ask(c, GoldTree([0, 1, 1]))
    for ask in (system.legal, system.is_terminal, system.finish):
        with pytest.raises(TypeError):
            ask(None)
    with pytest.raises(ValueError, match="cannot have -1 words"):
        system.initial(-1)
    assert repr(c) == before


@pytest.mark.parametrize(
    ("system", "name"),
    [
        (ArcEager(), "RIGHT"),
        (ArcHybrid("last"), "LEFT"),
        (NonMonotonicArcEager(), "RIGHT"),
    ],
)
def test_no_word_gets_a_second_head(system, name):
    """Its siblings would form a ring, which a loop never leaves."""
    c = system.initial(2)
    system.finish(c, "root")
    system.apply(c, "SHIFT")
    with pytest.raises(ValueError, match=f"{name} would give word . a second head"):
        system.apply(c, name)


def test_no_costs_of_partial_trees_where_all_heads_are_needed():
    system, gold = ArcHybridSwap(), GoldTree([2, None])
    c = system.initial(2)
    for ask in (system.costs, partial(system.cost, name="SHIFT")):
        with pytest.raises(ValueError, match="needs the head of every word"):
            ask(c, gold)


def test_a_class_without_root_placements():
    with pytest.raises(ValueError, match="expected one of its root_places"):
        type("Own", (TransitionSystem,), {})()
