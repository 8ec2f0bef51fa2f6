"""A derivation as the rows of a table, which Markdown and SVG draw."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .derivation import Derivation, ScoredTransition
from .text import joined, transition_name

# Columns of a cell with words.
_WIDTH = 32
COST = 5


class Row(NamedTuple):
    """The cells of a configuration; in the column `COST` that of its transition."""

    cells: Sequence[str]
    wrong: bool = False


def derivation_rows(derivation: Derivation) -> Iterator[Row]:
    """Yield the titles, and a row for each configuration.

    With a gold tree it has the costs, and the correct transition where it is not the
    one that was taken.
    """
    with_costs = derivation.gold is not None
    titles = ["", "stack", "buffer", "transition", "arc"]
    yield Row([*titles, "cost", "correct"] if with_costs else titles)
    for number, step in enumerate(derivation.steps, 1):
        chosen = step.chosen
        wrong = step.is_correct(chosen) is False
        words = _words(derivation, step.stack, step.buffer)
        cells = [f"{number}", *words, _transition(chosen), _arc(derivation, chosen)]
        if with_costs:
            cells.append("" if chosen.cost is None else f"{chosen.cost}")
            cells.append(_transition(step.correct) if wrong else "")
        yield Row(cells, wrong)
    end = ["end", *_words(derivation, derivation.stack, derivation.buffer)]
    yield Row(end + [""] * (4 if with_costs else 2))


def _words(
    derivation: Derivation, stack: Sequence[int], buffer: Sequence[int]
) -> tuple[str, str]:
    """The cells of stack and buffer."""
    left, right = ([derivation.words[k] for k in nodes] for nodes in (stack, buffer))
    return joined(left, _WIDTH, end=True), joined(right, _WIDTH)


def _transition(x: ScoredTransition) -> str:
    return " ".join(filter(None, (transition_name(x), x.label)))


def _arc(derivation: Derivation, x: ScoredTransition) -> str:
    if x.arc is None:
        return ""
    head, dependent = (derivation.words[k] for k in x.arc)
    return f"{head} → {dependent}"
