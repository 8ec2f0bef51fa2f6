"""``evaluate``: all attachment scores of a pipeline on a treebank file."""

import time
from pathlib import Path
from typing import Annotated, Any

import srsly
import typer
from rich.console import Console
from rich.table import Table
from spacy.language import Language

from ..evaluation.attachment import DEFAULT_EXCLUSION, SCORED_WORDS, Evaluation, Scores
from ..treebank.docs import heads_and_labels, read_conllu, to_doc
from .common import (
    CHUNK,
    CommandError,
    batched,
    check_parsed,
    load_pipeline,
    one_line_errors,
    output_stream,
    progress_bar,
    tag_writers,
    use_file_tags,
)
from .evaluate_beam import evaluate_beam
from .evaluate_text import evaluate_text, print_text_scores
from .options import BatchSize, FileTags, PipelineName, TreebankFile

_MEASURES = {
    "uas": "UAS",
    "las": "LAS",
    "las_base": "LAS, labels up to ':'",
    "label_accuracy": "Label accuracy",
    "root_accuracy": "Root accuracy",
    "exact_unlabelled": "Exact match, unlabelled",
    "exact_labelled": "Exact match, labelled",
}


@one_line_errors
def evaluate_command(
    model: PipelineName,
    treebank: TreebankFile,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            help="Score without punctuation too, by this definition: "
            f"{', '.join(name for name in SCORED_WORDS if name != 'all')}. May be "
            f"repeated. Default: {DEFAULT_EXCLUSION}.",
        ),
    ] = None,
    per_relation: Annotated[
        bool, typer.Option("--per-relation", help="Show a table of the relations.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write all scores to this JSON file."),
    ] = None,
    gold_tags: FileTags = True,
    from_text: Annotated[
        bool,
        typer.Option(
            "--from-text",
            help="Let the pipeline find words, sentences and tags in the raw text, and "
            "score as the CoNLL 2018 shared task does.",
        ),
    ] = False,
    batch_size: BatchSize = 256,
) -> None:
    """Evaluate a trained pipeline on a treebank file.

    Words and sentences are those of the file, one Doc per sentence, unless you ask for
    --from-text. Scores are per cent in the tables and fractions of 1 in the JSON file.

    Of a parser with a beam, which is run a second time for that, it also says how good
    the best trees in the beam are, and what is lost because the beam has none better
    (generation loss) or because another was chosen (selection loss).
    """
    if from_text:
        if exclude or per_relation:
            raise CommandError(
                "--from-text goes with neither --exclude nor --per-relation"
            )
        _evaluate_text(model, treebank, output, batch_size)
        return
    names = list(dict.fromkeys(["all", *(exclude or [DEFAULT_EXCLUSION])]))
    try:
        evaluations = [Evaluation(name) for name in names]
    except ValueError as error:
        raise CommandError(f"--exclude: {error}") from error
    tags = use_file_tags(treebank, gold_tags)
    nlp = load_pipeline(model)
    with nlp.select_pipes(disable=tag_writers(nlp) if tags else []):
        words, seconds = _run(nlp, model, treebank, evaluations, tags, batch_size)
        beam = evaluate_beam(nlp, model, treebank, names, tags, batch_size)
    scores = [evaluation.scores() for evaluation in evaluations]
    speed = words / seconds if seconds else 0.0
    # Labels and paths are data, not markup.
    console = Console(markup=False, emoji=False, highlight=False)
    console.print(_score_table(scores, treebank))
    if beam is not None:
        console.print(beam.table())
    if per_relation:
        console.print(_relation_table(scores[0]))
    typer.echo(
        f"{scores[0].sentences:,} sentences, {words:,} words, {speed:,.0f} words/s, "
        f"tags: {'file' if tags else 'pipeline'}"
    )
    for score in scores[1:]:
        if score.words == scores[0].words:
            typer.echo(
                f"Note: {score.scored!r} excludes no word of this file; another "
                "definition may fit its tags and labels better",
                err=True,
            )
    if output is not None:
        metrics: dict[str, Any] = {
            "model": model,
            "treebank": str(treebank),
            "gold_tags": tags,
            "words_per_second": round(speed, 1),
            "scores": {score.scored: score.as_dict() for score in scores},
        }
        if beam is not None:
            metrics["beam"] = beam.as_dict()
        with output_stream(output) as stream:
            stream.write(srsly.json_dumps(metrics, indent=2) + "\n")


def _evaluate_text(
    model: str, treebank: Path, output: Path | None, batch_size: int
) -> None:
    nlp = load_pipeline(model)
    scores, words, seconds = evaluate_text(nlp, model, treebank, batch_size)
    print_text_scores(scores, treebank, words, seconds)
    if output is not None:
        metrics = {
            "model": model,
            "treebank": str(treebank),
            "from_text": True,
            "words_per_second": round(words / seconds, 1) if seconds else 0.0,
            "scores": {name: score.as_dict() for name, score in scores.items()},
        }
        with output_stream(output) as stream:
            stream.write(srsly.json_dumps(metrics, indent=2) + "\n")


def _run(
    nlp: Language,
    model: str,
    treebank: Path,
    evaluations: list[Evaluation],
    tags: bool,
    batch_size: int,
) -> tuple[int, float]:
    """Parse and score; the number of words and the seconds the pipeline took.

    The time leaves out loading, reading, building Docs and scoring.
    """
    words = 0
    seconds = 0.0
    with progress_bar("sentences evaluated") as advance:
        for sentences in batched(read_conllu(treebank), CHUNK):
            docs = [to_doc(s, nlp.vocab, tags=tags, tree=False) for s in sentences]
            start = time.perf_counter()
            parsed = list(nlp.pipe(docs, batch_size=batch_size))
            seconds += time.perf_counter() - start
            for sentence, doc in zip(sentences, parsed, strict=True):
                check_parsed(nlp, model, doc, sentence)
                words += len(doc)
                heads, labels = heads_and_labels(doc)
                for evaluation in evaluations:
                    evaluation.add(sentence.tokens, heads, labels)
            advance(len(sentences))
    return words, seconds


def _percent(value: float) -> str:
    return f"{100 * value:.2f}"


def _score_table(scores: list[Scores], treebank: Path) -> Table:
    table = Table(title=treebank.name)
    table.add_column("scored words")
    for score in scores:
        name = score.scored if score.scored == "all" else f"without {score.scored}"
        table.add_column(name, justify="right")
    table.add_row("Words", *(f"{score.words:,}" for score in scores))
    for attribute, title in _MEASURES.items():
        table.add_row(title, *(_percent(getattr(score, attribute)) for score in scores))
    return table


def _relation_table(score: Scores) -> Table:
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
