"""Scores of a pipeline that starts from raw text, comparable to published UD scores.

The pipeline finds words and sentences itself, so they must be aligned with those of the
treebank. Definitions: CoNLL 2018 shared task (Zeman et al. 2018, section 2.2), whose
evaluation script is the standard for Universal Dependencies:

* A token, sentence or word is right if it spans the right characters, whitespace aside.
  Words inside a multiword token have no characters of their own: within its span, the
  longest common subsequence of the lower-case forms is aligned.
* Tags, heads and labels are scored on aligned words; precision and recall divide by all
  words. A head is right if the word aligned with it is the gold head. Labels are
  compared up to ``:``.
* CLAS is LAS on content words. These are chosen by their labels: function words,
  punctuation and labels outside Universal Dependencies are left out.

One rule is not from the shared task: a word whose gold head is unknown counts only in
tokens, words and tags.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from spacy.tokens import Doc

from ..treebank import MultiwordToken, TreebankSentence, heads_and_labels, multiword
from ..treebank.sentence import UNKNOWN

MEASURES = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UAS", "LAS", "CLAS")

# The relations of Universal Dependencies whose dependents are content words.
_CONTENT = frozenset(
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod "  # noqa: SIM905
    "discourse nmod appos nummod acl amod conj fixed flat compound list parataxis "
    "orphan goeswith reparandum root dep".split()
)

# Measures of what was found; the others compare values of aligned words.
_FOUND = ("Tokens", "Sentences", "Words")

Span = tuple[int, int]


@dataclass(slots=True)
class _Word:
    """A word of a text.

    span: its characters; within a multiword token, those of the token.
    head: index of its head in the text; -1 is the root and None is unknown.
    label: the label up to ``:``.
    """

    span: Span
    form: str
    is_part: bool
    upos: str
    xpos: str
    head: int | None
    label: str | None


@dataclass(frozen=True, slots=True)
class _Text:
    """The words of a text, and the spans of its tokens and sentences."""

    characters: str
    words: list[_Word]
    tokens: list[Span]
    sentences: list[Span]


@dataclass(frozen=True, slots=True)
class TextScore:
    """Precision, recall and F1 on raw text, as fractions of 1.

    gold, predicted, correct: numbers of tokens, sentences or words.
    aligned: number of aligned words that are scored; None for the measures Tokens,
        Sentences and Words.

    A score without anything to count is 0.
    """

    gold: int
    predicted: int
    correct: int
    aligned: int | None

    @property
    def precision(self) -> float:
        """The share of the predictions that is right."""
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of the gold values that was found."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = self.gold + self.predicted
        return 2 * self.correct / total if total else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        """The share of the aligned words that is right; None if `aligned` is None."""
        if self.aligned is None:
            return None
        return self.correct / self.aligned if self.aligned else 0.0

    def as_dict(self) -> dict[str, float | None]:
        """Plain values for JSON."""
        names = ("precision", "recall", "f1", "aligned_accuracy")
        return {name: getattr(self, name) for name in names}


@dataclass(slots=True)
class _Counts:
    gold: int = 0
    predicted: int = 0
    correct: int = 0
    aligned: int = 0

    def add_spans(self, gold: Iterable[Span], predicted: Iterable[Span]) -> None:
        expected, found = set(gold), set(predicted)
        self.gold += len(expected)
        self.predicted += len(found)
        self.correct += len(expected & found)


class TextEvaluation:
    """Collects the scores of texts that a pipeline has parsed."""

    def __init__(self) -> None:
        self._counts = {measure: _Counts() for measure in MEASURES}
        self._is_tagged = {"UPOS": False, "XPOS": False}

    def add(self, sentences: Sequence[TreebankSentence], doc: Doc) -> None:
        """Score a text, given its gold sentences and its parsed Doc.

        Raises ValueError if the Doc has other characters than the sentences, whitespace
        aside.
        """
        gold, predicted = _gold_text(sentences), _predicted_text(doc)
        if gold.characters != predicted.characters:
            raise ValueError(_difference(gold.characters, predicted.characters))
        counts = self._counts
        counts["Tokens"].add_spans(gold.tokens, predicted.tokens)
        counts["Sentences"].add_spans(gold.sentences, predicted.sentences)
        for word in predicted.words:
            self._is_tagged["UPOS"] |= word.upos != UNKNOWN
            self._is_tagged["XPOS"] |= word.xpos != UNKNOWN
        pairs = _align(gold.words, predicted.words)
        self._add_words("Words", gold, predicted, pairs, lambda g, p: True)
        self._add_words("UPOS", gold, predicted, pairs, _same_upos)
        self._add_words("XPOS", gold, predicted, pairs, _same_xpos)
        # A word with an unknown head is not scored in the tree.
        unknown = {i for i, word in enumerate(gold.words) if word.head is None}
        pairs_of_gold = dict(pairs)
        ignored = {pairs_of_gold[i] for i in unknown if i in pairs_of_gold}
        gold_of = {p: g for g, p in pairs}

        def same_head(g: _Word, p: _Word) -> bool:
            head = p.head
            return (head if head in (-1, None) else gold_of.get(head)) == g.head

        def same_arc(g: _Word, p: _Word) -> bool:
            return same_head(g, p) and g.label == p.label

        known = [pair for pair in pairs if pair[0] not in unknown]
        skipped = (unknown, ignored)
        self._add_words("UAS", gold, predicted, known, same_head, skipped)
        self._add_words("LAS", gold, predicted, known, same_arc, skipped)
        self._add_words("CLAS", gold, predicted, known, same_arc, skipped, _is_content)

    def _add_words(
        self,
        measure: str,
        gold: _Text,
        predicted: _Text,
        pairs: list[tuple[int, int]],
        is_right: Callable[[_Word, _Word], bool],
        skipped: tuple[set[int], set[int]] = (set(), set()),
        counts_word: Callable[[_Word], bool] = lambda word: True,
    ) -> None:
        """Count a measure of words.

        skipped: indices of gold and of predicted words that do not count.
        """
        counts = self._counts[measure]
        for i, word in enumerate(gold.words):
            counts.gold += i not in skipped[0] and counts_word(word)
        for i, word in enumerate(predicted.words):
            counts.predicted += i not in skipped[1] and counts_word(word)
        for g, p in pairs:
            word = gold.words[g]
            if counts_word(word):
                counts.aligned += 1
                counts.correct += is_right(word, predicted.words[p])

    def scores(self) -> dict[str, TextScore]:
        """The scores of all texts so far, by the names in MEASURES.

        UPOS and XPOS are left out if the pipeline sets no such tags.
        """
        return {
            measure: TextScore(
                counts.gold,
                counts.predicted,
                counts.correct,
                None if measure in _FOUND else counts.aligned,
            )
            for measure, counts in self._counts.items()
            if self._is_tagged.get(measure, True)
        }


def _same_upos(gold: _Word, predicted: _Word) -> bool:
    return gold.upos == predicted.upos


def _same_xpos(gold: _Word, predicted: _Word) -> bool:
    return gold.xpos == predicted.xpos


def _is_content(word: _Word) -> bool:
    return word.label in _CONTENT


def _label(label: str | None, is_root: bool) -> str | None:
    """A label up to ``:``, and root for the ROOT of spaCy."""
    if is_root and label == "ROOT":
        return "root"
    return None if label is None else label.partition(":")[0]


def _gold_text(sentences: Sequence[TreebankSentence]) -> _Text:
    """The gold words of a text."""
    text = _Text("", [], [], [])
    characters: list[str] = []
    position = 0
    for sentence in sentences:
        first, start = len(text.words), position
        starting = {token.first: token for token in sentence.multiword_tokens}
        part_of: MultiwordToken | None = None
        span = (position, position)
        for number, word in enumerate(sentence.words, 1):
            if part_of is None or number > part_of.last:
                part_of = starting.get(number)
                form = "".join((part_of or word).form.split())
                span = (position, position + len(form))
                characters.append(form)
                position = span[1]
                text.tokens.append(span)
            head = word.head
            text.words.append(
                _Word(
                    span,
                    "".join(word.form.split()).lower(),
                    part_of is not None,
                    word.upos,
                    word.xpos,
                    -1 if head == 0 else None if head is None else first + head - 1,
                    _label(word.deprel, head == 0),
                )
            )
        text.sentences.append((start, position))
    return _Text("".join(characters), text.words, text.tokens, text.sentences)


def _predicted_text(doc: Doc) -> _Text:
    """The words that a pipeline has found, without whitespace tokens."""
    words: list[_Word] = []
    tokens: list[Span] = []
    characters: list[str] = []
    index: dict[int, int] = {}
    position = 0
    heads, labels = heads_and_labels(doc)
    ends = dict(multiword.spans(doc))
    inside = 0  # the end of the multiword token so far
    span = (0, 0)
    for token in doc:
        form = "".join(token.text.split())
        if token.i in ends:
            inside = ends[token.i]
            form = "".join(doc[token.i : inside].text.split())
        is_first = token.i in ends or token.i >= inside
        if form:
            index[token.i] = len(words)
            tags = (token.pos_ or UNKNOWN, token.tag_ or UNKNOWN)
            label = _label(labels[token.i], heads[token.i] == 0)
            if is_first:
                span = (position, position + len(form))
                characters.append(form)
                position = span[1]
                tokens.append(span)
            is_part = token.i < inside
            word = multiword.word_form(token) if is_part else form
            words.append(_Word(span, word.lower(), is_part, *tags, None, label))
    for i, number in index.items():
        head = heads[i]
        if head is not None:
            words[number].head = -1 if head == 0 else index.get(head - 1)
    sentences = []
    for sent in doc.sents if doc.has_annotation("SENT_START") else [doc[:]]:
        numbers = [index[token.i] for token in sent if token.i in index]
        if numbers:
            first, last = words[numbers[0]], words[numbers[-1]]
            sentences.append((first.span[0], last.span[1]))
    return _Text("".join(characters), words, tokens, sentences)


def _align(gold: list[_Word], predicted: list[_Word]) -> list[tuple[int, int]]:
    """The pairs of indices of aligned words."""
    pairs: list[tuple[int, int]] = []
    g = p = 0
    while g < len(gold) and p < len(predicted):
        if gold[g].is_part or predicted[p].is_part:
            covered = _covered(gold, predicted, g, p)
            pairs += _longest_common(gold, predicted, *covered)
            g, p = covered[0][1], covered[1][1]
        elif gold[g].span == predicted[p].span:
            pairs.append((g, p))
            g, p = g + 1, p + 1
        elif gold[g].span[0] <= predicted[p].span[0]:
            g += 1
        else:
            p += 1
    return pairs


def _covered(
    gold: list[_Word], predicted: list[_Word], g: int, p: int
) -> tuple[Span, Span]:
    """The words of both sides under the multiword tokens that begin at g or p.

    A multiword token of one side may overlap one of the other side that ends later.
    """
    is_gold = gold[g].is_part
    end = (gold[g] if is_gold else predicted[p]).span[1]
    if not (is_gold and predicted[p].is_part):
        # A word before the multiword token has no partner.
        p += is_gold and predicted[p].span[0] < gold[g].span[0]
        g += not is_gold and gold[g].span[0] < predicted[p].span[0]
    first = g, p
    while _is_within(gold, g, end) or _is_within(predicted, p, end):
        from_gold = g < len(gold) and (
            p == len(predicted) or gold[g].span[0] <= predicted[p].span[0]
        )
        word = gold[g] if from_gold else predicted[p]
        g, p = g + from_gold, p + (not from_gold)
        if word.is_part:
            end = max(end, word.span[1])
    return (first[0], g), (first[1], p)


def _is_within(words: list[_Word], i: int, end: int) -> bool:
    """Whether word i belongs to multiword tokens that reach up to a character."""
    if i == len(words):
        return False
    word = words[i]
    return word.span[0] < end if word.is_part else word.span[1] <= end


def _longest_common(
    gold: list[_Word], predicted: list[_Word], of_gold: Span, of_predicted: Span
) -> list[tuple[int, int]]:
    """Align the longest common subsequence of the forms in two spans of words."""
    n, m = of_gold[1] - of_gold[0], of_predicted[1] - of_predicted[0]
    length = [[0] * (m + 1) for _ in range(n + 1)]
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            same = gold[of_gold[0] + i].form == predicted[of_predicted[0] + j].form
            length[i][j] = max(
                length[i + 1][j + 1] + same, length[i + 1][j], length[i][j + 1]
            )
    pairs = []
    i = j = 0
    while i < n and j < m:
        g, p = of_gold[0] + i, of_predicted[0] + j
        if gold[g].form == predicted[p].form:
            pairs.append((g, p))
            i, j = i + 1, j + 1
        elif length[i][j] == length[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _difference(gold: str, predicted: str) -> str:
    """The message for texts that differ."""
    pairs = enumerate(zip(gold, predicted, strict=False))
    shorter = min(len(gold), len(predicted))
    at = next((i for i, (g, p) in pairs if g != p), shorter)
    return (
        f"the text of the parse differs from the treebank at character {at} (without "
        f"whitespace): {predicted[at : at + 20]!r} instead of {gold[at : at + 20]!r}"
    )
