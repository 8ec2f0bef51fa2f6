"""Multiword tokens: tokens of the text that stand for several words (``du`` = de + le).

CoNLL-U has a line for the token (``3-4``) and one for each of its words. A `Doc` has a
token for each word. The tokens of spaCy must add up to the text, so the characters of
the multiword token are divided among its words: ``d`` and ``u``. As in the exceptions
of spaCy's tokenizers, NORM has the form of the word where it differs from these
characters: ``de`` and ``le``. The multiword tokens are the spans
``doc.spans["multiword"]``, which `DocBin` and ``Doc.to_bytes`` keep.

Words whose forms are their characters keep the NORM of spaCy, such as "not" of "n't".
The span of such a multiword token has the label "verbatim".
"""

import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import srsly
from spacy.attrs import SENT_START, SPACY
from spacy.tokens import Doc, Span, SpanGroup, Token

from ..doc.borders import read_tokens, write_tokens
from ..doc.preset_boundaries import MULTIWORD
from ..util.arrays import IntArray
from ..util.texts import n_alike
from .sentence import TreebankSentence

# The label of a multiword token whose words have their texts as forms, or forms that
# NORM does not tell apart from these.
VERBATIM = "verbatim"
# Characters of a multiword token that is divided where its words resemble it most.
_LONGEST = 80
# As `SpanGroup.to_bytes` stores a span: three ids, and its tokens and characters.
_SPAN = ">QQQllll"


class MultiwordSpans(SpanGroup):
    """The multiword tokens of a Doc, which stay right when tokens are merged or split.

    The retokenizer of spaCy leaves the spans of `Doc.spans` where they were. They also
    know their characters, which do not move: whoever reads the group gets the spans of
    the tokens that are there now. A multiword token of which no two tokens are left, or
    which was merged with a neighbour, is none any more.
    """

    def __iter__(self) -> Iterator[Span]:
        return iter(self._settle())

    def __len__(self) -> int:
        self._settle()
        return super().__len__()

    def __getitem__(self, i: int) -> Span:
        self._settle()
        return super().__getitem__(i)

    def to_bytes(self) -> bytes:
        """The group as bytes, as spaCy's `SpanGroup` reads them."""
        self._settle()
        return super().to_bytes()

    def copy(self, doc: Doc | None = None) -> "MultiwordSpans":
        """The group, for this Doc or for another one with the same tokens."""
        made = MultiwordSpans(doc or self.doc, name=self.name, attrs=dict(self.attrs))
        made.from_bytes(self.to_bytes())
        return made

    def _as_they_are(self) -> list[Span]:
        get = super().__getitem__
        return [get(i) for i in range(super().__len__())]

    def _settle(self) -> list[Span]:
        """Replace the spans by those of the present tokens, and return these."""
        doc: Any = self.doc
        # spaCy makes no span of tokens that are no more.
        with suppress(IndexError):
            found = self._as_they_are()
            if all(_is_settled(doc, span) for span in found):
                return found
        values: Any = srsly.msgpack_loads(super().to_bytes())
        spans = [struct.unpack(_SPAN, span) for span in values["spans"]]
        starts = {token.idx: token.i for token in doc}
        ends = {token.idx + len(token): token.i + 1 for token in doc}
        values["spans"] = [
            struct.pack(_SPAN, *ids, starts[first], ends[last], first, last)
            for *ids, _, _, first, last in spans
            if ends.get(last, 0) - starts.get(first, len(doc)) > 1
        ]
        super().from_bytes(srsly.msgpack_dumps(values))
        return self._as_they_are()


def _is_settled(doc: Doc, span: Span) -> bool:
    """Whether a span has the tokens of its characters."""
    start, end = span.start, span.end
    if end > len(doc) or end - start < 2 or doc[start].idx != span.start_char:
        return False
    return doc[end - 1].idx + len(doc[end - 1]) == span.end_char


