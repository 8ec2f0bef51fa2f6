"""Tagging training data with models that have not seen it.

A parser that is trained on gold tags, or on those of a tagger trained on the same
sentences, meets tags in use that are worse than any it has learned to live with.
Jackknifing cuts the data into folds and tags each with a model trained on the others.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise, starmap
from typing import Any

import numpy as np
import spacy
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from ..util.arrays import IdArray
from .attributes import ATTRIBUTES, NO_FEATURES
from .component import NAME, DynOracleTagger
from .gold_tags import gold_tags
from .input import WordBatch
from .tagging import TagWriter

# What features may read, as documents to be tagged have nothing else.
OF_WORDS = ("ORTH", "LOWER", "NORM", "SHAPE", "FLAGS", "CLUSTER")
EPOCHS = 10


@dataclass(frozen=True)
class TaggerSettings:
    """The taggers to train.

    lang: code of the language. config: of the component, as in a config file. epochs:
    of training, at least 1.
    """

    lang: str = "xx"
    config: dict[str, Any] = field(default_factory=dict)
    epochs: int = EPOCHS

    def tagger(self) -> DynOracleTagger:
        """An untrained tagger in a pipeline of its own.

        Raises ValueError for settings that are not possible here.
        """
        nlp = spacy.blank(self.lang)
        tagger: DynOracleTagger = nlp.add_pipe(NAME, config=self.config)  # type: ignore[assignment]
        for column, source in tagger.recipe.sources.items():
            if source.partition(":")[0] not in OF_WORDS:
                raise ValueError(
                    f"the features use {column!r}, which comes from {source}: "
                    f"jackknifing has nothing but words to read"
                )
        return tagger


def annotated_attrs(docs: Sequence[Doc]) -> list[str]:
    """The attributes that a tagger could learn from documents."""
    found = []
    for attr in ATTRIBUTES:
        tags = (tag for doc in docs for tag in next(gold_tags(doc, [attr])))
        if any(tag not in (None, NO_FEATURES) for tag in tags):
            found.append(attr)
    return found


def cut(lengths: Sequence[int], n_folds: int) -> list[range]:
    """Neighbouring items in folds of about the same length, none of them empty.

    lengths: of the items, such as the words of documents. n_folds: at most as many as
    there are items.
    """
    ends = np.cumsum(lengths)
    goals = np.arange(1, n_folds) * (ends[-1] / n_folds)
    cuts = np.searchsorted(ends, goals, side="left") + 1
    for i in range(len(cuts)):
        # Each fold has an item, and leaves one for each of those after it.
        least = (cuts[i - 1] if i else 0) + 1
        cuts[i] = min(max(cuts[i], least), len(lengths) - (n_folds - 1 - i))
    bounds = [0, *cuts.tolist(), len(lengths)]
    return list(starmap(range, pairwise(bounds)))


def without_annotation(doc: Doc) -> Doc:
    """The words of a document, and nothing else."""
    spaces = [bool(token.whitespace_) for token in doc]
    return Doc(doc.vocab, words=[token.text for token in doc], spaces=spaces)


def held_out_tags(
    docs: Sequence[Doc], fold: range, attrs: list[str], settings: TaggerSettings
) -> list[IdArray]:
    """The values of attributes for the documents of a fold, by a tagger trained on the
    others; each of shape (n tokens, n attributes)."""
    config = settings.config | {"attrs": attrs}
    tagger = TaggerSettings(settings.lang, config, settings.epochs).tagger()
    examples = [
        Example(without_annotation(doc), doc)
        for i, doc in enumerate(docs)
        if i not in fold
    ]
    tagger.initialize(lambda: examples)
    run = tagger.training_run()
    words = WordBatch(
        [example.predicted for example in examples],
        tuple(tagger.recipe.sources.values()),
    )
    data = run.read(examples, words)
    for epoch in range(1, settings.epochs + 1):
        run.learn(data, epoch)
    tagger.set_model(tagger.frozen_model())
    return tagger.predict([without_annotation(docs[i]) for i in fold])


class Worker:
    """A process that tags folds.

    data: the documents, as the bytes of a DocBin.
    """

    current: Worker

    def __init__(
        self,
        data: bytes,
        folds: list[range],
        attrs: list[str],
        settings: TaggerSettings,
    ) -> None:
        vocab = settings.tagger().vocab
        self.docs = list(DocBin().from_bytes(data).get_docs(vocab))
        self.folds = folds
        self.attrs = attrs
        self.settings = settings

    @classmethod
    def start(cls, *arguments: Any) -> None:
        """Make the worker of this process."""
        Worker.current = cls(*arguments)

    @staticmethod
    def tag(number: int) -> list[IdArray]:
        """The tags of a fold."""
        self = Worker.current
        fold = self.folds[number]
        return held_out_tags(self.docs, fold, self.attrs, self.settings)


def jackknife(
    docs: Sequence[Doc],
    attrs: list[str],
    settings: TaggerSettings,
    n_folds: int,
    n_jobs: int = 1,
    advance: Callable[[int], None] = lambda n: None,
) -> Iterator[IdArray]:
    """The values of attributes for each document, by held-out taggers.

    docs: with gold tags, and with the vocab of a language. attrs: of "TAG", "POS" and
    "MORPH". n_folds: from 2 to the number of documents. n_jobs: processes. advance:
    told of each fold that is done.

    The result does not depend on n_jobs. Raises ValueError for impossible settings.
    """
    if not 2 <= n_folds <= len(docs):
        raise ValueError(
            f"{n_folds} folds of {len(docs)} documents: expected at least 2, and at "
            f"least one document in each"
        )
    settings.tagger()
    folds = cut([len(doc) for doc in docs], n_folds)
    data = DocBin(docs=docs).to_bytes()
    arguments = (data, folds, attrs, settings)
    if n_jobs == 1:
        Worker.start(*arguments)
        for number in range(n_folds):
            yield from Worker.tag(number)
            advance(1)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        min(n_jobs, n_folds), context, Worker.start, arguments
    ) as pool:
        try:
            for tables in pool.map(Worker.tag, range(n_folds)):
                yield from tables
                advance(1)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def replace_tags(
    docs: Sequence[Doc], attrs: list[str], tables: Sequence[IdArray]
) -> dict[str, float | None]:
    """Write tags to documents instead of those that are there.

    Returns for each attribute how many of the known tags of words are the same; None
    where none is known.
    """
    right = dict.fromkeys(attrs, 0)
    known = dict.fromkeys(attrs, 0)
    writer = TagWriter(overwrite=True)
    for doc, table in zip(docs, tables, strict=True):
        before = list(gold_tags(doc, attrs))
        for attr in attrs:
            attribute = ATTRIBUTES[attr]
            attribute.introduce([attribute.blank], doc.vocab)
        writer.write(doc, attrs, table)
        for attr, old, new in zip(attrs, before, gold_tags(doc, attrs), strict=True):
            known[attr] += sum(tag is not None for tag in old)
            right[attr] += sum(
                a is not None and a == b for a, b in zip(old, new, strict=True)
            )
    return {attr: right[attr] / known[attr] if known[attr] else None for attr in attrs}
