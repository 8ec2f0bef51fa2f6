"""The feature set for arc-hybrid, in one configuration by hand."""

from spacy_dynoracle import ArcHybrid
from spacy_dynoracle.core.features.arc_hybrid import RICH_HYBRID
from spacy_dynoracle.core.features.templates import FeatureTemplates, parse_template
from spacy_dynoracle.core.features.zhang_nivre_2011 import ZHANG_NIVRE_2011

from .by_hand import assert_atoms

# ROOT stands first. Stack: ROOT w2 w6 w11; buffer: w16 w17 w18.
#   w2 -det-> w1; w6 -det-> w3, -amod-> w4, -amod-> w5, -obl-> w7, -punct-> w8;
#   w11 -det-> w9, -case-> w10, -nmod-> w12; w16 -aux-> w13, -nsubj-> w14, -aux-> w15
ARCS = [
    (2, "det", 1),
    (6, "det", 3),
    (6, "amod", 4),
    (6, "amod", 5),
    (6, "obl", 7),
    (6, "punct", 8),
    (11, "det", 9),
    (11, "case", 10),
    (11, "nmod", 12),
    (16, "aux", 13),
    (16, "nsubj", 14),
    (16, "aux", 15),
]
BY_HAND = {
    "S0w": "w11", "S0p": "p11", "S1w": "w6", "S1p": "p6", "S2w": "w2", "S2p": "p2",
    "N0w": "w16", "N0p": "p16", "N1w": "w17", "N1p": "p17", "N2w": "w18", "N2p": "p18",
    "S0lw": "w9", "S0lp": "p9", "S0ll": "det",
    "S0l2w": "w10", "S0l2p": "p10", "S0l2l": "case",
    "S0rw": "w12", "S0rp": "p12", "S0rl": "nmod",
    "S0r2w": None, "S0r2p": None, "S0r2l": None,
    "S1lw": "w3", "S1lp": "p3", "S1ll": "det",
    "S1rw": "w8", "S1rp": "p8", "S1rl": "punct",
    "N0lw": "w13", "N0lp": "p13", "N0ll": "aux",
    "N0l2w": "w14", "N0l2p": "p14", "N0l2l": "nsubj",
    "d": 5,
    "S0vl": 2, "S0vr": 1, "S1vl": 3, "S1vr": 2, "N0vl": 3,
    "S0sl": {"det", "case"}, "S0sr": {"nmod"}, "N0sl": {"aux", "nsubj"},
}  # fmt: skip


def configuration():
    return ArcHybrid(root="first").configuration(
        18, stack=[0, 2, 6, 11], buffer=[16, 17, 18], arcs=ARCS
    )


def test_rich_set():
    """It begins with Zhang & Nivre (2011) but for the head of S0, which is unknown."""
    assert FeatureTemplates(RICH_HYBRID).columns == ("w", "p")
    left_out = [t for t in ZHANG_NIVRE_2011 if t not in RICH_HYBRID[:64]]
    assert list(map(parse_template, left_out)) == [
        atoms
        for atoms in map(parse_template, ZHANG_NIVRE_2011)
        if any(x.address == ("S0", step) for x in atoms for step in ("h", "h2"))
        or [(x.address, x.attribute) for x in atoms] == [(("S0", ""), "l")]
    ]


def test_all_templates():
    """w11 has no second right dependent."""
    left_out = assert_atoms(RICH_HYBRID, configuration(), BY_HAND)
    assert left_out == ["S0r2w", "S0r2p", "S0r2l"]


def test_nothing_on_the_stack():
    """ROOT is a word like others for the templates, but not for distances."""
    c = ArcHybrid(root="first").configuration(2, stack=[0], buffer=[1, 2])
    values = dict.fromkeys(BY_HAND)
    values |= {"S0w": "ROOT", "S0p": "ROOT", "S0vl": 0, "S0vr": 0, "S0sl": set()}
    values |= {"N0w": "w1", "N0p": "p1", "N1w": "w2", "N1p": "p2", "N0vl": 0}
    values |= {"S0sr": set(), "N0sl": set()}
    left_out = assert_atoms(RICH_HYBRID, c, values)
    assert {"S2w", "S1p", "S1w.vr"} <= set(left_out)