def _multiword_spans(doc: Doc) -> Iterable[Span]:
    """The spans of the multiword tokens of a Doc.

    Docs that were read or joined have a group of spaCy's, which is replaced.
    """
    if MULTIWORD not in doc.spans:
        return ()
    group = doc.spans[MULTIWORD]
    if not isinstance(group, MultiwordSpans):
        made = MultiwordSpans(doc, name=MULTIWORD, attrs=dict(group.attrs))
        try:
            made.extend(list(group))
        except IndexError:
            # spaCy makes no span of tokens that are no more.
            made.from_bytes(group.to_bytes())
        doc.spans[MULTIWORD] = group = made
    return [span for span in group if span.end - span.start > 1]


def spans(doc: Doc) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the first token of each multiword token of a Doc, the one after it, and the
    forms of its words.
    """
    for span in _multiword_spans(doc):
        is_verbatim = span.label_ == VERBATIM
        forms = [
            t.norm_ if _has_own_norm(t) and not is_verbatim else t.text for t in span
        ]
        yield span.start, span.end, forms


def _has_own_norm(token: Token) -> bool:
    """Whether NORM is the form of a word of a multiword token, and not what a lexeme of
    its text has, be it of the vocab that the document was read with before.
    """
    return token.norm != token.lex.norm and token.norm_ != token.text.lower()


def own_forms(doc: Doc) -> Iterator[tuple[int, int]]:
    """Yield each word of a multiword token whose form is not its text: its number
    among the tokens, and the id of the form.
    """
    for span in _multiword_spans(doc):
        for token in span if span.label_ != VERBATIM else ():
            if _has_own_norm(token):
                yield token.i, token.norm


def without_forms(doc: Doc) -> set[int]:
    """The first tokens of the multiword tokens whose words have lost their forms, as
    where an augmenter of spaCy has made a Doc anew, without NORM. Those that never had
    forms of their own have a label.
    """
    return {
        span.start
        for span in _multiword_spans(doc)
        if span.label_ != VERBATIM and not any(map(_has_own_norm, span))
    }


def word_forms(doc: Doc) -> list[str]:
    """The form of each token: its text, or its word's form in a multiword token."""
    found = [token.text for token in doc]
    for start, end, forms in spans(doc):
        found[start:end] = forms
    return found


def sentence_bounds(doc: Doc, found: Iterable[tuple[int, int, list[str]]]) -> list[int]:
    """The first token of each sentence of a Doc, and the end of the last one. Without
    annotation, all is one sentence.

    A boundary inside of a multiword token, which CoNLL-U cannot express, is moved
    before it.

    Args:
        found: What `spans` yields for the Doc.
    """
    bounds = [0, len(doc)]
    if doc.has_annotation("SENT_START"):
        bounds[:1] = [span.start for span in doc.sents]
    inside = {i: start for start, end, _ in found for i in range(start + 1, end)}
    return sorted({inside.get(bound, bound) for bound in bounds})


def with_joined_starts(docs: Sequence[Doc], starts: IntArray) -> list[int]:
    """The numbers of the documents with multiword tokens in which a sentence starts
    without a blank before it, so that it may start inside of a multiword token.

    Args:
        starts: 1 for each token of all documents where a sentence starts.
    """
    has = np.array([MULTIWORD in doc.spans for doc in docs], dtype=np.bool_)
    if not has.any():
        return []
    bounds = np.cumsum([0, *map(len, docs)])
    is_joined = read_tokens(docs, (SPACY,))[:-1, 0] == 0
    places = np.flatnonzero((starts[1:] == 1) & is_joined) + 1
    numbers = np.searchsorted(bounds, places, side="right") - 1
    # Nothing stands before the first token of a document.
    numbers = numbers[places != bounds[numbers]]
    found: list[int] = np.unique(numbers[has[numbers]]).tolist()
    return found


def move_starts(doc: Doc) -> None:
    """Move sentence starts inside of multiword tokens to their first tokens."""
    starts = doc.to_array([SENT_START]).astype(np.int64)
    if keep_starts_outside(doc, starts):
        # Token.is_sent_start cannot be set where some heads are preset.
        write_tokens([doc], (SENT_START,), [starts.view(np.uint64).reshape(-1, 1)])


