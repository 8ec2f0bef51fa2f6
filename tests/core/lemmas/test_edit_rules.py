"""Edit rules: what they cut and add, and which forms they fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle.core.lemmas.edit_rules import in_cases, rule_of
from spacy_dynoracle.core.lemmas.ranker import LemmaRanker
from spacy_dynoracle.core.results import EditRule

LOWER, KEEP, TITLE, UPPER = range(4)


def made_by(rule, form):
    """What a rule makes of a form; None for nothing."""
    found = LemmaRanker([(rule, [])]).scored(form, 0, 0)
    return found[0][0] if found else None


def applied(rule, form):
    """What it is to make of the form."""
    form = in_cases(form)[rule.case]
    if form == rule.cut_before and not rule.cut_behind:
        return rule.add_before
    n_cut = len(rule.cut_before) + len(rule.cut_behind)
    fits = form.startswith(rule.cut_before) and form.endswith(rule.cut_behind)
    if n_cut >= len(form) or not fits:
        return None
    middle = form[len(rule.cut_before) : len(form) - len(rule.cut_behind)]
    return rule.add_before + middle + rule.add_behind


@pytest.mark.parametrize(
    ("form", "lemma", "parts"),
    [
        ("houses", "house", (LOWER, "", "", "s", "")),
        ("Bodies", "body", (LOWER, "", "", "ies", "y")),
        ("NASA", "NASA", (KEEP, "", "", "", "")),
        ("PARIS", "Paris", (TITLE, "", "", "", "")),
        ("nato", "NATO", (UPPER, "", "", "", "")),
        ("gegangen", "gehen", (LOWER, "", "", "gangen", "hen")),
        ("ungekocht", "kochen", (LOWER, "unge", "", "t", "en")),
        ("is", "be", (LOWER, "is", "be", "", "")),
        ("iPhones", "iPhone", (KEEP, "", "", "s", "")),
    ],
)
def test_the_rule_changes_as_little_as_it_can(form, lemma, parts):
    assert rule_of(form, lemma) == EditRule(*parts)


@given(st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8))
def test_the_rule_of_a_form_makes_its_lemma(form, lemma):
    assert applied(rule_of(form, lemma), form) == lemma


@given(st.text("abAB", min_size=1, max_size=6), st.text("abAB", min_size=1, max_size=6))
def test_a_rule_fits_only_forms_that_have_what_it_cuts(form, other):
    rule = rule_of(form, "b")
    assert made_by(rule, other) == (applied(rule, other) or None)


@pytest.mark.parametrize("case", [-1, 4])
def test_a_case_that_does_not_exist(case):
    with pytest.raises(ValueError, match=f"case = {case}: expected 0 to 3"):
        LemmaRanker([(EditRule(case, "", "", "", ""), [])])
