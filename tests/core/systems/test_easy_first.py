"""Easy-first: the focus, and the costs for all pairs.

Legality and costs are compared with brute force in tests/oracles.
Goldberg & Elhadad (2010), section 3; Goldberg & Nivre (2013), 4.5.
"""

import pytest

from spacy_dynoracle import EasyFirst, GoldTree


def costs_of_pairs(system, c, gold):
    """The costs of the legal transitions of each pair, from the left."""
    c, found = c.copy(), []
    for pair in range(1, len(c.stack) + len(c.buffer)):
        system.focus(c, pair)
        found.append(system.costs(c, gold))
        assert list(found[-1]) == system.legal(c)
    return found


def test_focus_moves_nothing_but_the_cut():
    system = EasyFirst()
    c = system.configuration(
        4, stack=[0, 2], buffer=[4], arcs=[(2, "a", 1), (4, "b", 3)]
    )
    for pair, stack, buffer in [
        (1, (0,), (2, 4)),
        (2, (0, 2), (4,)),
        (1, (0,), (2, 4)),
    ]:
        system.focus(c, pair)
        assert (c.stack, c.buffer) == (stack, buffer)
        assert c.arcs == ((2, "a", 1), (4, "b", 3))
        assert c.heads == (2, None, 4, None)


@pytest.mark.parametrize("pair", [-1, 0, 3, 4, 10**6])
def test_no_such_pair(pair):
    system = EasyFirst()
    c = system.initial(2)
    with pytest.raises(ValueError, match=rf"no pair {pair} in Config.*has 2 pairs"):
        system.focus(c, pair)
    assert (c.stack, c.buffer) == ((0,), (1, 2))


def test_no_pair_at_the_end():
    system = EasyFirst()
    for c in (system.initial(0), system.configuration(1, stack=[0])):
        with pytest.raises(ValueError, match="has 0 pairs"):
            system.focus(c, 1)
    with pytest.raises(TypeError):
        system.focus(None, 1)


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_configurations_with_any_cut(cut):
    system, gold = EasyFirst(), GoldTree([2, 0, 4, 2])
    nodes = [0, 1, 2, 4]
    c = system.configuration(
        4, stack=nodes[:cut], buffer=nodes[cut:], arcs=[(4, None, 3)]
    )
    found = costs_of_pairs(system, c, gold)
    assert found == [{"RIGHT": 1}, {"LEFT": 0, "RIGHT": 3}, {"LEFT": 3, "RIGHT": 0}]
    assert system.costs(c, gold) == found[cut - 1]


def test_nothing_is_in_focus():
    """All of the list on one side: there is no pair to speak of."""
    system, gold = EasyFirst(), GoldTree([2, 0])
    for parts in ({"stack": [0, 1, 2]}, {"buffer": [0, 1, 2]}):
        c = system.configuration(2, **parts)
        assert not system.is_terminal(c)
        assert system.legal(c) == []
        assert system.costs(c, gold) == {}
        system.focus(c, 2)
        assert system.costs(c, gold) == {"LEFT": 0, "RIGHT": 2}
