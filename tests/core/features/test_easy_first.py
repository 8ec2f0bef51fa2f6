"""The feature sets for easy-first: in one configuration by hand, and any."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.paper_features import GOLDBERG_ELHADAD_2010
from spacy_dynoracle import EasyFirst
from spacy_dynoracle.core.features.easy_first import GOLDBERG_NIVRE_2013_EASY_FIRST
from spacy_dynoracle.core.features.extractor import Extractor
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.core.state.sentence import Sentence

from ..builders import code, labels_for, walk, walks
from .by_hand import assert_atoms, numbered_sentence
from .reference import Reference, assert_same_pattern

SETS = [GOLDBERG_ELHADAD_2010, GOLDBERG_NIVRE_2013_EASY_FIRST]

# The list: ROOT w2 w4 w7 | w10 w12 w15 w16, with w7 and w10 in focus.
#   w2 -det-> w1; w4 -amod-> w3; w7 -advmod-> w5, -mark-> w6, -fixed-> w8, -obl-> w9;
#   w12 -advmod-> w11, -nmod-> w14; w14 -case-> w13; w7, w12 and w13 are prepositions
ARCS = [
    (2, "det", 1),
    (4, "amod", 3),
    (7, "advmod", 5),
    (7, "mark", 6),
    (7, "fixed", 8),
    (7, "obl", 9),
    (12, "advmod", 11),
    (14, "case", 13),
    (12, "nmod", 14),
]
ADPOSITIONS = (7, 12, 13)
BY_HAND = {
    "P-2w": "w2", "P-2t": "t2", "P-2len": 2, "P-2nc": 0, "P-2lt": "t1", "P-2rt": None,
    "P-1w": "w4", "P-1t": "t4", "P-1len": 2, "P-1nc": 0, "P-1lt": "t3", "P-1rt": None,
    "P0w": "w7", "P0p": "p7", "P0t": "t7", "P0a": "a7", "P0len": 5, "P0nc": 0,
    "P0lw": "w5", "P0lp": "p5", "P0lt": "t5", "P0ll": "advmod",
    "P0l2w": "w6", "P0l2p": "p6", "P0l2t": "t6", "P0l2l": "mark",
    "P0rw": "w9", "P0rp": "p9", "P0rt": "t9", "P0rl": "obl",
    "P0r2w": "w8", "P0r2p": "p8", "P0r2t": "t8", "P0r2l": "fixed",
    "P0vl": 2, "P0vr": 2, "P0sl": {"advmod", "mark"}, "P0sr": {"fixed", "obl"},
    "P1w": "w10", "P1p": "p10", "P1t": "t10", "P1a": None, "P1len": 1, "P1nc": 1,
    "P1lw": None, "P1lp": None, "P1lt": None, "P1ll": None, "P1rw": None, "P1rt": None,
    "P1l2w": None, "P1l2p": None, "P1l2t": None, "P1l2l": None, "P1r2t": None,
    "P1vl": 0, "P1sl": set(),
    "P2w": "w12", "P2p": "p12", "P2t": "t12", "P2a": "a12", "P2len": 4, "P2nc": 0,
    "P2lt": "t11", "P2rt": "t14", "P2rw": "w14",
    "P3w": "w15", "P3p": "p15", "P3t": "t15", "P3len": 1, "P3nc": 1,
    "P3lt": None, "P3rt": None,
    "P-2P-1d": 2, "P-1P0d": 3, "P0P1d": 3, "P1P2d": 2, "P2P3d": 3,
}  # fmt: skip
NO_PREPOSITION = ["P1a.P-1w.P1rt", "P1a.P-1t.P1rw", "P1a.P0w.P1rt", "P1a.P0t.P1rw"]
NO_DEPENDENT = ["P1lw", "P1lp", "P1ll", "P1l2w", "P1l2p", "P1l2l"]


# ---- one configuration ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("templates", "left_out"),
    [
        (GOLDBERG_ELHADAD_2010, NO_PREPOSITION),
        (GOLDBERG_NIVRE_2013_EASY_FIRST, NO_DEPENDENT),
    ],
    ids=["2010", "2013"],
)
@pytest.mark.parametrize("cut", [1, 4, 7])
def test_all_templates(templates, left_out, cut):
    """However the list was cut before the pair came into focus."""
    system = EasyFirst()
    nodes = [0, 2, 4, 7, 10, 12, 15, 16]
    c = system.configuration(16, stack=nodes[:cut], buffer=nodes[cut:], arcs=ARCS)
    system.focus(c, 4)
    found = assert_atoms(templates, c, BY_HAND, adpositions=ADPOSITIONS)
    assert found == left_out


def test_root_in_the_pair():
    """w2 and ROOT: what stands before ROOT is nothing."""
    system = EasyFirst()
    c = system.configuration(2, stack=[0], buffer=[2], arcs=[(2, "det", 1)])
    values = dict.fromkeys(BY_HAND)
    values |= {"P0w": "ROOT", "P0p": "ROOT", "P0t": "ROOT", "P0len": 1, "P0nc": 1}
    values |= {"P1w": "w2", "P1p": "p2", "P1t": "t2", "P1a": "a2", "P1len": 2}
    values |= {"P1nc": 0, "P1lw": "w1", "P1lp": "p1", "P1lt": "t1", "P1ll": "det"}
    values |= {"P0vl": 0, "P0vr": 0, "P1vl": 1, "P1sl": {"det"}}
    values |= {"P0sl": set(), "P0sr": set()}
    for templates in SETS:
        left_out = assert_atoms(templates, c, values, adpositions=(1, 2))
        assert set(left_out).isdisjoint({"P0w", "P0t.P1t", "P1a.P0w.P1rt"})
        assert {"P0a.P-1w.P0rt", "P-1w", "P0P1d"} & set(templates) <= set(left_out)


def test_root_beside_the_pair():
    """w1 and w2: ROOT is not there, neither as P-1 nor as P-2."""
    system = EasyFirst()
    templates = ["P-1w", "P-1t", "P-1len", "P-1nc", "P-1P0d", "P-2w", "P-2P-1d"]
    for pair, left_out in [(2, templates), (3, ["P-2w", "P-2P-1d"]), (4, [])]:
        c = system.initial(4)
        system.focus(c, pair)
        words = numbered_sentence(4, ("w", "t"))
        found = Extractor(FeatureTemplates(templates)).atom_values(c, words)
        assert [t for t in templates if t not in dict(found)] == left_out


# ---- any configuration ---------------------------------------------------------------


@st.composite
def random_configurations(draw):
    n = draw(st.integers(1, 10))
    system = EasyFirst()
    c = walk(system, n, draw(walks(system, n, labels=("a", "b", None))))
    if not system.is_terminal(c):
        system.focus(c, draw(st.integers(1, len(c.stack) + len(c.buffer) - 1)))
    columns = {
        "w": draw(labels_for(n, ("x", "y", "z"))),
        "p": draw(labels_for(n, ("N", "V"))),
        "t": draw(labels_for(n, ("N", "V", "of"))),
        "a": draw(labels_for(n, ("of", "to", None))),
    }
    return c, columns


@pytest.mark.parametrize("templates", SETS, ids=["2010", "2013"])
@given(random_configurations())
def test_as_the_reference(templates, configuration):
    c, columns = configuration
    templates = FeatureTemplates(templates)
    rows = zip(*(columns[name] for name in templates.columns), strict=True)
    matrix = [[0 if x is None else code(x) for x in row] for row in rows]
    nullable = [i for i, name in enumerate(templates.columns) if name == "a"]
    words = Sentence(np.array(matrix, dtype=np.uint64), nullable)
    extractor = Extractor(templates)
    found = extractor.atom_values(c, words)
    reference = Reference(c, columns, "first")
    assert_same_pattern(found, list(reference.features(templates)))
    assert len(set(extractor.keys(c, words))) == len(found)


# ---- sizes and distances -------------------------------------------------------------


def values_of(template, c):
    words = Sentence(np.empty((len(c), 0), dtype=np.uint64))
    return dict(Extractor(FeatureTemplates([template])).atom_values(c, words))[template]


def test_size_buckets():
    """Words below a node, itself included, whatever their depth."""
    found = {}
    for size in range(1, 25):
        chain = [(d, "a", d + 1) for d in range(1, size)]
        c = EasyFirst().configuration(24, stack=[0], buffer=[1], arcs=chain)
        found.setdefault(values_of("P1len", c), []).append(size)
    assert list(found.values()) == [[1], [2], [3], [4], [5], [*range(6, 11)],
                                    [*range(11, 25)]]  # fmt: skip


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 0, 2]])
def test_size_does_not_depend_on_the_order_of_arcs(order):
    arcs = [(1, "a", 2), (2, "a", 3), (2, "a", 4)]
    ordered = [arcs[i] for i in order]
    c = EasyFirst().configuration(4, stack=[0], buffer=[1], arcs=ordered)
    derived = walk(EasyFirst(), 4, [(3, "RIGHT", "a")] * 2 + [(2, "RIGHT", "a")])
    assert derived.arcs == c.arcs
    EasyFirst().focus(derived, 1)
    assert values_of("P1len", c) == values_of("P1len", derived)


@pytest.mark.parametrize(
    ("template", "distance"),
    [("P-2P-1d", 1), ("P-1P0d", 4), ("P0P1d", 6), ("P1P2d", 3), ("P2P3d", 2),
     ("P-2P3d", 16), ("P3P-2d", 16), ("P0P2d", 9)],
)  # fmt: skip
def test_distances_of_any_two(template, distance):
    c = EasyFirst().configuration(20, stack=[0, 2, 3, 7], buffer=[13, 16, 18])
    words = EasyFirst().configuration(20, stack=[0, 1], buffer=[1 + distance])
    assert values_of(template, c) == values_of("P0P1d", words)
