"""``evaluate``: the scores of a pipeline, or of a file, on a treebank file."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from spacy.language import Language

from ..errors import PipelineError
from ..evaluation import EvaluationResult, evaluate, evaluate_files, evaluate_text
from ..evaluation.attachment import DEFAULT_EXCLUSION, SCORED_WORDS, scored_words
from ..parser.beam_scores import BeamScores, evaluate_beam
from ..parser.lookup import find_parser
from ..treebank.corpora import corpus_name, is_corpus
from .common import (
    CommandError,
    load_pipeline,
    one_line_errors,
    progress_bar,
    use_file_tags,
)
from .error_tables import AskedErrors
from .evaluate_tables import (
    beam_table,
    of_tags,
    relation_table,
    score_table,
    text_table,
)
from .options import (
    SYSTEM,
    BatchSize,
    FileTags,
    Jobs,
    JsonFlag,
    JsonOutput,
    TreebankFile,
)
from .results import ResultOptions

SystemName = Annotated[str, typer.Argument(metavar="MODEL", help=SYSTEM)]
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
FromText = Annotated[
    bool,
    typer.Option(
        "--from-text",
        help="Let the pipeline find words, sentences and tags in the raw text, and "
        "score as the CoNLL 2018 shared task does.",
    ),
]


class Group(str, Enum):
    """What errors are grouped by."""

    label = "label"
    distance = "distance"
    length = "length"
    pos = "pos"


By = Annotated[
    list[Group] | None,
    typer.Option(
        help="Show scores by label, by distance between word and head, by length of "
        "the sentence, or by UPOS. The option may be repeated."
    ),
]
ShowConfusion = Annotated[
    bool, typer.Option("--confusion", help="Show the labels taken for one another.")
]
Worst = Annotated[
    int, typer.Option(min=0, help="Show this many sentences with most errors.")
]


@one_line_errors
def evaluate_command(
    model: SystemName,
    treebank: TreebankFile,
    exclude: Exclude = None,
    per_relation: PerRelation = False,
    by: By = None,
    confusion: ShowConfusion = False,
    worst: Worst = 0,
    output: JsonOutput = None,
    as_json: JsonFlag = False,
    gold_tags: FileTags = True,
    from_text: FromText = False,
    batch_size: BatchSize = 256,
    jobs: Jobs = 1,
) -> None:
    """Score a pipeline, or a file with parses, on a treebank.

    Words and sentences that a pipeline gets are those of the file, one Doc for each
    sentence, unless you ask for --from-text. A file with parses may have other words
    and sentences than the treebank; it is scored as the CoNLL 2018 shared task does.
    Scores are per cent in the tables and fractions of 1 in JSON.

    A parser with a beam is run a second time to score the trees in its beam: the best
    of them, the loss because the beam has no better one (generation loss), and the loss
    because the parser chose another one (selection loss).
    """
    asked = AskedErrors([group.value for group in by or []], confusion, worst)
    target = ResultOptions(output, as_json)
    is_file = is_corpus(model)
    if (is_file or from_text) and (exclude or per_relation):
        raise CommandError(
            "--exclude and --per-relation need the words of the treebank: they go "
            "with neither --from-text nor a file with parses"
        )
    if is_file and from_text:
        raise CommandError(
            f"--from-text needs a pipeline, and {model} is a file with parses"
        )
    if is_file:
        _evaluate_file(model, treebank, asked, target)
    elif from_text:
        _evaluate_text(model, treebank, asked, target, batch_size, jobs)
    else:
        names = _checked_names(exclude)
        tags = use_file_tags(treebank, gold_tags)
        _evaluate_words(
            model, treebank, asked, target, names, tags, batch_size, jobs, per_relation
        )


def _evaluate_words(
    model: str,
    treebank: Path,
    asked: AskedErrors,
    target: ResultOptions,
    names: list[str],
    tags: bool,
    batch_size: int,
    jobs: int,
    per_relation: bool,
) -> None:
    """Evaluate a pipeline on the words and sentences of the treebank."""
    nlp = load_pipeline(model)
    with progress_bar("sentences evaluated") as advance:
        result = evaluate(
            nlp,
            treebank,
            gold_tags=tags,
            scored=names,
            errors=asked.any,
            batch_size=batch_size,
            n_jobs=jobs,
            on_progress=advance,
        )
    beam = _beam_scores(nlp, treebank, tags, names, batch_size, jobs)
    if target.tables:
        _show(result, beam, treebank.name, per_relation)
        asked.show(result.errors)
    values = {"model": model, **result.as_dict(), **asked.values(result.errors)}
    if beam is not None:
        values["beam"] = beam.as_dict()
    target.write(values)


def _checked_names(exclude: list[str] | None) -> list[str]:
    names = list(dict.fromkeys(["all", *(exclude or [DEFAULT_EXCLUSION])]))
    try:
        for name in names:
            scored_words(name)
    except ValueError as error:
        raise CommandError(f"--exclude: {error}") from error
    return names


def _beam_scores(
    nlp: Language,
    treebank: Path,
    tags: bool,
    names: list[str],
    batch_size: int,
    jobs: int,
) -> BeamScores | None:
    """The scores of the beam; None for a pipeline whose parser has none."""
    try:
        parser = find_parser(nlp)
    except PipelineError:
        return None
    if parser.parser.search.beam_size == 0:
        return None
    with progress_bar("beams evaluated") as advance:
        return evaluate_beam(
            nlp,
            treebank,
            gold_tags=tags,
            scored=names,
            batch_size=batch_size,
            n_jobs=jobs,
            on_progress=advance,
        )


def _show(
    result: EvaluationResult, beam: BeamScores | None, title: str, per_relation: bool
) -> None:
    scores = list(result.scores.values())
    _print(score_table(scores, title))
    if result.conll2018:
        _print(text_table(of_tags(result.conll2018), "With tags of the pipeline"))
    if beam is not None:
        _print(beam_table(beam))
    if per_relation:
        _print(relation_table(scores[0]))
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
    model: str,
    treebank: Path,
    asked: AskedErrors,
    target: ResultOptions,
    batch_size: int,
    jobs: int,
) -> None:
    nlp = load_pipeline(model)
    with progress_bar("paragraphs evaluated") as advance:
        result = evaluate_text(
            nlp,
            treebank,
            errors=asked.any,
            batch_size=batch_size,
            n_jobs=jobs,
            on_progress=advance,
        )
    if target.tables:
        _print(text_table(result.scores, f"{treebank.name}, from raw text"))
        typer.echo(
            f"{result.n_words:,} words found, {result.words_per_second:,.0f} words/s, "
            "tags: pipeline"
        )
        asked.show(result.errors)
    target.write({"model": model, **result.as_dict(), **asked.values(result.errors)})


def _evaluate_file(
    predicted: str, treebank: Path, asked: AskedErrors, target: ResultOptions
) -> None:
    if predicted == str(treebank):
        raise CommandError(f"{predicted}: is compared with itself; name two files")
    result = evaluate_files(treebank, predicted, errors=asked.any)
    if target.tables:
        title = f"{corpus_name(predicted)} on {corpus_name(treebank)}"
        _print(text_table(result.scores, title))
        typer.echo(f"{result.n_words:,} words in {corpus_name(predicted)}")
        asked.show(result.errors)
    target.write({**result.as_dict(), **asked.values(result.errors)})


def _print(table: Table) -> None:
    # Labels and paths are data, not markup.
    Console(markup=False, emoji=False, highlight=False).print(table)
