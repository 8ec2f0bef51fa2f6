"""The tables that ``evaluate`` prints; scores are in per cent."""

from collections.abc import Mapping

from rich.table import Table

from ..evaluation import Scores, TextScore
from ..parser.beam_scores import BeamScores

_MEASURES = {
    "uas": "UAS",
    "las": "LAS",
    "las_base": "LAS, labels up to ':'",
    "label_accuracy": "Label accuracy",
    "root_accuracy": "Root accuracy",
    "exact_unlabelled": "Exact match, unlabelled",
    "exact_labelled": "Exact match, labelled",
}
_LOSSES = {
    "generation": "generation loss",
    "selection": "selection loss",
    "mean_distance": "mean distance to best trees",
    "total": "loss",
}


def score_table(scores: list[Scores], title: str) -> Table:
    """The scores under each definition of scored words, in columns."""
    table = Table(title=title)
    table.add_column("scored words")
    for score in scores:
        table.add_column(_definition(score.scored), justify="right")
    table.add_row("Words", *(f"{score.words:,}" for score in scores))
    for attribute, name in _MEASURES.items():
        table.add_row(name, *(_percent(getattr(score, attribute)) for score in scores))
    return table


def relation_table(score: Scores) -> Table:
    """The scores of each relation, the most frequent first."""
    table = Table(title=f"Relations (scored words: {score.scored})")
    table.add_column("relation")
    for name in ("gold", "P", "R", "F", "P head", "R head", "F head"):
        table.add_column(name, justify="right")
    relations = sorted(score.per_relation.items(), key=lambda item: -item[1].gold)
    for label, relation in relations:
        fractions = (
            relation.precision,
            relation.recall,
            relation.f_score,
            relation.unlabelled_precision,
            relation.unlabelled_recall,
            relation.unlabelled_f_score,
        )
        table.add_row(label, str(relation.gold), *map(_percent, fractions))
    return table


def beam_table(beam: BeamScores) -> Table:
    """The losses of a beam under each definition of scored words, in columns."""
    table = Table(title=f"Beam of {beam.beam_size}")
    table.add_column("scored words")
    for name in beam.heads:
        table.add_column(_definition(name), justify="right")
    for arcs, losses in (("UAS", beam.heads), ("LAS", beam.heads_and_labels)):
        table.add_section()
        rows = {"oracle_score": f"Oracle {arcs}"}
        rows |= {attribute: f"{arcs}, {title}" for attribute, title in _LOSSES.items()}
        for attribute, title in rows.items():
            values = (getattr(found, attribute) for found in losses.values())
            table.add_row(title, *map(_percent, values))
    return table


def of_tags(scores: Mapping[str, TextScore]) -> dict[str, TextScore]:
    """The measures of tags, and those of trees that depend on tags or on labels up to
    ``:``; the others say nothing where words and sentences are given."""
    given = ("Tokens", "Sentences", "Words", "UAS", "LAS")
    return {name: score for name, score in scores.items() if name not in given}


def text_table(scores: Mapping[str, TextScore], title: str) -> Table:
    """The scores of the CoNLL 2018 shared task."""
    table = Table(title=title)
    table.add_column("")
    for column in ("precision", "recall", "F1", "of aligned words"):
        table.add_column(column, justify="right")
    for measure, score in scores.items():
        aligned = score.aligned_accuracy
        cells = [_percent(x) for x in (score.precision, score.recall, score.f1)]
        table.add_row(measure, *cells, "" if aligned is None else _percent(aligned))
    return table


def _definition(name: str) -> str:
    return name if name == "all" else f"no punct. ({name})"


def _percent(value: float) -> str:
    return f"{100 * value:.2f}"
