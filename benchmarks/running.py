"""The runs that measure speed: contestants, loads and the rows of results."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from spacy.language import Language

from spacy_dynoracle.core.features.lexical import StringTable
from spacy_dynoracle.core.state.configuration import RootRule
from spacy_dynoracle.doc import columns
from spacy_dynoracle.doc.attribute_table import AttributeTable
from spacy_dynoracle.treebank import heads_and_labels

from .counters import counted
from .data import Text, count_words, joined, repeated
from .pipelines import the_parser
from .timing import ONE, Row, Time, measure
from .udpipe import UDPipe, arcs_of

BUILD = "building Docs"
PIPE = "nlp.pipe"
CORE = "core alone"
SPACY = "spaCy's parser"
UDPIPE = "UDPipe's parser"
# The contestants that `PIPE` is compared with.
OTHERS = (SPACY, UDPIPE)
SENTENCES_PER_DOC = (1, 10)
# The large run is this many times as large as the small run.
FACTOR = 4
# Both shapes have the same number, which is near the optimum of spaCy's parser.
SENTENCES_PER_BATCH = 256


@dataclass(frozen=True)
class Load:
    """Documents of one size and shape.

    Attributes:
        sentences: The same words, one sentence after the other.
    """

    texts: list[Text]
    sentences_per_doc: int
    sentences: list[Text]

    @property
    def batch_size(self) -> int:
        """The number of documents in a batch of `nlp.pipe`."""
        return max(1, SENTENCES_PER_BATCH // self.sentences_per_doc)

    @property
    def where(self) -> dict[str, int]:
        """The values that describe the load in a row."""
        return {
            "words": count_words(self.texts),
            "docs": len(self.texts),
            "sentences_per_doc": self.sentences_per_doc,
        }


Prepare = Callable[[Load], Callable[[], object]]
Tree = tuple[Sequence[int | None], Sequence[str | None]]


def forget_forms() -> None:
    """Forget what components have made of forms: all pipelines of a process share it,
    and loading one anew does not forget it.
    """
    n = columns.N_FORMS
    columns.FORM_TABLE = StringTable(columns.values_of_form, len(columns.OF_FORM), n)
    parts = len(columns.LEMMA_PARTS)
    columns.LEMMA_TABLE = StringTable(columns.values_of_lemma, parts, n)


def consume(items: Iterable[object]) -> None:
    """Go through an iterator and keep nothing."""
    deque(items, maxlen=0)


def runners(
    nlp: Language,
    spacy_nlp: Language | None,
    udpipe: tuple[UDPipe, Path] | None = None,
) -> dict[str, Prepare]:
    """For each contestant a function that prepares one run.

    The preparation is not timed.

    Args:
        udpipe: The library and the file of its parser, which parses sentence by
            sentence.
    """
    parser = the_parser(nlp)
    vocab = nlp.vocab
    attributes = [name for name in parser.sources.values() if name]

    def build(load: Load) -> Callable[[], object]:
        return lambda: [text.doc(vocab) for text in load.texts]

    def pipe(pipeline: Language) -> Prepare:
        def prepare(load: Load) -> Callable[[], object]:
            # Their words are new to the parser.
            forget_forms()
            docs = [text.doc(vocab) for text in load.texts]
            return lambda: consume(pipeline.pipe(docs, batch_size=load.batch_size))

        return prepare

    def core(load: Load) -> Callable[[], object]:
        # This rule applies if no boundary is preset, as is the case here.
        rule = RootRule.TREE if parser.parser.single_root else RootRule.ANY
        assert parser.model is not None
        model = parser.model.freeze()
        sentences = []
        for text in load.texts:
            tokens = AttributeTable([text.doc(vocab)], attributes)
            sentences.append(tokens.sentence(np.flatnonzero(~tokens.is_space)))
        return lambda: parser.parser.search.parse(model, sentences, rule)

    found: dict[str, Prepare] = {BUILD: build, PIPE: pipe(nlp), CORE: core}
    if spacy_nlp is not None:
        found[SPACY] = pipe(spacy_nlp)
    if udpipe is not None:
        found[UDPIPE] = of_udpipe(*udpipe)
    return found


def of_udpipe(library: UDPipe, path: Path) -> Prepare:
    """The same for UDPipe's parser in a file."""
    parse = library.load(path)

    def prepare(load: Load) -> Callable[[], object]:
        sentences = [library.sentence(text) for text in load.sentences]
        return lambda: parse(sentences)

    return prepare


