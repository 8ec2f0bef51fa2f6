"""The feature set for arc-standard, in one configuration by hand."""

from spacy_dynoracle import ArcStandard
from spacy_dynoracle.core.features.arc_standard import ARC_STANDARD

from .by_hand import assert_atoms

# ROOT stands first. Stack: ROOT w4 w12; buffer: w16.
#   w4 -det-> w1, -amod-> w2, -amod-> w3, -nmod-> w5;
#   w12 -cc-> w6, -punct-> w7, -det-> w8 .. w11, -conj-> w13, -punct-> w14, -acl-> w15
ARCS = [
    (4, "det", 1),
    (4, "amod", 2),
    (4, "amod", 3),
    (4, "nmod", 5),
    (12, "cc", 6),
    (12, "punct", 7),
    *((12, "det", d) for d in range(8, 12)),
    (12, "conj", 13),
    (12, "punct", 14),
    (12, "acl", 15),
]
BY_HAND = {
    "S0w": "w12", "S0p": "p12", "S1w": "w4", "S1p": "p4",
    "N0w": "w16", "N0p": "p16", "N1w": None, "N1p": None,
    "S0lw": "w6", "S0lp": "p6", "S0ll": "cc",
    "S0l2w": "w7", "S0l2p": "p7", "S0l2l": "punct",
    "S0rw": "w15", "S0rp": "p15", "S0rl": "acl",
    "S0r2w": "w14", "S0r2p": "p14", "S0r2l": "punct",
    "S1lw": "w1", "S1lp": "p1", "S1ll": "det",
    "S1l2w": "w2", "S1l2p": "p2", "S1l2l": "amod",
    "S1rw": "w5", "S1rp": "p5", "S1rl": "nmod",
    "S1r2w": None, "S1r2p": None, "S1r2l": None,
    "S1S0d": "6-10",
    "S0vl": 6, "S0vr": 3, "S1vl": 3, "S1vr": 1,
    "S0sl": {"cc", "punct", "det"}, "S0sr": {"conj", "punct", "acl"},
    "S1sl": {"det", "amod"}, "S1sr": {"nmod"},
}  # fmt: skip


def test_all_templates():
    """There is no second word in the buffer, and w4 has one right dependent."""
    c = ArcStandard(root="first").configuration(
        16, stack=[0, 4, 12], buffer=[16], arcs=ARCS
    )
    left_out = assert_atoms(ARC_STANDARD, c, BY_HAND)
    assert left_out == ["N1w", "N1p", "N1w.N1p", "S1r2w", "S1r2p", "S1r2l"]


def test_root_on_the_stack():
    """No distance from ROOT; last or first, its values are the same."""
    values = dict.fromkeys(BY_HAND)
    values |= {"S1w": "ROOT", "S1p": "ROOT", "S0w": "w1", "S0p": "p1"}
    values |= dict.fromkeys(("S0vl", "S0vr", "S1vl", "S1vr"), 0)
    values |= dict.fromkeys(("S0sl", "S0sr", "S1sl", "S1sr"), frozenset())
    c = ArcStandard(root="first").configuration(1, stack=[0, 1])
    assert_atoms(ARC_STANDARD, c, values)
    c = ArcStandard(root="last").configuration(1, stack=[1, 0])
    swapped = {"S0": "S1", "S1": "S0"}
    values = {swapped.get(k[:2], k[:2]) + k[2:]: v for k, v in values.items()}
    assert_atoms(ARC_STANDARD, c, values | {"S1S0d": None})
