"""Feature sets without tags, and morphological agreement."""

import pytest

from spacy_dynoracle import ArcStandard, EasyFirst
from spacy_dynoracle.core.features.arc_hybrid import RICH_HYBRID
from spacy_dynoracle.core.features.arc_standard import ARC_STANDARD
from spacy_dynoracle.core.features.easy_first import GOLDBERG_NIVRE_2013_EASY_FIRST
from spacy_dynoracle.core.features.templates import (
    FeatureTemplates,
    parse_template,
)
from spacy_dynoracle.core.features.without_tags import (
    PARTS,
    agreement,
    on_forms,
    with_pseudo_tag,
)
from spacy_dynoracle.core.features.zhang_nivre_2011 import ZHANG_NIVRE_2011

from . import test_arc_hybrid, test_arc_standard, test_easy_first, test_extractor
from .by_hand import LOOKS, assert_atoms, with_looks

# Each with two words that an arc may connect.
SETS = [
    (ZHANG_NIVRE_2011, ("S0", "N0")),
    (RICH_HYBRID, ("S0", "N0")),
    (ARC_STANDARD, ("S1", "S0")),
    (GOLDBERG_NIVRE_2013_EASY_FIRST, ("P0", "P1")),
]


def parsed(templates):
    return [parse_template(template) for template in templates]


# ---- the pseudo-tag ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("S0p", "S0suf3"),
        ("S0p.N0lp", "S0suf3.N0lsuf3"),
        ("S0w.N0p", "S0w.N0suf3"),
        # A form has one suffix.
        ("S0w.S0p", "S0w"),
        ("S0wp.N0wp", "S0w.N0w"),
        ("S0p.S0lw.S0lp", "S0suf3.S0lw"),
        # The same word twice is not two words, whatever the order.
        ("S0p.S0w.N0p", "S0w.N0suf3"),
        ("S0p.vr", "S0suf3.S0vr"),
        ("S0p.d", "S0suf3.S0N0d"),
        ("P0t.P1lt", "P0suf3.P1lsuf3"),
        ("P0t.P0w.P1t", "P0w.P1suf3"),
        ("S0l.S0pos", "S0l.S0pos"),
    ],
)
def test_pseudo_tag(template, expected):
    (found,) = with_pseudo_tag([template], "suf3")
    assert parse_template(found) == parse_template(expected)


def test_pseudo_tags_make_templates_equal():
    found = with_pseudo_tag(["S0w", "S0wp", "S0w.S0p.N0w.N0p", "S0p", "S0t"], "cl4")
    assert found == ("S0w", "S0w.N0w", "S0cl4")


# ---- the sets ------------------------------------------------------------------------


@pytest.mark.parametrize(("tagged", "pair"), SETS)
def test_what_all_sets_have(tagged, pair):
    """What the tagged set has, without tags, and what the forms look like."""
    found = FeatureTemplates(on_forms(tagged))
    assert found.columns == ("w", *PARTS)
    assert set(parsed(with_pseudo_tag(tagged, "suf3"))) < set(found.atoms)
    for node in pair:
        for attribute in LOOKS:
            assert parse_template(f"{node}{attribute}") in found.atoms
    for both in ("{}suf3.{}suf3", "{}w.{}suf3", "{}suf3.{}w", "{}shape.{}shape"):
        assert parse_template(both.format(*pair)) in found.atoms


@pytest.mark.parametrize(
    ("templates", "atoms"),
    [
        (RICH_HYBRID, "S1suf3.S0suf3 S0w.d S0flags.d N0shape S1pre1"),
        (ARC_STANDARD,
         "S1suf3.S0suf3 S1w.S0suf3 S1flags.S1S0d S0flags.S1S0d S1shape.S0shape"),
        (GOLDBERG_NIVRE_2013_EASY_FIRST,
         "P-1suf3.P0suf3 P1suf3.P2suf3 P0flags.P0P1d P2shape P-1pre2"),
    ],
)  # fmt: skip
def test_words_that_an_arc_may_connect(templates, atoms):
    assert set(parsed(atoms.split())) <= set(parsed(on_forms(templates)))


# ---- in one configuration ------------------------------------------------------------


def eager():
    c, _ = test_extractor.hand_written()
    return c, test_extractor.BY_HAND | {"S1w": "w3"}


def hybrid():
    return test_arc_hybrid.configuration(), test_arc_hybrid.BY_HAND


def standard():
    c = ArcStandard(root="first").configuration(
        16, stack=[0, 4, 12], buffer=[16], arcs=test_arc_standard.ARCS
    )
    return c, test_arc_standard.BY_HAND


def easy_first():
    c = EasyFirst().configuration(
        16, stack=[0, 2, 4, 7], buffer=[10, 12, 15, 16], arcs=test_easy_first.ARCS
    )
    return c, test_easy_first.BY_HAND


@pytest.mark.parametrize(
    ("configuration", "templates", "left_out"),
    [
        (eager, ZHANG_NIVRE_2011, ["S0h2w", "S0h2suf3", "S0hl"]),
        (hybrid, RICH_HYBRID, ["S0r2w", "S0r2suf3", "S0r2l"]),
        (standard, ARC_STANDARD,
         ["N1w", "N1suf3", "S1r2w", "S1r2suf3", "S1r2l",
          *(f"N1{name}" for name in LOOKS if name != "suf3")]),
        (easy_first, GOLDBERG_NIVRE_2013_EASY_FIRST,
         ["P1lw", "P1lsuf3", "P1ll", "P1l2w", "P1l2suf3", "P1l2l"]),
    ],
)  # fmt: skip
def test_all_templates(configuration, templates, left_out):
    """The same words are missing as of the tagged sets."""
    c, values = configuration()
    assert assert_atoms(on_forms(templates), c, with_looks(values)) == left_out


# ---- morphology ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("templates", "expected"),
    [
        (ZHANG_NIVRE_2011, "S0m N0m S0m.N0m"),
        (RICH_HYBRID, "S0m N0m S1m S0m.N0m S1m.S0m"),
        (ARC_STANDARD, "S0m N0m S1m S0m.N0m S1m.S0m"),
        (on_forms(ZHANG_NIVRE_2011), "S0m N0m S1m S0m.N0m S1m.S0m"),
        (GOLDBERG_NIVRE_2013_EASY_FIRST, "P0m P1m P0m.P1m"),
        (["d"], "S0m N0m S0m.N0m"),
    ],
)
def test_agreement(templates, expected):
    found = agreement(templates, ["Case", "Number[psor]"])
    assert list(found) == [
        template.replace("m", f"m{name}")
        for name in ("Case", "Number[psor]")
        for template in expected.split()
    ]
    assert FeatureTemplates(found).columns == ("mCase", "mNumber[psor]")
    assert agreement(templates, []) == ()


@pytest.mark.parametrize("name", ["case", "", "Case=Nom", "Case.N0w"])
def test_what_is_no_feature(name):
    with pytest.raises(ValueError, match="is no name of a morphological feature"):
        agreement(["S0w"], ["Number", name])
