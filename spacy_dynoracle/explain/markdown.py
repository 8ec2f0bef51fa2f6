"""A derivation as a table in Markdown, for slides and papers."""

import re
from collections.abc import Iterator, Sequence

from .derivation import Derivation, ScoredTransition
from .text import joined, transition_name

# Columns of a cell with words.
_WIDTH = 32
# In CommonMark, and in what pandoc adds: superscripts (^) and citations (@).
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#$~&^@])")


def derivation_markdown(derivation: Derivation) -> Iterator[str]:
    """Yield the lines of a table with a row for each configuration.

    With a gold tree it has the costs, and the correct transition where it is not the
    one that was taken.
    """
    with_costs = derivation.gold is not None
    titles = ["", "stack", "buffer", "transition", "arc"]
    titles += ["cost", "correct"] if with_costs else []
    yield _row(titles)
    yield _row(["---"] * len(titles))
    for number, step in enumerate(derivation.steps, 1):
        cells = [
            str(number),
            *_words(derivation, step.stack, step.buffer),
            _transition(step.chosen),
            _arc(derivation, step.chosen),
        ]
        if with_costs:
            wrong = step.is_correct(step.chosen) is False
            cost = "" if step.chosen.cost is None else str(step.chosen.cost)
            correct = _transition(step.correct) if wrong else ""
            cells += [f"**{cost}**" if wrong else cost, correct]
        yield _row(cells)
    end = ["end", *_words(derivation, derivation.stack, derivation.buffer)]
    yield _row(end + [""] * (len(titles) - len(end)))


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _words(
    derivation: Derivation, stack: Sequence[int], buffer: Sequence[int]
) -> tuple[str, str]:
    """The cells of stack and buffer."""
    left, right = ([derivation.words[k] for k in nodes] for nodes in (stack, buffer))
    return _escaped(joined(left, _WIDTH, end=True)), _escaped(joined(right, _WIDTH))


def _transition(x: ScoredTransition) -> str:
    return _escaped(" ".join(filter(None, (transition_name(x), x.label))))


def _arc(derivation: Derivation, x: ScoredTransition) -> str:
    if x.arc is None:
        return ""
    head, dependent = (derivation.words[k] for k in x.arc)
    return _escaped(f"{head} → {dependent}")


def _escaped(text: str) -> str:
    """A text without characters that Markdown reads as marks."""
    return _SPECIAL.sub(r"\\\1", text)
