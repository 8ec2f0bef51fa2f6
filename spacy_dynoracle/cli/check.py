"""``check``: the contents of a treebank, and its errors."""

import re
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import spacy
import typer

from ..errors import language_errors
from ..evaluation import words_found
from ..reports.tables import MISSING, Grid, percent, show
from ..tokenizer.tokenizer import make_word_tokenizer
from ..treebank import FileReport, TreebankReport, WordsFound, check
from ..treebank.files import find_split, find_splits
from ..treebank.report import by_frequency
from ..util.texts import counted
from .common import Code, load_pipeline, one_line_errors
from .options import CORPUS, ResultFile, ResultForm, ResultOptions

_SHOWN_LABELS = 10
_SHOWN_MULTIWORD = 5
_SHOWN_WARNINGS = 10
# Codes of languages; other names are those of pipelines.
_LANGUAGE = re.compile("[a-z]{2,3}")


TreebankPath = Annotated[
    Path,
    typer.Argument(
        metavar="PATH",
        help=f"{CORPUS}; or the directory of a treebank with its train, dev and test "
        "files.",
    ),
]
Tokenizer = Annotated[
    list[str] | None,
    typer.Option(
        help="Tell which share of the words a tokenizer finds in the raw text: that of "
        "spaCy for a language (de), or that of a trained pipeline. For a directory "
        "and a language also WordTokenizer, which learns from the train file. The "
        "option may be repeated.",
        show_default=False,
    ),
]


@one_line_errors
def check_command(
    path: TreebankPath,
    tokenizer: Tokenizer = None,
    form: ResultForm = "text",
    code: Code = None,
    output: ResultFile = None,
) -> None:
    """Check a treebank before training.

    An error makes a sentence unusable. Each error is one line, and the exit status is
    1. Warnings do no harm.
    """
    target = ResultOptions(output, form, path, *find_splits(path).values())
    report = check(path, tokenizers=_tokenizers(path, tokenizer or []))
    if target.tables:
        _show(report)
    target.write(report.as_dict())
    if report.errors:
        raise typer.Exit(1)


def _show(report: TreebankReport) -> None:
    """Print tables, errors and warnings."""
    show([_summary(report), _label_table(report)])
    for line in _multiword(report):
        typer.echo(line)
    for line in report.advice:
        typer.echo(f"note: {line}")
    for error in report.errors:
        typer.echo(f"error: {error}")
    for warning in report.warnings[:_SHOWN_WARNINGS]:
        typer.echo(f"warning: {warning}")
    hidden = len(report.warnings) - _SHOWN_WARNINGS
    if hidden > 0:
        typer.echo(f"... more warnings: {hidden:,} (--format json shows all)")
    errors = counted(len(report.errors), "error")
    typer.echo(f"{errors}, {counted(len(report.warnings), 'warning')}")


def _tokenizers(
    path: Path, names: list[str]
) -> dict[str, Callable[[Path], WordsFound]]:
    """The tokenizers to measure, by their names in the table.

    Args:
        names: Codes of languages, and pipelines.
    """
    found = {}
    for name in names:
        if not _LANGUAGE.fullmatch(name):
            found[name] = words_found(load_pipeline(name))
            continue
        with language_errors(name):
            found[name] = words_found(spacy.blank(name))
        train = find_split(path, "train") if path.is_dir() else None
        if train is not None:
            nlp = spacy.blank(name)
            nlp.tokenizer = make_word_tokenizer()(nlp)
            with warnings.catch_warnings():
                # The report says the same.
                warnings.simplefilter("ignore")
                nlp.tokenizer.initialize(lambda: [], nlp=nlp, path=train)
            found["WordTokenizer"] = words_found(nlp)
    return found


def _multiword(report: TreebankReport) -> list[str]:
    """A line about the commonest multiword tokens."""
    total = sum((file.multiword for file in report.files.values()), Counter[str]())
    if not total:
        return []
    shown = [f"{token} ({n:,})" for token, n in by_frequency(total).items()]
    dots = ", ..." if len(shown) > _SHOWN_MULTIWORD else ""
    return [f"multiword tokens: {', '.join(shown[:_SHOWN_MULTIWORD])}{dots}"]


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({percent(part / whole)} %)" if part and whole else f"{part:,}"


def _skipped(file: FileReport) -> str:
    reasons = by_frequency(file.skipped).items()
    return "; ".join(f"{n:,} {reason}" for reason, n in reasons) or "0"


def _text(file: FileReport) -> str:
    if not file.text_compared:
        return MISSING
    return f"{file.text_mismatches:,} of {file.text_compared:,}"


# One row of the table: its title and how to get the cell of a file.
_ROWS: dict[str, Callable[[FileReport], str]] = {
    "sentences": lambda f: f"{f.sentences:,}",
    "words": lambda f: f"{f.words:,}",
    "words per sentence, mean": lambda f: f"{f.mean_length:.2f}",
    "words per sentence, longest": lambda f: f"{f.max_length:,}",
    "multiword tokens": lambda f: f"{f.ranges:,}",
    "empty nodes": lambda f: f"{f.empty_nodes:,}",
    "labels": lambda f: f"{len(f.labels):,}",
    "labels not in train": lambda f: ", ".join(by_frequency(f.unseen_labels)) or "0",
    "UPOS tags": lambda f: f"{len(f.upos):,}",
    "XPOS tags": lambda f: f"{len(f.xpos):,}",
    "non-projective trees": lambda f: _share(f.nonprojective_trees, f.sentences),
    "non-projective arcs": lambda f: _share(f.nonprojective_arcs, f.words),
    "trees with several roots": lambda f: f"{f.multiple_roots:,}",
    "trees with cycles": lambda f: f"{f.cycles:,}",
    "words without head": lambda f: _share(f.unknown_heads, f.words),
    "partially annotated sentences": lambda f: f"{f.partial_sentences:,}",
    "words without label": lambda f: _share(f.unlabelled_words, f.words),
    "text differs from words": _text,
    "sentences also in earlier files": lambda f: _share(f.seen_sentences, f.sentences),
    "unusable for training": _skipped,
    "errors": lambda f: f"{len(f.errors):,}",
    "warnings": lambda f: f"{len(f.warnings):,}",
}


def _summary(report: TreebankReport) -> Grid:
    grid = Grid(report.path, ["", *report.files])
    files = report.files.values()
    for title, cell in _ROWS.items():
        grid.add(title, *(cell(file) for file in files))
    for name in next(iter(files)).words_found:
        found = (f"{percent(file.words_found[name].words)} %" for file in files)
        grid.add(f"words found by {name} (F1)", *found)
    return grid


def _label_table(report: TreebankReport) -> Grid:
    total = sum((file.labels for file in report.files.values()), Counter[str]())
    shown = list(by_frequency(total))[:_SHOWN_LABELS]
    title = "Labels" if len(shown) == len(total) else f"Labels, {len(shown)} commonest"
    grid = Grid(title, ["label", *report.files])
    for label in shown:
        grid.add(label, *(f"{file.labels[label]:,}" for file in report.files.values()))
    return grid
