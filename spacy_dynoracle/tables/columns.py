"""Parsed Docs as columns of Arrow.

The parser handles more than 100,000 words per second, so nothing here is done token by
token in Python: the attributes of all tokens of a batch are read into one array, and
each different string is looked up once.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from spacy.attrs import IDS as ATTRIBUTE_IDS
from spacy.parts_of_speech import NAMES as POS_NAMES
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..confidence.sure_arcs import arc_probabilities
from ..doc.borders import read_tokens
from ..util.arrays import BoolArray, IdArray, Int32Array, IntArray
from .schema import SCHEMA, SPAN, TOKEN

# What is read of the tokens.
_ATTRIBUTES = (
    "ORTH", "NORM", "LEMMA", "TAG", "POS", "MORPH", "DEP", "HEAD", "SPACY", "IDX",
    "LENGTH", "SENT_START",
)  # fmt: skip
# The string of a MORPH without features.
_NO_FEATURES = "_"


def annotation_batch(
    ids: Sequence[str | None],
    texts: Sequence[str | None],
    docs: Sequence[Doc | None],
    errors: Sequence[str | None],
    vocab: Vocab,
    probabilities: bool = False,
) -> pa.RecordBatch:
    """A batch of `SCHEMA` with a row for each document.

    Args:
        texts: Text of each document.
        docs: Parsed documents of one vocab, None for those that failed.
        errors: The reason why a document failed, None for the others.
        probabilities: Whether the documents have probabilities of arcs.
    """
    parsed = [doc for doc in docs if doc is not None]
    failed = np.array([doc is None for doc in docs], dtype=np.bool_)
    lengths = [0 if doc is None else len(doc) for doc in docs]
    bounds = np.array([0, *accumulate(lengths)], dtype=np.int32)
    table = _TokenTable(parsed, vocab)
    share = _probabilities(parsed) if probabilities else pa.nulls(len(table))
    sents = table.sentences()
    n_sents = np.zeros(len(docs), dtype=np.int64)
    n_sents[~failed] = sents.per_doc
    ends = np.array([0, *np.cumsum(n_sents)], dtype=np.int32)
    return pa.RecordBatch.from_arrays(
        [
            pa.array(ids, pa.string()),
            pa.array(texts, pa.string()),
            pa.array(errors, pa.string()),
            _lists(ends, _struct(SPAN, [sents.start, sents.end]), failed),
            _lists(bounds, _struct(TOKEN, [*table.columns(sents), share]), failed),
        ],
        schema=SCHEMA,
    )


class _Sentences(NamedTuple):
    """The sentences of a batch of documents.

    Attributes:
        of_token: For each token the number of its sentence in its document.
        start, end: For each sentence its characters.
        per_doc: The number of sentences of each document.
    """

    of_token: Int32Array
    start: IntArray
    end: IntArray
    per_doc: IntArray


class _TokenTable:
    """The attributes of all tokens of some documents."""

    def __init__(self, docs: Sequence[Doc], vocab: Vocab) -> None:
        self.strings = vocab.strings
        self.table: IdArray = read_tokens(
            docs, [ATTRIBUTE_IDS[name] for name in _ATTRIBUTES]
        )
        self.lengths = np.array([len(doc) for doc in docs], dtype=np.int64)
        self.ends: IntArray = np.cumsum(self.lengths)
        self.starts: IntArray = self.ends - self.lengths

    def __len__(self) -> int:
        return len(self.table)

    def ids(self, attribute: str) -> IdArray:
        return self.table[:, _ATTRIBUTES.index(attribute)]

    def numbers(self, attribute: str) -> IntArray:
        """An attribute that may be negative."""
        return np.ascontiguousarray(self.ids(attribute)).view(np.int64)

    def columns(self, sents: _Sentences) -> list[pa.Array | Int32Array | BoolArray]:
        """The fields of a token, but for the last one."""
        number = np.arange(len(self)) - np.repeat(self.starts, self.lengths)
        start = self.numbers("IDX")
        # spaCy's missing head is the token itself, without a label.
        head = number + self.numbers("HEAD")
        unknown = (self.numbers("HEAD") == 0) & (self.ids("DEP") == 0)
        return [
            number.astype(np.int32),
            sents.of_token,
            start.astype(np.int32),
            (start + self.numbers("LENGTH")).astype(np.int32),
            self._column("ORTH", self.strings.__getitem__),
            self._column("NORM", self.strings.__getitem__),
            self.ids("SPACY").astype(np.bool_),
            self._column("LEMMA", self._known),
            self._column("TAG", self._known),
            self._column("POS", lambda pos: POS_NAMES[pos] or None),
            self._column("MORPH", self._features),
            pa.array(head.astype(np.int32), mask=unknown),
            self._column("DEP", self._known),
        ]

    def sentences(self) -> _Sentences:
        """The sentences of the documents."""
        begins: BoolArray = self.numbers("SENT_START") == 1
        begins[self.starts[self.lengths > 0]] = True
        first = np.flatnonzero(begins)
        count = np.cumsum(begins)
        before = np.concatenate([[0], count])
        per_doc: IntArray = before[self.ends] - before[self.starts]
        of_token = count - 1 - np.repeat(before[self.starts], self.lengths)
        start = self.numbers("IDX")
        last = np.append(first[1:], len(self))[: len(first)] - 1
        end = start[last] + self.numbers("LENGTH")[last]
        return _Sentences(of_token.astype(np.int32), start[first], end, per_doc)

    def _column(self, attribute: str, text: Callable[[int], str | None]) -> pa.Array:
        """Each value of an attribute as text."""
        coded = pa.array(np.ascontiguousarray(self.ids(attribute))).dictionary_encode()
        texts = [text(value) for value in coded.dictionary.to_pylist()]
        return pa.array(texts, pa.string()).take(coded.indices)

    def _known(self, value: int) -> str | None:
        return self.strings[value] if value else None

    def _features(self, value: int) -> str | None:
        text = self._known(value)
        return "" if text == _NO_FEATURES else text


def _probabilities(docs: Sequence[Doc]) -> pa.Array:
    values = [value for doc in docs for value in arc_probabilities(doc)]
    return pa.array(values, pa.float32())


def _struct(kind: pa.StructType, columns: Sequence[pa.Array | IntArray]) -> pa.Array:
    fields = list(kind)
    arrays = [
        (column if isinstance(column, pa.Array) else pa.array(column)).cast(field.type)
        for column, field in zip(columns, fields, strict=True)
    ]
    return pa.StructArray.from_arrays(arrays, fields=fields)


def _lists(bounds: Int32Array, values: pa.Array, missing: BoolArray) -> pa.Array:
    return pa.ListArray.from_arrays(
        pa.array(bounds, pa.int32()), values, mask=pa.array(missing)
    )
