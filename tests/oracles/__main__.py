"""The proof of the arc-eager costs as a table: python -m tests.oracles [largest n]."""

import sys
import time

import numpy as np
from rich.console import Console
from rich.table import Table

from spacy_dynoracle import ArcEager

from .brute_force import BruteForce
from .test_exhaustive_arc_eager import (
    REFERENCE_COUNTS,
    ROOTS,
    compare,
    formula_costs,
    graph_of,
    projective,
    structural_costs,
)


def proof(largest: int) -> Table:
    """Every configuration, legal transition and projective tree, compared."""
    table = Table(title="Arc-eager: costs of the package against exhaustive search")
    columns = ("ROOT", "n", "configurations", "trees", "comparisons", "as published")
    for column in (*columns, "disagreements", "seconds"):
        table.add_column(column, justify="right")
    for root in ROOTS:
        for n in range(1, largest + 1):
            start = time.perf_counter()
            brute = BruteForce(graph_of(root, n), projective(n))
            compared, wrong, _ = compare(brute, structural_costs(ArcEager(root=root)))
            counts = (len(brute.graph.nonterminal), len(brute.golds.heads), compared)
            reference = REFERENCE_COUNTS.get((root, n))
            table.add_row(
                root,
                str(n),
                *(f"{count:,}" for count in counts),
                "-" if reference is None else "yes" if reference == counts else "NO",
                f"{wrong:,}",
                f"{time.perf_counter() - start:.1f}",
            )
    return table


def negative_controls(largest: int) -> Table:
    """How often known wrong formulas disagree with exhaustive search, ROOT last."""
    table = Table(title=f"Negative controls, ROOT last, n <= {largest}")
    for column in ("formulas", "disagreements", "zero or not wrong"):
        table.add_column(column, justify="right")
    variants = {
        "corrected": {},
        "LEFT and RIGHT as printed": {"literal": True},
        "without the headless condition": {"headless_only": False},
    }
    for name, variant in variants.items():
        wrong = wrong_zero = 0
        for n in range(1, largest + 1):
            brute = BruteForce(graph_of("last", n), projective(n))
            for c in brute.graph.nonterminal:
                found = formula_costs(c, brute.golds, **variant)
                for transition, costs in brute.costs(c).items():
                    wrong += np.count_nonzero(costs != found[transition])
                    zero = (costs == 0) != (found[transition] == 0)
                    wrong_zero += np.count_nonzero(zero)
        table.add_row(name, f"{wrong:,}", f"{wrong_zero:,}")
    return table


if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    console = Console(width=110)
    console.print(proof(n))
    console.print(negative_controls(n))
