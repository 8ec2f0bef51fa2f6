"""Checks of the properties that keep a parse the same, on the documents of a
treebank.
"""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_dynoracle import set_threads
from spacy_dynoracle.parser.component import DynOracleParser

from .data import Text, join

BLANKS = (" ", "\n", "\n\n", "\t", "   ")
BATCH_SIZES = (1, 7, 64)
N_THREADS = (2, 4)
CALLERS = 8
# The probabilities of presetting a boundary and of putting blanks before a word.
TRUE, FALSE, BLANK = 0.03, 0.1, 0.15
# The head, the label and the sentence start of each token.
Analysis = list[tuple[int, str, bool]]
Pair = tuple[Analysis, Analysis]


@dataclass(frozen=True)
class Document:
    """A text with preset sentence starts, None where a start is not preset."""

    text: Text
    starts: list[bool | None] | None = None

    def doc(self, vocab: Vocab) -> Doc:
        """A new Doc with the tags and preset sentence starts."""
        return self.text.doc(vocab, sent_starts=self.starts)

    def with_presets(self, rng: random.Random) -> Document:
        """The same document with some boundaries preset at random places."""
        kinds = (True, False, None)
        weights = (TRUE, FALSE, 1 - TRUE - FALSE)
        return Document(self.text, rng.choices(kinds, weights, k=len(self.text.words)))

    def with_blanks(self, rng: random.Random) -> tuple[Document, list[int]]:
        """The same document with whitespace tokens at both ends and between words, and
        the places of the words.
        """
        spaced = Text([], [], [], [], [], [], [], [])
        starts: list[bool | None] = []
        places = []
        rows = zip(*asdict(self.text).values(), strict=True)
        for i, row in enumerate([*rows, None]):
            if i == 0 or row is None or rng.random() < BLANK:
                for blank in rng.choices(BLANKS, k=rng.randint(1, 3)):
                    values = (blank, False, "SPACE", "_SP", "", blank, None, None)
                    _append(spaced, values)
                    starts.append(None)
            if row is not None:
                places.append(len(spaced.words))
                _append(spaced, row)
                starts.append(self.starts[i] if self.starts else None)
        return Document(spaced, starts if self.starts else None), places


def _append(text: Text, row: Sequence[Any]) -> None:
    for column, value in zip(vars(text).values(), row, strict=True):
        column.append(value)


def documents(texts: list[Text], n: int, with_starts: bool) -> list[Document]:
    """At most n documents of one to eight sentences each, with all sentence boundaries
    preset or none.
    """
    found: list[Document] = []
    start = 0
    while start < len(texts) and len(found) < n:
        group = texts[start : start + 1 + len(found) % 8]
        start += len(group)
        starts: list[bool | None] = []
        for text in group:
            starts += [True, *[False] * (len(text.words) - 1)]
        found.append(Document(join(group), starts if with_starts else None))
    return found


def analysis(doc: Doc) -> Analysis:
    """The analysis that a parser has written to a Doc."""
    return [(token.head.i, token.dep_, bool(token.is_sent_start)) for token in doc]


class Subject:
    """A pipeline to check.

    Args:
        nlp: Pipeline that has only a parser and its embedding component.
        documents: Documents to parse.
        others: Documents to parse before these, to check that they have no effect.
        seed: Seeds presets and blanks.
    """

    def __init__(
        self,
        nlp: Language,
        documents: list[Document],
        others: list[Document],
        seed: int,
    ) -> None:
        self.nlp = nlp
        self.documents = documents
        self.others = others
        self.seed = seed
        self.expected = [self.alone(document) for document in documents]

    def docs(self) -> list[Doc]:
        """New Docs of all documents."""
        return [document.doc(self.nlp.vocab) for document in self.documents]

    def alone(self, document: Document) -> Analysis:
        """Parse one document alone."""
        return analysis(self.nlp(document.doc(self.nlp.vocab)))

    def pairs(self, docs: Iterable[Doc]) -> Iterator[Pair]:
        """The expected and the actual analysis of each document."""
        found = [analysis(doc) for doc in docs]
        yield from zip(self.expected, found, strict=True)


# ---- properties ----------------------------------------------------------------------


def parsed_twice(subject: Subject) -> Iterator[Pair]:
    """Parse a Doc that is already parsed."""
    yield from subject.pairs(map(subject.nlp, map(subject.nlp, subject.docs())))


def parsed_twice_with_presets(subject: Subject) -> Iterator[Pair]:
    """Parse a parsed Doc in which some boundaries were preset."""
    rng = random.Random(subject.seed)
    for document in subject.documents:
        doc = document.with_presets(rng).doc(subject.nlp.vocab)
        first = analysis(subject.nlp(doc))
        yield first, analysis(subject.nlp(doc))


def other_batches(subject: Subject) -> Iterator[Pair]:
    """Parse in batches of several sizes, in the given order and in another order."""
    order = list(range(len(subject.documents)))
    random.Random(subject.seed).shuffle(order)
    for size in (*BATCH_SIZES, len(order)):
        yield from subject.pairs(subject.nlp.pipe(subject.docs(), batch_size=size))
        docs = subject.docs()
        shuffled = [docs[i] for i in order]
        for i, doc in zip(
            order, subject.nlp.pipe(shuffled, batch_size=size), strict=True
        ):
            yield subject.expected[i], analysis(doc)


