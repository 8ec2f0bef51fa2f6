"""Exploration policies: settings and errors."""

import pickle

import pytest

from spacy_dynoracle.core.training.exploration import (
    ErrorExploration,
    NoExploration,
    SamplingExploration,
)


@pytest.mark.parametrize(
    ("exploration", "text"),
    [
        (ErrorExploration(), "ErrorExploration(k=1, p=0.9)"),
        (ErrorExploration(k=0, p=1), "ErrorExploration(k=0, p=1.0)"),
        (NoExploration(), "NoExploration()"),
        (SamplingExploration(), "SamplingExploration(k=0)"),
        (SamplingExploration(k=3), "SamplingExploration(k=3)"),
    ],
)
def test_repr_and_pickle(exploration, text):
    for same in (exploration, pickle.loads(pickle.dumps(exploration))):
        assert repr(same) == text
        assert same.samples == text.startswith("Sampling")


@pytest.mark.parametrize("make", [ErrorExploration, SamplingExploration])
@pytest.mark.parametrize("k", [-1, 0.5, -0.5])
def test_k_must_be_a_number_of_iterations(make, k):
    with pytest.raises(ValueError, match=r"exploration k = .*an integer from 0"):
        make(k=k)
    with pytest.raises(TypeError):
        make(k=str(k))


@pytest.mark.parametrize("p", [-0.1, 1.01, float("nan"), float("inf")])
def test_p_must_be_a_probability(p):
    with pytest.raises(ValueError, match=r"exploration p = .*a probability"):
        ErrorExploration(p=p)


@pytest.mark.parametrize("arguments", [{"p": "0.9"}, {"p": None}])
def test_other_types(arguments):
    with pytest.raises(TypeError):
        ErrorExploration(**arguments)
