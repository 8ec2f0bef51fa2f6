"""Claims of the papers with what was measured, and a table of them for one experiment.

`reproduce` judges the claims of all papers on one page. The other commands print the
claims of one paper that they have measured, by the same rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spacy_dynoracle.reports.tables import MISSING, Grid

from .observations import Observations
from .papers import Claim, Paper, PaperTable, papers
from .studies import Study
from .verdicts import REPETITIONS, RULE, Effect, Verdict, published, verdict

MEASURES = {
    "uas": "UAS",
    "las": "LAS",
    "recall": "recall",
    "parameters": "thousands of weights",
    "calibration": "per cent correct",
    "generation": "generation loss",
    "mean_distance": "mean distance to the best trees",
    "total": "total loss",
}


@dataclass(frozen=True)
class Judged:
    """A claim under one condition. treebanks, average: its effects here; the average is
    None if nothing was measured."""

    table: PaperTable
    claim: Claim
    condition: str
    treebanks: Mapping[str, Effect]
    average: Effect | None

    @cached_property
    def paper(self) -> float | None:
        """The effect in the paper; None if the paper prints none."""
        return published(self.table, self.claim)

    @cached_property
    def verdict(self) -> Verdict:
        """Whether the claim holds here."""
        return verdict(self.claim, self.paper, self.average)

    def as_dict(self) -> dict[str, Any]:
        """Values for JSON."""
        return {
            "claim": self.claim.text,
            "condition": self.condition,
            "measure": self.table.measure,
            "split": self.table.split,
            "treebanks": {n: each.as_dict() for n, each in self.treebanks.items()},
            "average": None if self.average is None else self.average.as_dict(),
            "paper": self.paper,
            "verdict": self.verdict.word,
        }


def add_claims(study: Study, grids: list[Grid], values: dict[str, Any]) -> None:
    """Add the claims that a study has measured to the tables of an experiment, and to
    its numbers."""
    (paper,) = (paper for paper in papers() if paper.id == study.paper)
    judged = list(measured_claims(study, paper))
    if judged:
        grids.append(claims_table(paper, judged))
        values["claims"] = [each.as_dict() for each in judged]


def measured_claims(study: Study, paper: Paper) -> Iterator[Judged]:
    """The claims of a paper of which a study has measured both rows."""
    observed = Observations()
    study.observe(observed)
    for table in paper.tables:
        for claim in table.claims:
            if study.condition in claim.conditions:
                found = observed.effects(paper, table, claim, study.condition)
                judged = Judged(table, claim, study.condition, *found)
                if judged.average is not None:
                    yield judged


def claims_table(paper: Paper, judged: Sequence[Judged]) -> Grid:
    """Claims of a paper with their effects, 95 % intervals and verdicts."""
    names = list(dict.fromkeys(name for each in judged for name in each.treebanks))
    by_treebank = names if len(names) > 1 else []
    grid = Grid(
        f"Claims of {paper.name}",
        ["", "measure", "here", "paper", "verdict", *by_treebank],
        notes=[
            "Here: the effect, averaged over the treebanks, and its 95 % interval. "
            + RULE.format(repetitions=REPETITIONS)
        ],
    )
    for each in judged:
        cells = [each.treebanks.get(name) for name in by_treebank]
        grid.add(
            each.claim.text,
            f"{MEASURES[each.table.measure]}, {each.table.split}",
            str(each.average),
            MISSING if each.paper is None else f"{each.paper:+.2f}",
            each.verdict.word,
            *(MISSING if effect is None else str(effect) for effect in cells),
        )
    return grid
