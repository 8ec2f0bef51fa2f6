"""The input of ``parse``: text, treebank files and folders of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc

from ..doc.reference import mark_as_sentence
from ..treebank import Problem, TreebankSentence, read_treebank, to_doc
from ..treebank.corpora import (
    STDIN,
    corpus_name,
    corpus_suffix,
    has_sentences,
    text_lines,
)
from ..treebank.sentence import UNKNOWN
from .common import CommandError
from .file_tags import FileTags
from .options import FOLDER_SUFFIXES, InputKind


@dataclass
class Source:
    """One input.

    Attributes:
        inputs: Its texts, or its sentences.
        text_file: The name of the file of the texts, empty for standard input; None for
            sentences and for a text that is in no file.
    """

    inputs: Iterable[str | TreebankSentence]
    text_file: str | None = None


def ready(
    inputs: Iterable[str | TreebankSentence],
    nlp: Language,
    gold_tags: bool,
    keep_heads: bool = False,
) -> Iterator[tuple[Doc, TreebankSentence | None]]:
    """Yield unparsed Docs for a pipeline, with the sentences that they were made of.

    Args:
        gold_tags: Whether Docs get the tags of their sentences. Otherwise the lemmas of
            the sentences are not used either.
        keep_heads: Whether Docs get the heads and labels of their sentences.

    Raises:
        TreebankError: For a word that has a label and no head, which nothing can keep.
    """
    for given in inputs:
        if isinstance(given, str):
            yield nlp.make_doc(given), None
            continue
        if not gold_tags:
            words = tuple(word._replace(lemma=UNKNOWN) for word in given.words)
            given = replace(given, words=words)
        ready = _with_root_label(given) if keep_heads else given
        doc = to_doc(ready, nlp.vocab, tags=gold_tags, tree=keep_heads)
        if keep_heads:
            mark_as_sentence(doc)
        yield doc, given


def _with_root_label(sentence: TreebankSentence) -> TreebankSentence:
    """A sentence whose root has a label, without which a Doc knows of no root.

    Raises:
        TreebankError: For a word that has a label and no head.
    """
    for word in sentence.words:
        if word.head is None and word.deprel is not None:
            message = (
                f"the word {word.form!r} has DEPREL {word.deprel} and no HEAD, which "
                "--keep-heads cannot keep; write its HEAD, or _ in both columns"
            )
            place = (sentence.path, word.line, sentence.name)
            raise Problem(*place, "deprel", message).error()
    return replace(
        sentence,
        words=tuple(
            word._replace(deprel=word.deprel or "root") if word.head == 0 else word
            for word in sentence.words
        ),
    )


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
                f"{name}: no such file or folder; name a file of text, CoNLL-U "
                "(.conllu, .conll) or spaCy (.spacy), or a folder of "
                f"{', '.join(FOLDER_SUFFIXES)} files"
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
    kind: InputKind | None = None,
) -> Iterator[Source]:
    """Yield a source for the text, if there is one, and for each file.

    Args:
        names: As `expanded` returns them.
        gold_tags: Whether the tags of treebanks are used.
        kind: What the files are; None if their content tells.

    Raises:
        CommandError: For a text that is not Unicode.
    """
    if text is not None:
        yield Source([checked(text)])
    for name in names:
        if has_sentences(name) if kind is None else kind == "conllu":
            tags = FileTags(nlp, name) if gold_tags else None
            yield Source(_noting(name, tags, kind))
        else:
            file = "" if name == STDIN else name
            lines = text_lines(name)
            found = paragraphs(corpus_name(name), lines, nlp.max_length)
            yield Source(found, text_file=file)


def checked(text: str) -> str:
    """A text of the command line.

    Raises:
        CommandError: If it has bytes that are not UTF-8, which Python reads as halves
            of surrogate pairs.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise CommandError(
            f"--text: character {error.start + 1} is not UTF-8; set the terminal to "
            "UTF-8, or give a file in UTF-8"
        ) from error
    return text


def _noting(
    name: str, tags: FileTags | None, kind: InputKind | None
) -> Iterator[TreebankSentence]:
    """Yield the sentences of a treebank, and say in the end what is special about the
    tags that are used.
    """
    for sentence in read_treebank(name, is_conllu=kind == "conllu"):
        if tags is not None:
            tags.see(sentence)
        yield sentence
    if tags is not None:
        tags.note()


def paragraphs(name: str, stream: Iterable[bytes], max_length: int) -> Iterator[str]:
    """Yield the paragraphs of a text, without blanks at the ends of lines.

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
            line = raw.decode("utf-8-sig").strip()
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
            yield "\n".join(parts)
            parts, length = [], 0
        if line:
            parts.append(line)
            length += len(line) + 1
    if parts:
        yield "\n".join(parts)
