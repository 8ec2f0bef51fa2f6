"""Copies of training documents in lower and in upper case.

Texts of chats have no capitals and headings have nothing else, and treebanks have few
of both. What learns from copies too keeps most of its accuracy there.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any

from spacy.attrs import (
    DEP,
    ENT_ID,
    ENT_IOB,
    ENT_KB_ID,
    ENT_TYPE,
    HEAD,
    LEMMA,
    MORPH,
    POS,
    SENT_START,
    TAG,
)
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import registry

from ..doc.preset_boundaries import MULTIWORD
from ..doc.records import CASE_COPY
from ..util.config_errors import config_block
from ..util.typography import lower_case
from . import multiword

# What a copy has of its document, and in place of the tree where there is none.
_WORDS = [TAG, POS, MORPH, LEMMA, ENT_IOB, ENT_TYPE, ENT_KB_ID, ENT_ID]
_TREE, _BOUNDARIES = [HEAD, DEP], [SENT_START]
Augmenter = Callable[[Language, Example], Iterator[Example]]


@registry.augmenters("spacy_dynoracle.CaseCopies.v1")
@config_block("augmenter")
def case_copies(lower: float = 0.25, upper: float = 0.5) -> Augmenter:
    """An augmenter for `[corpora.train.augmenter]`: beside each document, some have a
    copy in lower or in upper case with the same annotation.

    Which ones have a copy depends on their text alone, so every run has the same.

    Args:
        lower (float): The share of the documents with a copy in lower case.
        upper (float): The share of the documents with a copy in upper case.

    Raises:
        ValueError: For shares that are negative or are more than 1 together.
    """
    if not (lower >= 0 and upper >= 0 and lower + upper <= 1):
        raise ValueError(
            f"lower = {lower}, upper = {upper}: expected shares of at least 0, "
            f"together at most 1"
        )

    def augmented(nlp: Language, example: Example) -> Iterator[Example]:
        yield example
        text = example.reference.text
        place = zlib.crc32(text.encode("utf8", "surrogatepass")) / 2**32
        if place < lower + upper:
            change = lower_case if place < lower else str.upper
            yield Example(
                changed(example.predicted, change), changed(example.reference, change)
            )

    return augmented


def changed(doc: Doc, change: Callable[[str], str]) -> Doc:
    """A copy of a Doc whose forms are changed. It has the tags, the lemmas, the tree or
    the boundaries, the multiword tokens, entities, spans and categories of the Doc, and
    is marked as a copy.
    """
    forms = multiword.word_forms(doc)
    found = Doc(
        doc.vocab,
        words=[change(token.text) for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
    )
    attributes = _WORDS + (_TREE if doc.has_annotation("DEP") else _BOUNDARIES)
    values: Any = doc.to_array(attributes)
    found.from_array(attributes, values)
    if len(doc):
        # Those of a partly annotated tree may have been mended.
        starts: Any = doc.to_array(_BOUNDARIES)
        found.from_array(_BOUNDARIES, starts)
    multiword.mark(
        found,
        [
            (start, [change(form) for form in forms[start:end]])
            for start, end, _ in multiword.spans(doc)
        ],
    )
    found.cats = dict(doc.cats)
    for name, group in doc.spans.items():
        if name != MULTIWORD:
            # `SpanGroup.copy` goes by characters, which may have become more.
            found.spans[name] = [
                Span(found, s.start, s.end, s.label, kb_id=s.kb_id, span_id=s.id)
                for s in group
            ]
    found.user_data[CASE_COPY] = True
    return found
