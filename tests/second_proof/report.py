"""Rounds of all cases, and their tables."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from .cases import Case, Round
from .comparison import MAX_EXAMPLES, Outcome

COLUMNS = {
    "legality": "legality",
    "costs": "costs",
    "plain": "costs",
    "partial": "partial",
    "labelled": "labelled",
    "keeping": "given arcs",
    "formulas": "formulas",
}
Progress = Callable[[str], None]


@dataclass
class CaseReport:
    """All comparisons of a case over several lengths, under their names.

    All are about what the product promises.
    """

    case: Case
    outcomes: dict[str, list[Outcome]] = field(default_factory=dict)

    @property
    def comparisons(self) -> int:
        return sum(o.comparisons for o in self._all())

    @property
    def disagreements(self) -> int:
        return sum(o.disagreements for o in self._all())

    def _all(self) -> Iterator[Outcome]:
        for some in self.outcomes.values():
            yield from some

    def examples(self) -> list[str]:
        return [example for o in self._all() for example in o.examples][:MAX_EXAMPLES]


def compare(
    case: Case,
    lengths: Sequence[int],
    most: int,
    whole: int = 0,
    progress: Progress = lambda what: None,
) -> CaseReport:
    """All comparisons of a case, for sentences of some numbers of words.

    Args:
        most: Pairs in a comparison; those of sentences of up to `whole` words are all
            compared. Costs are compared only if the configurations and transitions
            agree.
    """
    report = CaseReport(case)
    for n in lengths:
        for name in case.comparisons:
            if n > case.largest(name):
                continue
            progress(f"{_place(case)}, n = {n}, {name}")
            limit = sys.maxsize if n <= whole else most
            outcome = getattr(Round(case, n, limit), name)()
            report.outcomes.setdefault(name, []).append(outcome)
            if name == "legality" and outcome.disagreements:
                return report
    return report


def _place(case: Case) -> str:
    return f"{case.name}, ROOT {case.system.root}, roots {case.roots}"


def table(reports: Sequence[CaseReport]) -> str:
    """Comparisons and disagreements of each case, as a table in Markdown.

    Configurations and trees are those of the longest sentences, and so is the share of
    pairs that were compared where it is less than 1.
    """
    columns = list(dict.fromkeys(COLUMNS.values()))
    head = ["system", "ROOT", "roots", "configurations", "trees", *columns]
    rows = [[*head, "disagreements"]]
    for report in reports:
        last = report.outcomes["legality"][-1]
        cells = dict.fromkeys(columns, "")
        for name, outcomes in report.outcomes.items():
            cells[COLUMNS[name]] = _cell(outcomes)
        case = report.case
        rows.append(
            [
                *(case.name, case.system.root, case.roots),
                *(f"{last.configurations:,}", f"{last.trees:,}"),
                *cells.values(),
                f"{report.disagreements:,}",
            ]
        )
    comparisons = sum(report.comparisons for report in reports)
    disagreements = sum(report.disagreements for report in reports)
    return (
        f"{_markdown(rows)}\n\n{comparisons:,} comparisons, "
        f"{disagreements:,} disagreements\n"
    )


def _cell(outcomes: Sequence[Outcome]) -> str:
    number = f"{sum(o.comparisons for o in outcomes):,}"
    share = outcomes[-1].share
    return number if share == 1 else f"{number} ({share:.1%})"


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    lines.insert(1, "| " + " | ".join("-" * w for w in widths) + " |")
    return "\n".join(lines)
