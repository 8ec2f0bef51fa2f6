"""Feature sets without tags, and morphological agreement."""

import pytest

from spacy_dynoracle.core.features.arc_hybrid import RICH_HYBRID
from spacy_dynoracle.core.features.arc_standard import ARC_STANDARD
from spacy_dynoracle.core.features.easy_first import GOLDBERG_NIVRE_2013_EASY_FIRST
from spacy_dynoracle.core.features.templates import FeatureTemplates, parse_template
from spacy_dynoracle.core.features.without_tags import agreement, on_forms
from spacy_dynoracle.core.features.zhang_nivre_2011 import ZHANG_NIVRE_2011

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
    found, *_ = on_forms([template])
    assert parse_template(found) == parse_template(expected)


def test_pseudo_tags_make_templates_equal():
    found = on_forms(["S0w", "S0wp", "S0w.S0p.N0w.N0p", "S0p", "S0t"])
    assert found[:3] == ("S0w", "S0w.N0w", "S0suf3")
    assert found.count("S0suf3") == 1


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
