"""Evidence about words in the Docs of a treebank."""

import re
from collections.abc import Callable, Container, Iterable, Iterator
from itertools import pairwise

from spacy.tokens import Doc, Span
from spacy.training import Example

from ..treebank import multiword
from ..treebank.report import MANY_WORDS, NO_JOINED
from ..util.typography import is_blank, plain, with_apostrophes
from .boundaries import KnownPretoken, ends_of
from .joining import MOST_GROUPS
from .pretokens import placed, token_texts
from .splits import Split
from .splitter import KnownToken

# A number with blanks between groups of three digits, such as 10 000. In French,
# Swedish, Czech and many other treebanks it is one word.
_NUMBER = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?!\d)")


# What the words of a treebank have.
ANNOTATION = ("TAG", "POS", "MORPH", "LEMMA", "DEP")
# If more than this share of the multiword tokens have lost the forms of their words,
# users are told.
_FEW_LOST = 0.01


class Evidence:
    """Collects evidence about words from the Docs of a treebank.

    Args:
        find_tokens: Makes a Doc with the tokens of a text.
        docs: The Docs.

    Attributes:
        tokens: For each Doc the tokens of its text, with their splits.
        pretokens: The pretokens that the tokenizer and the treebank have in common,
            with the words of both, in the order of the text. Each is there once.
        joins_numbers: Whether most numbers with blanks are one word.
        doubts: What users should know about the Docs.
    """

    def __init__(self, find_tokens: Callable[[str], Doc], docs: Iterable[Doc]) -> None:
        self._find_tokens = find_tokens
        self.tokens: list[list[KnownToken]] = []
        self.pretokens: dict[KnownPretoken, None] = {}
        self.doubts: list[str] = []
        with_unknown_spaces: dict[KnownPretoken, None] = {}
        pairs: dict[tuple[str, str], None] = {}
        surplus = n_lost = 0
        for doc in docs:
            lost = multiword.without_forms(doc)
            n_lost += len(lost)
            self.tokens.append(known_tokens(doc, lost))
            surface = list(surface_of(doc))
            texts = [words.text for words in surface]
            followed = [bool(words[-1].whitespace_) for words in surface]
            found = dict.fromkeys(self._pretokens(texts, followed, doc.text))
            if doc.has_unknown_spaces:
                with_unknown_spaces |= found
            else:
                self.pretokens |= found
                surplus += surplus_of_numbers(doc.text, texts)
            # In some texts they stand together: l' and homme, or a word and the comma
            # behind it.
            pairs |= dict.fromkeys(
                x for x in pairwise(texts) if not any(map(str.isspace, "".join(x)))
            )
        self.joins_numbers = surplus > 0
        if not any(right for _, _, right in self.pretokens):
            # The treebank does not tell which of its words stand together.
            if sum(map(len, self.tokens)) >= MANY_WORDS:
                self.doubts.append(NO_JOINED)
            self.pretokens |= with_unknown_spaces
            self.pretokens |= dict.fromkeys(self._joined(pairs))
        n_all = n_lost + sum(split is not None for of in self.tokens for _, split in of)
        if n_lost > _FEW_LOST * n_all:
            self.doubts.append(
                f"{n_lost} of {n_all} multiword tokens have lost the forms of their "
                "words, as where an augmenter of spaCy has changed the training "
                "documents, and teach no splits: use the augmenter "
                "spacy_dynoracle.CaseCopies.v1, or none"
            )

    def _pretokens(
        self, texts: list[str], followed: list[bool], text: str
    ) -> Iterator[KnownPretoken]:
        """The pretokens of a Doc of a treebank that the tokenizer finds too.

        Args:
            texts, followed: Its words, and whether a blank follows each.
            text: Of the Doc.
        """
        gold = dict(placed(texts, followed))
        rules = token_texts(self._find_tokens(with_apostrophes(text)))
        for start, (pretoken, found) in placed(*rules):
            if start in gold and len(gold[start][0]) == len(pretoken):
                yield gold[start][0], found, gold[start][1]

    def _joined(self, pairs: Iterable[tuple[str, str]]) -> Iterator[KnownPretoken]:
        """Pretokens of two words that the tokenizer cuts between them."""
        for first, second in pairs:
            found, _ = token_texts(self._find_tokens(first + second))
            ends = ends_of(found)
            if len(first) in ends:
                yield first + second, ends, (len(first),)


def has_treebank(examples: Iterable[Example]) -> bool:
    """Whether any reference is annotated, so that its words are those of a treebank."""
    docs = (example.reference for example in examples)
    return any(doc.has_annotation(name) for doc in docs for name in ANNOTATION)


def surface_of(doc: Doc) -> Iterator[Span]:
    """The tokens of the text of a Doc: its multiword tokens and its other words."""
    ends = {start: end for start, end, _ in multiword.spans(doc)}
    i = 0
    while i < len(doc):
        words = doc[i : ends.get(i, i + 1)]
        yield words
        i += len(words)


def known_tokens(doc: Doc, without: Container[int] = ()) -> list[KnownToken]:
    """The tokens of the text of a Doc, with the splits of its multiword tokens.

    Args:
        without: The first words of tokens that are left out.
    """
    found: list[KnownToken] = []
    forms = multiword.word_forms(doc)
    for words in surface_of(doc):
        split = None
        if len(words) > 1:
            pieces = [word.text for word in words]
            split = Split.of(pieces, forms[words.start : words.end])
        if not is_blank(words.text) and words.start not in without:
            found.append((words.text, split))
    return found


def surplus_of_numbers(text: str, words: Iterable[str]) -> int:
    """The count of numbers with blanks that are one word, less that of all others.

    Args:
        text: Of a document.
        words: The texts of its words, multiword tokens as one.
    """
    n_found = _n_numbers(text)
    # Most documents have none, so that their words need not be searched.
    if not n_found:
        return 0
    return 2 * sum(map(_n_numbers, words)) - n_found


def _n_numbers(text: str) -> int:
    """How many numbers with blanks are in a text. Longer runs are rows of a table."""
    runs = _NUMBER.findall(plain(text))
    return sum(1 for run in runs if run.count(" ") <= MOST_GROUPS)
