"""The input of ``parse`` and ``select``: text, treebank files and folders of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..treebank import TreebankSentence, read_treebank, to_doc
from ..treebank.corpora import (
    SPACY,
    STDIN,
    corpus_name,
    corpus_suffix,
    open_text,
    stdin_is_corpus,
)
from ..treebank.files import SUFFIXES
from ..treebank.pipelines import tag_writers
from .common import CommandError, use_file_tags
from .options import FOLDER_SUFFIXES


@dataclass
class Source:
    """One input.

    Attributes:
        inputs: Its texts, or its sentences.
        disable: Components to disable for them.
        gold_tags: Whether the tags come from the file.
        text_file: The name of the file of the texts, empty for standard input; None for
            sentences and for a text that is in no file.
    """

    inputs: Iterable[str | TreebankSentence]
    disable: Sequence[str] = ()
    gold_tags: bool = False
    text_file: str | None = None


def ready(
    inputs: Iterable[str | TreebankSentence], vocab: Vocab, gold_tags: bool
) -> Iterator[tuple[Doc | str, TreebankSentence | None]]:
    """Yield texts and unparsed Docs for a pipeline, with the sentences of the Docs."""
    for given in inputs:
        if isinstance(given, str):
            yield given, None
        else:
            yield to_doc(given, vocab, tags=gold_tags, tree=False), given


def expanded(names: Iterable[str]) -> list[str]:
    """Names of files and -, with folders replaced by the files below them.

    Raises:
        CommandError: For a name that does not exist and for a folder without files to
            read.
    """
    files = []
    for name in names:
        path = Path(name)
        if name == STDIN or (path.exists() and not path.is_dir()):
            files.append(name)
            continue
        if not path.is_dir():
            raise CommandError(
                f"{name}: no such file; name text, .conllu, .conll or .spacy files, or "
                "folders"
            )
        found = sorted(
            file
            for file in path.rglob("*")
            if corpus_suffix(file) in FOLDER_SUFFIXES
            and file.is_file()
            and not any(p.startswith(".") for p in file.relative_to(path).parts)
        )
        if not found:
            raise CommandError(f"{name}: no {' or '.join(FOLDER_SUFFIXES)} file in it")
        files += map(str, found)
    return files


def sources(
    nlp: Language,
    names: Iterable[str],
    text: str | None,
    gold_tags: bool,
) -> Iterator[Source]:
    """Yield a source for the text, if there is one, and for each file.

    Args:
        names: As `expanded` returns them.
        gold_tags: Whether the tags of treebanks are used.
    """
    if text is not None:
        yield Source([text])
    for name in names:
        if _has_sentences(name):
            tags = use_file_tags(Path(name), gold_tags)
            yield Source(read_treebank(name), tag_writers(nlp) if tags else [], tags)
        else:
            with open_text(name) as stream:
                shown = corpus_name(name)
                file = "" if name == STDIN else name
                found = paragraphs(shown, stream, nlp.max_length)
                yield Source(found, text_file=file)


def _has_sentences(name: str) -> bool:
    """Whether an input is a treebank, rather than text."""
    if name == STDIN:
        return stdin_is_corpus()
    return corpus_suffix(name) in (*SUFFIXES, SPACY)


def paragraphs(name: str, stream: BinaryIO, max_length: int) -> Iterator[str]:
    """Yield the paragraphs of a text, with blanks for line breaks.

    Args:
        max_length: Characters that the pipeline takes. A longer paragraph is cut
            between lines.

    Raises:
        CommandError: For text that is not UTF-8 and for a line that is too long.
    """
    parts: list[str] = []
    length = 0
    for number, raw in enumerate(stream, 1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError as error:
            raise CommandError(
                f"{name}:{number}: byte 0x{raw[error.start]:02x} is not UTF-8; "
                "convert the text to UTF-8"
            ) from error
        if len(line) > max_length:
            raise CommandError(
                f"{name}:{number}: a line of {len(line):,} characters, the pipeline "
                f"takes {max_length:,} at most; break it into paragraphs"
            )
        if parts and (not line or length + len(line) > max_length):
            yield " ".join(parts)
            parts, length = [], 0
        if line:
            parts.append(line)
            length += len(line) + 1
    if parts:
        yield " ".join(parts)
