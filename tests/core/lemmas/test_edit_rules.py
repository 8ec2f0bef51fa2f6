"""Edit rules: what they cut and add, and which forms they fit."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle.core.lemmas.edit_rules import CASES, EditRule, in_cases, rule_of

LOWER, KEEP, TITLE, UPPER = range(4)


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
    assert rule_of(form, lemma).apply(form) == lemma


@given(st.text("abAB", min_size=1, max_size=6), st.text("abAB", min_size=1, max_size=6))
def test_a_rule_fits_only_forms_that_have_what_it_cuts(form, other):
    rule = rule_of(form, "b")
    cased = in_cases(other)[rule.case]
    cut_before, cut_behind = rule.cut_before, rule.cut_behind
    is_whole = cut_before == cased and not cut_behind
    fits = (
        cased.startswith(cut_before)
        and cased.endswith(cut_behind)
        and len(cut_before) + len(cut_behind) < len(cased)
    )
    middle = cased[len(cut_before) : len(cased) - len(cut_behind)]
    expected = rule.add_before + middle + rule.add_behind
    if is_whole:
        expected = rule.add_before
    assert rule.apply(other) == (expected if fits or is_whole else None)


def test_rules_are_equal_and_keyed_by_their_parts():
    rules = [
        EditRule(case, *texts)
        for case in range(len(CASES))
        for texts in [("a", "", "", ""), ("", "a", "", ""), ("", "", "a", "b")]
    ]
    assert len({rule.key for rule in rules}) == len(set(rules)) == len(rules)
    again = pickle.loads(pickle.dumps(rules))
    assert again == rules
    assert [rule.key for rule in again] == [rule.key for rule in rules]


@pytest.mark.parametrize("case", [-1, 4])
def test_a_case_that_does_not_exist(case):
    with pytest.raises(ValueError, match=f"case = {case}: expected 0 to 3"):
        EditRule(case, "", "", "", "")
