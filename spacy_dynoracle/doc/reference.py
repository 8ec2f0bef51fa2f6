"""The sentence starts of annotated documents.

spaCy derives sentence starts from the trees: a sentence starts at the leftmost word
below each root. Where heads are unknown these are not the starts of the sentences, and
no others can be saved with the Doc. What is certain then: two neighbouring words are in
different sentences if they are known to be below different roots.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from spacy.attrs import DEP, HEAD, IS_SPACE, SENT_START
from spacy.tokens import Doc

UNKNOWN = -1

# For each word its head 1..n, 0 for ROOT, None for unknown.
PartialHeads = list[int | None]


class ReferenceArrays:
    """The annotation of a reference document, by token.

    Attributes:
        heads: Indices of tokens, that of the token itself for roots, UNKNOWN where the
            head is not known.
        labels: Ids of strings, 0 where unknown.
        sent_starts: As spaCy has them.
        is_space: Whether the token is whitespace.
    """

    def __init__(self, doc: Doc) -> None:
        table = doc.to_array([HEAD, DEP, SENT_START, IS_SPACE]).reshape(len(doc), 4)
        offsets = table[:, 0].view(np.int64)
        self.labels: np.ndarray = table[:, 1]
        self.sent_starts: np.ndarray = table[:, 2].view(np.int64)
        self.is_space: np.ndarray = table[:, 3] != 0
        # Its own head with an empty label means unknown, not root.
        known = (offsets != 0) | (self.labels != 0)
        self.heads: np.ndarray = np.where(known, np.arange(len(doc)) + offsets, UNKNOWN)

    @property
    def share_known(self) -> float:
        """The share of the words whose head is known; 1 if there are no words."""
        known = self.heads[~self.is_space] != UNKNOWN
        return float(known.mean()) if len(known) else 1.0

    @property
    def is_partial(self) -> bool:
        """Whether the heads of some words are known, and not those of others."""
        return 0 < self.share_known < 1

    def starts(self) -> np.ndarray:
        """The words at which a sentence is known to start; whether each token is one.

        Whitespace never starts a sentence: the next word does instead.
        """
        words = np.flatnonzero(~self.is_space)
        starts = np.zeros(len(self.heads), dtype=bool)
        if not len(words):
            return starts
        if self.is_partial:
            tops = self._tops()[words]
            both = (tops[1:] != UNKNOWN) & (tops[:-1] != UNKNOWN)
            found = words[1:][both & (tops[1:] != tops[:-1])]
        else:
            next_word = np.searchsorted(words, np.flatnonzero(self.sent_starts == 1))
            found = words[next_word[next_word < len(words)]]
        starts[found] = True
        starts[words[0]] = True
        return starts

    def _tops(self) -> np.ndarray:
        """The root above each token; UNKNOWN where a head on the way there is."""
        tokens = np.arange(len(self.heads))
        top = np.where(self.heads == UNKNOWN, tokens, self.heads)
        # Every round doubles how far a token sees up its tree; cycles have no end.
        for _ in range(len(tokens).bit_length()):
            top = top[top]
        return np.where(self.heads[top] == top, top, UNKNOWN)


def known_starts(doc: Doc) -> np.ndarray:
    """The sentence starts of a document as spaCy has them; of a partly annotated one
    those that are certain, and 0 for all other tokens.

    Where only starts are marked, also behind the first token, no other token is one, as
    for spaCy's senter.

    Returns:
        int64 of shape (n tokens,).
    """
    arrays = ReferenceArrays(doc)
    if arrays.is_partial:
        return arrays.starts().astype(np.int64)
    starts = arrays.sent_starts
    only_starts = (starts[1:] == 1).any() and not (starts == -1).any()
    return np.where(starts == 0, -1, starts) if only_starts else starts


def mend_sentence_starts(doc: Doc) -> None:
    """Make the sentences of a partly annotated document those that are certain."""
    arrays = ReferenceArrays(doc)
    if arrays.is_partial:
        starts = arrays.starts().astype(np.uint64).reshape(-1, 1)
        doc.from_array([SENT_START], starts)  # type: ignore[arg-type]


def mark_as_sentence(doc: Doc) -> None:
    """Make all of a document one sentence.

    spaCy begins one at each known root, and the components before the parser, such as
    the tagger, would believe it.
    """
    starts = np.full((len(doc), 1), -1, dtype=np.int64)
    starts[:1] = 1
    doc.from_array([SENT_START], starts.view(np.uint64))  # type: ignore[arg-type]


def group_sentences(docs: Iterable[Doc], n_sentences: int) -> Iterator[Doc]:
    """Join documents of one sentence to documents of several.

    Sentences with a head for every word are joined, and those without any. A partly
    annotated sentence stays alone: joined with others, it would not be known where it
    starts and ends. Sentences of each of the first two kinds keep their order.
    """
    groups: dict[float, list[Doc]] = {}
    for doc in docs:
        share = ReferenceArrays(doc).share_known
        if 0 < share < 1:
            yield doc
            continue
        group = groups.setdefault(share, [])
        group.append(doc)
        if len(group) == n_sentences:
            yield _joined(groups.pop(share))
    yield from map(_joined, groups.values())


def _joined(group: list[Doc]) -> Doc:
    if len(group) == 1:
        return group[0]
    # Between sentences without a blank, as in Chinese, there is none.
    return Doc.from_docs(group, ensure_whitespace=False)
