"""``evaluate``: the scores of a pipeline, or of a file, on a treebank file."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language

from ..errors import value_errors_as
from ..evaluation import (
    EvaluationResult,
    TextEvaluationResult,
    compare,
    evaluate,
    evaluate_files,
    evaluate_text,
)
from ..evaluation.systems import System
from ..reports.tables import show
from ..treebank.corpora import corpus_name, is_corpus
from ..treebank.pipelines import file_has_tags
from ..util.texts import counted
from .common import Code, CommandError, load_pipeline, one_line_errors, progress_bar
from .error_tables import AskedErrors
from .evaluate_tables import comparison_table, of_tags, score_table, text_table
from .file_tags import use_file_tags
from .options import (
    From,
    Jobs,
    ResultFile,
    ResultForm,
    ResultOptions,
    Start,
    SystemName,
    TreebankFile,
)


class Group(str, Enum):
    """A property by which errors are grouped."""

    label = "label"
    distance = "distance"
    length = "length"
    pos = "pos"
    confusion = "confusion"


Against = Annotated[
    str | None,
    typer.Option(
        metavar="OTHER",
        help="Test whether MODEL differs from another pipeline or file with parses: "
        "UAS and LAS of both, and the p-value of their difference by a paired "
        "permutation test over sentences.",
    ),
]
By = Annotated[
    list[Group] | None,
    typer.Option(
        help="Show scores by label, by distance between word and head, by length of "
        "the sentence, or by UPOS, or the labels taken for one another. The option may "
        "be repeated."
    ),
]
Worst = Annotated[
    int, typer.Option(min=0, help="Show this many sentences with most errors.")
]


@one_line_errors
def evaluate_command(
    model: SystemName,
    treebank: TreebankFile,
    against: Against = None,
    start: From = "tags",
    by: By = None,
    worst: Worst = 0,
    jobs: Jobs = 1,
    form: ResultForm = "text",
    code: Code = None,
    output: ResultFile = None,
) -> None:
    """Score a pipeline, or a file with parses, on a treebank.

    Words and sentences that a pipeline gets are those of the file, one Doc for each
    sentence, unless you ask for --from text. A file with parses may have other words
    and sentences than the treebank; it is scored as the CoNLL 2018 shared task does.
    Scores are per cent in the tables and fractions of 1 in JSON. Any spaCy pipeline
    that sets heads will do, such as en_core_web_sm.
    """
    asked = AskedErrors([group.value for group in by or []], worst)
    target = ResultOptions(output, form, model, treebank, *filter(None, [against]))
    is_file = is_corpus(model)
    if against is not None:
        if asked.any:
            raise CommandError("--against goes with neither --by nor --worst")
        _compare(against, model, treebank, start, jobs, target)
        return
    result: EvaluationResult | TextEvaluationResult
    if is_file:
        if start == "text":
            raise CommandError(
                f"--from text needs a pipeline, and {model} is a file with parses"
            )
        if _is_one(model, str(treebank)):
            raise CommandError(f"{model}: is compared with itself; name two files")
        result = evaluate_files(treebank, model, errors=asked.any)
    else:
        result = _evaluated(model, treebank, start, asked.any, jobs)
    if target.tables:
        if isinstance(result, EvaluationResult):
            _show(result, treebank.name)
        else:
            _show_text(result, treebank)
        asked.show(result.errors)
    system = {} if is_file else {"model": model}
    target.write({**system, **result.as_dict(), **asked.values(result.errors)})


# ---- one system ----------------------------------------------------------------------


def _evaluated(
    model: str, treebank: Path, start: Start, errors: bool, jobs: int
) -> EvaluationResult | TextEvaluationResult:
    """Evaluate a pipeline on the words of the treebank, or on its raw text."""
    nlp = load_pipeline(model)
    if start == "text":
        with progress_bar("paragraphs evaluated") as advance:
            return evaluate_text(
                nlp, treebank, errors=errors, n_jobs=jobs, on_progress=advance
            )
    tags = use_file_tags(nlp, treebank, start == "tags")
    with progress_bar("sentences evaluated") as advance:
        return evaluate(
            nlp, treebank, gold_tags=tags, errors=errors, n_jobs=jobs,
            on_progress=advance,
        )  # fmt: skip


def _show(result: EvaluationResult, title: str) -> None:
    scores = list(result.scores.values())
    grids = [score_table(scores, title)]
    if result.conll2018:
        grids.append(text_table(of_tags(result.conll2018), "With tags of the pipeline"))
    grids[-1].notes.append(result.sample.note())
    show(grids)
    typer.echo(
        f"{counted(scores[0].sentences, 'sentence')}, "
        f"{counted(result.n_words, 'word')}, {result.words_per_second:,.0f} words/s, "
        f"tags: {'file' if result.gold_tags else 'pipeline'}"
    )
    if not scores[0].labelled_words:
        column = "DEPREL" if scores[0].words else "HEAD"
        typer.echo(f"Note: no word of this file has a {column} to be found", err=True)
    for score in scores[1:]:
        if score.words == scores[0].words:
            typer.echo(
                f"Note: {score.scored!r} excludes no word of this file; evaluate() "
                "in Python takes other definitions of scored words",
                err=True,
            )


def _show_text(result: TextEvaluationResult, treebank: Path) -> None:
    if result.predicted is None:
        title = f"{treebank.name}, from raw text"
        speed = f"{result.words_per_second:,.0f} words/s, tags: pipeline"
        found = f"found, {speed}"
    else:
        name = corpus_name(result.predicted)
        title, found = f"{name} on {corpus_name(treebank)}", f"in {name}"
    grids = [text_table(result.scores, title)]
    grids[-1].notes.append(result.sample.note())
    show(grids)
    typer.echo(f"{counted(result.n_words, 'word')} {found}")


# ---- two systems ---------------------------------------------------------------------


def _is_one(a: str, b: str) -> bool:
    """Whether two names are those of one file or pipeline."""
    return a == b or (Path(a).exists() and Path(b).exists() and Path(a).samefile(b))


def _compare(
    a: str, b: str, treebank: Path, start: Start, jobs: int, target: ResultOptions
) -> None:
    """Test whether two systems differ."""
    if _is_one(a, b):
        raise CommandError(f"{a}: is compared with itself; name another one")
    first, second = _system(a), _system(b)
    tags = start == "tags"
    with value_errors_as(CommandError), progress_bar("sentences parsed") as advance:
        result = compare(
            first,
            second,
            treebank,
            from_text=start == "text",
            gold_tags=tags,
            n_jobs=jobs,
            on_progress=advance,
        )
    if target.tables:
        given = "parses of files"
        if any(isinstance(system, Language) for system in (first, second)):
            given = _given(start, tags and file_has_tags(treebank))
        show([comparison_table(result, a, b, given)])
    target.write({**result.as_dict(), "a": a, "b": b})


def _system(name: str) -> System:
    return Path(name) if is_corpus(name) else load_pipeline(name)


def _given(start: Start, file_tags: bool) -> str:
    """The input of pipelines."""
    if start == "text":
        return "pipelines start from raw text"
    tags = "of the file" if file_tags else "of the pipeline"
    return f"pipelines start from words and sentences of the file, tags {tags}"
