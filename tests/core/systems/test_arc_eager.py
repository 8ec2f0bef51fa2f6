"""Arc-eager: the labels of arcs and their costs.

Legality and costs are compared with brute force in tests/oracles.
Formulas: Goldberg & Nivre (2013), sections 4.1 and 4.5.
"""

import pytest

from spacy_dynoracle import ArcEager, GoldTree

# ---- labels --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gold_label", "label", "cost"),
    [
        ("nsubj", "nsubj", 0),
        ("nsubj", "obj", 1),
        # Known head and unknown label: every label is right.
        (None, "obj", 0),
        # No label chosen: the structural cost.
        ("nsubj", None, 0),
    ],
)
def test_label_of_a_gold_arc(gold_label, label, cost):
    system = ArcEager()
    c = system.configuration(2, stack=[1], buffer=[2, 0])
    gold = GoldTree([2, 0], [gold_label, "root"])
    assert system.cost(c, gold, "LEFT", label=label) == cost


def test_labels_of_arcs():
    system = ArcEager()
    c = system.initial(3)
    for name, label in [("SHIFT", None), ("LEFT", "det"), ("SHIFT", None)]:
        system.apply(c, name, label=label)
    system.apply(c, "RIGHT", label="obj")
    system.apply(c, "REDUCE")
    system.apply(c, "LEFT")
    assert c.arcs == ((2, "det", 1), (0, None, 2), (2, "obj", 3))
    assert list(c.labels) == ["det", "obj"]


# ---- preconditions and errors --------------------------------------------------------


def test_a_transition_without_arc_has_no_label():
    system = ArcEager()
    with pytest.raises(ValueError, match="SHIFT adds no arc"):
        system.apply(system.initial(2), "SHIFT", label="obj")
