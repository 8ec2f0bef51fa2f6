"""``clusters``: word clusters from word vectors or from text."""

from pathlib import Path
from typing import Annotated

import typer

from ..clusters import learn_clusters, write_clusters
from .common import CommandError, one_line_errors, progress_bar
from .options import JsonFlag
from .results import ResultOptions

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE",
        help="A pipeline with word vectors, or files of text: .conllu, .conll, .spacy, "
        ".txt, .txt.gz. Needs scikit-learn, and gensim for text.",
    ),
]
Output = Annotated[
    Path, typer.Option("--output", "-o", help="The file of clusters to write.")
]
Clusters = Annotated[int, typer.Option(min=2, help="Number of clusters.")]
MinCount = Annotated[
    int, typer.Option(min=1, help="Occurrences that a word of a text needs.")
]
MaxWords = Annotated[
    int, typer.Option(min=2, help="The most frequent words get clusters.")
]
Lang = Annotated[str, typer.Option(help="Language of the tokenizer for .txt files.")]
Seed = Annotated[int, typer.Option(help="Seeds the training.")]


@one_line_errors
def clusters_command(
    sources: Sources,
    output: Output,
    n_clusters: Clusters = 1000,
    min_count: MinCount = 3,
    max_words: MaxWords = 200_000,
    lang: Lang = "xx",
    seed: Seed = 0,
    as_json: JsonFlag = False,
) -> None:
    """Cluster words that occur in similar contexts.

    A config names the file in `paths.clusters`. The features of the tagger and of the
    parser then use the clusters, also for words that the treebank does not have.
    """
    if not output.parent.is_dir():
        raise CommandError(f"{output.parent}: no such directory to write to")
    try:
        words = learn_clusters(
            sources,
            n_clusters=n_clusters,
            min_count=min_count,
            max_words=max_words,
            lang=lang,
            seed=seed,
            progress=progress_bar,
        )
    except (ValueError, OSError, ImportError) as error:
        raise CommandError(" ".join(str(error).split())) from error
    write_clusters(output, words)
    n_found = len({word.path for word in words})
    if as_json:
        values = {"file": str(output), "words": len(words), "clusters": n_found}
        ResultOptions(None, as_json).write(values)
        return
    typer.echo(f"{output}: {len(words):,} words in {n_found:,} clusters")
