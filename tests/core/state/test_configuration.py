"""Configurations: the Python view, copies, and configurations set by hand."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle import ArcEager
from spacy_dynoracle.core.state.configuration import Configuration

from ..builders import (
    ROOTS,
    SYSTEMS,
    every_system,
    options,
    restricted,
    take,
    walk,
    walks,
)


def view(c):
    """All that is visible of a configuration."""
    dependents = tuple(c.dependents(k) for k in range(len(c) + 1))
    return c.stack, c.buffer, c.arcs, c.heads, c.end_seen, dependents


@pytest.mark.parametrize(
    ("root", "stack", "buffer"),
    [("last", (), (1, 2, 3, 0)), ("first", (0,), (1, 2, 3)), ("none", (), (1, 2, 3))],
)
def test_initial(root, stack, buffer):
    c = ArcEager(root=root).initial(3)
    assert len(c) == 3
    assert (c.stack, c.buffer) == (stack, buffer)
    assert c.arcs == ()
    assert c.heads == (None, None, None)
    assert not c.end_seen


def test_made_by_systems_only():
    with pytest.raises(TypeError, match=r"use system\.initial"):
        Configuration()


def test_set_by_hand():
    c = ArcEager().configuration(
        4, stack=[1, 3], buffer=[4, 0], arcs=[(3, "a", 2), (1, None, 3)], marked=[4]
    )
    assert view(c) == (
        (1, 3),
        (4, 0),
        ((3, "a", 2), (1, None, 3)),
        (None, 3, 1, None),
        True,
        ((), (3,), (), (2,), ()),
    )


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"stack": [4]}, "no node 4 in a sentence of 3 words"),
        ({"buffer": [-1]}, "no node -1 in a sentence of 3 words"),
        ({"arcs": [(4, None, 1)]}, "no node 4 in a sentence of 3 words"),
        ({"arcs": [(1, None, 9)]}, "no node 9 in a sentence of 3 words"),
        ({"stack": [1, 1]}, "a node stands twice"),
        ({"stack": [1], "buffer": [1, 2]}, "a node stands twice"),
        ({"arcs": [(2, None, 0)]}, "cannot be an arc"),
        ({"arcs": [(2, None, 2)]}, "cannot be an arc"),
        ({"arcs": [(2, None, 1), (3, None, 1)]}, "cannot be an arc"),
    ],
)
@pytest.mark.parametrize("root", ROOTS)
def test_impossible_configurations(root, parts, message):
    with pytest.raises(ValueError, match=message):
        ArcEager(root=root).configuration(3, **parts)


@every_system
def test_root_stands_in_its_place(system):
    """First or last of the nodes on the stack and in the buffer, or not at all."""
    for nodes in ([0, 1, 2], [1, 2, 0], [1, 0, 2], [0], [1, 2], []):
        place = {"first": 0, "last": len(nodes) - 1}.get(system.root)
        for cut in range(len(nodes) + 1):
            stack, buffer = nodes[:cut], nodes[cut:]
            if 0 in nodes and nodes.index(0) != place:
                with pytest.raises(ValueError, match="ROOT cannot stand there in st"):
                    system.configuration(2, stack=stack, buffer=buffer)
            else:
                c = system.configuration(2, stack=stack, buffer=buffer)
                assert (c.stack, c.buffer) == (tuple(stack), tuple(buffer))


def test_arcs_in_a_cycle():
    arcs = [(1, None, 2), (2, None, 3), (3, None, 1), (4, None, 5)]
    with pytest.raises(ValueError, match="the arcs form a cycle through words 1, 2, 3"):
        ArcEager().configuration(5, arcs=arcs)


@given(st.permutations([1, 2, 3, 5, 6, 7]))
def test_dependents_stand_in_the_order_of_the_sentence(order):
    c = ArcEager().configuration(7, arcs=[(4, "a", d) for d in order])
    assert c.dependents(4) == (1, 2, 3, 5, 6, 7)
    assert c.arcs == tuple((4, "a", d) for d in (1, 2, 3, 5, 6, 7))


@pytest.mark.parametrize("root", ROOTS)
def test_dependents_of_root(root):
    c = ArcEager(root=root).configuration(3, arcs=[(0, None, 3), (0, None, 1)])
    assert c.dependents(0) == (1, 3)


@pytest.mark.parametrize("head", [-1, 4])
def test_dependents_of_no_node(head):
    with pytest.raises(IndexError, match=f"no node {head} in a sentence of 3 words"):
        ArcEager().initial(3).dependents(head)


@given(st.data(), st.sampled_from(SYSTEMS), st.booleans(), st.integers(1, 5))
def test_dependents_and_heads_agree(data, system, single_root, n):
    system = restricted(system, single_root)
    c = walk(system, n, data.draw(walks(system, n)))
    for head in range(n + 1):
        assert c.dependents(head) == tuple(
            d for d in range(1, n + 1) if c.heads[d - 1] == head
        )
    assert {(h, d) for h, _, d in c.arcs} == {
        (h, d) for d, h in enumerate(c.heads, 1) if h is not None
    }
    assert set(c.stack).isdisjoint(c.buffer)


@given(st.data(), st.sampled_from(SYSTEMS), st.integers(0, 5))
def test_copies_are_independent(data, system, n):
    c = walk(system, n, data.draw(walks(system, n)))
    before = view(c)
    copy = c.copy()
    assert view(copy) == before
    while not system.is_terminal(copy):
        pair, name = data.draw(st.sampled_from(options(system, copy)))
        label = "new" if system.is_labelled(name) else None
        take(system, copy, pair, name, label)
    system.finish(copy, label="root")
    assert view(c) == before
    assert "new" not in c.labels
    # And the other way round.
    after = view(copy)
    system.finish(c, label="other")
    assert view(copy) == after


def test_copy_keeps_what_was_put_back():
    c = ArcEager(tree_constraint=True).configuration(1, buffer=[1], marked=[1])
    assert c.copy().end_seen


def test_copies_of_the_module_copy():
    arcs = iter([(2, "a", 1)])
    c = ArcEager().configuration(2, stack=iter([2]), buffer=[0], arcs=arcs)
    assert (c.stack, c.arcs) == ((2,), ((2, "a", 1),))
    for made in copy.copy(c), copy.deepcopy(c):
        assert view(made) == view(c)
    with pytest.raises(TypeError, match="keep stack, buffer and arcs"):
        pickle.dumps(c)


def test_repr():
    c = ArcEager().configuration(3, stack=[2], buffer=[3, 0], arcs=[(2, "a", 1)])
    assert repr(c) == "Configuration(stack=[2], buffer=[3, 0], arcs=[(2, 'a', 1)])"
