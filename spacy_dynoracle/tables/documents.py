"""Documents of rows: the words of an input row, and spaCy's Docs of annotations."""

import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from ..errors import TreebankError
from ..treebank import TreebankSentence, read_conllu

NO_BOOLEANS = "'spaces' is no list of booleans"


def are_booleans(values: Iterable[Any]) -> bool:
    """Whether values are booleans, or numbers that stand for them, or null."""
    return all(value in (True, False, None) for value in values)


class Words(NamedTuple):
    """The words of a document.

    Attributes:
        spaces: Whether a space follows each one; None if one follows every word.
    """

    words: list[str]
    spaces: list[bool] | None

    def doc(self, vocab: Vocab) -> Doc:
        """An unparsed Doc with these words.

        Raises:
            ValueError: For spaces that are no booleans.
        """
        if not are_booleans(self.spaces or ()):
            raise ValueError(NO_BOOLEANS)
        return Doc(vocab, words=self.words, spaces=self.spaces)


def read_sentence(block: str) -> TreebankSentence:
    """The sentence of a block of CoNLL-U.

    Raises:
        TreebankError: For anything else.
    """
    found = list(read_conllu("conllu", stream=io.BytesIO(block.encode())))
    if len(found) != 1:
        raise TreebankError(f"conllu: expected one sentence, found {len(found)}")
    return found[0]


def docs_of(
    rows: pa.RecordBatch | pa.Table | Iterable[pa.RecordBatch], vocab: Vocab
) -> Iterator[Doc]:
    """The documents of a table of annotations; rows with an error are left out.

    The id of a document is its `user_data["id"]`.
    """
    if isinstance(rows, pa.RecordBatch):
        rows = [rows]
    for batch in rows.to_batches() if isinstance(rows, pa.Table) else rows:
        for row in batch.to_pylist():
            if row["tokens"] is not None:
                yield _doc(row, vocab)


def to_doc_bin(
    rows: pa.RecordBatch | pa.Table | Iterable[pa.RecordBatch], vocab: Vocab
) -> DocBin:
    """The documents of a table of annotations in spaCy's binary format."""
    return DocBin(docs=docs_of(rows, vocab), store_user_data=True)


def _doc(row: dict[str, Any], vocab: Vocab) -> Doc:
    tokens = row["tokens"]

    def values(name: str) -> list[Any]:
        return [token[name] for token in tokens]

    given: dict[str, Any] = {}
    if any(head is not None for head in values("head")):
        given["heads"], given["deps"] = values("head"), values("dep")
    else:
        given["sent_starts"] = _starts(values("sent"))
    names = {"tags": "tag", "pos": "pos", "morphs": "morph", "lemmas": "lemma"}
    for name, field in names.items():
        found = values(field)
        if any(value is not None for value in found):
            given[name] = [value or "" for value in found]
    doc = Doc(vocab, words=values("text"), spaces=values("whitespace"), **given)
    for token, norm in zip(doc, values("norm"), strict=True):
        if token.norm_ != norm:
            token.norm_ = norm
    doc.user_data["id"] = row["id"]
    return doc


def _starts(sentences: Sequence[int]) -> list[bool]:
    return [i == 0 or sentences[i - 1] != s for i, s in enumerate(sentences)]