def own_threads(subject: Subject) -> Iterator[Pair]:
    """Parse with several numbers of threads, if the parser is ours."""
    if any(isinstance(parser, DynOracleParser) for _, parser in subject.nlp.pipeline):
        for n_threads in N_THREADS:
            set_threads(subject.nlp, n_threads)
            yield from subject.pairs(subject.nlp.pipe(subject.docs()))
        set_threads(subject.nlp, 1)


def callers_threads(subject: Subject) -> Iterator[Pair]:
    """Parse in eight threads that share the pipeline."""

    def work(number: int) -> list[Pair]:
        docs = subject.docs()
        if number % 2:
            return list(subject.pairs(map(subject.nlp, docs)))
        return list(subject.pairs(subject.nlp.pipe(docs, batch_size=32)))

    with ThreadPoolExecutor(CALLERS) as pool:
        for pairs in pool.map(work, range(CALLERS)):
            yield from pairs


def processes(method: str) -> Callable[[Subject], Iterator[Pair]]:
    """Parse in two worker processes with a start method."""

    def run(subject: Subject) -> Iterator[Pair]:
        before = multiprocessing.get_start_method()
        multiprocessing.set_start_method(method, force=True)
        try:
            docs = subject.nlp.pipe(subject.docs(), n_process=2, batch_size=32)
            yield from subject.pairs(docs)
        finally:
            multiprocessing.set_start_method(before, force=True)

    return run


def blanks(subject: Subject) -> Iterator[Pair]:
    """Parse with whitespace tokens added, and compare the words."""
    rng = random.Random(subject.seed)
    for document, expected in zip(subject.documents, subject.expected, strict=True):
        spaced, places = document.with_blanks(rng)
        doc = subject.nlp(spaced.doc(subject.nlp.vocab))
        found = analysis(doc)
        words = [found[i] for i in places]
        # The first token starts a sentence, even if it is a whitespace token.
        words[0] = (*words[0][:2], True)
        yield [(places[head], *rest) for head, *rest in expected], words


def blanks_attached(subject: Subject) -> Iterator[Pair]:
    """Compare the attachment of the whitespace tokens themselves."""
    rng = random.Random(subject.seed)
    for document in subject.documents:
        spaced, places = document.with_blanks(rng)
        found = analysis(subject.nlp(spaced.doc(subject.nlp.vocab)))
        is_word = set(places)
        spaces = [i for i in range(len(found)) if i not in is_word]
        expected = []
        for i in spaces:
            before = [place for place in places if place < i]
            expected.append((before[-1] if before else places[0], "dep", i == 0))
        yield expected, [found[i] for i in spaces]


def parsed_before(subject: Subject) -> Iterator[Pair]:
    """Parse other documents first.

    Then compare with a parser that has parsed nothing.
    """
    for doc in subject.nlp.pipe(
        other.doc(subject.nlp.vocab) for other in subject.others
    ):
        del doc
    yield from subject.pairs(map(subject.nlp, subject.docs()))
    fresh = pickle.loads(pickle.dumps(subject.nlp))
    docs = (document.doc(fresh.vocab) for document in subject.documents)
    yield from subject.pairs(map(fresh, docs))


def copies(subject: Subject) -> Iterator[Pair]:
    """Parse with a pipeline that was saved and loaded, pickled, or copied."""
    nlp = subject.nlp
    with tempfile.TemporaryDirectory() as directory:
        nlp.to_disk(Path(directory))
        loaded = spacy.load(Path(directory))
    for other in (
        loaded,
        copy.deepcopy(nlp).from_bytes(nlp.to_bytes()),
        pickle.loads(pickle.dumps(nlp)),
        copy.deepcopy(nlp),
    ):
        docs = (document.doc(other.vocab) for document in subject.documents)
        yield from subject.pairs(other.pipe(docs))


PROPERTIES: dict[str, Callable[[Subject], Iterator[Pair]]] = {
    "parsed twice": parsed_twice,
    "parsed twice, boundaries preset": parsed_twice_with_presets,
    "batches, their sizes and order": other_batches,
    "n_threads": own_threads,
    f"{CALLERS} threads share the pipeline": callers_threads,
    **{
        f"n_process = 2, {method}": processes(method)
        for method in multiprocessing.get_all_start_methods()
    },
    "blanks inserted: words": blanks,
    "blanks inserted: blanks attached": blanks_attached,
    "parsed before": parsed_before,
    "saved, loaded, pickled, copied": copies,
}


@dataclass
class Count:
    """The numbers of documents and tokens for which a property was tried and failed.

    Attributes:
        tried, failed: Numbers of documents.
        tokens, changed: Numbers of their tokens and of changed tokens.
        error: Message of the error that ended the attempt, if there was one.
    """

    tried: int = 0
    failed: int = 0
    tokens: int = 0
    changed: int = 0
    error: str | None = None

    @classmethod
    def of(cls, pairs: Iterator[Pair]) -> Count:
        """Count over all pairs."""
        count = cls()
        try:
            for expected, found in pairs:
                changed = sum(a != b for a, b in zip(expected, found, strict=True))
                count.tried += 1
                count.failed += changed > 0
                count.tokens += len(expected)
                count.changed += changed
        except Exception as error:
            count.error = f"{type(error).__name__}: {error}".split("\n")[0]
        return count
