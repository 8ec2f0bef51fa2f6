"""Make word clusters from the vectors of a pipeline or from text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import spacy

from spacy_dynoracle.clusters import WordCluster
from spacy_dynoracle.errors import language_errors
from spacy_dynoracle.treebank.corpora import is_corpus
from spacy_dynoracle.util.files import replace_file
from spacy_dynoracle.util.progress import Progress, no_progress

from .tree import kmeans, normalized, ward_paths
from .vectors import (
    WordVectors,
    is_text,
    sentences_of,
    train_vectors,
    vectors_of_pipeline,
)


def learn_clusters(
    sources: Sequence[str | Path],
    *,
    n_clusters: int = 1000,
    min_count: int = 3,
    max_words: int = 200_000,
    lang: str = "xx",
    seed: int = 0,
    progress: Progress = no_progress,
) -> list[WordCluster]:
    """Cluster words that occur in similar contexts.

    Args:
        sources: One pipeline with word vectors (a directory or the name of a package),
            or files of text: .conllu, .conll, .spacy, .txt and .txt.gz. From text the
            function trains vectors first.
        n_clusters: At most so many; fewer if there are fewer words.
        min_count: Occurrences that a word of a text needs.
        max_words: The most frequent words get clusters.
        lang: Language of the tokenizer for .txt files.

    Returns:
        The words, sorted by cluster. The same sources and settings always give the same
        result.

    Raises:
        ValueError: For sources that have no vectors or too little text.
        TreebankError: For files that cannot be read.
    """
    files = [Path(x) for x in sources if is_text(x) or is_corpus(x)]
    if files and len(files) == len(sources):
        with language_errors(lang):
            nlp = spacy.blank(lang)
        sentences = list(sentences_of(files, nlp))
        vectors = train_vectors(
            sentences,
            min_count=min_count,
            max_words=max_words,
            seed=seed,
            progress=progress,
        )
    elif len(sources) == 1:
        folder = Path(sources[0])
        if folder.is_dir() and not (folder / "meta.json").is_file():
            raise ValueError(f"{folder}: not a pipeline; of a folder, name the files")
        vectors = vectors_of_pipeline(spacy.load(sources[0]), max_words)
    else:
        raise ValueError(
            f"{', '.join(map(str, sources))}: expected one pipeline with word vectors, "
            f"or files of text (.conllu, .conll, .spacy, .txt, .txt.gz)"
        )
    return cluster(vectors, n_clusters, seed, progress)


def cluster(
    vectors: WordVectors,
    n_clusters: int,
    seed: int = 0,
    progress: Progress = no_progress,
) -> list[WordCluster]:
    """Cluster words by their vectors; see `learn_clusters`."""
    table = normalized(vectors.table)
    n_clusters = min(n_clusters, len(table))
    with progress("rounds of clustering") as advance:
        numbers, means = kmeans(table, n_clusters, seed, advance)
        paths = ward_paths(means)
    words = [
        WordCluster(paths[number], word, count)
        for number, word, count in zip(
            numbers.tolist(), vectors.words, vectors.counts, strict=True
        )
    ]
    return sorted(words, key=lambda word: (word.path, -word.count, word.word))


def write_clusters(path: str | Path, words: Iterable[WordCluster]) -> None:
    """Write a file of clusters. It appears when it is complete.

    Words with tabs or line breaks, which the format cannot have, are left out.
    """
    lines = [
        f"{word.path}\t{word.word}\t{word.count}\n"
        for word in words
        if not set("\t\n\r").intersection(word.word)
    ]
    replace_file(Path(path), "".join(lines).encode("utf8"))
