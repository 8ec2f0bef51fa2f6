"""Makes documents, and reads and writes their attributes, a batch at a time.

There are two ways. The portable one calls `Doc`, `Doc.to_array` and `Doc.from_array`
for each Doc, and works with every version of spaCy from 3.8 on. The direct one
(`direct.pyx`) goes through the memory of the documents and takes a small part of the
time. It is used with the versions of spaCy that it was built for, unless the
environment variable DYNORACLE_PORTABLE=1 turns it off. Both do the same.
"""

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from spacy import about
from spacy.attrs import DEP, HEAD
from spacy.strings import get_string_id
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..util.arrays import IdArray

SWITCH = "DYNORACLE_PORTABLE"
# Instead of an attribute: a column that is to be filled by somebody else.
NOTHING = 0
# The offset of the head of a token, and the id of its label.
TREE = [HEAD, DEP]


def direct_module() -> ModuleType | None:
    """The module `direct`, if its functions can be used.

    Importing it compares the sizes of spaCy's classes and the types of its functions
    with those that it was built for, before any memory is read.
    """
    if os.environ.get(SWITCH, "0") not in ("", "0"):
        return None
    try:
        with warnings.catch_warnings():
            # A class that has grown is a warning.
            warnings.simplefilter("error", RuntimeWarning)
            from . import direct
    except (ImportError, AttributeError, RuntimeWarning, TypeError, ValueError):
        return None
    return direct if about.__version__.startswith(direct.BUILT_FOR) else None


# None for the portable way.
DIRECT: ModuleType | None = direct_module()
# The id of a string, in either way.
string_id: Callable[[str], int] = DIRECT.string_id if DIRECT else get_string_id


def string_ids(strings: Iterable[str]) -> IdArray:
    """The ids of strings."""
    return np.array(list(map(string_id, strings)), dtype=np.uint64)


def read_tokens(docs: Sequence[Doc], attributes: Sequence[int]) -> IdArray:
    """The attributes of the tokens of documents, one document after the other.

    Args:
        attributes: Numbers of at least one attribute of spaCy; the same one may be
            stated twice. The values of NOTHING may be any.

    Returns:
        An array of shape (n tokens, n attributes).
    """
    if DIRECT is not None:
        n_tokens = len(docs[0]) if len(docs) == 1 else sum(map(len, docs))
        table: IdArray = np.empty((n_tokens, len(attributes)), dtype=np.uint64)
        if DIRECT.read(list(docs), attributes, table):
            return table
    return read_portably(docs, attributes)


def read_portably(docs: Sequence[Doc], attributes: Sequence[int]) -> IdArray:
    """The same as `read_tokens`, through `Doc.to_array`."""
    found, columns = np.unique(attributes, return_inverse=True)
    if not docs:
        return np.zeros((0, len(columns)), dtype=np.uint64)
    ids: list[Any] = found.tolist()
    tables: list[Any] = [doc.to_array(ids).reshape(-1, len(ids)) for doc in docs]
    return np.concatenate(tables).take(columns, axis=1)


def write_tokens(
    docs: Sequence[Doc], attributes: Sequence[int], tables: Sequence[IdArray]
) -> None:
    """Write attributes to documents, as `Doc.from_array` does.

    Args:
        attributes: Numbers of attributes of spaCy.
        tables: For each document the values of its tokens, of shape (n tokens, n
            attributes). Values of MORPH must be in the morphology of the vocab already.
            HEAD is the offset of the head from the token.

    Raises:
        ValueError: If a table has another number of rows than there are tokens, or a
            head that is not in the document.
    """
    left: Sequence[int] = range(len(docs))
    if DIRECT is not None:
        left = DIRECT.write(list(docs), list(tables), attributes)
    for number in left:
        write_portably(docs[number], attributes, tables[number])


def write_portably(doc: Doc, attributes: Sequence[int], table: IdArray) -> None:
    """Write attributes to a Doc, through `Doc.from_array`."""
    if table.size or len(doc):
        doc.from_array(list(attributes), table)  # type: ignore[arg-type]


def make_doc(vocab: Vocab, words: list[str], spaces: list[bool]) -> Doc:
    """A Doc of words. The direct way calls fewer functions for words that are new.

    Args:
        spaces: Whether a blank follows each.

    Raises:
        ValueError: For another number of spaces than of words.
        UnicodeEncodeError: For words with lone surrogates.
    """
    if DIRECT is None:
        return Doc(vocab, words=words, spaces=spaces)
    made: Doc = DIRECT.make_doc(vocab, words, spaces)
    return made
