"""Measurements of runs that nobody has done."""

from experiments.plan import Experiment, Row
from experiments.results import Place
from experiments.settings import Setting
from experiments.verdicts import Counts

LABELLED = "labelled"


def place(row, measure="uas", split="test", condition=LABELLED):
    return Place(condition, split, measure, row)


def add(found, row, treebank, seeds, measure="uas", words=10, **options):
    """Add the right words of each sentence of ten words, by seed."""
    for seed, heads in seeds.items():
        counts = Counts(heads, [words] * len(heads))
        found.add(place(row, measure, **options), treebank, seed, counts, f"run{seed}")


def experiment(*rows, **values):
    made = tuple(
        row if isinstance(row, Row) else Row(row, Setting(), ("scores",))
        for row in rows
    )
    return Experiment(**{"name": "mine", "title": "Mine", "rows": made, **values})
