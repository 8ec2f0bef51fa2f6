"""From documents to sentence starts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from spacy.attrs import SENT_START
from spacy.lang.lex_attrs import like_num
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ..core.model.model import Model
from ..core.search.tagging import tag_words
from ..core.sorted_keys import SortedKeys
from ..doc.columns import flags_with, is_quoting
from ..tagger.attributes import INSIDE, START
from ..tagger.input import WordBatch
from ..tagger.lexicon import LabelTable, TagLexicon, hashed_pairs, reliable
from ..util.abbreviations import (
    ABBREVIATIONS,
    BEFORE_NAMES,
    BEFORE_NUMBERS,
    INITIALS,
    WITH_CAPITAL,
)
from ..util.arrays import FloatArray, IdArray, Int32Array, IntArray
from ..util.threads import in_chunks

# In the order of their ids in a model. If the scores are equal, the first one wins.
LABELS = (INSIDE, START)
INSIDE_ID, START_ID, UNKNOWN = 0, 1, -1
# From this number of line breaks between two words there is a blank line.
BLANK_LINE = 2
# No sentence starts between words of some kinds if so many such words stood beside each
# other in training, and at least this share of them in the same sentence.
KIND_COUNT = 50
KIND_SHARE = 0.998
_SPACE = "SPACY:space"
_FLAGS = "ORTH:flags"
_GOES_ON = np.uint64(flags_with(str.isdigit, str.islower, is_quoting, like_num))
_NAME = np.uint64(flags_with(str.istitle, str.isupper))
_NUMBER = np.uint64(flags_with(str.isdigit))
_WORD = np.uint64(flags_with(str.isalpha))
_FULL_STOP, _OPENING_QUOTE = get_string_id("."), get_string_id("«")


def _keys(texts: Iterable[str]) -> SortedKeys:
    """The ids of some texts."""
    return SortedKeys(np.unique(np.array(list(map(get_string_id, texts)), np.uint64)))


def _with_title(stems: Iterable[str], stop: str = "") -> list[str]:
    """Stems in lower case and with a capital, each with the same stop."""
    return [form + stop for stem in stems for form in (stem, stem.title())]


# Forms that end a sentence, and shapes of the words around.
_MARKS, _LOWER, _TITLE = (
    _keys(texts.split())
    for texts in (". ? ! ?! !! ?? …", "xx xxx xxxx", "X Xx Xxx Xxxx Xxxxx")
)
_OPENING, _CLOSING, _QUOTES = _keys("(["), _keys(")]"), _keys("«»")
_ABBREVIATIONS = _keys([*_with_title(ABBREVIATIONS | WITH_CAPITAL), *INITIALS])
_BEFORE_NAMES = _keys([*_with_title(BEFORE_NAMES), *INITIALS])
# Those before numbers, and the same as one word with their full stop.
_BEFORE_NUMBERS, _WITH_STOP = (
    _keys(_with_title(BEFORE_NUMBERS, stop)) for stop in ("", ".")
)


class Starts(NamedTuple):
    """The sentence starts of one document.

    Attributes:
        table: For each token 1 if it starts a sentence, else -1.
        probabilities: For each token the probability of a start, NaN for whitespace;
            None if not asked for.
    """

    table: IntArray
    probabilities: FloatArray | None


class StartBatch(WordBatch):
    """The words of some documents, and what is known of their sentence starts.

    Args:
        overwrite: Whether the starts that documents have already do not count.
        every_line: Whether a sentence starts after every line break.

    Attributes:
        known: For each word START_ID or INSIDE_ID where a rule decides, else UNKNOWN. A
            preset value of the word or of the whitespace before it counts first, then a
            blank line, after which a sentence starts, then its kind in a lexicon. The
            first word of a document always starts one.
    """

    def __init__(
        self,
        docs: Sequence[Doc],
        sources: Sequence[str],
        overwrite: bool,
        every_line: bool = False,
    ) -> None:
        super().__init__(docs, sources, (SENT_START,))
        self._separate()
        self._close_quotes()
        self.known = np.full(len(self.words), UNKNOWN, dtype=np.int32)
        self._keep_abbreviations()
        if self.any_space:
            # The first word of a document is known anyway.
            n_breaks = 1 if every_line else BLANK_LINE
            after = np.flatnonzero(self.line_breaks[self.words] >= n_breaks) + 1
            self.known[after[after < len(self.known)]] = START_ID
        if not overwrite and self.any_start:
            preset = self.starts
            self.known[preset[self.words] == -1] = INSIDE_ID
            # A start on whitespace moves to the next word.
            bounds = np.array(self.bounds)
            tokens = np.flatnonzero(preset == 1)
            doc_ends = bounds[np.searchsorted(bounds, tokens, side="right")]
            following = np.searchsorted(self.words, tokens)
            is_word = following < len(self.words)
            is_word[is_word] = self.words[following[is_word]] < doc_ends[is_word]
            self.known[following[is_word]] = START_ID
        first = np.array(self.word_bounds)
        self.known[first[:-1][first[:-1] < first[1:]]] = START_ID

    def keep_inside(self, lexicon: TagLexicon) -> None:
        """Start no sentence at words of the kinds in a lexicon."""
        if len(lexicon.forms.keys):
            words = np.flatnonzero(self.known == UNKNOWN)
            self.known[words] = lexicon.forms.find(kinds_of(self)[words])[0]

    def _separate(self) -> None:
        """Let a blank follow a mark where there is none, as in "seen?The": treebanks
        have too few of these to learn from.
        """
        if not {_SPACE, "SHAPE"} <= set(self.sources):
            return
        shapes = self.values[:, self.sources.index("SHAPE")]
        is_mark = _MARKS.hold(self.orth)
        # Those that begin or end a document have one neighbour in it.
        ends = np.array(self.bounds)
        is_mark[ends[ends < len(is_mark)]] = False
        is_mark[ends[ends > 0] - 1] = False
        marks = np.flatnonzero(is_mark)
        before, behind = shapes[marks - 1], shapes[marks + 1]
        is_between = _LOWER.hold(before) & _TITLE.hold(behind)
        self.values[marks[is_between], self.sources.index(_SPACE)] = 1

    def _close_quotes(self) -> None:
        """Let no blank stand inside of quotation marks that have one on both sides, as
        French prints them: « Il part. » Few treebanks have such blanks. If » comes
        first in a document, it opens quotations there, and the blanks stay.
        """
        quotes = np.flatnonzero(_QUOTES.hold(self.word_orth))
        if not len(quotes) or _SPACE not in self.sources:
            return
        column, words = self.sources.index(_SPACE), self.words
        # Documents begin and end as if with blanks.
        blanks = np.zeros(len(words) + 1, dtype=bool)
        blanks[self.word_bounds] = True
        blanks[1:] |= self.of_words(self.values[:, column]) == 1
        breaks = self.line_breaks[words] > 0
        document = first = None
        is_open = False
        numbers = np.searchsorted(self.word_bounds, quotes, side="right")
        for i, number in zip(quotes.tolist(), numbers.tolist(), strict=True):
            if number != document:
                document, first, is_open = number, self.word_orth[i], False
            opens = self.word_orth[i] == _OPENING_QUOTE
            # A paragraph within a quotation may begin with », which closes nothing.
            closes = is_open and not opens and not breaks[i - 1]
            if first == _OPENING_QUOTE and (opens or closes):
                inside = i if opens else i - 1
                if blanks[i] and blanks[i + 1] and not breaks[inside]:
                    self.values[words[inside], column] = 0
                is_open = opens

    def _keep_abbreviations(self) -> None:
        """Start no sentence behind the full stop of an abbreviation at a number, a
        bracket or a word in lower case, nor at a name where it stands before names, as
        initials do, nor at the number behind one in brackets, as in "[1987] 2 A.C.".
        Treebanks have few of these, and many other words before a full stop.
        """
        if _FLAGS not in self.sources:
            return
        all_flags = self.of_words(self.values[:, self.sources.index(_FLAGS)])
        # The place of each word in its document, which tells what stands before it.
        starts = np.array(self.word_bounds)
        place = np.arange(len(self.words)) - np.repeat(starts[:-1], np.diff(starts))
        numbers = np.flatnonzero((place > 0) & ((all_flags & _NUMBER) > 0))
        before = self.plain_orth[numbers - 1]
        behind = (before == _FULL_STOP) & (place[numbers] > 1)
        behind &= _BEFORE_NUMBERS.hold(self.plain_orth[numbers - 2])
        behind |= _WITH_STOP.hold(before)
        in_brackets = _CLOSING.hold(before) & ((all_flags[numbers - 2] & _NUMBER) > 0)
        in_brackets &= place[numbers] > 2
        behind |= in_brackets & _OPENING.hold(self.plain_orth[numbers - 3])
        self.known[numbers[behind]] = INSIDE_ID
        stops = np.flatnonzero((place[:-1] > 0) & (self.plain_orth[:-1] == _FULL_STOP))
        flags = all_flags[stops + 1]
        stems = self.plain_orth[stops - 1]
        goes_on = _ABBREVIATIONS.hold(stems) & ((flags & _GOES_ON) != 0)
        before_name = _BEFORE_NAMES.hold(stems) & ((flags & _NAME) != 0)
        self.known[stops[goes_on | before_name] + 1] = INSIDE_ID


def kinds_of(words: WordBatch) -> IdArray:
    """For each word a hash of its own kind and that of the word before it. It is 0 for
    first words, which start a sentence wherever the document was cut out, behind all
    that is no word of letters, and everywhere without these features.
    """
    if _FLAGS not in words.sources:
        return np.zeros(len(words.words), dtype=np.uint64)
    flags = words.of_words(words.values[:, words.sources.index(_FLAGS)])
    before = np.roll(flags, 1)
    is_word = (before & _WORD) != 0
    first = np.array(words.word_bounds)
    is_word[first[first < len(is_word)]] = False
    return np.where(is_word, hashed_pairs(before, flags), np.uint64(0))


def count_kinds(
    counts: Counter[tuple[int, str]], batch: StartBatch, labels: Sequence[str | None]
) -> None:
    """Count the kinds of the words of a document with their labels.

    Args:
        labels: Of its tokens.
    """
    found = [labels[word] for word in batch.words.tolist()]
    counts.update(filter(all, zip(kinds_of(batch).tolist(), found, strict=True)))


def lexicon_of(counts: Counter[tuple[int, str]]) -> TagLexicon:
    """The kinds of words that as good as never start a sentence and need no scoring,
    such as words in lower case behind others: two thirds of all words in most text.

    Args:
        counts: Of the training data, by kind and label.
    """
    by_kind = ((kind, label, n) for (kind, label), n in counts.items())
    kinds = reliable(by_kind, KIND_COUNT, KIND_SHARE)
    inside = {kind: [INSIDE_ID] for kind, label in kinds.items() if label == INSIDE}
    lexicon = TagLexicon.empty(1)
    lexicon.forms = LabelTable.of(inside, 1)
    return lexicon


def find_starts(
    model: Model,
    batch: StartBatch,
    n_threads: int,
    bias: float | None,
    probabilities: bool,
) -> list[Starts]:
    """The sentence starts of each document of a batch.

    Args:
        bias: Added to the score of a start; None is 0.
        probabilities: Whether to compute the probabilities of starts, which the model
            must have.
    """

    def find(numbers: list[int]) -> tuple[Int32Array, FloatArray | None]:
        first, end = (numbers[0], numbers[-1] + 1) if numbers else (0, 0)
        known = batch.known[batch.word_bounds[first] : batch.word_bounds[end]]
        chosen = np.empty(len(known)) if probabilities else None
        sentences = batch.sequences[first:end]
        biases = {START_ID: bias} if bias else None
        return tag_words(model, sentences, known, chosen, biases), chosen

    n_words = np.diff(batch.word_bounds).tolist()
    found = in_chunks(find, list(range(len(n_words))), n_threads, n_words.__getitem__)
    labels = np.concatenate([chunk for chunk, _ in found])
    table = np.full(len(batch), -1, dtype=np.int64)
    table[batch.words[labels == START_ID]] = 1
    of_tokens: FloatArray | None = None
    if probabilities:
        chosen = np.concatenate([c for _, c in found if c is not None])
        of_tokens = np.full(len(batch), np.nan)
        of_tokens[batch.words] = np.where(labels == START_ID, chosen, 1 - chosen)
    results = []
    for start, end in pairwise(batch.bounds):
        own = table[start:end]
        lead_with_first_token(own)
        of_doc = None if of_tokens is None else of_tokens[start:end]
        results.append(Starts(own, of_doc))
    return results


def lead_with_first_token(starts: IntArray) -> None:
    """Let the first sentence start at the first token, if that is whitespace."""
    if len(starts) and starts[0] != 1:
        starts[starts.argmax()] = -1
        starts[0] = 1
