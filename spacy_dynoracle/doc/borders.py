"""Reads and writes the attributes of documents, a batch at a time.

There are two ways. The portable one calls `Doc.to_array` and `Doc.from_array` for each
Doc, and works with every version of spaCy from 3.8 on. The direct one (`direct.pyx`)
goes through the memory of the documents and takes a small part of the time. It is used
where `layout` allows it. Both do the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np
from spacy.attrs import DEP, HEAD
from spacy.attrs import IDS as ATTRIBUTE_IDS
from spacy.tokens import Doc

from ..util.arrays import IdArray
from .layout import direct_module

# The module `direct`; None for the portable way.
DIRECT: ModuleType | None = direct_module()
TREE = [HEAD, DEP]


def read_tokens(docs: Sequence[Doc], attributes: Sequence[int]) -> IdArray:
    """The attributes of the tokens of documents, one document after the other.

    attributes: numbers of at least one attribute of spaCy; the same one may be stated
    twice.

    Returns an array of shape (n tokens, n attributes).
    """
    attributes = tuple(attributes)
    fields = None if DIRECT is None else _readable(DIRECT, attributes)
    if DIRECT is not None and fields is not None:
        n_tokens = len(docs[0]) if len(docs) == 1 else sum(map(len, docs))
        table: IdArray = np.empty((n_tokens, len(attributes)), dtype=np.uint64)
        if DIRECT.read(list(docs), fields, table):
            return table
    return read_portably(docs, attributes)


def read_portably(docs: Sequence[Doc], attributes: Sequence[int]) -> IdArray:
    """The same as `read_tokens`, through `Doc.to_array`."""
    found, columns = _each_once(tuple(attributes))
    tables: list[Any] = [doc.to_array(found).reshape(-1, len(found)) for doc in docs]
    if not tables:
        return np.zeros((0, len(columns)), dtype=np.uint64)
    table: Any = tables[0] if len(tables) == 1 else np.concatenate(tables)
    read: IdArray = table.take(columns, axis=1)
    return read


def write_tokens(
    docs: Sequence[Doc], attributes: Sequence[int], tables: Sequence[IdArray]
) -> None:
    """Write attributes to documents, as `Doc.from_array` does.

    attributes: numbers of attributes of spaCy. tables: for each document the values of
    its tokens, of shape (n tokens, n attributes). Values of MORPH must be in the
    morphology of the vocab already.

    Raises ValueError if a table has another number of rows than there are tokens.
    """
    fields = None if DIRECT is None else _writable(DIRECT, tuple(attributes))
    left: Sequence[int] = range(len(docs))
    if DIRECT is not None and fields is not None:
        left = DIRECT.write(list(docs), list(tables), fields)
    for number in left:
        write_portably(docs[number], attributes, tables[number])


def write_trees(docs: Sequence[Doc], tables: Sequence[IdArray]) -> None:
    """Write trees to documents, as `Doc.from_array` does for HEAD and DEP.

    tables: for each document, of shape (n tokens, 2): the offset of the head from the
    token, and the id of the label.

    Raises ValueError if a table has another number of rows than there are tokens, or a
    head that is not in the document.
    """
    left: Sequence[int] = range(len(docs))
    if DIRECT is not None:
        left = DIRECT.write_trees(list(docs), list(tables))
    for number in left:
        write_portably(docs[number], TREE, tables[number])


def write_portably(doc: Doc, attributes: Sequence[int], table: IdArray) -> None:
    """Write attributes to a Doc, through `Doc.from_array`."""
    if table.size or len(doc):
        doc.from_array(list(attributes), table)  # type: ignore[arg-type]


# ---- attributes as the direct functions number them ----------------------------------


@lru_cache(maxsize=256)
def _readable(
    direct: ModuleType, attributes: tuple[int, ...]
) -> tuple[int, ...] | None:
    """The numbers of attributes; None if one cannot be read."""
    names = {ATTRIBUTE_IDS[name]: field for name, field in direct.READABLE.items()}
    fields = [a if a < direct.N_FLAGS else names.get(a) for a in attributes]
    known = [field for field in fields if field is not None]
    return tuple(known) if len(known) == len(fields) else None


@lru_cache(maxsize=256)
def _writable(
    direct: ModuleType, attributes: tuple[int, ...]
) -> tuple[int, ...] | None:
    """The numbers of attributes; None if one cannot be written."""
    names = {ATTRIBUTE_IDS[name]: field for name, field in direct.WRITABLE.items()}
    known = [names[a] for a in attributes if a in names]
    return tuple(known) if len(known) == len(attributes) else None


@lru_cache(maxsize=256)
def _each_once(attributes: tuple[int, ...]) -> tuple[list[int | str], Any]:
    """Attributes, each once, and for each of them its place among those."""
    found, columns = np.unique(attributes, return_inverse=True)
    return found.tolist(), columns
