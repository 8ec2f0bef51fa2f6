"""Fitting a temperature to the arcs that sampled derivations give.

The temperature at which transitions are most probable need not be the best one for
arcs: a derivation has many transitions, and one of several correct ones will do.
"""

from __future__ import annotations

from math import exp, log

from ..core.model.model import Model
from .measured import Material
from .temperature import golden_section

# How far from the first guess the temperature is looked for.
FACTOR = 3.0
GRID = 7
# Of the logarithm of the temperature; the samples say no more.
TOLERANCE = 0.02


def fit_on_arcs(
    model: Model, material: Material, start: float, n_samples: int, seed: int
) -> float:
    """The temperature at which the marginals of the labelled arcs of the greedy parses
    agree best with how many of them are right: least expected calibration error.

    The parses are the same at every temperature, so that nothing but certainty changes.
    start: a temperature near it, such as that of the transitions. The samples are drawn
    with the same random numbers at every temperature.
    """

    def loss(x: float) -> float:
        arcs = material.arcs(model.with_temperature(exp(x)), n_samples, seed)
        return arcs.calibration_of_arcs().error

    step = 2 * log(FACTOR) / (GRID - 1)
    points = [log(start) + step * (i - GRID // 2) for i in range(GRID)]
    best = min(points, key=loss)
    return exp(golden_section(loss, best - step, best + step, TOLERANCE))
