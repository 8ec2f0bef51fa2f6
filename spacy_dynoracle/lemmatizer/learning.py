"""Learns lemmas from training documents."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from spacy.strings import get_string_id
from spacy.training import Example

from ..core.lemmas.edit_rules import LONGEST, rule_of
from ..core.lemmas.ranker import LemmaRanker
from ..core.random import Random
from ..core.results import EditRule
from ..doc.alignment import WordAlignment, same_tokens
from ..doc.columns import LEMMA_PARTS, parts_of_lemma
from ..doc.records import CASE_COPY
from ..registry.learners import LearnerFactory
from ..tagger.lexicon import LabelTable
from ..tagger.training_tags import TrainingTags
from ..util.typography import lower_case
from .dictionary import DictionaryEntry
from .model import LemmaModel
from .words import LemmaBatch, word_keys

# A wrong spelling teaches its lemma if it occurs so often: then it is a habit ("dont").
TYPO_COUNT = 3
EPOCHS = 6
UNKNOWN = "_"
# From how many forms of a lemma on average a parser reads it: Turkish, Basque and
# French have more, and gain; English and German have fewer, and do not.
FORMS_OF_A_LEMMA = 4 / 3
# The share of the lemmas with parts from which these are no accident, as in "C++".
ENDINGS = 0.1


class Word(NamedTuple):
    """A word with its tags, as ids, its context (see `LemmaBatch`) and its lemma."""

    form: str
    pos: int
    morph: int
    context: int
    lemma: str


def known_words(
    examples: Iterable[Example], tags: TrainingTags | None = None
) -> Counter[Word]:
    """The words of the references that teach a lemma, with their frequencies.

    Words without a lemma or with the lemma "_", parts of words that are written apart
    (goeswith), and wrong spellings (Typo=Yes) that are rare teach nothing. Nor do
    copies in lower and upper case: the case of a form tells the case of its lemma.

    Args:
        tags: Words have the tags that these give the predicted documents; None for
            those of the references.
    """
    found: Counter[Word] = Counter()
    typos: Counter[Word] = Counter()
    for example in examples:
        if CASE_COPY in example.reference.user_data:
            continue
        for word, is_typo in _taught(example, tags):
            (typos if is_typo else found)[word] += 1
    for word, n in typos.items():
        if n >= TYPO_COUNT:
            found[word] += n
    return found


def _taught(example: Example, tags: TrainingTags | None) -> Iterator[tuple[Word, bool]]:
    """Words of a reference, and whether each is a wrong spelling."""
    doc = example.reference
    batch = LemmaBatch([doc])
    if tags is not None:
        _change_tags(batch, example, tags)
    pos, morph = batch.pos.tolist(), batch.morph.tolist()
    context = batch.context.tolist()
    forms = batch.normal_forms(np.arange(len(doc)), doc.vocab)
    for token in doc:
        i, lemma = token.i, token.lemma_
        form = forms[i]
        if (
            lemma
            and not token.is_space
            and (lemma != UNKNOWN or form == UNKNOWN)
            and token.dep_ != "goeswith"
            and len(form) <= LONGEST >= len(lemma)
        ):
            is_typo = "Typo=Yes" in str(token.morph)
            yield Word(form, pos[i], morph[i], context[i], lemma), is_typo


def _change_tags(batch: LemmaBatch, example: Example, tags: TrainingTags) -> None:
    """Give the words of a reference the tags of the predicted document.

    Words that the predicted document does not have keep their tags. So do documents
    that have not been jackknifed: the tagger of the pipeline has not been trained yet.
    """
    found = tags.held_out(example.predicted)
    words = np.arange(len(batch.pos))
    tokens = words
    if found and not same_tokens(example):
        alignment = WordAlignment(example)
        pairs = [(alignment.predicted(word), word) for word in words.tolist()]
        kept = [
            (t, word)
            for t, word in pairs
            if t is not None and alignment.gold(t) == word
        ]
        tokens, words = np.array(kept, dtype=np.int64).reshape(-1, 2).T
    batch.change_tags({attr: ids[tokens] for attr, ids in found.items()}, words)


def telling_parts(words: Iterable[Word]) -> tuple[str, ...]:
    """The parts of lemmas, of "stem" and "ending", that help a parser.

    Where words have few forms, a lemma tells little more than its form.
    """
    forms = {(lower_case(word.form), word.pos) for word in words}
    lemmas = {(lower_case(word.lemma), word.pos) for word in words}
    n_endings = sum(1 for lemma, _ in lemmas if parts_of_lemma(lemma)[1])
    if n_endings > ENDINGS * len(lemmas):
        return LEMMA_PARTS
    return LEMMA_PARTS[:1] if len(forms) > FORMS_OF_A_LEMMA * len(lemmas) else ()


def sum_of_others(counts: Sequence[Counter[Word]], number: int) -> Counter[Word]:
    """The sum of all counts but one."""
    return sum((*counts[:number], *counts[number + 1 :]), Counter())


def learn_lemmas(
    words: Counter[Word],
    ranked: Counter[Word],
    dictionary: Sequence[DictionaryEntry],
    learner: LearnerFactory,
    seed: int,
) -> LemmaModel:
    """Learn from the words of training documents and of a dictionary.

    Each kind of word (form, tags, context and lemma) teaches in each epoch once for
    each binary digit of its frequency, as if it were not known: what other words show
    about its lemma counts, and not its own entry in the table. So the ranker learns to
    make the lemmas of unknown words.

    Args:
        words: Those of the table.
        ranked: Those that the ranker learns from: the same words, best with the tags
            that a tagger gave them, because the ranker will read such tags.
    """
    order: list[tuple[str, int, int, int, str]] = []
    for word, n in sorted(ranked.items()):
        order += [word] * n.bit_length()
    ranker = LemmaRanker(_rules(sorted(ranked)))
    for form, pos, _, _, lemma in ranked:
        ranker.known.learn(lower_case(form), pos, lemma)
    for entry in dictionary:
        ranker.known.learn(lower_case(entry.form), entry.pos, entry.lemma)
    weights = learner(1, sum(words.values()))
    random = Random(seed)
    for _ in range(EPOCHS):
        ranker.train(weights, order, random)
    ranker.freeze(weights.freeze())
    lemmas, table = _table(words, dictionary)
    temperature = 1.0 if weights.is_probabilistic else None
    return LemmaModel(lemmas, table, ranker, type(weights).__name__, temperature)


def _rules(words: Iterable[Word]) -> list[tuple[EditRule, list[int]]]:
    """The rules of all words, the most frequent ones first, with the tags they are for.

    A rule of a whole form is left out: other words do not have this form.
    """
    counts: Counter[EditRule] = Counter()
    tags: dict[EditRule, set[int]] = {}
    for form, pos, morph, _, lemma in words:
        rule = rule_of(form, lemma)
        if len(rule.cut_before) < len(form):
            counts[rule] += 1
            tags.setdefault(rule, set()).update((pos, morph))
    order = sorted(counts, key=lambda rule: (-counts[rule], rule))
    return [(rule, sorted(tags[rule] - {0})) for rule in order]


def _table(
    words: Counter[Word], dictionary: Sequence[DictionaryEntry]
) -> tuple[list[str], LabelTable]:
    """The lemmas of known words, and the table of their numbers.

    A dictionary adds words that training does not have.
    """
    pairs: dict[tuple[str, int], Counter[str]] = {}
    triples: dict[tuple[str, int, int], Counter[str]] = {}
    for (form, pos, morph, _, lemma), n in sorted(words.items()):
        pairs.setdefault((form, pos), Counter())[lemma] += n
        triples.setdefault((form, pos, morph), Counter())[lemma] += n
    best = {pair: _most_frequent(counts) for pair, counts in pairs.items()}
    for entry in dictionary:
        if entry.pos:
            best.setdefault((entry.form, entry.pos), entry.lemma)
    in_lower: dict[tuple[str, int], Counter[str]] = {}
    for (form, pos), lemma in best.items():
        if (lower_case(form), pos) not in best:
            counts = in_lower.setdefault((lower_case(form), pos), Counter())
            counts[lemma] += pairs.get((form, pos), Counter())[lemma] or 1
    best |= {pair: _most_frequent(counts) for pair, counts in in_lower.items()}
    exact = {
        triple: lemma
        for triple, counts in triples.items()
        if (lemma := _most_frequent(counts)) != best[triple[:2]]
    }
    lemmas = sorted({*best.values(), *exact.values()})
    numbers = {lemma: number for number, lemma in enumerate(lemmas)}
    keys = [*_keys(best).tolist(), *_keys(exact).tolist()]
    rows = [[numbers[lemma]] for lemma in (*best.values(), *exact.values())]
    return lemmas, LabelTable.of(dict(zip(keys, rows, strict=True)), 1)


def _most_frequent(counts: Counter[str]) -> str:
    """The most frequent lemma, the first in the alphabet of equally frequent ones."""
    return min(counts, key=lambda lemma: (-counts[lemma], lemma))


def _keys(words: Iterable[tuple[str, int] | tuple[str, int, int]]) -> np.ndarray:
    """The keys of words, with or without their analyses."""
    rows = np.array(
        [[get_string_id(word[0]), *word[1:]] for word in words], dtype=np.uint64
    )
    return word_keys(*rows.T) if len(rows) else np.zeros(0, dtype=np.uint64)
