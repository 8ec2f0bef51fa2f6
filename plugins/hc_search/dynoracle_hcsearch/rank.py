"""``rank``: train a reranker, which chooses among the trees in the beam of a parser."""

import os
from pathlib import Path
from typing import Annotated

import typer

from spacy_dynoracle.cli.common import (
    CommandError,
    check_new_directory,
    load_pipeline,
    one_line_errors,
    progress_bar,
    store_in_new,
)
from spacy_dynoracle.cli.options import CORPUS, PipelineName, ResultForm, ResultOptions
from spacy_dynoracle.errors import value_errors_as
from spacy_dynoracle.reports.tables import Grid, percent, show

from . import training

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
Features = Annotated[
    str,
    typer.Option(
        help="Features of whole trees. liu2015: the 219 templates of the paper, of "
        "forms and tags. global: also coordination, brackets, right branch, numbers of "
        "dependents. lemmas: also lemmas and coarse tags. rich: also morphology. Or a "
        "file with a template or the name of a set on each line."
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
FileTags = Annotated[
    bool,
    typer.Option(
        help="Parse with the tags of the file, or with those of the pipeline."
    ),
]


@one_line_errors
def rank_command(
    model: PipelineName,
    train: Train,
    dev: Dev,
    output: Output,
    folds: Folds = 20,
    jobs: Jobs = 1,
    epochs: Epochs = None,
    features: Features = "liu2015",
    labelled: Labelled = False,
    gold_tags: FileTags = True,
    form: ResultForm = "text",
) -> None:
    """Train a reranker for a parser with a beam.

    The parser of MODEL was trained with BeamSearch. The training data are cut into
    folds. The candidates of each fold come from the beam of a parser trained on the
    others. From them the reranker learns which of several trees is best. Its share in
    the final score is chosen on DEV. The candidates are kept beside OUTPUT, and an
    interrupted run goes on with the folds that are missing. `dynoracle_hcsearch.train`
    has more settings.
    """
    if output.is_dir() and any(output.iterdir()):
        raise CommandError(f"{output} is there already; name a new directory")
    check_new_directory(output)
    # The path is made absolute first: "." has no name.
    directory = Path(f"{os.path.abspath(output)}-candidates")
    nlp = load_pipeline(model)
    with value_errors_as(CommandError):
        settings = training.RerankSettings(
            features=features, n_folds=folds, epochs=epochs, labelled=labelled
        )
        result = training.train(
            nlp, train, dev, settings, directory=directory, n_jobs=jobs,
            gold_tags=gold_tags, progress=progress_bar,
        )  # fmt: skip
    target = ResultOptions(None, form)
    if target.tables:
        show([_table(result)])
    store_in_new(nlp, output)
    target.write(result.as_dict())
    typer.echo(f"Stored in {output}", err=True)


def _table(result: training.RerankResult) -> Grid:
    """Scores on the development data after each round, in per cent."""
    examples = result.examples
    right = "right heads" + " and labels" * result.settings.labelled
    grid = Grid(
        f"Development data, {examples.n_words:,} words: {right} in per cent",
        ["", "Reranker", "Mixture", "Share of the search", "Updates"],
    )

    def score(loss: int) -> str:
        return percent(result.score(loss))

    grid.add("search alone", score(examples.first_loss))
    grid.add("best candidates", score(examples.least_loss))
    for each in result.rounds:
        grid.add(
            f"round {each.number}" + " (taken)" * (each is result.best),
            score(each.loss),
            score(each.mixture_loss),
            f"{each.ranker.alpha:.3f}",
            f"{each.n_updates:,} of {each.n_pairs:,}",
        )
    return grid
