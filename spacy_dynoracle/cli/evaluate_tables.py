"""The tables that ``evaluate`` prints; scores are in per cent."""

from collections.abc import Mapping

from ..evaluation import Comparison, Scores, TextScore
from ..reports.tables import Grid, interval, percent, probability

_MEASURES = {
    "uas": "UAS",
    "las": "LAS",
    "las_base": "LAS, labels up to ':'",
    "label_accuracy": "Label accuracy",
    "root_accuracy": "Root accuracy",
    "exact_unlabelled": "Exact match, unlabelled",
    "exact_labelled": "Exact match, labelled",
}


def score_table(scores: list[Scores], title: str) -> Grid:
    """The scores under each definition of scored words, in columns."""
    grid = Grid(title, ["scored words"])
    rows = {name: [name] for name in ("Words", *_MEASURES.values())}
    for score in scores:
        grid.columns += [_definition(score.scored), "95 %"]
        rows["Words"] += [f"{score.words:,}", ""]
        for attribute, name in _MEASURES.items():
            value = percent(getattr(score, attribute))
            rows[name] += [value, interval(score.intervals.get(attribute))]
    grid.rows = list(rows.values())
    return grid


def of_tags(scores: Mapping[str, TextScore]) -> dict[str, TextScore]:
    """The measures of tags, and those of trees that depend on tags or on labels up to
    ``:``; the others say nothing where words and sentences are given.
    """
    given = ("Tokens", "Sentences", "Words", "UAS", "LAS")
    return {name: score for name, score in scores.items() if name not in given}


def text_table(scores: Mapping[str, TextScore], title: str) -> Grid:
    """The scores of the CoNLL 2018 shared task."""
    columns = ["", "precision", "recall", "F1", "95 %", "of aligned words"]
    grid = Grid(title, columns)
    for measure, score in scores.items():
        aligned = score.aligned_accuracy
        cells = map(percent, (score.precision, score.recall, score.f1))
        last = "" if aligned is None else percent(aligned)
        grid.add(measure, *cells, interval(score.interval), last)
    return grid


def comparison_table(result: Comparison, a: str, b: str, given: str) -> Grid:
    """Two systems and their difference.

    Args:
        given: The input of pipelines.
    """
    grid = Grid(
        f"A: {a}\nB: {b}",
        ["", "scored words", "A", "B", "B - A", "p", "better", "worse"],
    )
    for row in result.rows:
        definition = "all" if row.scored == "all" else f"no punct., {row.scored}"
        grid.add(
            row.measure,
            f"{row.words:,} ({definition})",
            percent(row.a),
            percent(row.b),
            f"{100 * row.difference:+.2f}",
            probability(row.p),
            f"{row.better:,}",
            f"{row.worse:,}",
        )
    grid.notes = [
        f"{result.sentences:,} sentences of {result.gold}, {given}. Labels are "
        "compared as a whole. p: paired permutation test "
        f"over sentences, {result.trials:,} trials, seed {result.seed}. better, worse: "
        "number of sentences in which B has more words right than A, or fewer."
    ]
    return grid


def _definition(name: str) -> str:
    return name if name == "all" else f"no punct. ({name})"
