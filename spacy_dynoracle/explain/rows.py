"""A derivation as the rows of a table, which Markdown and SVG draw."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..core.results import ScoredTransition
from .derivation import Derivation
from .text import joined, transition_name

# Columns of a cell with words.
_WIDTH = 32
STACK, COST = 1, 5


class Row(NamedTuple):
    """The cells of a configuration, and whether its transition is a mistake."""

    cells: list[str]
    wrong: bool = False


def derivation_rows(derivation: Derivation) -> Iterator[Row]:
    """Yield the titles, and a row for each configuration.

    With a gold tree it has the costs, and the correct transition where it is not the
    one that was taken.
    """

    def configuration(stack: Sequence[int], buffer: Sequence[int]) -> list[str]:
        left, right = ([derivation.words[k] for k in x] for x in (stack, buffer))
        return [joined(left, _WIDTH, end=True), joined(right, _WIDTH)]

    with_costs = derivation.gold is not None
    titles = ["", "stack", "buffer", "transition", "arc"]
    yield Row([*titles, "cost", "correct"] if with_costs else titles)
    for number, step in enumerate(derivation.steps, 1):
        chosen, wrong = step.chosen, step.is_correct(step.chosen) is False
        cells = [str(number), *configuration(step.stack, step.buffer)]
        arc = " → ".join(derivation.words[k] for k in chosen.arc or ())
        cells += [_transition(chosen), arc]
        if with_costs:
            cells.append("" if chosen.cost is None else str(chosen.cost))
            cells.append(_transition(step.correct) if wrong else "")
        yield Row(cells, wrong)
    end = ["end", *configuration(derivation.stack, derivation.buffer)]
    yield Row(end + [""] * (4 if with_costs else 2))


def _transition(x: ScoredTransition) -> str:
    return " ".join(filter(None, (transition_name(x), x.label)))
