"""What holds for easy-first alone: reachable arcs, and the pair in focus.

Goldberg & Nivre (2013, TACL 1), section 4.5.
"""

from itertools import permutations

import pytest

from .cases import cases_of
from .reference_systems import ROOT

every_case = pytest.mark.parametrize("case", cases_of("easy-first"), ids=str)


@every_case
@pytest.mark.parametrize("n", range(1, 6))
def test_reachable_arcs(case, n):
    graph = case.graph(n)
    for c in graph.successors:
        expected = {(h, d) for h, d in permutations(c[0], 2) if d != ROOT}
        assert graph.derivable(c) == expected
