"""The settings and the published scores of Goldberg (2013).

The published scores are for the Korean part of version 1.0 of the Google Universal
Dependency Treebank: trained on train, scored on dev, with gold tags and without
punctuation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from spacy_dynoracle.registry.learners import RELATIVE_L1

from .papers import papers
from .settings import PERCEPTRON, RDA, Setting

SYSTEM = "eager"
# The learner, oracle, k and exploration of each row, by the name in the paper.
ROWS: Mapping[str, dict[str, Any]] = {
    "PERCEP+ST": {"learner": PERCEPTRON, "oracle": "static"},
    "ME+ST": {"learner": RDA, "oracle": "static"},
    "PERCEP+DYN(K=1)": {"learner": PERCEPTRON, "k": 1},
    "PERCEP+DYN(K=0)": {"learner": PERCEPTRON, "k": 0},
    "ME+DYN(K=1,SAMPLE)": {"learner": RDA, "k": 1, "exploration": "sample"},
    "ME+DYN(K=0,SAMPLE)": {"learner": RDA, "k": 0, "exploration": "sample"},
    "ME+DYN(K=1,ERR)": {"learner": RDA, "k": 1},
    "ME+DYN(K=0,ERR)": {"learner": RDA, "k": 0},
}
# The setting whose probabilities the paper studies.
MAIN = "ME+DYN(K=0,SAMPLE)"
# Pairs of rows: the first should be better than the second.
BETTER = (
    (MAIN, "ME+ST"),
    (MAIN, "PERCEP+DYN(K=1)"),
    (MAIN, "ME+DYN(K=0,ERR)"),
    ("ME+DYN(K=1,SAMPLE)", "ME+DYN(K=1,ERR)"),
    ("PERCEP+DYN(K=1)", "PERCEP+ST"),
)
PAPER_ALPHA = 1.0


def setting(
    row: str,
    alpha: float = PAPER_ALPHA,
    epochs: int = 0,
    relative_l1: float = RELATIVE_L1,
    tag_attr: str | None = None,
) -> Setting:
    """The setting of a row of the paper."""
    return Setting(
        SYSTEM,
        epochs=epochs,
        alpha=alpha,
        relative_l1=relative_l1,
        tag_attr=tag_attr,
        **ROWS[row],
    )


def settings(
    alphas: Sequence[float],
    epochs: int = 0,
    relative_l1: float = RELATIVE_L1,
    tag_attr: str | None = None,
) -> dict[str, Setting]:
    """All settings by their titles. The log-linear learner appears with every alpha."""
    found: dict[str, Setting] = {}
    for alpha in alphas:
        for row in ROWS:
            one = setting(row, alpha, epochs, relative_l1, tag_attr)
            found.setdefault(title(one), one)
    # Settings of one row of the paper stay together, for all values of alpha.
    order = list(ROWS)
    return dict(sorted(found.items(), key=lambda item: order.index(row_of(item[1]))))


def only_main(found: Mapping[str, Setting]) -> dict[str, Setting]:
    """The settings of the row whose probabilities the paper studies."""
    return {name: one for name, one in found.items() if row_of(one) == MAIN}


def as_in_paper(found: Mapping[str, Setting]) -> dict[str, Setting]:
    """The settings with the step size and the penalty of the paper, by the names of
    their rows."""
    return {name: one for name, one in found.items() if name in ROWS}


def row_of(one: Setting) -> str:
    """The row of the paper that a setting is in."""
    learner = "PERCEP" if one.learner == PERCEPTRON else "ME"
    if one.oracle == "static":
        return f"{learner}+ST"
    if one.learner == PERCEPTRON:
        return f"{learner}+DYN(K={one.k})"
    explored = "SAMPLE" if one.exploration == "sample" else "ERR"
    return f"{learner}+DYN(K={one.k},{explored})"


def title(one: Setting) -> str:
    """The name of the row, with alpha and the penalty where they differ from the
    paper."""
    alpha = "" if one.alpha == PAPER_ALPHA else f" alpha {one.alpha:g}"
    penalty = "" if one.relative_l1 == RELATIVE_L1 else f" l1 {one.relative_l1:g}/words"
    return f"{row_of(one)}{alpha}{penalty}"


# ---- published -----------------------------------------------------------------------

# The nearest treebank that we have is version 2.0 of the same treebank.
TREEBANK = "GoogleUDT-2.0_Korean"
SPLIT = "dev"


class Published(NamedTuple):
    """Published scores in per cent.

    parameters: number of weights that are not zero, in thousands; None where the paper
    gives it only for another k.
    """

    uas: float
    las: float
    parameters: int | None


def _korean() -> dict[str, Published]:
    uas, las, size = (_TABLES[name] for name in ("uas", "las", "parameters"))
    found = {}
    for row in ROWS:
        parameters = size.figure(row, LANGUAGE)
        found[row] = Published(
            uas.figure(row, LANGUAGE) or 0.0,
            las.figure(row, LANGUAGE) or 0.0,
            None if parameters is None else int(parameters),
        )
    # The paper gives the sizes of the dynamic rows without k.
    for row, same in (
        ("PERCEP+DYN(K=0)", "PERCEP+DYN(K=1)"),
        ("ME+DYN(K=1,SAMPLE)", MAIN),
    ):
        found[row] = found[row]._replace(parameters=found[same].parameters)
    return found


def _korean_bins() -> tuple[tuple[int, int], ...]:
    table = _TABLES["calibration"]
    column = table.columns.index(LANGUAGE)
    return tuple(
        (items[column], int(table.rows[label][column] or 0))
        for label, items in table.items.items()
    )


LANGUAGE = "Korean"
_TABLES = {
    table.measure: table
    for paper in papers()
    if paper.id == "goldberg_2013"
    for table in paper.tables
}
# The published scores by the name of the row.
KOREAN: Mapping[str, Published] = _korean()
# For ME+DYN(K=0,SAMPLE) and each bin from 0.1 to 1.0: the number of items, and the
# percentage of correct items.
KOREAN_BINS = _korean_bins()
