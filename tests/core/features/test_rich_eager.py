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
"""


def test_the_set():
    found = FeatureTemplates(RICH_EAGER)
    assert found.columns == ("w", "p", "shape", "flags", "pos")
    assert len(found) == 103
    assert RICH_EAGER[:72] == ZHANG_NIVRE_2011
    assert [parse_template(template) for template in RICH_EAGER[72:]] == [
        parse_template(template) for template in BEYOND.split()
    ]


def test_all_templates():
    c, _ = test_extractor.hand_written()
    values = with_looks(test_extractor.BY_HAND | {"S1w": "w3", "S1p": "p3"})
    coarse = {
        f"{atom[:-1]}pos": value and value.replace("p", "pos")
        for atom, value in values.items()
        if atom[-1] == "p"
    }
    # w3 has neither head nor label.
    left_out = ["S0h2w", "S0h2p", "S0hl"]
    assert assert_atoms(RICH_EAGER, c, values | coarse) == left_out
