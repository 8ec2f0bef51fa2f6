"""The feature set for arc-eager and predicted tags, in one configuration by hand."""

from spacy_dynoracle.core.features.rich_eager import RICH_EAGER
from spacy_dynoracle.core.features.templates import FeatureTemplates, parse_template
from spacy_dynoracle.core.features.zhang_nivre_2011 import ZHANG_NIVRE_2011

from . import test_extractor
from .by_hand import assert_atoms, with_looks

# What it has beyond Zhang & Nivre (2011).
BEYOND = """
    S0pos N0pos N1pos N2pos S0hpos S0w.N0pos S0pos.N0w S0pos.N0pos N0pos.N1pos
    N0pos.N1pos.N2pos S0pos.N0pos.N1pos S0hpos.S0pos.N0pos
    S0pos.S0lpos.N0pos S0pos.S0rpos.N0pos S0pos.N0pos.N0lpos
    S0pos.d N0pos.d S0pos.N0pos.d
    S0shape S0flags N0shape N0flags N1shape N1flags
    S1w S1p S1pos S1p.S0p S1p.N0p S1p.S0p.N0p S1pos.S0pos.N0pos
    S0w.N0lw S0p.N0lw.N0p S0hw.N0lw S0hp.N0lw N0lw.N0w
    S0suf3 N0suf3 S0suf2 N0suf2 N1suf3 S0suf3.N0suf3 S0suf3.N0p S0p.N0suf3
    S0lower N0lower N1lower S0lower.N0lower S0lower.N0p S0p.N0lower
    S0<p S0>p N0<p S0w.S0<p S0w.S0>p N0w.N0<p
    S0<p.S0p.N0p S0p.S0>p.N0p S0p.N0<p.N0p S0p.S0>p.N0<p.N0p
    S0<p.S0p.N0<p.N0p S0p.S0>p.N0p.N1p S0<p.S0p.N0p.N1p
"""


def test_the_set():
    found = FeatureTemplates(RICH_EAGER)
    assert found.columns == (
        "w", "p", "lower", "suf2", "suf3", "shape", "flags", "pos",
    )  # fmt: skip
    assert len(found) == 135
    assert RICH_EAGER[:72] == ZHANG_NIVRE_2011
    assert [parse_template(template) for template in RICH_EAGER[72:]] == [
        parse_template(template) for template in BEYOND.split()
    ]


def renamed(values, old, new):
    """The values of atoms with another attribute of the same words."""
    return {
        f"{atom[:-1]}{new}": value and value.replace(old, new)
        for atom, value in values.items()
        if atom[-1] == old
    }


def test_all_templates():
    c, _ = test_extractor.hand_written()
    # Where the neighbours of w7 and w12 are does not matter.
    beside = {"S0<p": "p6", "S0>p": "p8", "N0<p": "p11"}
    more = {"S1w": "w3", "S1p": "p3"} | beside
    values = with_looks(test_extractor.BY_HAND | more)
    values |= renamed(values, "p", "pos") | renamed(values, "w", "lower")
    # w3 has neither head nor label.
    left_out = ["S0h2w", "S0h2p", "S0hl"]
    assert assert_atoms(RICH_EAGER, c, values) == left_out
