"""Errors in a config."""

import pytest
import spacy
from spacy.util import registry

NUMBERS = [
    ("BeamSearch", "beam_size", "8"),
    ("ErrorExploration", "p", "0.5"),
    ("ErrorExploration", "k", "1"),
    ("AveragedPerceptron", "margin", "40"),
]


@pytest.mark.parametrize(("block", "key", "value"), NUMBERS)
def test_a_number_has_no_quotes(block, key, value):
    """spaCy takes a string of digits for a number and hands on the string."""
    make = registry.misc.get(f"spacy_dynoracle.{block}.v1")
    with pytest.raises(ValueError, match=f"{key} = '{value}': expected a number"):
        make(**{key: value})


def test_a_component_says_so():
    search = {"@misc": "spacy_dynoracle.BeamSearch.v1", "beam_size": "8"}
    with pytest.raises(ValueError, match="beam_size = '8': expected a number"):
        spacy.blank("en").add_pipe("dynoracle_parser", config={"search": search})
