"""Speeds of pipelines beside one another."""

import pytest

from experiments import speeds
from tests.harbour import FILE


@pytest.mark.heavy
def test_speed_is_measured_in_rounds(pipeline):
    models = {"one": pipeline, "other": pipeline}
    found = speeds.measure_speed(models, FILE, repeats=2)
    assert list(found) == ["one", "other"]
    assert all(len(rounds) == 2 and min(rounds) > 0 for rounds in found.values())
