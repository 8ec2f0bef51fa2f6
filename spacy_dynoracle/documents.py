"""From `Doc` objects to the parser's input, and back.

Whitespace tokens never reach the parser. A document is cut into *segments*, each of
which is parsed on its own and may be bound to have one root.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from spacy.attrs import DEP, HEAD, IDX, IS_SPACE, ORTH, SENT_START
from spacy.parts_of_speech import IDS as POS_IDS
from spacy.strings import get_string_id
from spacy.tokens import Doc

from .arc_records import Record, store
from .core.sentence import Sentence

if TYPE_CHECKING:
    from .preset_arcs import PresetArcs

# The label of whitespace tokens, and of arcs that an untrained model cannot label.
NO_LABEL = "dep"
ROOT_LABEL = "ROOT"

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
IdArray = npt.NDArray[np.uint64]


@dataclass
class Segment:
    """Words that are parsed together.

    words: the indices of the tokens in the Doc, ascending; None for all tokens.
    one_root: whether they must form one sentence.
    inner: for each word whether a sentence may not start there (a preset False); None
        where nothing is preset.
    """

    words: IntArray | None
    one_root: bool
    inner: BoolArray | None = None


# Names of the tags of adpositions and of coordinating conjunctions, in the universal
# tag set and in that of the Penn Treebank.
ADPOSITIONS = ("ADP", "IN")
CONJUNCTIONS = ("CCONJ", "CONJ", "CC")
# What follows the name of a tag attribute for columns made from it (see `source_of`).
LEXICAL = ":lexical"
ADPOSITION = ":adposition"
WORD_ATTRIBUTE = "ORTH"


def source_of(column: str, tag_attr: str) -> str:
    """Where the values of a column of the feature templates come from.

    The name of a spaCy token attribute; followed by ":lexical" if its value is joined
    with the form for adpositions and conjunctions, by ":adposition" if it is the form
    of adpositions and nothing for other words.
    """
    suffix = {"p": "", "t": LEXICAL, "a": ADPOSITION}
    return WORD_ATTRIBUTE if column == "w" else tag_attr + suffix[column]


def tag_attribute(sources: dict[str, str]) -> str | None:
    """The spaCy attribute behind the tag columns among some sources."""
    tags = [s for column, s in sources.items() if column != "w"]
    return tags[0].partition(":")[0] if tags else None


def tag_ids(tag_attr: str, names: Iterable[str]) -> IdArray:
    """The numbers by which spaCy arrays hold tags."""
    if tag_attr == "POS":
        ids = [POS_IDS[name] for name in names if name in POS_IDS]
    else:
        ids = [get_string_id(name) for name in names]
    return np.array(ids, dtype=np.uint64)


class TokenArrays:
    """The attributes of a Doc that the parser reads.

    doc: the document. attributes: names of spaCy token attributes, such as "ORTH", or
    what `source_of` made of them.

    values: uint64 of shape (n tokens, n attributes). orth: ids of the forms.
    characters: where each token begins in the text. is_space: for each token;
    has_spaces: for any. sent_starts: 1 start, -1 no start, 0 unknown.
    """

    def __init__(self, doc: Doc, attributes: list[str]) -> None:
        read = [name.partition(":")[0] for name in attributes]
        table: np.ndarray = doc.to_array([*read, IDX, ORTH, SENT_START, IS_SPACE])
        self.values: IdArray = table[:, : len(attributes)]
        self.characters: IntArray = table[:, -4].view(np.int64)
        self.orth: IdArray = table[:, -3]
        self.sent_starts: IntArray = table[:, -2].view(np.int64)
        self.is_space: BoolArray = table[:, -1] != 0
        self.has_spaces = bool(self.is_space.any())
        self.nullable: list[int] = []
        for column, name in enumerate(attributes):
            if ":" in name:
                self._derive(column, name)

    def _derive(self, column: int, name: str) -> None:
        """Replace the tags in a column by what is made of them."""
        tag_attr, _, kind = name.partition(":")
        tags = self.values[:, column]
        adpositions = np.isin(tags, tag_ids(tag_attr, ADPOSITIONS))
        if f":{kind}" == ADPOSITION:
            self.values[:, column] = np.where(adpositions, self.orth, 0)
            self.nullable.append(column)
            return
        conjunctions = np.isin(tags, tag_ids(tag_attr, CONJUNCTIONS))
        # Any two of the joined values are as unlikely to be equal as any two hashes.
        joined = self.orth ^ (tags << np.uint64(1))
        self.values[:, column] = np.where(adpositions | conjunctions, joined, tags)

    def __len__(self) -> int:
        return len(self.values)

    def sentence(self, words: IntArray | None) -> Sentence:
        """The parser's input for some of the tokens, or for all."""
        values = self.values if words is None else self.values[words]
        return Sentence(values, self.nullable)


