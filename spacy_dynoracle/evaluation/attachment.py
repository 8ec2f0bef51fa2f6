"""Attachment scores of parsed sentences against a treebank.

Definitions: UAS and LAS as in Goldberg & Nivre 2013 (footnote 4), micro-averaged
over all words. Which words count belongs to the name of a score, because every
paper has its own punctuation rule; see SCORED_WORDS.

Words with an unknown gold head are not scored; words with a known head and an
unknown gold label count for UAS only. The artificial root is a possible head,
never a scored word. Heads are 1-based positions, 0 for the root, None if unknown.
"""

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from types import MappingProxyType

from ..core.state.projectivity import SEPARATOR
from ..treebank.sentence import UNKNOWN, Token

DEFAULT_EXCLUSION = "ud"

ScoredWord = Callable[[Token], bool]

# CoNLL-X part of speech tags of punctuation in the two Penn treebanks.
_PTB_PUNCTUATION = frozenset(["``", "''", ",", ".", ":"])
_CTB_PUNCTUATION = "PU"
_FIRST_CHARACTERS = frozenset(",.-;:'\"!?`{}()[]")


def _every_word(word: Token) -> bool:
    """Every word (Goldberg & Nivre 2013, 2014; CoNLL-2007)."""
    return True


def _no_ud_punctuation(word: Token) -> bool:
    """No word with the gold UPOS PUNCT or the gold label punct."""
    label = (word.deprel or "").partition(":")[0]
    return word.upos != "PUNCT" and label.lower() != "punct"


def _no_unicode_punctuation(word: Token) -> bool:
    """No word all of whose characters are Unicode punctuation (CoNLL-X)."""
    return not all(unicodedata.category(char)[0] == "P" for char in word.form)


def _no_first_character(word: Token) -> bool:
    """No word that begins with an ASCII punctuation mark of a fixed list, as in
    the released programs of Goldberg & Nivre 2013."""
    return word.form[:1] not in _FIRST_CHARACTERS


def _no_ptb_punctuation(word: Token) -> bool:
    """No word with one of five gold tags (Chen & Manning 2014)."""
    return _tag(word) not in _PTB_PUNCTUATION


def _no_ctb_punctuation(word: Token) -> bool:
    """No word with the gold tag PU (Penn Chinese Treebank)."""
    return _tag(word) != _CTB_PUNCTUATION


def _no_spacy_punctuation(word: Token) -> bool:
    """No word with the gold label p or punct, spaCy's own scorer's rule; ``p`` is
    the label of the Google Universal Dependency Treebank."""
    return (word.deprel or "").lower() not in ("p", "punct")


def _tag(word: Token) -> str:
    return word.upos if word.xpos == UNKNOWN else word.xpos


# Which words are scored, by the name of the definition.
SCORED_WORDS: Mapping[str, ScoredWord] = MappingProxyType(
    {
        "all": _every_word,
        "ud": _no_ud_punctuation,
        "unicode": _no_unicode_punctuation,
        "first-char": _no_first_character,
        "ptb": _no_ptb_punctuation,
        "ctb": _no_ctb_punctuation,
        "spacy": _no_spacy_punctuation,
    }
)


def scored_words(name: str) -> ScoredWord:
    """The definition of that name. Raises ValueError, listing the names."""
    predicate = SCORED_WORDS.get(name)
    if predicate is None:
        raise ValueError(
            f"no definition of scored words is called {name!r}; "
            f"expected one of {', '.join(SCORED_WORDS)}"
        )
    return predicate


