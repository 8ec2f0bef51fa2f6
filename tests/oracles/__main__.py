"""The proof of the costs as tables: python -m tests.oracles [largest n]."""

import time
from typing import Annotated

import typer

from spacy_dynoracle import ArcHybridSwap

from ..core.builders import all_trees
from .brute_force import BruteForce, GoldTrees
from .cases import CASES, COVINGTON, COVINGTON_SINGLE, SYSTEMS
from .comparison import View, compare_costs, free_paths


def show(title, columns, rows):
    """Print a table row by row, as the search goes on.

    Args:
        columns: {name: width}; a negative width aligns to the right.
    """

    def line(cells):
        widths = zip(cells, columns.values(), strict=True)
        return "  ".join(c.rjust(-w) if w < 0 else c.ljust(w) for c, w in widths)

    typer.secho(f"\n{title}\n", bold=True)
    typer.secho(line(columns), underline=True)
    for row in rows:
        typer.echo(line([_cell(value) for value in row]))


def _cell(value):
    if isinstance(value, str):
        return value
    return f"{value:.1f}" if isinstance(value, float) else f"{value:,}"


def restriction(single_root):
    """How many words may depend on ROOT."""
    return "one" if single_root else "any"


def proof(cases, largest):
    """Every configuration, legal transition and tree, compared; projective ones, and
    all of up to five words where the system derives them. With one root the costs of
    Covington's system leave something out, so that some of them are wrong.
    """
    for case in cases:
        most = min(largest, 5) if case.system == "covington" else largest
        for n in range(1, most + 1):
            start = time.perf_counter()
            brute = BruteForce(case.graph(n), GoldTrees(case.trees(n)))
            compared, wrong, _ = compare_costs(brute, case.view())
            counts = len(brute.graph.nonterminal), len(brute.golds), compared
            published = case.counts.get(n)
            same = "-" if published is None else "yes" if published == counts else "NO"
            name = case.system, case.root, restriction(case.single_root)
            yield (*name, n, *counts, same, wrong, time.perf_counter() - start)


def swap(largest):
    """Every path of cost zero to every tree with one root, projective or not."""
    for single_root in (False, True):
        view = View(ArcHybridSwap(single_root=single_root))
        for n in range(1, largest + 1):
            start, reached, all_ends = time.perf_counter(), 0, set()
            astray, trees = 0, all_trees(n, single_root=True)
            for heads in trees:
                seen, ends = free_paths(view, heads)
                reached += seen
                astray += {found for found, _, _ in ends} != {heads}
                all_ends |= {(length, swaps) for _, length, swaps in ends}
            counts = n, len(trees), reached, *max(all_ends), astray
            yield (restriction(single_root), *counts, time.perf_counter() - start)


SYSTEM = {"system": 12, "ROOT": 5, "roots": 5}
PROOF = {
    **SYSTEM,
    "n": -1,
    "configurations": -14,
    "trees": -6,
    "comparisons": -11,
    "as published": 12,
    "wrong": -7,
    "seconds": -7,
}
SWAP = {
    "roots": 5,
    "n": -1,
    "trees": -6,
    "configurations": -14,
    "longest": -7,
    "swaps": -5,
    "wrong": -7,
    "seconds": -7,
}


def main(
    largest: Annotated[int, typer.Argument(min=1, help="Words of a sentence.")] = 6,
    system: Annotated[
        str | None, typer.Option(help=f"Only one of: {', '.join(SYSTEMS)}, swap.")
    ] = None,
) -> None:
    """Compare the costs of all systems with exhaustive search, and print the tables."""
    if system not in (None, "swap", *SYSTEMS):
        raise typer.BadParameter(f"no system {system!r}", param_hint="--system")
    every_case = (*CASES, COVINGTON, COVINGTON_SINGLE)
    cases = [case for case in every_case if system in (None, case.system)]
    if cases:
        title = "Costs of the package against exhaustive search"
        show(title, PROOF, proof(cases, largest))
    if system in (None, "swap"):
        title = "Arc-hybrid with SWAP: paths of cost zero to every tree with one root"
        show(title, SWAP, swap(largest))


if __name__ == "__main__":
    typer.run(main)
