"""Does a claim of a paper hold here? Intervals by bootstrap, and one rule.

The rule sees the paper's effect and the 95 % interval of ours, both oriented so that a
claim is right above the neutral value (0, or 1 for a quotient):

- holds: the whole interval is above the neutral value;
- does not hold: the whole interval is below it, or the interval contains it and ends
  below the effect of the paper;
- cannot be compared: nothing was measured, or the interval contains both the neutral
  value and the effect of the paper, so that the data are too few.

Where the paper prints no effect, an interval that contains the neutral value cannot be
compared. An interval that is narrower than the effect of the paper cannot contain both
values; how much more data would make it so narrow is part of the verdict. A claim "at
most" holds if the interval ends below the largest figure of the paper, does not hold if
it begins above, and cannot be compared otherwise.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .papers import Claim, PaperTable

HOLDS, FAILS, OPEN = "holds", "does not hold", "cannot be compared"
# With more than so many times the data, a claim cannot be decided.
MOST_TIMES = 50
RULE = (
    "Effects are oriented so that a claim is right above 0 (for quotients above 1). A "
    "claim *holds* if the whole 95 % interval of the effect here, averaged over the "
    "treebanks, is above. It *does not hold* if the whole interval is below, or if it "
    "contains 0 and ends below the effect of the paper. It *cannot be compared* if "
    "nothing was measured, or if the interval contains 0 and the effect of the paper "
    "(or the paper prints none), so that the data are too few. An interval that is "
    "narrower than the effect of the paper cannot contain both. Its width falls with "
    "the square root of the data, so the square of width / effect says how many times "
    f"the sentences and seeds would decide; where this is more than {MOST_TIMES}, the "
    "claim cannot be decided this way. A claim that a value is at most that of the "
    "paper is compared with the largest figure of the paper. Intervals: bootstrap of "
    "{repetitions:,} repetitions, which draws sentences and seeds; both rows of a "
    "claim are drawn together, and treebanks are fixed."
)
REPETITIONS = 2000
LEVEL = 95
Floats = npt.NDArray[np.float64]


class Counts(NamedTuple):
    """A measure of one run, as a quotient of sums over sentences.

    Attributes:
        parts, wholes: Numerators and denominators, one for each sentence.
        unit: 100 for per cent.
    """

    parts: npt.ArrayLike
    wholes: npt.ArrayLike
    unit: float = 100.0

    @property
    def value(self) -> float:
        """The measure; 0 if the denominator is 0."""
        whole = float(np.sum(self.wholes))
        return self.unit * float(np.sum(self.parts)) / whole if whole else 0.0


# The runs of a row on a treebank by their seeds.
Seeds = Mapping[int, Counts]


@dataclass(frozen=True)
class Effect:
    """The effect of a claim and its 95 % interval.

    Attributes:
        seeds: The seeds of both rows.
    """

    value: float
    low: float
    high: float
    seeds: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.value:+.2f} [{self.low:+.2f}, {self.high:+.2f}]"

    def as_dict(self) -> dict[str, Any]:
        """Values for JSON."""
        return {**asdict(self), "seeds": list(self.seeds)}


@dataclass(frozen=True)
class Verdict:
    """What the runs say of a claim.

    Attributes:
        word: HOLDS, FAILS or OPEN.
        why: One sentence.
        takes: What would decide it, if it is OPEN.
    """

    word: str
    why: str
    takes: str = ""


def effects(
    claim: Claim, better: Mapping[str, Seeds], than: Mapping[str, Seeds]
) -> tuple[dict[str, Effect], Effect | None]:
    """The effect on each treebank where both rows have a common seed, and the average.

    Args:
        better, than: Runs of the rows of the claim by treebank; `than` is not used for
            "at_most". The average is None without treebanks.
    """
    values: dict[str, tuple[float, Floats, tuple[int, ...]]] = {}
    for name, own in better.items():
        other = own if claim.than is None else than.get(name, {})
        seeds = tuple(sorted(seed for seed in own if seed in other))
        if seeds:
            rows = [[runs[seed] for seed in seeds] for runs in (own, other)]
            values[name] = (*_bootstrapped(claim, rows[0], rows[1], name), seeds)
    found = {n: _effect(v, drawn, seeds) for n, (v, drawn, seeds) in values.items()}
    if not values:
        return found, None
    average = statistics.mean(value for value, _, _ in values.values())
    drawn = np.mean([drawn for _, drawn, _ in values.values()], axis=0)
    common = tuple(sorted({s for _, _, seeds in values.values() for s in seeds}))
    return found, _effect(average, drawn, common)


def _effect(value: float, drawn: Floats, seeds: tuple[int, ...]) -> Effect:
    low, high = np.percentile(drawn, [(100 - LEVEL) / 2, (100 + LEVEL) / 2])
    return Effect(value, float(low), float(high), seeds)


def _bootstrapped(
    claim: Claim, better: Sequence[Counts], than: Sequence[Counts], name: str
) -> tuple[float, Floats]:
    """The effect, the mean over the seeds, and the effects of all repetitions."""
    # The name of a treebank seeds its draws, so that treebanks are independent and all
    # claims of a treebank draw the same sentences.
    generator = np.random.default_rng(list(name.encode()))
    n_seeds, n = len(better), len(np.atleast_1d(better[0].parts))
    chosen = generator.integers(0, n_seeds, (REPETITIONS, n_seeds))
    weights = generator.multinomial(n, np.full(n, 1 / n), REPETITIONS)
    drawn, values = [], []
    for row in (better, than):
        columns = []
        for counts in row:
            parts = weights @ np.asarray(counts.parts, dtype=np.float64)
            wholes = weights @ np.asarray(counts.wholes, dtype=np.float64)
            columns.append(counts.unit * parts / np.maximum(wholes, 1e-9))
        of_seeds = np.stack(columns, axis=1)
        drawn.append(np.take_along_axis(of_seeds, chosen, axis=1).mean(axis=1))
        values.append(statistics.mean(counts.value for counts in row))
    if claim.than is None:
        return values[0], drawn[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        return claim.effect(*values), np.nan_to_num(claim.effect(*drawn))


def published(table: PaperTable, claim: Claim) -> float | None:
    """The effect in the paper: the mean over its columns, for "at_most" the largest
    figure; None if the paper prints none.
    """
    found = list(table.effects(claim).values())
    if not found:
        return None
    return max(found) if claim.than is None else statistics.mean(found)


def verdict(claim: Claim, paper: float | None, ours: Effect | None) -> Verdict:
    """Apply the rule of this module.

    Args:
        paper: Effect in the paper, None if it prints none.
        ours: None if nothing was measured.
    """
    if ours is None:
        return Verdict(OPEN, "Nothing was measured here.", "a run would decide")
    in_paper = "not printed in the paper" if paper is None else f"paper {paper:+.2f}"
    if claim.than is None:
        return _at_most(paper, ours)
    middle = f"{claim.neutral:g}"
    if ours.low > claim.neutral:
        return Verdict(HOLDS, f"{ours} is above {middle}; {in_paper}.")
    if ours.high < claim.neutral:
        return Verdict(FAILS, f"{ours} is below {middle}; {in_paper}.")
    if paper is not None and ours.high < paper:
        return Verdict(
            FAILS, f"{ours} contains {middle} and is smaller than {paper:+.2f}."
        )
    takes = _what_it_takes(claim, paper, ours)
    return Verdict(OPEN, f"{ours} contains {middle}; {in_paper}; {takes}.", takes)


def _what_it_takes(claim: Claim, paper: float | None, ours: Effect) -> str:
    """The data that would make the interval narrower than the effect of the paper."""
    if paper is None or paper <= claim.neutral:
        return "more data would decide"
    times = ((ours.high - ours.low) / (paper - claim.neutral)) ** 2
    shown = f"about {float(f'{times:.2g}'):,g} times the sentences and seeds"
    if times > MOST_TIMES:
        return f"{shown} would be needed, so it cannot be decided this way"
    return f"{shown} would decide"


def _at_most(paper: float | None, ours: Effect) -> Verdict:
    shown = f"{ours.value:.2f} [{ours.low:.2f}, {ours.high:.2f}]"
    if paper is None:
        return Verdict(OPEN, f"{shown}; the paper prints no figure.")
    if ours.high <= paper:
        return Verdict(HOLDS, f"{shown} is at most {paper:.2f}.")
    if ours.low > paper:
        return Verdict(FAILS, f"{shown} is above {paper:.2f}.")
    takes = "more data would decide"
    return Verdict(OPEN, f"{shown} contains {paper:.2f}; {takes}.", takes)
