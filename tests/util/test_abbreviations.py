"""Abbreviations."""

import pytest

from spacy_dynoracle.util.abbreviations import (
    ABBREVIATIONS,
    BEFORE_NAMES,
    WITH_CAPITAL,
    is_abbreviation,
)


@pytest.mark.parametrize("form", ["approx", "Dr", "DR", "No", "bzw", "v", "p.m"])
def test_abbreviations(form):
    assert is_abbreviation(form)


@pytest.mark.parametrize("form", ["no", "art", "dog", "", ".", "fig"])
def test_words(form):
    assert not is_abbreviation(form)


def test_the_lists():
    assert {form.lower() for form in BEFORE_NAMES} <= ABBREVIATIONS
    assert all(form == form.lower() for form in ABBREVIATIONS)
    assert all(form == form.capitalize() for form in WITH_CAPITAL)
    assert not {form.lower() for form in WITH_CAPITAL} & ABBREVIATIONS
