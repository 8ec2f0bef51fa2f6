"""Jackknife a file of training data."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from spacy.tokens import Doc, DocBin

from ..errors import TreebankError
from ..treebank import TreebankSentence, doc_to_conllu, read_treebank, to_doc
from ..treebank.corpora import SPACY, check_corpus, is_spacy, read_doc_bin
from ..treebank.files import SUFFIXES
from ..treebank.sentence import UNKNOWN
from ..util.files import replace_file
from ..util.progress import Progress, no_progress
from .jackknife import JackknifeResult, TaggerSettings, annotated_attrs, jackknife

# The name of standard output as a file.
STDOUT = "-"
# The CoNLL-U column of each attribute.
COLUMNS = {"TAG": "xpos", "POS": "upos", "MORPH": "feats"}


def jackknife_file(
    path: str | Path,
    output: str | Path,
    settings: TaggerSettings | None = None,
    *,
    n_folds: int = 10,
    n_jobs: int = 1,
    progress: Progress = no_progress,
) -> JackknifeResult:
    """Write training data with the tags of taggers that were not trained on them.

    path: a corpus, as `read_treebank` reads it. output: a .spacy file, or a .conllu
    file if the input is one; the file appears when it is complete. ``-`` is CoNLL-U on
    standard output. The function replaces the attributes that the config of the tagger
    names (`attrs`) and the data have; without a config, all attributes that the data
    have. For the other arguments see `jackknife`.

    Raises TreebankError for files that cannot be used, ValueError for impossible
    settings.
    """
    path, output = Path(path), Path(output)
    check_paths(path, output)
    settings = settings or TaggerSettings()
    vocab = settings.tagger().vocab
    sentences = None if is_spacy(path) else list(read_treebank(path))
    if sentences is None:
        docs = read_doc_bin(path, vocab)
    else:
        docs = [to_doc(sentence, vocab) for sentence in sentences]
    attrs = wanted_attrs(path, settings, docs, sentences)
    try:
        result = jackknife(
            docs, settings, attrs, n_folds=n_folds, n_jobs=n_jobs, progress=progress
        )
    except ValueError as error:
        raise TreebankError(f"{path}: {error}", str(path)) from error
    if output.suffix == SPACY:
        data = DocBin(docs=docs, store_user_data=True).to_bytes()
    else:
        data = conllu(docs, sentences or [], attrs).encode("utf-8")
    if str(output) == STDOUT:
        sys.stdout.buffer.write(data)
    else:
        replace_file(output, data)
    return result


def check_paths(path: Path, output: Path) -> None:
    """Raise TreebankError unless input and output are files that go together."""
    check_corpus(path)
    possible = (SPACY,) if is_spacy(path) else (*SUFFIXES, SPACY)
    if str(output) == STDOUT and not is_spacy(path):
        return
    if output.suffix not in possible:
        raise TreebankError(
            f"{output}: expected the name of a {' or '.join(possible)} file to write",
            str(output),
        )
    if not output.parent.is_dir():
        raise TreebankError(
            f"{output.parent}: no such directory to write to", str(output)
        )


def wanted_attrs(
    path: Path,
    settings: TaggerSettings,
    docs: Sequence[Doc],
    sentences: Sequence[TreebankSentence] | None,
) -> list[str]:
    """The attributes to replace: those that the config names and the data have.

    Raises TreebankError if no attribute remains.
    """
    found = annotated_attrs(docs)
    if sentences is not None:
        # TAG falls back to UPOS in a Doc, but an empty column stays empty.
        found = [
            attr
            for attr in found
            if any(
                getattr(token, COLUMNS[attr]) != UNKNOWN
                for sentence in sentences
                for token in sentence.words
            )
        ]
    wanted = settings.config.get("attrs") or found
    attrs = [attr for attr in wanted if attr in found]
    if not attrs:
        raise TreebankError(
            f"{path}: has no {' or '.join(wanted or COLUMNS)} to train taggers on",
            str(path),
        )
    return attrs


def conllu(
    docs: Sequence[Doc], sentences: Sequence[TreebankSentence], attrs: Sequence[str]
) -> str:
    """The sentences as CoNLL-U, with the tags of their documents."""
    blocks = []
    for doc, sentence in zip(docs, sentences, strict=True):
        tokens = []
        for token, tagged in zip(sentence.words, doc, strict=True):
            if "TAG" in attrs:
                token = token._replace(xpos=tagged.tag_ or UNKNOWN)
            if "POS" in attrs:
                token = token._replace(upos=tagged.pos_ or UNKNOWN)
            if "MORPH" in attrs:
                token = token._replace(feats=str(tagged.morph) or UNKNOWN)
            tokens.append(token)
        blocks.append(doc_to_conllu(doc, replace(sentence, words=tuple(tokens))))
    return "".join(blocks)
