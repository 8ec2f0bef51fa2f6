"""Rows of the speed benchmark: one Doc at a time, threads and processes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain

from spacy.language import Language
from spacy.tokens import Doc

from spacy_dynoracle import set_threads

from .data import Text
from .running import PIPE, Load, Prepare, consume
from .timing import Row, Time, measure

LENGTHS = (10, 100)
# So many Docs are parsed by each contestant before the next one's turn.
TURN = 50
COMPONENT = "the component alone"
MICRO = 1e6


def cut(texts: list[Text], length: int, n: int) -> list[Text]:
    """Make n texts of so many consecutive words of other texts, which may repeat."""
    columns = [
        list(chain.from_iterable(getattr(text, name) for text in texts))
        for name in vars(texts[0])
    ]
    places = max(len(columns[0]) // length, 1)
    starts = [k % places * length for k in range(n)]
    return [Text(*(c[start : start + length] for c in columns)) for start in starts]


def latency_rows(
    contestants: dict[str, Prepare], texts: list[Text], n_docs: int
) -> Iterator[Row]:
    """The time for one Doc, prepared before, of contestants that parse Docs.

    Each call parses one Doc alone. Contestants take turns.
    """
    for length in LENGTHS:
        found: dict[str, list[Time]] = {name: [] for name in contestants}
        docs = cut(texts, length, n_docs)
        for first in range(0, n_docs, TURN):
            for name, prepare in contestants.items():
                runs = [
                    prepare(Load([text], 1, [text]))
                    for text in docs[first : first + TURN]
                ]
                found[name] += each(runs)
        for name, times in found.items():
            what = "nlp(doc)" if name == PIPE else name
            micro = [t * MICRO for t in times[TURN:] or times]
            yield Row.of_times("latency", f"{what}, {length} words", "µs", micro)


def each(runs: list[Callable[[], object]]) -> list[Time]:
    """The times of some calls."""
    times = []
    for run in runs:
        start = time.perf_counter()
        run()
        seconds = time.perf_counter() - start
        # The clock of the CPU is too coarse for a short call.
        times.append(Time(seconds, seconds))
    return times


def one_by_one(nlp: Language, parse: Callable[[Doc], object] | None = None) -> Prepare:
    """Prepare one call of a pipeline, for a load of one Doc.

    Args:
        parse: What is called in place of the pipeline, such as one of its components.
    """

    def prepare(load: Load) -> Callable[[], object]:
        (doc,) = [text.doc(nlp.vocab) for text in load.texts]
        return partial(parse or nlp, doc)

    return prepare


def scaling_rows(nlp: Language, load: Load, repeats: int) -> Iterator[Row]:
    """Words per second on the clock, the best of the repeats, with several threads of
    the parser, and with several processes of `nlp.pipe`, up to the number of
    processors.
    """
    numbers = [n for n in (1, 2, 4, 8) if n == 1 or n <= (os.cpu_count() or 1)]

    def run(n_threads: int, n_process: int) -> Time:
        docs = [text.doc(nlp.vocab) for text in load.texts]
        set_threads(nlp, n_threads)
        try:
            size = load.batch_size * n_threads
            return measure(
                lambda: consume(nlp.pipe(docs, batch_size=size, n_process=n_process))
            )
        finally:
            set_threads(nlp, 1)

    ways = [(f"n_threads = {n}", n, 1) for n in numbers]
    ways += [(f"n_process = {n}", 1, n) for n in numbers if n > 1]
    n_words = load.where["words"]
    for name, n_threads, n_process in ways:
        times = [run(n_threads, n_process) for _ in range(repeats)]
        rate = n_words / max(min(t.wall for t in times), 1e-9)
        yield Row("scaling", name, "words/s", value=rate, **load.where)
