"""Checks that a parse depends only on the text, its tags and preset boundaries.

Run it as `python -m benchmarks.invariance` or `python benchmarks/invariance.py`, with
`--help` for the options. README.md beside this file explains the table.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import spacy
import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from spacy.language import Language

if not __package__:
    # As a script, this file needs the directory above it on the path.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.data import read_texts
from benchmarks.memory import ROOT
from benchmarks.pipelines import blank, load, the_parser, train_spacy, trained
from benchmarks.properties import PROPERTIES, Count, Subject, documents
from benchmarks.report import conditions, describe, show
from spacy_dynoracle.cli.common import CommandError, one_line_errors
from spacy_dynoracle.util.files import replace_file

SAMPLE = ROOT / "treebanks" / "English-Harbour"
SENTENCES = ("predict", "preset", "doc")
SPACY = "spaCy's parser"
Results = dict[str, dict[str, Count]]

app = typer.Typer(add_completion=False, rich_markup_mode=None)


def reloaded(nlp: Language, **settings: Any) -> Language:
    """Save and load a pipeline, with other settings of its first component.

    Pickling does not work, because spaCy's parser cannot be pickled right after
    training.
    """
    with tempfile.TemporaryDirectory() as directory:
        nlp.to_disk(directory)
        changes = {"components": {nlp.pipe_names[0]: settings}}
        return spacy.load(directory, config=changes)


def variants(nlp: Language) -> dict[str, Language]:
    """The same parser with every value of `sentences`."""
    return {
        f'sentences = "{sentences}"': reloaded(nlp, sentences=sentences)
        for sentences in SENTENCES
    }


def only_parser(path: Path) -> Language:
    """Load spaCy's parser and its embedding component from a saved pipeline.

    Raises:
        CommandError: If the pipeline cannot be loaded.
    """
    try:
        nlp = spacy.load(path)
    except (OSError, ValueError, KeyError) as error:
        raise CommandError(
            f"--spacy-model {path}: cannot be loaded: {error}"
        ) from error
    if "parser" not in nlp.pipe_names:
        raise CommandError(
            f"--spacy-model {path}: no component 'parser'; there are "
            f"{', '.join(nlp.pipe_names) or 'none'}"
        )
    for name in nlp.pipe_names:
        if name not in ("tok2vec", "transformer", "parser"):
            nlp.remove_pipe(name)
    return nlp


def table_of(results: Results) -> Table:
    """A table with a row for each property and a column for each checked pipeline."""
    table = Table(
        title="Documents whose parse changed, of those tried (tokens that changed)",
        title_justify="left",
    )
    table.add_column("property")
    for name in results:
        table.add_column(name, justify="right")
    for name in PROPERTIES:
        table.add_row(name, *(cell(counts[name]) for counts in results.values()))
    table.add_section()
    table.add_row("all", *(cell(total(c.values())) for c in results.values()))
    return table


def total(counts: Iterable[Count]) -> Count:
    """The sum of counts."""
    found = Count()
    for count in counts:
        found.tried += count.tried
        found.failed += count.failed
        found.tokens += count.tokens
        found.changed += count.changed
    return found


def cell(count: Count) -> str:
    """The text of one cell of the table."""
    if count.error is not None:
        return f"ended by {count.error.partition(':')[0]}"
    if not count.tried:
        return "-"
    changed = f" ({count.changed:,})" if count.changed else ""
    return f"{count.failed:,} of {count.tried:,}{changed}"


@app.command()
@one_line_errors
def main(
    treebank: Annotated[
        Path, typer.Option(help="Directory with train, dev and test.conllu.")
    ] = SAMPLE,
    model: Annotated[
        Path | None,
        typer.Option(help="Trained pipeline; without it, one is trained here."),
    ] = None,
    epochs: Annotated[
        int, typer.Option(min=1, help="Epochs of training without --model.")
    ] = 5,
    docs: Annotated[int, typer.Option(min=1, help="Documents, at most.")] = 300,
    lang: Annotated[str, typer.Option(help="Language, without --model.")] = "en",
    seed: Annotated[int, typer.Option(help="Seeds training, presets, blanks.")] = 0,
    spacy_model: Annotated[
        Path | None, typer.Option(help="Pipeline with spaCy's parser, to compare.")
    ] = None,
    spacy_steps: Annotated[
        int, typer.Option(min=1, help="Training steps of one, without --spacy-model.")
    ] = 300,
    skip_spacy: Annotated[
        bool, typer.Option("--skip-spacy", help="Leave out spaCy's own parser.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option(help="File for the results as JSON.")
    ] = None,
) -> None:
    """Check what may not change a parse, on documents of the test set.

    The status is 1 if anything changed a parse of dynoracle_parser.
    """
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        raise CommandError(f"--output {output}: not a file in an existing directory")
    texts, others = (read_texts(treebank, seed, [s]) for s in ("test", "dev"))
    with Progress(console=Console(stderr=True), transient=True) as bar:
        if model is None:
            bar.add_task("Training", total=None)
            nlp = trained(treebank, blank(lang).lang, epochs, seed)
        else:
            nlp = load(model)
        subjects = variants(nlp)
        if spacy_model is not None:
            subjects[SPACY] = only_parser(spacy_model)
        elif not skip_spacy:
            task = bar.add_task("Training spaCy's parser", total=spacy_steps)
            spacy_nlp = train_spacy(
                treebank,
                nlp.lang,
                blank(nlp.lang).vocab,
                spacy_steps,
                seed,
                lambda: bar.advance(task),
            )
            subjects[SPACY] = reloaded(spacy_nlp)
        results: Results = {name: {} for name in subjects}
        task = bar.add_task("Checking", total=len(subjects) * len(PROPERTIES))
        for name, pipeline in subjects.items():
            preset = '"preset"' in name
            found, before = (documents(some, docs, preset) for some in (texts, others))
            subject = Subject(pipeline, found, before, seed)
            for what, check in PROPERTIES.items():
                results[name][what] = Count.of(check(subject))
                bar.advance(task)
    n_words = sum(len(document.text.words) for document in found)
    settings = conditions() | {
        "treebank": f"{treebank.resolve().name}, test set, gold tags",
        "documents": f"{len(found)} of one to eight sentences, {n_words:,} words",
        "parser": describe(the_parser(nlp)),
        "its training": f"here, {epochs} epochs" if model is None else f"{model}",
        SPACY: "left out"
        if SPACY not in results
        else f"trained only briefly, {spacy_steps} batches of 1000 words"
        if spacy_model is None
        else f"{spacy_model}",
    }
    console = Console()
    if not console.is_terminal:
        console = Console(width=150)
    show(console, settings, [])
    console.print(table_of(results))
    errors = errors_of(results)
    for message in errors.values():
        console.print(message, markup=False)
    if output is not None:
        counts = {
            name: {what: asdict(count) for what, count in of_name.items()}
            for name, of_name in results.items()
        }
        data = {"settings": settings, "results": counts}
        replace_file(output, (json.dumps(data, indent=2) + "\n").encode("utf8"))
    failed = [name for name in results if total(results[name].values()).failed]
    if {*failed, *(name for name, _ in errors)} - {SPACY}:
        raise typer.Exit(1)


def errors_of(results: Results) -> dict[tuple[str, str], str]:
    """The errors that ended attempts, by checked pipeline and property."""
    return {
        (name, what): f"{name}, {what}: {count.error}"
        for name, counts in results.items()
        for what, count in counts.items()
        if count.error is not None
    }


if __name__ == "__main__":
    app()