def has_only_empty(tokens: list[TokenArrays], column: int) -> bool:
    """Whether there are words, and no word has a value in a column."""
    if any(t.values[:, column].any() for t in tokens):
        return False
    return not all(t.is_space.all() for t in tokens)


def segments(
    doc: Doc, tokens: TokenArrays, sentences: str, arcs: PresetArcs | None = None
) -> list[Segment]:
    """The segments of a document under a setting of `sentences`.

    "predict": cut where a sentence is preset to start, unless the boundaries come from
    an earlier parse. "preset": the sentences of the Doc, one root each. "doc": the
    whole document, one root. arcs: those to be kept, if any.

    What is cut is parsed as if the rest did not exist, so no arc can cross the place,
    and a sentence starts there whatever the model says.
    """
    words = np.flatnonzero(~tokens.is_space) if tokens.has_spaces else None
    if len(tokens) == 0 or (words is not None and len(words) == 0):
        return []
    if sentences == "doc":
        return [Segment(words, True)]
    given = tokens.sent_starts
    if arcs is not None:
        given = arcs.sentence_starts(given, sentences)
    # spaCy lets the first token of every document start a sentence.
    preset = given[1:].any()
    if sentences == "predict" and (
        not preset or (arcs is None and doc.has_annotation("DEP"))
    ):
        return [Segment(words, False)]
    if words is None:
        words = np.arange(len(tokens))
    starts = _starts_of_words(given, words)
    cuts = np.flatnonzero(starts == 1)
    found = []
    for first, last in pairwise([0, *cuts[cuts > 0].tolist(), len(words)]):
        inner = starts[first:last] == -1
        one_root = sentences == "preset" or bool(inner[1:].all())
        found.append(Segment(words[first:last], one_root, inner))
    return found


def _starts_of_words(given: IntArray, words: IntArray) -> IntArray:
    """Sentence starts for words only: a start on blanks moves to the next word."""
    starts: IntArray = given[words].copy()
    next_word = np.searchsorted(words, np.flatnonzero(given == 1))
    starts[next_word[next_word < len(words)]] = 1
    return starts


class Annotations:
    """Heads and labels of the tokens of one Doc, to be written to it.

    table: uint64 of shape (n tokens, 2), as `Doc.from_array` wants it: the offset of
    the head from the token (0 for roots), and the id of the label. record: what is
    known of these arcs, if anything.
    """

    def __init__(self, table: IdArray) -> None:
        self.table = table
        self.record: Record | None = None

    @classmethod
    def empty(cls, n_tokens: int) -> Annotations:
        """Every token a root, to be filled segment by segment."""
        table = np.zeros((n_tokens, 2), dtype=np.uint64)
        table[:, 1] = get_string_id(NO_LABEL)
        return cls(table)

    def add(self, words: IntArray, table: IdArray) -> None:
        """Take over the tree of a segment.

        words: the indices of its tokens. table: as above, the offsets counted in words
        of the segment.
        """
        heads = words[np.arange(len(words)) + table[:, 0].view(np.int64)]
        self.table[words, 0] = (heads - words).view(np.uint64)
        self.table[words, 1] = table[:, 1]

    def attach_spaces(self, is_space: BoolArray) -> None:
        """Attach whitespace to the word before it, leading whitespace to the word after
        it; in a document of blanks the first is the root."""
        spaces = np.flatnonzero(is_space)
        words = np.flatnonzero(~is_space)
        if len(words):
            before = np.searchsorted(words, spaces) - 1
            heads = words[np.maximum(before, 0)]
        else:
            heads = np.zeros_like(spaces)
            self.table[0, 1] = get_string_id(ROOT_LABEL)
        self.table[spaces, 0] = (heads - spaces).view(np.uint64)

    def write(self, doc: Doc) -> None:
        """Set head, dep and sentence boundaries of every token of the Doc, and what its
        extensions say of them."""
        if len(self.table):
            doc.from_array([HEAD, DEP], self.table)  # type: ignore[arg-type]
        store(doc, self.record)
