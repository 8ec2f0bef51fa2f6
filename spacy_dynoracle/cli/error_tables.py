"""The tables of errors that ``evaluate`` prints; scores are in per cent."""

from collections.abc import Iterator, Sequence
from typing import Any

import typer

from ..evaluation import ErrorAnalysis, GroupScores, SentenceErrors, WordError
from ..evaluation.errors import OUTSIDE
from ..reports.tables import MISSING, Grid, percent, show
from ..util.texts import counted

CONFUSION = "confusion"
_SHOWN_CONFUSIONS = 20
_TITLES = {
    "label": "By label",
    "distance": "By distance between word and head",
    "length": "By length of the sentence, in words",
    "pos": "By UPOS",
}
# Groups that a word is in whatever the parser predicts: precision is recall.
_GIVEN = ("length", "pos")


class AskedErrors:
    """The tables of errors that the user asked for.

    Args:
        by: Groups of `ErrorAnalysis.by`, and "confusion".
        worst: Number of sentences.
    """

    def __init__(self, by: Sequence[str], worst: int) -> None:
        self.by = [group for group in dict.fromkeys(by) if group != CONFUSION]
        self.confusion = CONFUSION in by
        self.worst = worst

    @property
    def any(self) -> bool:
        """Whether anything was asked for."""
        return bool(self.by or self.confusion or self.worst)

    def values(self, errors: ErrorAnalysis | None) -> dict[str, Any]:
        """The errors that the user asked for, as plain values for JSON."""
        if errors is None:
            return {}
        return {"errors": errors.as_dict(self.by, self.confusion, self.worst)}

    def show(self, errors: ErrorAnalysis | None) -> None:
        """Print what was asked for."""
        if errors is None:
            return
        grids = [_groups(errors, group) for group in self.by]
        if self.confusion:
            grids.append(_confusion(errors))
        show(grids)
        worst = errors.worst(self.worst)
        for sentence in worst:
            for line in _sentence(sentence):
                typer.echo(line)
        for line in _legend(worst):
            typer.echo(line)


def _groups(errors: ErrorAnalysis, group: str) -> Grid:
    if group in _GIVEN:
        grid = Grid(_TITLES[group], ["", "words", "UAS", "LAS"])
    else:
        grid = Grid(
            _TITLES[group],
            ["", "words", "UAS", "LAS", "predicted", "precision", "F1"],
            notes=[
                "LAS is the recall of the words that are in the group by the treebank; "
                "precision is that of the words that are in it by the parser, if the "
                "treebank has them, too."
            ],
        )
    for name, scores in errors.by(group).items():
        grid.add(name, *_cells(scores)[: len(grid.columns) - 1])
    return grid


def _cells(scores: GroupScores) -> list[str]:
    recalls = (scores.unlabelled_recall, scores.recall)
    shares = [percent(x) if scores.gold else MISSING for x in recalls]
    found = percent(scores.precision) if scores.predicted else MISSING
    return [
        f"{scores.gold:,}",
        *shares,
        f"{scores.predicted:,}",
        found,
        percent(scores.f_score),
    ]


def _confusion(errors: ErrorAnalysis) -> Grid:
    pairs = errors.confusion()
    grid = Grid(
        "Labels taken for one another", ["treebank", "parser", "words", "share"]
    )
    for pair in pairs[:_SHOWN_CONFUSIONS]:
        grid.add(pair.gold, pair.predicted, f"{pair.words:,}", percent(pair.share))
    grid.notes = ["share: of the words with this label in the treebank, in per cent."]
    if len(pairs) > _SHOWN_CONFUSIONS:
        hidden = len(pairs) - _SHOWN_CONFUSIONS
        grid.notes.append(f"The JSON has {counted(hidden, 'more pair')}.")
    return grid


def _sentence(sentence: SentenceErrors) -> Iterator[str]:
    """The lines about a sentence."""
    yield (
        f"{sentence.sentence}: {len(sentence.errors)} of {sentence.words} words wrong, "
        f"{counted(sentence.wrong_heads, 'head')}"
    )
    yield f"  {sentence.text}"
    for error in sentence.errors:
        yield f"  {error.id} {error.form}: {_arc(error)}"
    yield ""


def _legend(sentences: Sequence[SentenceErrors]) -> Iterator[str]:
    """The meaning of the marks in these lines, if they have any."""
    errors = [error for sentence in sentences for error in sentence.errors]
    if any(error.head == OUTSIDE for error in errors):
        yield "outside: the parser has the head in another sentence."
    if any(error.head is None for error in errors):
        yield "_ _: the parser has no such word, or no head for it."


def _arc(error: WordError) -> str:
    gold = f"{_head(error.gold_head)} {error.gold_label or '_'}"
    return f"{_head(error.head)} {error.label or '_'} instead of {gold}"


def _head(head: int | None) -> str:
    if head == OUTSIDE:
        return "outside"
    return "_" if head is None else str(head)
