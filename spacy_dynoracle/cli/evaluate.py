"""``evaluate``: the scores of a pipeline on a treebank file."""

from pathlib import Path
from typing import Annotated, Any

import srsly
import typer
from rich.console import Console
from spacy.language import Language

from ..core.search.beam_search import BeamSearch
from ..errors import PipelineError
from ..evaluation import EvaluationResult, evaluate, evaluate_text
from ..evaluation.attachment import DEFAULT_EXCLUSION, SCORED_WORDS, scored_words
from ..parser.beam_scores import BeamScores, evaluate_beam
from ..parser.lookup import find_parser
from .common import (
    CommandError,
    load_pipeline,
    one_line_errors,
    output_stream,
    progress_bar,
    use_file_tags,
)
from .evaluate_tables import beam_table, relation_table, score_table, text_table
from .options import BatchSize, FileTags, PipelineName, TreebankFile

Exclude = Annotated[
    list[str] | None,
    typer.Option(
        help="Score without punctuation too, by this definition: "
        f"{', '.join(name for name in SCORED_WORDS if name != 'all')}. The option "
        f"may be repeated. Default: {DEFAULT_EXCLUSION}.",
    ),
]
PerRelation = Annotated[
    bool,
    typer.Option("--per-relation", help="Show the scores of each relation too."),
]
OutputFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write all scores to this JSON file."),
]
FromText = Annotated[
    bool,
    typer.Option(
        "--from-text",
        help="Let the pipeline find words, sentences and tags in the raw text, and "
        "score as the CoNLL 2018 shared task does.",
    ),
]


@one_line_errors
def evaluate_command(
    model: PipelineName,
    treebank: TreebankFile,
    exclude: Exclude = None,
    per_relation: PerRelation = False,
    output: OutputFile = None,
    gold_tags: FileTags = True,
    from_text: FromText = False,
    batch_size: BatchSize = 256,
) -> None:
    """Evaluate a trained pipeline on a treebank file.

    Words and sentences are those of the file, one Doc for each sentence, unless you ask
    for --from-text. Scores are per cent in the tables and fractions of 1 in the JSON
    file.

    A parser with a beam is run a second time to score the trees in its beam: the best
    of them, the loss because the beam has no better one (generation loss), and the loss
    because the parser chose another one (selection loss).
    """
    if from_text:
        if exclude or per_relation:
            raise CommandError(
                "--from-text goes with neither --exclude nor --per-relation"
            )
        _evaluate_text(model, treebank, output, batch_size)
        return
    names = _checked_names(exclude)
    tags = use_file_tags(treebank, gold_tags)
    nlp = load_pipeline(model)
    with progress_bar("sentences evaluated") as advance:
        result = evaluate(
            nlp,
            treebank,
            gold_tags=tags,
            scored=names,
            batch_size=batch_size,
            on_progress=advance,
        )
    beam = _beam_scores(nlp, treebank, tags, names, batch_size)
    _show(result, beam, treebank.name, per_relation)
    _write(output, model, result.as_dict(), beam)


def _checked_names(exclude: list[str] | None) -> list[str]:
    names = list(dict.fromkeys(["all", *(exclude or [DEFAULT_EXCLUSION])]))
    try:
        for name in names:
            scored_words(name)
    except ValueError as error:
        raise CommandError(f"--exclude: {error}") from error
    return names


def _beam_scores(
    nlp: Language, treebank: Path, tags: bool, names: list[str], batch_size: int
) -> BeamScores | None:
    """The scores of the beam; None for a pipeline whose parser has none."""
    try:
        parser = find_parser(nlp)
    except PipelineError:
        return None
    if not isinstance(parser.parser.search, BeamSearch):
        return None
    with progress_bar("beams evaluated") as advance:
        return evaluate_beam(
            nlp,
            treebank,
            gold_tags=tags,
            scored=names,
            batch_size=batch_size,
            on_progress=advance,
        )


def _show(
    result: EvaluationResult, beam: BeamScores | None, title: str, per_relation: bool
) -> None:
    # Labels and paths are data, not markup.
    console = Console(markup=False, emoji=False, highlight=False)
    scores = list(result.scores.values())
    console.print(score_table(scores, title))
    if beam is not None:
        console.print(beam_table(beam))
    if per_relation:
        console.print(relation_table(scores[0]))
    typer.echo(
        f"{scores[0].sentences:,} sentences, {result.n_words:,} words, "
        f"{result.words_per_second:,.0f} words/s, "
        f"tags: {'file' if result.gold_tags else 'pipeline'}"
    )
    for score in scores[1:]:
        if score.words == scores[0].words:
            typer.echo(
                f"Note: {score.scored!r} excludes no word of this file; another "
                "definition may fit its tags and labels better",
                err=True,
            )


def _evaluate_text(
    model: str, treebank: Path, output: Path | None, batch_size: int
) -> None:
    nlp = load_pipeline(model)
    with progress_bar("paragraphs evaluated") as advance:
        result = evaluate_text(
            nlp, treebank, batch_size=batch_size, on_progress=advance
        )
    # Paths are data, not markup.
    console = Console(markup=False, emoji=False, highlight=False)
    console.print(text_table(result.scores, treebank.name))
    typer.echo(
        f"{result.n_words:,} words found, {result.words_per_second:,.0f} words/s, "
        "tags: pipeline"
    )
    _write(output, model, result.as_dict(), None)


def _write(
    output: Path | None, model: str, result: dict[str, Any], beam: BeamScores | None
) -> None:
    """Write all scores to a JSON file, if there is to be one."""
    if output is None:
        return
    values = {"model": model, **result}
    if beam is not None:
        values["beam"] = beam.as_dict()
    with output_stream(output) as stream:
        stream.write(srsly.json_dumps(values, indent=2) + "\n")
