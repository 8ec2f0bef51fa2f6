"""Dividing a treebank in one file into train, dev and test.

Sentences of one document are alike, and a test on them would be too easy. So documents
stay whole. Where there are none, the parts are three runs of sentences.
"""

import codecs
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from spacy_dynoracle.errors import TreebankError
from spacy_dynoracle.treebank.corpora import (
    corpus_name,
    is_spacy,
    open_corpus,
    read_treebank,
)
from spacy_dynoracle.treebank.files import SPLITS, find_splits
from spacy_dynoracle.treebank.text import documents
from spacy_dynoracle.util.arrays import FloatArray, IntArray
from spacy_dynoracle.util.files import replace_file

PROPORTIONS = (80.0, 10.0, 10.0)
# A part made of documents has at least so many times the words that it should have, and
# at most so many times. Otherwise the file is divided between sentences.
_LEAST, _MOST = 0.5, 1.5


@dataclass(frozen=True, slots=True)
class Part:
    """One of the files that a treebank was divided into.

    Attributes:
        documents: Number of documents, whole or not.
    """

    path: Path
    documents: int
    sentences: int
    words: int


@dataclass(frozen=True, slots=True)
class Split:
    """The files that a treebank was divided into.

    Attributes:
        n_documents: The documents that the file marks; 1 if it marks none.
        by_document: Whether documents were kept whole.
        parts: Without those that should have no words.
    """

    n_documents: int
    by_document: bool
    parts: tuple[Part, ...]


def split(
    treebank: str | Path,
    directory: str | Path,
    proportions: Sequence[float] = PROPORTIONS,
) -> Split:
    """Divide a treebank into train.conllu, dev.conllu and test.conllu.

    Every byte of the treebank is in one of the files, in the order of the treebank.
    Documents (comments ``# newdoc``) come one after the other into the part that lacks
    most words by then, so that each part has documents from everywhere. If there are no
    documents, or the sizes of the parts would be far from the proportions, the first
    sentences are train, the next are dev, and the last are test.

    Args:
        treebank: A CoNLL-U file, as `read_treebank` reads it.
        directory: Made if it is not there.
        proportions: Of the words of train, dev and test. A part of 0 is not written.

    Raises:
        TreebankError: For a treebank that cannot be divided, and if the directory has
            such a file already.
        ValueError: For impossible proportions.
    """
    name, folder = corpus_name(treebank), Path(directory)
    finite = all(0 <= share < np.inf for share in proportions)
    if len(proportions) != len(SPLITS) or not (finite and proportions[0]):
        raise ValueError(
            f"proportions {' '.join(map(str, proportions))}: expected three numbers, "
            "the first of them more than 0, such as 80 10 10"
        )
    if is_spacy(treebank):
        raise TreebankError(f"{name}: expected CoNLL-U, not a .spacy file", name)
    if found := find_splits(folder):
        names = ", ".join(path.name for path in found.values())
        raise TreebankError(
            f"{folder}: has {names} already; name another directory", str(folder)
        )
    sentences = list(read_treebank(treebank))
    words = np.array([len(sentence.words) for sentence in sentences])
    lengths = list(map(len, documents(sentences)))
    document_of = np.repeat(np.arange(len(lengths)), lengths)
    wanted = np.array(proportions) / sum(proportions) * words.sum()
    part_of = _dealt(np.bincount(document_of, words), wanted)[document_of]
    sizes = np.bincount(part_of, words, len(SPLITS))
    by_document = bool(((_LEAST * wanted <= sizes) & (sizes <= _MOST * wanted)).all())
    if not by_document:
        # A sentence belongs where its middle is.
        middles = np.cumsum(words) - words / 2
        part_of = np.searchsorted(np.cumsum(wanted[:-1]), middles, side="right")
    for number in np.flatnonzero(wanted).tolist():
        if number not in part_of:
            raise TreebankError(
                f"{name}: too few sentences ({len(sentences)}), {SPLITS[number]} "
                f"would have none; cross-validate instead",
                name,
            )
    with open_corpus(treebank) as stream:
        texts = _texts(stream)
    folder.mkdir(parents=True, exist_ok=True)
    parts = []
    for number in np.unique(part_of).tolist():
        own = np.flatnonzero(part_of == number)
        path = folder / f"{SPLITS[number]}.conllu"
        replace_file(path, b"".join(texts[i] for i in own.tolist()))
        n_documents = len(np.unique(document_of[own]))
        parts.append(Part(path, n_documents, len(own), int(words[own].sum())))
    return Split(len(lengths), by_document, tuple(parts))


def _dealt(sizes: Iterable[float], wanted: FloatArray) -> IntArray:
    """For each document the part that it comes into."""
    share = wanted / wanted.sum()
    have = np.zeros(len(share))
    found = []
    for size in sizes:
        found.append(int(np.argmax(share * (have.sum() + size) - have)))
        have[found[-1]] += size
    return np.array(found)


def _texts(lines: Iterable[bytes]) -> list[bytes]:
    """The bytes of each sentence, with the comments before it, even if a blank line
    follows them, and the blank lines after it.
    """
    texts = [b""]
    has_rows = is_over = False
    for line in lines:
        content = line.removeprefix(codecs.BOM_UTF8).strip(b" \r\n")
        if content and is_over:
            texts.append(b"")
            has_rows = is_over = False
        texts[-1] += line
        has_rows |= content[:1] not in (b"", b"#")
        is_over = has_rows and not content
    if not has_rows and len(texts) > 1:
        # Comments at the end.
        last = texts.pop()
        texts[-1] += last
    elif not is_over:
        # Another sentence may come after this one.
        texts[-1] += b"\n" if texts[-1].endswith(b"\n") else b"\n\n"
    return texts