@dataclass(frozen=True, slots=True)
class Relation:
    """Precision, recall and F-score of one relation, fractions of 1.

    Labelled: head and label are right. Unlabelled: the head is right, among the
    words the gold tree (recall) or the parser (precision) gives this relation.
    gold and predicted count those words. A score without words is 0.
    """

    gold: int
    predicted: int
    precision: float
    recall: float
    f_score: float
    unlabelled_precision: float
    unlabelled_recall: float
    unlabelled_f_score: float


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of a corpus under one definition; fractions of 1.

    words have a known gold head and labelled_words a known label too: the
    denominators of uas, and of las, las_base and label_accuracy. las_base
    compares labels up to ``:``, as official UD scores do. root_accuracy: the
    sentences whose set of root dependents is right, whatever words are scored.
    exact_unlabelled and exact_labelled: the sentences without an error in a
    scored word. A score without anything to count is 0.
    """

    scored: str
    sentences: int
    words: int
    labelled_words: int
    uas: float
    las: float
    las_base: float
    label_accuracy: float
    root_accuracy: float
    exact_unlabelled: float
    exact_labelled: float
    per_relation: Mapping[str, Relation] = field(default_factory=dict, repr=False)

    def as_dict(self, per_relation: bool = True) -> dict[str, object]:
        """Plain values for JSON."""
        values = asdict(self)
        if not per_relation:
            del values["per_relation"]
        return values


@dataclass(slots=True)
class _RelationCounts:
    gold: int = 0
    predicted: int = 0
    correct: int = 0
    gold_head: int = 0
    predicted_head: int = 0

    def relation(self) -> Relation:
        precision = _ratio(self.correct, self.predicted)
        recall = _ratio(self.correct, self.gold)
        head_precision = _ratio(self.predicted_head, self.predicted)
        head_recall = _ratio(self.gold_head, self.gold)
        return Relation(
            self.gold,
            self.predicted,
            precision,
            recall,
            _f_score(precision, recall),
            head_precision,
            head_recall,
            _f_score(head_precision, head_recall),
        )


@dataclass(frozen=True, slots=True)
class SentenceCounts:
    """What a significance test needs of one sentence: numbers of words."""

    words: int
    heads: int
    labelled_words: int
    heads_and_labels: int


class Evaluation:
    """Collects the scores of a corpus under one definition of scored words.

    scored: a name of SCORED_WORDS. Raises ValueError for another one.
    """

    def __init__(self, scored: str = "all") -> None:
        self.scored = scored
        self._is_scored = scored_words(scored)
        self._sentences = 0
        self._words = 0
        self._heads = 0
        self._labelled = 0
        self._correct = 0
        self._correct_base = 0
        self._labels = 0
        self._rooted = 0
        self._roots = 0
        self._matchable = 0
        self._exact = 0
        self._exact_labelled = 0
        self._relations: dict[str, _RelationCounts] = {}

    def add(
        self,
        gold: Sequence[Token],
        heads: Sequence[int | None],
        labels: Sequence[str | None],
    ) -> SentenceCounts:
        """Score one sentence, given the predicted heads and labels of its words.

        A head or label of None (not predicted) is wrong. Raises ValueError if the
        lengths differ or a label is a decorated one of the pseudo-projective
        transformation (``a||b``), which a parser must undo before scoring.
        """
        if not len(gold) == len(heads) == len(labels):
            raise ValueError(
                f"{len(gold)} gold words, {len(heads)} predicted heads and "
                f"{len(labels)} predicted labels; expected one each per gold word"
            )
        words = head_hits = labelled = hits = 0
        for word, head, label in zip(gold, heads, labels, strict=True):
            if label is not None and SEPARATOR in label:
                raise ValueError(
                    f"predicted label {label!r} is a decorated one; undo the "
                    "pseudo-projective transformation before scoring"
                )
            if word.head is None or not self._is_scored(word):
                continue
            words += 1
            head_hit = head == word.head
            head_hits += head_hit
            if word.deprel is None:
                continue
            labelled += 1
            hits += self._add_labelled(word.deprel, label, head_hit)
        self._sentences += 1
        self._words += words
        self._heads += head_hits
        self._labelled += labelled
        self._correct += hits
        if words:
            self._matchable += 1
            self._exact += head_hits == words
            self._exact_labelled += head_hits == words and hits == labelled
        self._add_roots(gold, heads)
        return SentenceCounts(words, head_hits, labelled, hits)

    def _add_labelled(self, gold: str, label: str | None, head_hit: bool) -> bool:
        """Count a scored word with a gold label; whether head and label are right."""
        gold = comparable(gold)
        label = None if label is None else comparable(label)
        label_hit = gold == label
        base_hit = label is not None and _base(gold) == _base(label)
        self._labels += label_hit
        self._correct_base += head_hit and base_hit
        relation = self._relation(gold)
        relation.gold += 1
        relation.gold_head += head_hit
        relation.correct += head_hit and label_hit
        if label is not None:
            relation = self._relation(label)
            relation.predicted += 1
            relation.predicted_head += head_hit
        return head_hit and label_hit

    def _relation(self, label: str) -> _RelationCounts:
        return self._relations.setdefault(label, _RelationCounts())

    def _add_roots(self, gold: Sequence[Token], heads: Sequence[int | None]) -> None:
        pairs = [
            (word.head == 0, head == 0)
            for word, head in zip(gold, heads, strict=True)
            if word.head is not None
        ]
        if pairs:
            self._rooted += 1
            self._roots += all(is_root == predicted for is_root, predicted in pairs)

    def scores(self) -> Scores:
        """The scores of all sentences added so far."""
        return Scores(
            scored=self.scored,
            sentences=self._sentences,
            words=self._words,
            labelled_words=self._labelled,
            uas=_ratio(self._heads, self._words),
            las=_ratio(self._correct, self._labelled),
            las_base=_ratio(self._correct_base, self._labelled),
            label_accuracy=_ratio(self._labels, self._labelled),
            root_accuracy=_ratio(self._roots, self._rooted),
            exact_unlabelled=_ratio(self._exact, self._matchable),
            exact_labelled=_ratio(self._exact_labelled, self._matchable),
            per_relation={
                label: self._relations[label].relation()
                for label in sorted(self._relations)
            },
        )


def evaluate_sentences(
    sentences: Iterable[
        tuple[Sequence[Token], Sequence[int | None], Sequence[str | None]]
    ],
    scored: Sequence[str] = ("all", DEFAULT_EXCLUSION),
) -> dict[str, Scores]:
    """The scores under several definitions of (gold, heads, labels) sentences.

    Raises ValueError as Evaluation does.
    """
    evaluations = {name: Evaluation(name) for name in scored}
    for gold, heads, labels in sentences:
        for evaluation in evaluations.values():
            evaluation.add(gold, heads, labels)
    return {name: evaluation.scores() for name, evaluation in evaluations.items()}


def comparable(label: str) -> str:
    """A label as labels are compared."""
    # spaCy writes ROOT where UD has root; no other label depends on case.
    return "root" if label.lower() == "root" else label


def _base(label: str) -> str:
    return label.partition(":")[0]


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _f_score(precision: float, recall: float) -> float:
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0
