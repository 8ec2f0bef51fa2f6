"""Non-monotonic arc-eager: arcs that are replaced, and marks.

Legality and costs are compared with brute force in tests/oracles, and what holds for
every system in `test_every_system`. Source: Honnibal & Johnson 2015.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle import NonMonotonicArcEager

from ..builders import walk, walks


def test_what_the_old_head_knew_is_forgotten():
    """Features see the dependents of a node, their number and their labels."""
    system = NonMonotonicArcEager()
    c = system.configuration(
        4, stack=[1, 3], buffer=[4, 0], arcs=[(1, "a", 2), (1, "b", 3)]
    )
    system.apply(c, "LEFT", label="c")
    assert c.arcs == ((1, "a", 2), (4, "c", 3))
    assert (c.dependents(1), c.dependents(4)) == ((2,), (3,))


@given(st.data(), st.integers(1, 8), st.booleans())
def test_marks_are_kept_in_copies_and_by_hand(data, n, single_root):
    system = NonMonotonicArcEager(single_root=single_root)
    c = walk(system, n, data.draw(walks(system, n)))
    by_hand = system.configuration(
        n, stack=c.stack, buffer=c.buffer, arcs=c.arcs, marked=c.marked
    )
    for same in (by_hand, c.copy()):
        assert same.marked == c.marked
        assert system.legal(same) == system.legal(c)


def test_settings_that_are_not_offered():
    with pytest.raises(ValueError, match="no root placement 'none': expected one of"):
        NonMonotonicArcEager("none")
    with pytest.raises(ValueError, match="no node 4 in a sentence of 3 words"):
        NonMonotonicArcEager().configuration(3, marked=[4])
