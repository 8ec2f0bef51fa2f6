"""Multiword tokens: tokens of the text that stand for several words (``du`` = de + le).

CoNLL-U has a line for the token (``3-4``) and one for each of its words. A `Doc` has a
token for each word. The tokens of spaCy must add up to the text, so the characters of
the multiword token are divided among its words: ``d`` and ``u``. As in the exceptions
of spaCy's tokenizers, NORM has the form of the word where it differs from these
characters: ``de`` and ``le``. The multiword tokens are the spans
``doc.spans["multiword"]``, which `DocBin`, ``Doc.to_bytes`` and ``Doc.to_json`` keep.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from spacy.tokens import Doc, Token

from .sentence import TreebankSentence

# Key of the spans of multiword tokens in `Doc.spans`.
MULTIWORD = "multiword"


def spans(doc: Doc) -> Iterator[tuple[int, int]]:
    """Yield the first token of each multiword token of a Doc, and the one after it."""
    if MULTIWORD in doc.spans:
        for span in doc.spans[MULTIWORD]:
            if span.end - span.start > 1:
                yield span.start, span.end


def word_form(token: Token) -> str:
    """The form of a word of a multiword token: its NORM if that is its own, or else its
    text.
    """
    return token.text if token.norm == token.lex.norm else token.norm_


def word_forms(doc: Doc) -> list[str]:
    """The form of each token: its text, or its word's form in a multiword token."""
    found = [token.text for token in doc]
    for start, end in spans(doc):
        found[start:end] = [word_form(token) for token in doc[start:end]]
    return found


def mark(doc: Doc, found: Sequence[tuple[int, Sequence[str]]]) -> None:
    """Mark the multiword tokens of a Doc.

    Args:
        found: The first token of each, and the forms of its words.
    """
    for first, forms in found:
        for token, form in zip(doc[first : first + len(forms)], forms, strict=True):
            if token.text != form:
                token.norm_ = form
    if found:
        doc.spans[MULTIWORD] = [doc[i : i + len(forms)] for i, forms in found]


def divided(
    sentence: TreebankSentence,
) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The texts of the words of a sentence, which add up to its text, and its multiword
    tokens as `mark` expects them.

    A multiword token with fewer characters than words cannot be divided: its words keep
    their forms, and the text is then another one.
    """
    texts = sentence.forms
    found = []
    for token in sentence.multiword_tokens:
        first, last = token.first - 1, token.last
        forms = texts[first:last]
        pieces = divide(token.form, tuple(forms))
        if pieces:
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
    n = min(len(a), len(b))
    prefix = next((i for i in range(n) if a[i] != b[i]), n)
    rest = range(n - prefix)
    return prefix + next((i for i in rest if a[-1 - i] != b[-1 - i]), len(rest))
