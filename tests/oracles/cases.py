"""What is proved: every system with every placement of ROOT and every restriction.

A case names a transition system twice, as the reference and as the package has it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import pytest

import spacy_dynoracle as package

from ..core.builders import all_trees
from . import reference_systems
from .brute_force import Graph
from .comparison import PairView, View
from .reference_systems import System


@dataclass(eq=False)
class Case:
    """A transition system with one placement of ROOT and one restriction.

    Attributes:
        counts: Published for n words: non-terminal configurations, projective trees,
            comparisons (configuration, transition, tree).
        quick, largest: Numbers of words of ordinary and of slow tests.
    """

    system: str
    root: str
    reference: System
    make: Callable[[], Any]
    single_root: bool = False
    counts: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    quick: int = 6
    largest: int = 6

    def __str__(self):
        restriction = "-single" if self.single_root else ""
        return f"{self.system}-{self.root}{restriction}"

    def view(self):
        """The package's system, shown as the reference shows its own."""
        view = PairView if self.system == "easy-first" else View
        return view(self.make())

    def graph(self, n):
        """All configurations of the reference for n words."""
        return _graph(self, n)

    def trees(self, n):
        """The gold trees over n words."""
        projective = self.system != "covington"
        return all_trees(n, projective=projective, single_root=self.single_root)


@cache
def _graph(case, n):
    return Graph(case.reference, n)


# Projective trees over n words.
N_TREES = {4: 55, 5: 273, 6: 1_428}


def _case(name, root, published=(), single_root=None, **sizes):
    """
    Args:
        published: Non-terminal configurations and comparisons for 4, 5 and 6 words.
        single_root: None for a system without that restriction.
    """
    settings = {} if name == "EasyFirst" else {"root": root}
    if single_root is not None:
        settings["single_root"] = single_root
    return Case(
        NAMES[name],
        root,
        getattr(reference_systems, name)(**settings),
        lambda: getattr(package, name)(**settings),
        bool(single_root),
        {n: (c, N_TREES[n], k) for n, (c, k) in enumerate(published, start=4)},
        **sizes,
    )


NAMES = {
    "ArcEager": "arc-eager",
    "ArcHybrid": "arc-hybrid",
    "ArcStandard": "arc-standard",
    "Covington": "covington",
    "EasyFirst": "easy-first",
    "NonMonotonicArcEager": "non-monotonic",
}
_arc_eager = partial(_case, "ArcEager")
# A word may go back at any time, so that there are very many configurations.
_non_monotonic = partial(_case, "NonMonotonicArcEager", quick=4, largest=5)
_arc_hybrid = partial(_case, "ArcHybrid", single_root=False)
_arc_standard = partial(_case, "ArcStandard", single_root=False)
_easy_first = partial(_case, "EasyFirst", "first", single_root=False)


# The list is explicit, because published counts belong to each case.
CASES = (
    _arc_eager("last", [(190, 13_970), (1_034, 376_740), (5_827, 11_068_428)]),
    _arc_eager("none", [(49, 6_215), (245, 161_343), (1_307, 4_613_868)]),
    _arc_eager("first", [(122, 17_930), (653, 484_848), (3_627, 14_237_160)]),
    _arc_hybrid("first", [(160, 12_210), (800, 306_306), (4_221, 8_486_604)]),
    _arc_hybrid("first", single_root=True),
    _arc_hybrid("last", [(128, 10_505), (638, 265_083), (3_359, 7_378_476)]),
    _arc_hybrid("last", single_root=True),
    _easy_first([(88, 9_460), (455, 257_985), (2_448, 7_574_112)]),
    _easy_first(single_root=True),
    _arc_standard("first", [(129, 10_560), (639, 265_356), (3_360, 7_379_904)]),
    _arc_standard("first", single_root=True),
    _arc_standard("last", [(160, 12_210), (800, 306_306), (4_221, 8_486_604)]),
    _arc_standard("last", single_root=True),
    _non_monotonic("last", single_root=False),
    _non_monotonic("last", single_root=True),
    _non_monotonic("first", single_root=False),
    _non_monotonic("first", single_root=True),
)
# Crossing trees are many, and these counts are not published. With a single root the
# costs are not exact.
COVINGTON = _case("Covington", "last", single_root=False, quick=3)
COVINGTON_SINGLE = _case("Covington", "last", single_root=True)
SYSTEMS = tuple(dict.fromkeys(case.system for case in (*CASES, COVINGTON)))


def every_size(ordinary=(1, 2, 3, 4), slow=(), cases=CASES):
    """Cases with numbers of words, the larger ones only when slow tests are asked
    for.
    """
    pairs = [
        pytest.param(case, n, marks=[pytest.mark.slow] * (n in slow or n > case.quick))
        for case in cases
        for n in (*ordinary, *slow)
        if n <= case.largest
    ]
    return pytest.mark.parametrize(("case", "n"), pairs, ids=str)


def cases_of(system):
    """All cases of one system whose costs are exact."""
    return [case for case in (*CASES, COVINGTON) if case.system == system]


def case_of(system, root, single_root=False):
    """One case."""
    (case,) = (
        case
        for case in cases_of(system)
        if (case.root, case.single_root) == (root, single_root)
    )
    return case