class SpeedRuns:
    """Repeated runs of all contestants on all loads.

    Contestants take turns in each round, so that a ratio compares runs that are close
    in time.
    """

    def __init__(
        self, contestants: dict[str, Prepare], texts: list[Text], n_words: int
    ) -> None:
        self.contestants = contestants
        sizes = [repeated(texts, n_words), repeated(texts, FACTOR * n_words)]
        self.loads = [
            Load(joined(size, n), n, size)
            for n, size in product(SENTENCES_PER_DOC, sizes)
        ]
        self.times: dict[tuple[str, int], list[Time]] = {}

    @property
    def n_runs(self) -> int:
        """The number of runs in a round."""
        return len(self.loads) * len(self.contestants)

    def round(self, keep: bool) -> Iterator[None]:
        """Run everything once and yield after each run.

        Args:
            keep: False for a warm-up.
        """
        for i, load in enumerate(self.loads):
            for name, prepare in self.contestants.items():
                time = measure(prepare(load))
                if keep:
                    self.times.setdefault((name, i), []).append(time)
                yield

    def rows(self) -> Iterator[Row]:
        """The rows with words per second, ratios, and cost per word and per Doc."""
        for i, load in enumerate(self.loads):
            n_words = load.where["words"]
            for name in self.contestants:
                rates = [ONE * n_words / time for time in self.times[name, i]]
                yield Row.of_times("speed", name, "words/s", rates, **load.where)
            for name in self._others:
                pairs = zip(self.times[name, i], self.times[PIPE, i], strict=True)
                ratios = [theirs / ours for theirs, ours in pairs]
                what = f"{PIPE} to {name}"
                yield Row.of_times("ratio", what, "times", ratios, **load.where)
        for name in self.contestants:
            yield from self._costs(name)

    @property
    def _others(self) -> list[str]:
        return [name for name in OTHERS if name in self.contestants]

    def counters(self) -> Iterator[Row]:
        """The rows of events of the processor for each word, if it counts them."""
        for load in self.loads[1::2]:
            for name, prepare in self.contestants.items():
                n_words = load.where["words"]
                for event, number in counted(prepare(load)).items():
                    what = f"{name}, {event}"
                    value = number / n_words
                    yield Row("counters", what, "/word", value=value, **load.where)

    def _costs(self, name: str) -> Iterator[Row]:
        slopes = []
        docs_per_word = []
        for i, n in enumerate(SENTENCES_PER_DOC):
            small, large = self.loads[2 * i].where, self.loads[2 * i + 1].where
            more = large["words"] - small["words"]
            pairs = list(
                zip(self.times[name, 2 * i], self.times[name, 2 * i + 1], strict=True)
            )
            per_word = [(b - a) * (1 / more) for a, b in pairs]
            fixed = [
                a - slope * small["words"]
                for (a, _), slope in zip(pairs, per_word, strict=True)
            ]
            where = {"sentences_per_doc": n}
            micro = [time * 1e6 for time in per_word]
            yield Row.of_times("cost", f"{name}, per word", "µs", micro, **where)
            milli = [time * 1e3 for time in fixed]
            yield Row.of_times("cost", f"{name}, fixed", "ms", milli, **where)
            slopes.append(per_word)
            docs_per_word.append((large["docs"] - small["docs"]) / more)
        # The same words are in fewer documents, so the difference is the cost of
        # documents.
        fewer = docs_per_word[0] - docs_per_word[1]
        per_doc = [(a - b) * (1e6 / fewer) for a, b in zip(*slopes, strict=True)]
        yield Row.of_times("cost", f"{name}, per Doc", "µs", per_doc)


def accuracy(texts: list[Text], trees: Iterable[Tree]) -> tuple[float, float]:
    """UAS and LAS in per cent over all words.

    Args:
        trees: Heads and labels of each text.
    """
    n_known = n_heads = n_both = 0
    for text, (heads, labels) in zip(texts, trees, strict=True):
        rows = zip(text.heads, text.labels, heads, labels, strict=True)
        for gold_head, gold_label, head, label in rows:
            if gold_head is not None:
                n_known += 1
                n_heads += gold_head == head
                # A label that says "root" is spelled in two ways.
                same = str(gold_label).lower() == str(label).lower()
                n_both += gold_head == head and same
    return 100 * n_heads / max(n_known, 1), 100 * n_both / max(n_known, 1)


def trees_of(nlp: Language, texts: list[Text]) -> Iterator[Tree]:
    """The trees that a pipeline finds, with one sentence per Doc."""
    docs = [text.doc(nlp.vocab) for text in texts]
    return map(heads_and_labels, nlp.pipe(docs))


def trees_of_udpipe(library: UDPipe, path: Path, texts: list[Text]) -> Iterator[Tree]:
    """The trees that UDPipe's parser in a file finds."""
    sentences = [library.sentence(text) for text in texts]
    library.load(path)(sentences)
    return map(arcs_of, sentences)
