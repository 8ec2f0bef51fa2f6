"""The raw text of treebank sentences."""

import re
from collections.abc import Iterable, Iterator

from .sentence import TreebankSentence

NO_SPACE = "SpaceAfter=No"
_STARTS_DOCUMENT = re.compile(r"#\s*newdoc\b")
_STARTS_TEXT = re.compile(r"#\s*new(doc|par)\b")


def spaces(sentence: TreebankSentence) -> list[bool]:
    """Whether a space follows each word, by SpaceAfter=No and the multiword tokens."""
    after = [not has_no_space(word.misc) for word in sentence.words]
    for span in sentence.multiword_tokens:
        after[span.first - 1 : span.last - 1] = [False] * (span.last - span.first)
        after[span.last - 1] = not has_no_space(span.misc)
    return after


def sentence_text(sentence: TreebankSentence) -> str:
    """The raw text of a sentence, with the surface forms of multiword tokens."""
    after = spaces(sentence)
    forms = sentence.forms
    for span in sentence.multiword_tokens:
        forms[span.first - 1] = span.form
        forms[span.first : span.last] = [""] * (span.last - span.first)
    pieces = (form + " " * space for form, space in zip(forms, after, strict=True))
    return "".join(pieces).strip()


def paragraphs(
    sentences: Iterable[TreebankSentence],
) -> Iterator[tuple[str, list[TreebankSentence]]]:
    """Yield each paragraph of a treebank: its raw text and its sentences.

    A paragraph begins at a comment ``# newdoc`` or ``# newpar``. Without such comments
    the whole treebank is one paragraph.
    """
    for group in _groups(sentences, _STARTS_TEXT):
        pieces = (sentence_text(s) + " " * (spaces(s) or [True])[-1] for s in group)
        yield "".join(pieces).strip(), group


def documents(
    sentences: Iterable[TreebankSentence],
) -> Iterator[list[TreebankSentence]]:
    """Yield the sentences of each document of a treebank.

    A document begins at a comment ``# newdoc``. Without such comments the whole
    treebank is one document.
    """
    return _groups(sentences, _STARTS_DOCUMENT)


def _groups(
    sentences: Iterable[TreebankSentence], begin: re.Pattern[str]
) -> Iterator[list[TreebankSentence]]:
    """Yield the sentences from one that has a certain comment up to the next one."""
    group: list[TreebankSentence] = []
    for sentence in sentences:
        if group and any(map(begin.match, sentence.comments)):
            yield group
            group = []
        group.append(sentence)
    if group:
        yield group


def starts_text(comment: str) -> bool:
    """Whether a comment says that a document or a paragraph begins."""
    return _STARTS_TEXT.match(comment) is not None


def has_no_space(misc: str) -> bool:
    """Whether MISC says that no space follows."""
    # A file that was edited by hand may have blanks at the ends of lines.
    return NO_SPACE in misc and NO_SPACE in map(str.strip, misc.split("|"))
