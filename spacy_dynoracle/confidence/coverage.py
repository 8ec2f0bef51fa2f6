"""The use of certainty: precision and coverage, errors found, trees of minimum risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..reports.significance import REPETITIONS, permutation_test
from ..reports.tables import MISSING, Grid, percent, probability
from ..util.arrays import BoolArray, FloatArray, IntArray
from .coverage_curve import CertaintyRanking
from .measured import ArcConfidence, CorrectWords, SampledParses

THRESHOLDS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
SHARES = (0.9, 0.75, 0.5)
LEAST = 0.1
HEADS, ARCS = "heads", "labelled arcs"
MARGINAL, TRANSITION = "marginal", "transition"
GREEDY, RISK_LAS, RISK_UAS = "greedy", "minimum risk, labelled", "minimum risk, heads"

# Rankings by what is ranked and by what it is ranked.
Rankings = Mapping[tuple[str, str], CertaintyRanking]


def rankings(arcs: ArcConfidence) -> dict[tuple[str, str], CertaintyRanking]:
    """Rankings of heads and of labelled arcs, by marginals and by the probability of
    the transition that made the arc, if there are transitions.
    """
    found = {(HEADS, MARGINAL): _heads_by(arcs.head, arcs)}
    if arcs.transition is not None:
        found[HEADS, TRANSITION] = _heads_by(arcs.transition, arcs)
    found[ARCS, MARGINAL] = _arcs_by(arcs.arc, arcs)
    if arcs.transition is not None:
        found[ARCS, TRANSITION] = _arcs_by(arcs.transition, arcs)
    return found


def _heads_by(certainty: FloatArray, arcs: ArcConfidence) -> CertaintyRanking:
    return CertaintyRanking(certainty[arcs.known], arcs.head_correct[arcs.known])


def _arcs_by(certainty: FloatArray, arcs: ArcConfidence) -> CertaintyRanking:
    return CertaintyRanking(certainty[arcs.labelled], arcs.arc_correct[arcs.labelled])


def threshold_table(title: str, arcs: ArcConfidence) -> Grid:
    """Coverage and precision of the arcs that reach a threshold."""
    certainties = {MARGINAL: arcs.arc}
    explained = "Marginal: of the head with its label. "
    if arcs.transition is not None:
        certainties[TRANSITION] = arcs.transition
        explained += "Transition: the probability of the one that made the arc. "
    grid = Grid(
        f"Arcs with at least a probability, {title}",
        [
            "at least",
            *(c for by in certainties for c in (f"{by}: kept %", "UAS", "LAS")),
        ],
        notes=[explained + "UAS, LAS: of the arcs kept."],
    )
    pairs = [
        (_heads_by(certainty, arcs), _arcs_by(certainty, arcs))
        for certainty in certainties.values()
    ]
    for threshold in (0.0, *THRESHOLDS):
        cells = []
        for heads, labels in pairs:
            coverage, uas = heads.at_least(threshold)
            _, las = labels.at_least(threshold)
            cells.append(percent(coverage))
            cells += [percent(uas), percent(las)] if coverage else [MISSING] * 2
        grid.add(f"{threshold:g}", *cells)
    return grid


def ranking_table(title: str, found: Rankings) -> Grid:
    """How well certainty tells right arcs from wrong ones."""
    grid = Grid(
        f"Ranking by certainty, {title}",
        [
            "what",
            "by",
            "all",
            *(f"best {100 * share:g} %" for share in SHARES),
            f"wrong in last {100 * LEAST:g} %",
            "of all errors",
            "AUC",
        ],
        notes=[
            "Per cent correct of all, and of the most certain; per cent wrong among "
            f"the least certain {100 * LEAST:g} %, and how many per cent of all errors "
            "these are. AUC: the probability that something right is more certain than "
            "something wrong. Among equals, which the marginals have, the mean over "
            "all orders."
        ],
    )
    for (what, by), ranking in found.items():
        wrong, of_all = ranking.errors_of(LEAST)
        shares = [percent(ranking.accuracy_of(share)) for share in (1.0, *SHARES)]
        area = f"{ranking.area():.4f}"
        grid.add(what, by, *shares, percent(wrong), percent(of_all), area)
    return grid


@dataclass(frozen=True)
class TreeScores:
    """Scores of one kind of trees, and their gain over greedy trees.

    Attributes:
        name: The kind of trees.
        uas, las: Fractions of 1.
        uas_gain, las_gain: Difference from greedy trees with the p-value of a
            permutation test; None for greedy trees.
    """

    name: str
    uas: float
    las: float
    uas_gain: TestedGain | None = None
    las_gain: TestedGain | None = None


class TestedGain(NamedTuple):
    """A difference in points of per cent, and the p-value of a permutation test."""

    points: float
    p: float

    def __str__(self) -> str:
        return f"{self.points:+.2f} ({probability(self.p)})"


def tree_scores(
    parsed: SampledParses, arcs: ArcConfidence, starts: IntArray
) -> list[TreeScores]:
    """Scores of greedy trees and of trees of minimum risk.

    Args:
        starts: The number of the first word of each sentence.
    """
    greedy = CorrectWords(arcs.head_correct, arcs.arc_correct)
    found = []
    for name, correct in (
        (GREEDY, greedy),
        (RISK_LAS, parsed.minimum_risk(True)),
        (RISK_UAS, parsed.minimum_risk(False)),
    ):
        uas = _share(correct.heads, arcs.known)
        las = _share(correct.arcs, arcs.labelled)
        if name == GREEDY:
            found.append(TreeScores(name, uas, las))
            continue
        gains = (
            _gain(correct.heads, greedy.heads, arcs.known, starts),
            _gain(correct.arcs, greedy.arcs, arcs.labelled, starts),
        )
        found.append(TreeScores(name, uas, las, *gains))
    return found


def _gain(
    better: BoolArray,
    than: BoolArray,
    scored: BoolArray,
    starts: IntArray,
) -> TestedGain:
    differences = np.where(scored, better.astype(np.int64) - than, 0)
    p = permutation_test(np.add.reduceat(differences, starts))
    return TestedGain(100 * differences.sum() / max(scored.sum(), 1), p)


def risk_table(title: str, trees: Sequence[TreeScores]) -> Grid:
    """Trees of minimum risk against greedy trees."""
    grid = Grid(
        f"Trees of minimum risk, {title}",
        ["tree", "UAS", "LAS", "UAS - greedy", "LAS - greedy"],
        notes=[
            "Minimum risk: the tree with the largest sum of marginals, of heads with "
            f"labels or of heads. p: permutation test, {REPETITIONS:,} repetitions, "
            "sentences as units."
        ],
    )
    for each in trees:
        gains = [
            MISSING if gain is None else str(gain)
            for gain in (each.uas_gain, each.las_gain)
        ]
        grid.add(each.name, percent(each.uas), percent(each.las), *gains)
    return grid


def ranking_dicts(
    found: Rankings,
) -> list[dict[str, Any]]:
    """The numbers of `ranking_table`, for JSON."""
    return [
        {
            "what": what,
            "by": by,
            "auc": ranking.area(),
            "wrong_in_last": ranking.errors_of(LEAST)[0],
            "of_all_errors": ranking.errors_of(LEAST)[1],
            "best": {f"{s:g}": ranking.accuracy_of(s) for s in SHARES},
            "at_least": {f"{t:g}": ranking.at_least(t) for t in THRESHOLDS},
        }
        for (what, by), ranking in found.items()
    ]


def _share(correct: BoolArray, scored: BoolArray) -> float:
    return float(correct[scored].mean()) if scored.any() else 0.0