def keep_starts_outside(doc: Doc, starts: IntArray, forbid: bool = False) -> bool:
    """Move sentence starts inside of multiword tokens to their first tokens.

    Args:
        starts: For each token 1 if a sentence starts there, -1 if none does, else 0.
            They are changed.
        forbid: Whether to forbid any start inside, too.

    Returns:
        Whether anything has changed.
    """
    if MULTIWORD not in doc.spans:
        return False
    before = starts.copy()
    for start, end, _ in spans(doc):
        is_inside = (starts[start + 1 : end] == 1).any()
        if is_inside:
            starts[start] = 1
        if forbid or is_inside:
            starts[start + 1 : end] = -1
    return not np.array_equal(starts, before)


def mark(doc: Doc, found: Sequence[tuple[int, Sequence[str]]]) -> None:
    """Mark the multiword tokens of a Doc.

    Args:
        found: The first token of each, and the forms of its words.
    """
    marked = []
    for first, forms in found:
        tokens = [doc[i] for i in range(first, first + len(forms))]
        is_verbatim = [token.text for token in tokens] == list(forms)
        if not is_verbatim:
            for token, form in zip(tokens, forms, strict=True):
                if token.text != form or token.norm != token.lex.norm:
                    token.norm_ = form
            # A form that is the text in lower case, or the NORM of its lexeme, is not
            # told apart from the text.
            is_verbatim = not any(map(_has_own_norm, tokens))
        label = VERBATIM if is_verbatim else ""
        marked.append(Span(doc, first, first + len(forms), label))
    if marked:
        doc.spans[MULTIWORD] = MultiwordSpans(doc, name=MULTIWORD, spans=marked)


def as_doc(span: Span) -> Doc:
    """A document of the tokens of a span, with its multiword tokens, which spaCy's
    `Span.as_doc` leaves out.
    """
    doc = span.as_doc()
    start, end = span.start, span.end
    spans = [
        Span(doc, token.start - start, token.end - start, token.label)
        for token in _multiword_spans(span.doc)
        if start <= token.start and token.end <= end
    ]
    if spans:
        doc.spans[MULTIWORD] = MultiwordSpans(doc, name=MULTIWORD, spans=spans)
    return doc


def divided(
    sentence: TreebankSentence,
) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The texts of the words of a sentence, which add up to its text, and its multiword
    tokens as `mark` expects them.

    A multiword token with fewer characters than words cannot be divided, nor one with a
    blank for a word: its words keep their forms, and the text is then another one.
    """
    texts = sentence.forms
    found = []
    for token in sentence.multiword_tokens:
        first, last = token.first - 1, token.last
        forms = texts[first:last]
        pieces = divide(token.form, tuple(forms))
        # A word of whitespace would be lost.
        if pieces and not any(map(str.isspace, pieces)):
            texts[first:last] = pieces
            found.append((first, forms))
    return texts, found


@lru_cache(maxsize=1 << 12)
def divide(text: str, forms: tuple[str, ...]) -> tuple[str, ...]:
    """Divide a text into as many pieces as there are forms, which resemble them most.

    Pieces have at least one character. They resemble a form by the number of characters
    that both have in common at the beginning and at the end. Of equally good divisions
    the one with the shortest first pieces counts. Empty if the text is too short.
    """
    if len(text) < len(forms):
        return ()
    if "".join(forms) == text:
        return forms
    if len(text) > _LONGEST:
        # The best division would take minutes, and no language has such tokens.
        cuts = [len(text) * i // len(forms) for i in range(len(forms) + 1)]
        return tuple(text[a:b] for a, b in pairwise(cuts))
    # For each end of the pieces so far: the resemblance, and the pieces themselves.
    best: dict[int, tuple[int, tuple[str, ...]]] = {0: (0, ())}
    for n, form in enumerate(forms, 1):
        longer: dict[int, tuple[int, tuple[str, ...]]] = {}
        last = len(text) - (len(forms) - n)
        for start, (score, pieces) in best.items():
            for end in range(start + 1, last + 1) if n < len(forms) else (len(text),):
                piece = text[start:end]
                total = score + _resemblance(piece.lower(), form.lower())
                if end not in longer or total > longer[end][0]:
                    longer[end] = (total, (*pieces, piece))
        best = longer
    return best[len(text)][1]


def _resemblance(a: str, b: str) -> int:
    prefix = n_alike(a, b)
    return prefix + n_alike(a[prefix:][::-1], b[prefix:][::-1])
