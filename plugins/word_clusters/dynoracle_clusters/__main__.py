"""The command line: ``python -m dynoracle_clusters``."""

from pathlib import Path
from typing import Annotated

import typer

from spacy_dynoracle.cli.common import (
    CommandError,
    check_new_file,
    one_line_errors,
    progress_bar,
)

from .learning import learn_clusters, write_clusters

app = typer.Typer(add_completion=False, rich_markup_mode=None)

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE",
        help="A pipeline with word vectors, or files of text: .conllu, .conll, .spacy, "
        ".txt, .txt.gz.",
    ),
]
Output = Annotated[
    Path, typer.Option("--output", "-o", help="The file of clusters to write.")
]
Clusters = Annotated[int, typer.Option(min=2, help="Number of clusters.")]
Lang = Annotated[str, typer.Option(help="Language of the tokenizer for .txt files.")]
Seed = Annotated[int, typer.Option(help="Seeds the training.")]


@app.command()
@one_line_errors
def clusters_command(
    sources: Sources,
    *,
    n_clusters: Clusters = 1000,
    lang: Lang = "xx",
    seed: Seed = 0,
    output: Output,
) -> None:
    """Cluster words that occur in similar contexts.

    A config names the file in `paths.clusters`. The features of the tagger and of the
    parser then use the clusters, also for words that the treebank does not have.
    """
    check_new_file(output)
    try:
        words = learn_clusters(
            sources,
            n_clusters=n_clusters,
            lang=lang,
            seed=seed,
            progress=progress_bar,
        )
    except (ValueError, OSError) as error:
        raise CommandError(" ".join(str(error).split())) from error
    write_clusters(output, words)
    n_found = len({word.path for word in words})
    typer.echo(f"{output}: {len(words):,} words in {n_found:,} clusters")


def main() -> None:
    """Run the command line and exit."""
    app(prog_name="dynoracle_clusters")


if __name__ == "__main__":
    main()
