"""Documents with trees and tags in files of every kind: CoNLL-U and spaCy's own."""

from __future__ import annotations

from pathlib import Path

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from ..errors import TreebankError
from .docs import to_doc
from .files import SUFFIXES
from .reader import read_conllu

# Suffix of the files that `spacy convert` writes and `spacy train` reads.
SPACY = ".spacy"


def read_docs(path: Path, vocab: Vocab) -> list[Doc]:
    """The documents of a .conllu, .conll or .spacy file; of CoNLL-U one per sentence.

    Raises TreebankError for other files, files that cannot be read and empty files.
    """
    if path.suffix == SPACY and path.is_file():
        docs = read_doc_bin(path, vocab)
    elif path.suffix in SUFFIXES:
        docs = [to_doc(sentence, vocab) for sentence in read_conllu(path)]
    else:
        raise TreebankError(
            f"{path}: expected a .conllu, .conll or .spacy file", str(path)
        )
    if not docs:
        raise TreebankError(f"{path}: the file contains no document", str(path))
    return docs


def read_doc_bin(path: Path, vocab: Vocab) -> list[Doc]:
    """The documents of a .spacy file. Raises TreebankError if it cannot be read."""
    try:
        return list(DocBin().from_disk(path).get_docs(vocab))
    except Exception as error:
        raise TreebankError(
            f"{path}: cannot be read as a .spacy file "
            f"({type(error).__name__}: {error})",
            str(path),
        ) from error
