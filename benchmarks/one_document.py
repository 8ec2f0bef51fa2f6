"""The cost of `nlp(doc)` for one short document.

    python -m benchmarks.one_document [--treebank DIR] [--sentences 200]

trains a parser on gold tags. It then parses documents of 10 and of 100 words one at a
time, with preset tags and without other components, and prints a line for each length:

- calls, files: the Python functions that run between `nlp(doc)` and the search, and
  back, and the files of this package that they are in (C and Cython functions do not
  count).
- microseconds: of `nlp(doc)`, the median of many calls.
- search: microseconds of the search alone, on sentences that are read already.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.training.converters import conllu_to_docs

PACKAGE = "spacy_dynoracle"
LENGTHS = (10, 100)
EPOCHS = 3
app = typer.Typer(add_completion=False, rich_markup_mode=None)


def trained(golds: list[Doc]) -> Language:
    """Train a pipeline that has only the default parser, and freeze its weights."""
    nlp = spacy.blank("en", vocab=golds[0].vocab)
    parser: Any = nlp.add_pipe("dynoracle_parser")
    nlp.initialize(lambda: [Example(untreed(gold), gold) for gold in golds])
    for _ in range(EPOCHS):
        nlp.update([Example(untreed(gold), gold) for gold in golds])
    parser.set_model(parser.model.freeze())
    return nlp


def untreed(gold: Doc) -> Doc:
    """A Doc of the same words with their tags and without a tree."""
    return tagged(gold, [(token.text, token.tag_) for token in gold])


def tagged(gold: Doc, words: list[tuple[str, str]]) -> Doc:
    """A Doc of words with tags, with the vocab of another Doc."""
    forms, tags = zip(*words, strict=True)
    return Doc(gold.vocab, words=list(forms), tags=list(tags))


def documents(golds: list[Doc], n_words: int, n: int) -> list[Doc]:
    """Make n documents of n_words consecutive words of the treebank each."""
    words = [(token.text, token.tag_) for token in chain.from_iterable(golds)]
    starts = (k * n_words % (len(words) - n_words) for k in range(n))
    return [tagged(golds[0], words[start : start + n_words]) for start in starts]


class Calls:
    """Counts the calls of Python functions, and their files."""

    def __init__(self) -> None:
        self.n = 0
        self.files: set[str] = set()

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        """Record an event of `sys.setprofile`."""
        if event != "call":
            return
        self.n += 1
        path = Path(frame.f_code.co_filename)
        if PACKAGE in path.parts:
            self.files.add(path.name)


def count_calls(run: Callable[[], object]) -> Calls:
    """Count the Python functions that one call of `run` runs."""
    calls = Calls()
    sys.setprofile(calls)
    try:
        run()
    finally:
        sys.setprofile(None)
    # The count includes the function itself.
    calls.n -= 1
    return calls


def microseconds(runs: Iterator[Callable[[], object]]) -> float:
    """The median time of the calls, in microseconds."""
    times = []
    gc.collect()
    gc.disable()
    for run in runs:
        start = time.perf_counter_ns()
        run()
        times.append((time.perf_counter_ns() - start) / 1000)
    gc.enable()
    return statistics.median(times)


class Recorded:
    """Replaces the search of a parser and keeps the arguments of its calls."""

    def __init__(self, search: Any) -> None:
        found: list[tuple[Any, ...]] = []

        class Recorder(type(search)):  # type: ignore[misc]
            def parse(self, *given: Any) -> Any:
                found.append(given)
                return search.parse(*given)

        self.found = found
        self.search = Recorder()


def search_inputs(parser: Any, docs: list[Doc]) -> list[tuple[Any, ...]]:
    """The arguments of the search for each document."""
    before = parser.parser.search
    recorded = Recorded(before)
    parser.change(search=recorded.search)
    try:
        for doc in docs:
            parser.predict([doc])
    finally:
        parser.change(search=before)
    return recorded.found


@app.command()
def main(
    treebank: Annotated[
        Path, typer.Option(help="Directory of a treebank with train.conllu.")
    ] = Path(__file__).parents[1] / "treebanks" / "English-Harbour",
    sentences: Annotated[
        int, typer.Option(min=20, help="Sentences to train on.")
    ] = 200,
    repeats: Annotated[
        int, typer.Option(min=1, help="Documents of each length.")
    ] = 2000,
) -> None:
    """Print what `nlp(doc)` costs for one document of 10 and of 100 words."""
    text = (treebank / "train.conllu").read_text(encoding="utf8")
    golds = list(islice(conllu_to_docs(text, no_print=True), sentences))
    vocab = golds[0].vocab
    golds = [Doc(vocab).from_bytes(gold.to_bytes()) for gold in golds]
    nlp = trained(golds)
    parser: Any = nlp.get_pipe("dynoracle_parser")
    print("words  calls  files  microseconds  search  share")
    for n_words in LENGTHS:
        docs = documents(golds, n_words, repeats)
        warm, *docs = docs
        nlp(warm)
        (doc,) = documents(golds, n_words, 1)
        calls = count_calls(lambda doc=doc: nlp(doc))
        inputs = search_inputs(parser, docs)
        whole = microseconds(lambda doc=doc: nlp(doc) for doc in docs)
        search = parser.parser.search
        alone = microseconds(partial(search.parse, *given) for given in inputs)
        print(
            f"{n_words:5}  {calls.n:5}  {len(calls.files):5}  {whole:12.1f}  "
            f"{alone:6.1f}  {alone / whole:5.0%}"
        )


if __name__ == "__main__":
    app()
