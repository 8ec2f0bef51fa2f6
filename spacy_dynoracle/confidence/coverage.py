"""The use of certainty: precision and coverage, and the errors found.

Whether uncertain items are the wrong ones is seen from their ranking. Items of equal
certainty have no order: every number of a ranking is the mean over all orders of such
items.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..reports.tables import MISSING, Grid, percent
from ..util.arrays import BoolArray, FloatArray
from .measured import ARCS, HEADS, TRANSITION, ArcConfidence, JudgedArcs

THRESHOLDS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
SHARES = (0.9, 0.75, 0.5)
LEAST = 0.1


class CertaintyRanking:
    """Items from the most certain to the least.

    Args:
        certainty: Certainty of each item, in any unit.
        correct: Whether each item is right.
    """

    def __init__(self, certainty: FloatArray, correct: BoolArray) -> None:
        # Groups of equals, the most certain first.
        groups, number = np.unique(-certainty, return_inverse=True)
        self.thresholds: FloatArray = -groups
        size = np.bincount(number, minlength=len(groups))
        hits = np.bincount(number, weights=correct, minlength=len(groups))
        # Numbers of items that are as certain as each threshold, or more.
        self.kept = np.cumsum(size)
        self.correct = np.cumsum(hits)
        self.count = len(certainty)

    def accuracy_of(self, share: float) -> float:
        """The share of correct items among the most certain ones.

        Args:
            share: The share of all items to look at.
        """
        wanted = share * self.count
        return self._correct_among(wanted) / wanted if wanted else 0.0

    def at_least(self, threshold: float) -> tuple[float, float]:
        """(coverage, accuracy): the share of the items that are at least so certain,
        and the share of correct items among them.
        """
        groups = int(np.searchsorted(-self.thresholds, -threshold, side="right"))
        if groups == 0:
            return 0.0, 0.0
        kept = self.kept[groups - 1]
        return kept / self.count, self.correct[groups - 1] / kept

    def errors_of(self, share: float) -> tuple[float, float]:
        """Errors among the least certain items: (share of these items that are wrong,
        share of all wrong items that are among them).

        Args:
            share: The share of all items to look at.
        """
        if not self.count:
            return 0.0, 0.0
        looked_at = share * self.count
        right = self.correct[-1] - self._correct_among(self.count - looked_at)
        wrong = looked_at - right
        n_errors = self.count - self.correct[-1]
        return (
            wrong / looked_at if looked_at else 0.0,
            wrong / n_errors if n_errors else 0.0,
        )

    def area(self) -> float:
        """The area under the ROC curve: the probability that a correct item is more
        certain than a wrong one. 0.5 is chance, and where all are correct or none.
        """
        n_correct = self.correct[-1] if self.count else 0
        n_wrong = self.count - n_correct
        if not n_correct or not n_wrong:
            return 0.5
        correct = np.diff(self.correct, prepend=0)
        wrong = np.diff(self.kept, prepend=0) - correct
        below = n_wrong - np.cumsum(wrong)
        return float(np.sum(correct * (below + wrong / 2)) / (n_correct * n_wrong))

    def _correct_among(self, wanted: float) -> float:
        """The number of correct items among so many of the most certain ones."""
        if not self.count:
            return 0.0
        return float(np.interp(wanted, np.r_[0, self.kept], np.r_[0.0, self.correct]))


# Rankings by what is ranked and by what it is ranked.
Rankings = Mapping[tuple[str, str], CertaintyRanking]


def rankings(arcs: ArcConfidence) -> dict[tuple[str, str], CertaintyRanking]:
    """Rankings of heads and of labelled arcs, by marginals and by the probability of
    the transition that made the arc, if there are transitions.
    """
    return {
        (what, by): _ranking(certainty, found)
        for what, found in zip((HEADS, ARCS), arcs, strict=True)
        for by, certainty in found.certainties.items()
    }


def _ranking(certainty: FloatArray, found: JudgedArcs) -> CertaintyRanking:
    return CertaintyRanking(certainty[found.known], found.correct[found.known])


def threshold_table(title: str, arcs: ArcConfidence) -> Grid:
    """Coverage and precision of the arcs that reach a threshold."""
    certainties = arcs.arcs.certainties
    explained = "Marginal: of the head with its label. "
    if TRANSITION in certainties:
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
        [_ranking(certainty, found) for found in arcs]
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
    best = (f"best {100 * share:g} %" for share in SHARES)
    last = f"wrong in last {100 * LEAST:g} %"
    grid = Grid(
        f"Ranking by certainty, {title}",
        ["what", "by", "all", *best, last, "of all errors", "AUC"],
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


def ranking_dicts(found: Rankings) -> list[dict[str, Any]]:
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
