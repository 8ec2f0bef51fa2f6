"""The probability that an arc is right, given its share of a committee's votes.

The share of the votes is not the probability of an arc: all members may be wrong. On
held-out data one can count how many of the heads, and of the arcs with labels, that
have a share are right. Both probabilities are estimated with one more observation for
each share, which is right with about this share. So a share that does not occur stands
for itself, and no arc is certain. They do not fall with the share: where they would,
shares are pooled.

Source of the pooling (isotonic regression): Ayer et al. 1955; of probabilities by
pooling: Zadrozny & Elkan 2002.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.model.model import checked_temperature
from ..registry.probabilities import MAX_SAMPLES
from ..util.arrays import BoolArray, FloatArray, IntArray
from ..util.extras import needs_extra

if TYPE_CHECKING:
    from .votes import ArcShares

# Shares are rounded to so many parts of 1.
LEVELS = 100
# Digits that are saved. More would need a larger held-out file than there is.
DIGITS = 6


@dataclass(frozen=True)
class Sampling:
    """The members that draw derivations, and the number of these derivations.

    Attributes:
        temperatures: What the scores of these members are divided by, by their names.
        n_samples: The derivations that each of them draws.
    """

    temperatures: Mapping[str, float] = field(default_factory=dict)
    n_samples: int = 1


@dataclass(frozen=True, eq=False)
class VoteCalibration:
    """The probabilities of arcs by their shares of the votes.

    Attributes:
        members: The names of the members.
        sampling: Which of them draw derivations.
        heads, arcs: Of shape (LEVELS + 1), for each share, the probability of a head,
            and of a head with its label.
    """

    members: tuple[str, ...]
    sampling: Sampling
    heads: FloatArray
    arcs: FloatArray

    def of_heads(self, shares: FloatArray) -> FloatArray:
        """The probabilities of heads."""
        return self.heads[_levels(shares)]

    def of_arcs(self, shares: FloatArray) -> FloatArray:
        """The probabilities of heads with labels."""
        return self.arcs[_levels(shares)]

    @classmethod
    def fit(
        cls,
        members: tuple[str, ...],
        sampling: Sampling,
        shares: ArcShares,
        head_right: BoolArray,
        arc_right: BoolArray,
        known: BoolArray,
    ) -> VoteCalibration:
        """Count on held-out data.

        Args:
            head_right: Whether each pair of dependent and head of `shares` is right.
            arc_right: Whether each arc is right, with its label.
            known: Whether the gold head, and the gold label, of each word is known; of
                shape (2, n words).

        Raises:
            ValueError: If no gold head is known.
            ImportError: Without SciPy.
        """
        if not known[0].any():
            raise ValueError("it has no gold head")
        counted = known[0][shares.words[shares.first]]
        heads = rising(shares.head_shares[counted], head_right[counted])
        both: BoolArray = known[0] & known[1]
        counted = both[shares.words]
        arcs = rising(shares.shares[counted], arc_right[counted])
        return cls(members, sampling, heads.round(DIGITS), arcs.round(DIGITS))

    # ---- saving ----------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "members": list(self.members),
            "temperatures": dict(self.sampling.temperatures),
            "n_samples": self.sampling.n_samples,
            "heads": self.heads.tolist(),
            "arcs": self.arcs.tolist(),
        }

    @classmethod
    def from_dict(cls, values: Any, members: tuple[str, ...]) -> VoteCalibration:
        """The calibration with these values.

        Raises:
            ValueError: Unless they are those of a committee with these members.
        """
        if not isinstance(values, dict):
            raise ValueError("calibration: expected its members")
        if values.get("members") != list(members):
            raise ValueError(f"calibration.members: expected {', '.join(members)}")
        heads, arcs = (_numbers(values, name) for name in ("heads", "arcs"))
        return cls(members, _sampling(values, members), heads, arcs)


def rising(shares: FloatArray, right: BoolArray) -> FloatArray:
    """For each level of shares the probability that an item is right, which does not
    fall from one level to the next.

    Args:
        shares: Of the items.
        right: Whether they are right.

    Raises:
        ImportError: Without SciPy.
    """
    with needs_extra("probabilities of votes", "eval"):
        from scipy.optimize import isotonic_regression
    levels = _levels(shares)
    items = np.bincount(levels, minlength=LEVELS + 1) + 1.0
    hits = np.bincount(levels, right, LEVELS + 1) + (np.arange(LEVELS + 1) + 0.5) / (
        LEVELS + 1
    )
    found: FloatArray = isotonic_regression(hits / items, weights=items).x
    return found


def _levels(shares: FloatArray) -> IntArray:
    return np.rint(shares * LEVELS).astype(np.int64)


def _numbers(values: dict[str, Any], name: str) -> FloatArray:
    """Saved probabilities.

    Raises:
        ValueError: If they are something else.
    """
    try:
        found = np.array(values[name], dtype=np.float64)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise ValueError(f"calibration.{name}: expected numbers") from error
    # NaN fails this test, too.
    if found.shape != (LEVELS + 1,) or not np.all((found >= 0) & (found <= 1)):
        raise ValueError(
            f"calibration.{name}: expected {LEVELS + 1} numbers from 0 to 1"
        )
    return found


def _sampling(values: dict[str, Any], members: tuple[str, ...]) -> Sampling:
    """Saved settings of sampling.

    Raises:
        ValueError: If they are something else.
    """
    temperatures, n_samples = values.get("temperatures"), values.get("n_samples")
    if not isinstance(temperatures, dict) or not temperatures.keys() <= set(members):
        raise ValueError("calibration.temperatures: expected numbers of members")
    for name, value in temperatures.items():
        try:
            is_one = checked_temperature(value) is not None
        except ValueError:
            is_one = False
        if not is_one:
            raise ValueError(f"calibration.temperatures.{name}: not a temperature")
    if type(n_samples) is not int or not 1 <= n_samples <= MAX_SAMPLES:
        raise ValueError(
            f"calibration.n_samples: expected an integer from 1 to {MAX_SAMPLES:,}"
        )
    return Sampling(temperatures, n_samples)
