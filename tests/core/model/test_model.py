"""The run-time model: scores of single configurations, variants of its system."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle import ArcHybrid, EasyFirst

from ..builders import (
    action_scores,
    build_trainer,
    every_system,
    model_of,
    sentence,
    small_treebanks,
    take,
    trained,
    walks,
    with_system,
)
from ..weights.layout import read_weights

TEMPLATES = ("P0w", "P1w", "P0p.P1p", "P0w.vr", "P1p.sl", "P0l")


@every_system
@settings(max_examples=10)
@given(data=st.data(), trees=small_treebanks())
def test_scores_are_sums_of_weights(system, data, trees):
    """Of every action, legal or not; of easy-first for the pair in focus."""
    model = model_of(trained(trees, system=system, templates=TEMPLATES))
    weights = read_weights(model.weights)
    n = data.draw(st.integers(1, 6))
    words = sentence("xyzxyz"[:n], "NVNVNV"[:n])
    c = system.initial(n)
    for label in model.labels:
        c.labels.add(label)
    for step in data.draw(walks(system, n, labels=[*model.labels, None])):
        take(system, c, *step)
    keys = model.extractor.keys(c, words)
    scores = action_scores(model, c, words)
    assert list(scores) == model.actions.keys
    for a, score in enumerate(scores.values()):
        assert score == pytest.approx(sum(weights.get((k, a), 0) for k in keys))


@pytest.mark.parametrize("other", [ArcHybrid(), EasyFirst()], ids=repr)
def test_weights_belong_to_a_system(small_model, other):
    with pytest.raises(ValueError, match="has other transitions than the actions"):
        with_system(small_model, other)


def test_no_action_and_no_weight():
    model = model_of(build_trainer([], system=EasyFirst(), templates=TEMPLATES))
    assert action_scores(model, EasyFirst().initial(2), sentence("ab", "ab")) == {}
