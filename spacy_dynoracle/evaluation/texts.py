"""Texts with words, multiword tokens and sentences, as they are aligned and scored."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

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

# The columns of a word without analysis.
_NOTHING: dict[str, Any] = dict.fromkeys(("lemma", "upos", "xpos", "feats"), UNKNOWN)
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
        word._replace(**_NOTHING, head=None, deprel=None) for word in sentence.words
    )
    bare = replace(sentence, words=tuple(words))
    return next(doc_sentences(doc, bare, doc_tags=True, xpos=xpos))


def text_of(sentences: Iterable[TreebankSentence]) -> Text:
    """The words of a treebank."""
    found = Text("", [], [], [], [])
    pieces: list[str] = []
    end = 0
    for sentence in sentences:
        first, start = len(found.words), end
        starting = {token.first: token for token in sentence.multiword_tokens}
        part_of: MultiwordToken | None = None
        for number, word in enumerate(sentence.words, 1):
            own = "".join(word.form.split())
            if part_of is None or number > part_of.last:
                part_of = starting.get(number)
                pieces.append("".join(part_of.form.split()) if part_of else own)
                found.tokens.append((end, end + len(pieces[-1])))
                end += len(pieces[-1])
            head = word.head
            found.words.append(
                Word(
                    found.tokens[-1],
                    (word.form if part_of else own).lower(),
                    part_of is not None,
                    word.upos,
                    word.xpos,
                    _universal(word.feats),
                    word.lemma,
                    -1 if head == 0 else None if head is None else first + head - 1,
                    word.deprel,
                )
            )
        found.starts.append(first)
        found.sentences.append((start, end))
    for i, each in enumerate(found.words):
        if each.label in _FUNCTION and each.head not in (-1, None):
            found.words[each.head].function_words.append(i)
    return replace(found, characters="".join(pieces))


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
