"""Word vectors: those of a pipeline, and new ones from text."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from gensim.models import Word2Vec
from gensim.models.callbacks import CallbackAny2Vec
from gensim.models.word2vec import MAX_WORDS_IN_BATCH
from spacy.language import Language
from spacy.tokens import Doc, Span

from spacy_dynoracle.treebank.corpora import corpus_suffix, read_docs, text_lines
from spacy_dynoracle.util.arrays import Float32Array
from spacy_dynoracle.util.progress import Progress, no_progress
from spacy_dynoracle.util.typography import normal_form

# A narrow window finds words of the same syntactic kind, a wide one words of the same
# topic.
WINDOW = 2
VECTOR_SIZE = 100
EPOCHS = 5


@dataclass(frozen=True)
class WordVectors:
    """Words with a vector each.

    Attributes:
        words: Forms.
        counts: Occurrences of each word; 0 if unknown.
        table: Shape (n words, n dimensions).
    """

    words: list[str]
    counts: list[int]
    table: Float32Array


def vectors_of_pipeline(nlp: Language, max_words: int) -> WordVectors:
    """The first words of the vectors of a pipeline; mostly they are the most frequent.

    Raises:
        ValueError: If the pipeline has no vectors.
    """
    vectors = nlp.vocab.vectors
    words: list[str] = []
    rows: list[int] = []
    for key, row in vectors.key2row.items():
        if key in nlp.vocab.strings and len(words) < max_words:
            words.append(nlp.vocab.strings[key])
            rows.append(row)
    if not words or not vectors.shape[1]:
        raise ValueError(
            "the pipeline has no word vectors: expected one that has some, such as "
            "en_core_web_md"
        )
    table = np.asarray(vectors.data)[rows].astype(np.float32)
    return WordVectors(words, [0] * len(words), table)


def is_text(source: str | Path) -> bool:
    """Whether a name is that of a file with text."""
    return corpus_suffix(source) == ".txt"


def sentences_of(paths: Sequence[Path], nlp: Language) -> Iterator[list[str]]:
    """The words of each sentence, or line of text, of some files; of a very long one in
    several parts.

    Args:
        paths: Treebanks, and .txt and .txt.gz files.
        nlp: Its tokenizer cuts text into words.
    """
    parts: Iterator[Doc | Span]
    for path in paths:
        if is_text(path):
            lines = (line.decode("utf-8-sig") for line in text_lines(path))
            parts = map(nlp.make_doc, filter(str.strip, lines))
        else:
            parts = chain.from_iterable(
                doc.sents if doc.has_annotation("SENT_START") else [doc]
                for doc in read_docs(path, nlp.vocab)
            )
        for words in map(words_of, parts):
            # Gensim reads only so many words of a sentence.
            for start in range(0, len(words), MAX_WORDS_IN_BATCH):
                yield words[start : start + MAX_WORDS_IN_BATCH]


def words_of(part: Doc | Span) -> list[str]:
    """The forms of the words of a Doc or a part of it, with plain characters and
    without whitespace.
    """
    return [normal_form(token.text) for token in part if not token.is_space]


def train_vectors(
    sentences: Sequence[list[str]],
    *,
    min_count: int,
    max_words: int,
    seed: int,
    progress: Progress = no_progress,
) -> WordVectors:
    """Vectors of the frequent words of sentences, by word2vec (Mikolov et al. 2013).

    Args:
        min_count: Occurrences that a word needs.

    Raises:
        ValueError: If there is no such word.
    """
    counts = Counter(word for sentence in sentences for word in sentence)
    if max(counts.values(), default=0) < min_count:
        raise ValueError(f"no word occurs {min_count} times: take more text")
    with progress("epochs over the text") as advance:

        class Epochs(CallbackAny2Vec):  # type: ignore[misc]
            def on_epoch_end(self, model: object) -> None:
                advance(1)

        # One worker, and a hash that does not differ between processes: the same text
        # and the same seed always give the same vectors.
        model = Word2Vec(
            sentences,
            vector_size=VECTOR_SIZE,
            window=WINDOW,
            sg=1,
            min_count=min_count,
            epochs=EPOCHS,
            workers=1,
            seed=seed,
            hashfxn=stable_hash,
            callbacks=[Epochs()],
        )
    # The most frequent words come first.
    words = list(model.wv.index_to_key)[:max_words]
    table = model.wv.vectors[: len(words)]
    return WordVectors(words, [counts[word] for word in words], table)


def stable_hash(word: str) -> int:
    """A hash of a word that is the same in every process."""
    return zlib.crc32(word.encode("utf8"))
