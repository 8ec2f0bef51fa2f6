"""Texts with words, multiword tokens and sentences, as they are aligned and scored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from spacy.tokens import Doc

from ..treebank import MultiwordToken, TreebankSentence
from ..treebank.sentence import UNKNOWN
from ..treebank.text import sentence_text
from ..treebank.writer import doc_sentences
from ..util.texts import n_alike

# The relations of Universal Dependencies whose dependents are function words, and the
# features that every treebank may have.
_FUNCTION = frozenset("aux case cc clf cop det mark".split())  # noqa: SIM905
_FEATURES = frozenset(
    "Abbr Animacy Aspect Case Definite Degree Evident Foreign Gender Mood Number "  # noqa: SIM905
    "NumType Person Polarity Polite Poss PronType Reflex Tense VerbForm Voice".split()
)

Span = tuple[int, int]


@dataclass(slots=True)
class Word:
    """A word of a text.

    Attributes:
        span: Its characters; within a multiword token, those of the token.
        form: In lower case.
        is_part: Whether it is in a multiword token.
        feats: Universal features.
        head: Index of its head in the text; -1 is the root and None is unknown.
        deprel: The whole label.
        function_words: Indices of its function words.
    """

    span: Span
    form: str
    is_part: bool
    upos: str
    xpos: str
    feats: str
    lemma: str
    head: int | None
    deprel: str | None
    function_words: list[int] = field(default_factory=list)

    @property
    def label(self) -> str | None:
        """The label up to ``:``, and root for the ROOT of spaCy."""
        if self.head == -1 and self.deprel == "ROOT":
            return "root"
        return None if self.deprel is None else self.deprel.partition(":")[0]


@dataclass(frozen=True, slots=True)
class Text:
    """The words of a text, and the spans of its tokens and sentences.

    Attributes:
        starts: For each sentence the index of its first word.
    """

    characters: str
    words: list[Word]
    tokens: list[Span]
    sentences: list[Span]
    starts: list[int]


def _universal(feats: str) -> str:
    """The universal features among FEATS, sorted."""
    pairs = feats.split("|")
    return "|".join(sorted(p for p in pairs if p.partition("=")[0] in _FEATURES))


def with_annotation(
    sentence: TreebankSentence, doc: Doc, xpos: bool = True
) -> TreebankSentence:
    """A sentence with the tags, lemmas, heads and labels of a Doc with the same words.

    What the Doc does not have is unknown. The ROOT of spaCy becomes root.

    Args:
        xpos: Whether TAG is an XPOS.
    """
    words = (
        word._replace(
            lemma=UNKNOWN,
            upos=UNKNOWN,
            xpos=UNKNOWN,
            feats=UNKNOWN,
            head=None,
            deprel=None,
        )
        for word in sentence.words
    )
    bare = replace(sentence, words=tuple(words))
    return next(doc_sentences(doc, bare, doc_tags=True, xpos=xpos))


def text_of(sentences: Iterable[TreebankSentence]) -> Text:
    """The words of a treebank."""
    builder = TextBuilder()
    for sentence in sentences:
        builder.add_sentence(sentence)
    return builder.text()


class TextBuilder:
    """Makes a `Text`, piece by piece."""

    def __init__(self) -> None:
        self.characters: list[str] = []
        self.words: list[Word] = []
        self.tokens: list[Span] = []
        self.sentences: list[Span] = []
        self.starts: list[int] = []
        self.end = 0

    def text(self) -> Text:
        """What was added so far."""
        for word in self.words:
            word.function_words = []
        for i, word in enumerate(self.words):
            if word.label in _FUNCTION and word.head not in (-1, None):
                self.words[word.head].function_words.append(i)
        return Text(
            "".join(self.characters),
            self.words,
            self.tokens,
            self.sentences,
            self.starts,
        )

    def _add_token(self, form: str) -> Span:
        """The span of a new token, whose form has no whitespace."""
        span = (self.end, self.end + len(form))
        self.characters.append(form)
        self.tokens.append(span)
        self.end = span[1]
        return span

    def add_sentence(self, sentence: TreebankSentence) -> None:
        """Add a sentence of a treebank."""
        first, start = len(self.words), self.end
        self.starts.append(first)
        starting = {token.first: token for token in sentence.multiword_tokens}
        part_of: MultiwordToken | None = None
        span = (start, start)
        for number, word in enumerate(sentence.words, 1):
            if part_of is None or number > part_of.last:
                part_of = starting.get(number)
                span = self._add_token("".join((part_of or word).form.split()))
            head = word.head
            form = word.form if part_of else "".join(word.form.split())
            self.words.append(
                Word(
                    span,
                    form.lower(),
                    part_of is not None,
                    word.upos,
                    word.xpos,
                    _universal(word.feats),
                    word.lemma,
                    -1 if head == 0 else None if head is None else first + head - 1,
                    word.deprel,
                )
            )
        self.sentences.append((start, self.end))


def check_text(
    gold: Iterable[TreebankSentence], predicted: Iterable[TreebankSentence]
) -> None:
    """Raise ValueError unless sentences have the same characters, whitespace aside."""
    a, b = (
        "".join("".join(map(sentence_text, side)).split()) for side in (gold, predicted)
    )
    if a != b:
        raise ValueError(difference(a, b))


def difference(gold: str, predicted: str) -> str:
    """The message for texts that differ."""
    at = n_alike(gold, predicted)
    return (
        f"the text of the parse differs from the treebank at character {at} (without "
        f"whitespace): {predicted[at : at + 20]!r} instead of {gold[at : at + 20]!r}"
    )
