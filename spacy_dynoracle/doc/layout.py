"""Whether documents can be read and written in the memory of spaCy.

`direct.pyx` does so by a layout of this memory that spaCy does not promise to keep. Its
functions are used only if the version of spaCy is one of `VERSIONS`, a Doc has the size
that the layout says, and the functions do with sample documents just what those of
spaCy do. The environment variable DYNORACLE_PORTABLE=1 turns them off.
"""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

import numpy as np
from spacy import about
from spacy.attrs import DEP, HEAD, MORPH, POS, SENT_START, TAG
from spacy.attrs import IDS as ATTRIBUTE_IDS
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..util.arrays import IdArray

# The beginnings of versions of spaCy that have the layout of `spacy_structs.hpp`.
VERSIONS = ("3.8.",)
SWITCH = "DYNORACLE_PORTABLE"
FLAGS = ("IS_SPACE", "IS_PUNCT", "LIKE_NUM")
WORDS = ["The", " ", "dogs", "saw", "3", "cats", "today", "."]
# Trees with and without crossing arcs, with two roots, and without labels.
TREES: tuple[tuple[tuple[int, ...], tuple[str, ...]], ...] = (
    ((2, 0, 3, 3, 5, 3, 3, 3), ("a", "b", "c", "ROOT", "d", "e", "f", "g")),
    ((2, 0, 2, 5, 5, 2, 3, 5), ("a", "b", "ROOT", "c", "d", "e", "f", "g")),
    ((2, 2, 2, 7, 3, 4, 7, 7), ("a", "b", "ROOT", "c", "d", "e", "f", "ROOT")),
    ((6, 1, 7, 3, 1, 3, 6, 7), ("a", "ROOT", "b", "ROOT", "c", "d", "", "e")),
    ((1, 1, 1, 3, 3, 3, 3, 3), ("",) * 8),
)


def direct_module() -> ModuleType | None:
    """The module `direct`, if its functions can be used."""
    if os.environ.get(SWITCH, "0") not in ("", "0"):
        return None
    if not about.__version__.startswith(VERSIONS):
        return None
    try:
        from . import direct

        direct.connect()
    except (ImportError, AttributeError, KeyError, ValueError):
        return None
    if Doc.__basicsize__ != direct.doc_size():
        return None
    return direct if reads(direct) and writes(direct) else None


def reads(direct: Any) -> bool:
    """Whether the direct functions read what `Doc.to_array` reads."""
    vocab = Vocab()
    annotation: dict[str, Any] = {
        "tags": ["DT", "_SP", "NNS", "VBD", "CD", "NNS", "NN", "."],
        "pos": ["DET", "SPACE", "NOUN", "VERB", "NUM", "NOUN", "ADV", "PUNCT"],
        "morphs": ["", "", "Number=Plur", "Tense=Past", "", "Number=Plur", "A=B", ""],
        "lemmas": ["the", " ", "dog", "see", "3", "cat", "today", "."],
        "heads": list(TREES[0][0]),
        "deps": list(TREES[0][1]),
    }
    starts = Doc(vocab, words=WORDS[2:6], spaces=[True] * 4, sent_starts=[1, -1, 0, 1])
    starts[1].norm_ = "looked"
    docs = [Doc(vocab, words=WORDS, **annotation), Doc(vocab, words=[]), starts]
    names = [*direct.READABLE, *FLAGS]
    attributes = [ATTRIBUTE_IDS[name] for name in names]
    fields = [*direct.READABLE.values(), *(ATTRIBUTE_IDS[name] for name in FLAGS)]
    tables = [doc.to_array(attributes).reshape(-1, len(attributes)) for doc in docs]
    expected: IdArray = np.concatenate(tables)
    found = np.zeros_like(expected)
    return direct.read(docs, fields, found) and np.array_equal(found, expected)


def writes(direct: Any) -> bool:
    """Whether the direct functions write what `Doc.from_array` writes."""
    vocab = Vocab()
    expected, found = (
        [Doc(vocab, words=WORDS) for _ in range(len(TREES) + 1)] for _ in range(2)
    )
    tables: list[Any] = [tree_table(vocab, *tree) for tree in TREES]
    for doc, table in zip(expected, tables, strict=False):
        doc.from_array([HEAD, DEP], table)
    left = direct.write_trees(found[:-1], tables)
    analysis = vocab.morphology.add("Number=Plur")
    rows = [(i % 3 - 1, 90 + i, i << 40 | 5, analysis) for i in range(len(WORDS))]
    tags = np.array(rows, dtype=np.int64).astype(np.uint64)
    names = ("SENT_START", "POS", "TAG", "MORPH")
    expected[-1].from_array([SENT_START, POS, TAG, MORPH], tags)  # type: ignore[arg-type]
    left += direct.write(found[-1:], [tags], [direct.WRITABLE[name] for name in names])
    return not left and all(map(are_equal, expected, found))


def tree_table(
    vocab: Vocab, heads: tuple[int, ...], labels: tuple[str, ...]
) -> IdArray:
    """The offsets of heads and the ids of labels."""
    offsets = (np.array(heads) - np.arange(len(heads))).astype(np.uint64)
    ids = [vocab.strings.add(label) for label in labels]
    return np.stack([offsets, np.array(ids, dtype=np.uint64)], axis=1)


def are_equal(doc: Doc, other: Doc) -> bool:
    """Whether two documents of the same words have the same annotation, with all that
    spaCy keeps of a tree."""
    attributes = [HEAD, DEP, SENT_START, POS, TAG, MORPH]
    edges, others = (
        [(t.n_lefts, t.n_rights, t.left_edge.i, t.right_edge.i) for t in which]
        for which in (doc, other)
    )
    return edges == others and np.array_equal(
        doc.to_array(attributes), other.to_array(attributes)
    )
