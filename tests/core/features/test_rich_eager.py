"""The feature set for arc-eager and predicted tags, in one configuration by hand."""

from spacy_dynoracle.core.features.rich_eager import RICH_EAGER

from . import test_extractor
from .by_hand import assert_atoms, with_looks


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
    more = {"S1p": "p3"} | beside
    values = with_looks(test_extractor.BY_HAND | more)
    values |= renamed(values, "p", "pos") | renamed(values, "w", "lower")
    assert assert_atoms(RICH_EAGER, c, values) == []
