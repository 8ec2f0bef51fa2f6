"""``rank``: train a reranker, which chooses among the trees in the beam of a parser."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from .. import rerank
from .common import (
    CommandError,
    check_new_directory,
    load_pipeline,
    one_line_errors,
    progress_bar,
    store_in_new,
)
from .options import CORPUS, FileTags, Force, JsonFlag, PipelineName
from .results import ResultOptions


class Groups(str, Enum):
    """Which candidates of a sentence must score above which others."""

    fine = "fine"
    coarse = "coarse"


Train = Annotated[
    Path,
    typer.Argument(metavar="TRAIN", help=f"The training data of MODEL. {CORPUS}."),
]
Dev = Annotated[
    Path,
    typer.Argument(
        metavar="DEV",
        help="Development data, which MODEL was not trained on: a file of these kinds.",
    ),
]
Output = Annotated[
    Path,
    typer.Option("--output", "-o", help="New directory for the trained pipeline."),
]
Folds = Annotated[
    int,
    typer.Option(
        min=2,
        help="Number of folds of the training data. Each fold is parsed by a parser "
        "trained on the others.",
    ),
]
Jobs = Annotated[int, typer.Option(min=1, help="Number of parsers trained at a time.")]
Work = Annotated[
    Path | None,
    typer.Option(
        help="Directory for the candidates of each fold. Candidates that are there "
        "already are not made again. Default: OUTPUT with '-candidates'."
    ),
]
GroupsOption = Annotated[
    Groups,
    typer.Option(
        help="fine: rank the candidates of every loss above all worse ones. coarse: "
        "rank only the best candidates above the others."
    ),
]
Features = Annotated[
    str,
    typer.Option(
        help="Features of whole trees. liu2015: the 219 templates of the paper, of "
        "forms and tags. global: also coordination, brackets, right branch, numbers of "
        "dependents. lemmas: also lemmas and coarse tags. rich: also morphology. Or a "
        "file with a template or the name of a set on each line."
    ),
]
Rounds = Annotated[
    int,
    typer.Option(
        min=1,
        help="Rounds of training on the candidates. The best round on DEV is taken.",
    ),
]
Epochs = Annotated[
    int | None,
    typer.Option(
        min=1, help="Epochs of each parser. Default: as many as MODEL was trained for."
    ),
]
Labelled = Annotated[
    bool, typer.Option("--labelled", help="Count a wrong label as a loss as well.")
]
Punctuation = Annotated[bool, typer.Option(help="Count the heads of punctuation.")]
Mixture = Annotated[
    bool,
    typer.Option(
        help="Mix the scores of search and reranker, or let the reranker decide alone."
    ),
]
Seed = Annotated[
    int, typer.Option(help="Seeds the order in which candidates are compared.")
]


@one_line_errors
def rank_command(
    model: PipelineName,
    train: Train,
    dev: Dev,
    output: Output,
    force: Force = False,
    folds: Folds = 20,
    jobs: Jobs = 1,
    work: Work = None,
    groups: GroupsOption = Groups.fine,
    features: Features = "liu2015",
    rounds: Rounds = 10,
    epochs: Epochs = None,
    labelled: Labelled = False,
    punctuation: Punctuation = True,
    mixture: Mixture = True,
    gold_tags: FileTags = True,
    seed: Seed = 0,
    as_json: JsonFlag = False,
) -> None:
    """Train a reranker for a parser with a beam.

    The parser of MODEL was trained with BeamSearch. The training data are cut into
    folds. The candidates of each fold come from the beam of a parser trained on the
    others. From them the reranker learns which of several trees is best. Its share in
    the final score is chosen on DEV. An interrupted run goes on with the folds that are
    missing.
    """
    check_new_directory(output, force)
    directory = work or output.with_name(f"{output.name}-candidates")
    nlp = load_pipeline(model)
    try:
        settings = rerank.RerankSettings(
            features, groups.value, rounds, folds, epochs, labelled, punctuation,
            mixture, seed,
        )  # fmt: skip
        result = rerank.train(
            nlp, train, dev, settings, directory=directory, n_jobs=jobs,
            gold_tags=gold_tags, progress=progress_bar,
        )  # fmt: skip
    except ValueError as error:
        raise CommandError(" ".join(str(error).split())) from error
    target = ResultOptions(None, as_json)
    if target.tables:
        Console(markup=False, emoji=False, highlight=False).print(_table(result))
    store_in_new(nlp, output)
    target.write(result.as_dict())
    typer.echo(f"Stored in {output}", err=True)


def _table(result: rerank.RerankResult) -> Table:
    """Scores on the development data after each round, in per cent."""

    examples = result.examples

    def score(loss: int) -> str:
        return f"{100 - 100 * loss / max(examples.n_words, 1):.2f}"

    right = "right heads" + " and labels" * result.settings.labelled
    table = Table(
        title=f"Development data, {examples.n_words:,} words: {right} in per cent"
    )
    for column in ("", "Reranker", "Mixture", "Share of the search", "Updates"):
        table.add_column(column, justify="right" if column else "left")
    table.add_row("search alone", score(examples.first_loss))
    table.add_row("best candidates", score(examples.least_loss))
    for each in result.rounds:
        table.add_row(
            f"round {each.number}" + " (taken)" * (each is result.best),
            score(each.loss),
            score(each.mixture_loss),
            f"{each.ranker.alpha:.3f}",
            f"{each.n_updates:,} of {each.n_pairs:,}",
        )
    return table
