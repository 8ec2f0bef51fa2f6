"""Claims of the papers with what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spacy_dynoracle.reports.tables import MISSING, Grid

from .metrics import MEASURES
from .papers import Claim, Paper, PaperTable, papers
from .verdicts import REPETITIONS, RULE, Effect, Verdict, published, verdict


@dataclass(frozen=True)
class Judged:
    """A claim under one condition.

    Attributes:
        treebanks, average: Its effects here; the average is None if nothing was
            measured.
    """

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


class Effects:
    """The effects that records of experiments have, as `results.record_of` makes
    them.
    """

    def __init__(self, effects: Sequence[Mapping[str, Any]]) -> None:
        self._found = {
            (each["table"], each["claim"], each["condition"]): each for each in effects
        }

    def judged(self, table: PaperTable) -> list[Judged]:
        """All claims of a table under all their conditions."""
        return [
            self.of(table, claim, condition)
            for claim in table.claims
            for condition in claim.conditions
        ]

    def of(self, table: PaperTable, claim: Claim, condition: str) -> Judged:
        """A claim under a condition."""
        found = self._found.get((table.id, claim.text, condition), {})
        each = {n: _effect(v) for n, v in found.get("treebanks", {}).items()}
        average = _effect(found["average"]) if found.get("average") else None
        return Judged(table, claim, condition, each, average)


def _effect(values: Mapping[str, Any]) -> Effect:
    return Effect(**{**values, "seeds": tuple(values["seeds"])})


def claims_tables(record: Mapping[str, Any]) -> Iterator[Grid]:
    """The claims that an experiment has measured: effects, intervals and verdicts."""
    effects = Effects(record["effects"])
    for paper in papers():
        judged = [j for table in paper.tables for j in effects.judged(table)]
        measured = [each for each in judged if each.average is not None]
        if measured:
            yield _claims_table(paper, measured)


def _claims_table(paper: Paper, judged: Sequence[Judged]) -> Grid:
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
            f"{MEASURES[each.table.measure]}, {each.table.split}, {each.condition}",
            str(each.average),
            MISSING if each.paper is None else f"{each.paper:+.2f}",
            each.verdict.word,
            *(MISSING if effect is None else str(effect) for effect in cells),
        )
    return grid
