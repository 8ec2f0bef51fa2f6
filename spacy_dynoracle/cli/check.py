"""``check``: the contents of a treebank, and its errors."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import spacy
import typer
from rich.console import Console
from rich.table import Table
from spacy.language import Language

from ..evaluation import words_found
from ..tokenizer.tokenizer import make_word_tokenizer
from ..treebank import FileReport, TreebankReport, WordsFound, check
from ..treebank.checking import by_frequency
from ..treebank.files import find_split
from .common import CommandError, load_pipeline, one_line_errors
from .options import CORPUS, JsonFlag, JsonOutput
from .results import ResultOptions

_SHOWN_LABELS = 10
_SHOWN_MULTIWORD = 5


@one_line_errors
def check_command(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help=f"{CORPUS}; or the directory of a treebank with its train, dev and "
            "test files.",
        ),
    ],
    lang: Annotated[
        str | None,
        typer.Option(
            help="Tell which share of the words spaCy's tokenizer of this language "
            "finds in the raw text. For a directory also with WordTokenizer, which "
            "learns from the train file.",
            show_default=False,
        ),
    ] = None,
    pipeline: Annotated[
        str | None,
        typer.Option(
            help="Tell which share of the words the tokenizer of this trained "
            "pipeline finds.",
            show_default=False,
        ),
    ] = None,
    output: JsonOutput = None,
    as_json: JsonFlag = False,
    labels: Annotated[
        bool,
        typer.Option(
            "--labels", help="Show all labels, not only the ten most frequent."
        ),
    ] = False,
    max_warnings: Annotated[
        int, typer.Option(min=0, help="How many warnings to show; 0 shows all.")
    ] = 10,
) -> None:
    """Check a treebank before training.

    An error makes a sentence unusable. Each error is one line, and the exit status is
    1. Warnings do no harm.
    """
    target = ResultOptions(output, as_json)
    report = check(path, tokenizers=_tokenizers(path, lang, pipeline))
    if target.tables:
        _show(report, labels, max_warnings)
    target.write(report.as_dict())
    if report.errors:
        raise typer.Exit(1)


def _show(report: TreebankReport, labels: bool, max_warnings: int) -> None:
    """Print tables, errors and warnings. labels: whether to show all labels."""
    # Labels and paths are data, not markup.
    console = Console(markup=False, emoji=False, highlight=False)
    console.print(_summary(report))
    console.print(_label_table(report, None if labels else _SHOWN_LABELS))
    for line in _multiword(report):
        typer.echo(line)
    for line in report.advice:
        typer.echo(f"note: {line}")
    for error in report.errors:
        typer.echo(f"error: {error}")
    shown = report.warnings[: max_warnings or None]
    for warning in shown:
        typer.echo(f"warning: {warning}")
    hidden = len(report.warnings) - len(shown)
    if hidden:
        typer.echo(f"... and {hidden:,} more warnings (--max-warnings 0 shows all)")
    typer.echo(f"{len(report.errors):,} errors, {len(report.warnings):,} warnings")


def _tokenizers(
    path: Path, lang: str | None, pipeline: str | None
) -> dict[str, Callable[[Path], WordsFound]]:
    """The tokenizers to measure, by their names in the table.

    Raises CommandError for a language without tokenizer.
    """
    found = {}
    if lang is not None:
        found[lang] = words_found(_blank(lang))
        train = find_split(path, "train") if path.is_dir() else None
        if train is not None:
            nlp = _blank(lang)
            nlp.tokenizer = make_word_tokenizer()(nlp)
            nlp.tokenizer.initialize(lambda: [], nlp=nlp, path=train)
            found["WordTokenizer"] = words_found(nlp)
    if pipeline is not None:
        found[pipeline] = words_found(load_pipeline(pipeline))
    return found


def _blank(lang: str) -> Language:
    try:
        return spacy.blank(lang)
    except (ImportError, OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise CommandError(
            f"no tokenizer for the language {lang!r}: {reason}"
        ) from error


def _multiword(report: TreebankReport) -> list[str]:
    """A line about the commonest multiword tokens."""
    total: Counter[str] = Counter()
    for file in report.files.values():
        total.update(file.multiword)
    if not total:
        return []
    shown = [f"{token} ({n:,})" for token, n in by_frequency(total).items()]
    dots = ", ..." if len(shown) > _SHOWN_MULTIWORD else ""
    return [f"multiword tokens: {', '.join(shown[:_SHOWN_MULTIWORD])}{dots}"]


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({100 * part / whole:.2f} %)" if part and whole else f"{part:,}"


def _restored(file: FileReport) -> str:
    if file.roundtrip_lost is None or not file.words:
        return "-"
    return f"{100 * (1 - file.roundtrip_lost / file.words):.2f} %"


def _skipped(file: FileReport) -> str:
    reasons = by_frequency(file.skipped).items()
    return "; ".join(f"{n:,} {reason}" for reason, n in reasons) or "0"


def _text(file: FileReport) -> str:
    if not file.text_compared:
        return "-"
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
    "arcs kept by projectivising": _restored,
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


def _summary(report: TreebankReport) -> Table:
    table = Table(title=report.path)
    table.add_column("")
    for name in report.files:
        table.add_column(name, justify="right")
    files = report.files.values()
    for title, cell in _ROWS.items():
        table.add_row(title, *(cell(file) for file in files))
    for name in next(iter(files)).words_found:
        found = (f"{100 * file.words_found[name].words:.2f} %" for file in files)
        table.add_row(f"words found by {name} (F1)", *found)
    return table


def _label_table(report: TreebankReport, limit: int | None) -> Table:
    total: Counter[str] = Counter()
    for file in report.files.values():
        total.update(file.labels)
    shown = list(by_frequency(total))[:limit]
    title = "Labels" if len(shown) == len(total) else f"Labels, {len(shown)} commonest"
    table = Table(title=title)
    table.add_column("label")
    for name in report.files:
        table.add_column(name, justify="right")
    for label in shown:
        counts = (file.labels[label] for file in report.files.values())
        table.add_row(label, *(f"{n:,}" for n in counts))
    return table
