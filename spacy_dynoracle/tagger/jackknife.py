"""Tag training data with taggers that were not trained on it.

A parser may be trained on gold tags, or on the tags of a tagger that was trained on the
same sentences. In use it then reads worse tags than in training. Jackknifing cuts the
data into folds and tags each fold with a tagger trained on the other folds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.lookups import Lookups
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import load_config, registry

from ..doc.borders import write_portably
from ..doc.own_words import OwnWords
from ..doc.surroundings import SENTENCES_ASSIGNED
from ..util.arrays import IdArray
from ..util.folds import check_n_folds, cut_into_folds, fold_results
from ..util.progress import Progress, no_progress
from .attributes import ATTRIBUTES, NO_FEATURES, TAG_NAMES
from .component import NAME, DynOracleTagger
from .gold_tags import gold_starts, gold_tags
from .input import WordBatch
from .tagging import attribute_ids

# Attributes that features may read. Untagged documents have no others.
OF_WORDS = ("ORTH", "LOWER", "NORM", "SHAPE", "FLAGS", "CLUSTER")
EPOCHS = 10


@dataclass(frozen=True)
class TaggerSettings:
    """Settings of the taggers of the folds.

    lang: code of the language. config: settings of the component, as in a config file.
    epochs: epochs of training, at least 1. lookups: tables for the vocab, such as word
    clusters.
    """

    lang: str = "xx"
    config: dict[str, Any] = field(default_factory=dict)
    epochs: int = EPOCHS
    lookups: Lookups | None = None

    @classmethod
    def from_config(cls, path: str | Path) -> TaggerSettings:
        """The settings of a config file: language, tagger, epochs and the tables of
        `[initialize.lookups]`.

        Raises ValueError if the file cannot be read or has not exactly one
        dynoracle_tagger, and if the tables cannot be read.
        """
        try:
            config = load_config(path, interpolate=True)
            components: dict[str, dict[str, Any]] = config["components"]
            found = [c for c in components.values() if c.get("factory") == NAME]
            lang = config["nlp"]["lang"]
            pipeline = config["nlp"].get("pipeline", [])
            epochs = config.get("training", {}).get("max_epochs") or EPOCHS
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{path}: cannot be read as a config: {error}") from error
        if len(found) != 1:
            raise ValueError(f"{path}: expected one component of the factory {NAME}")
        settings = {key: value for key, value in found[0].items() if key != "factory"}
        if settings.get("sentences") is None and splits_before(config, pipeline):
            settings["sentences"] = "preset"
        block = config.get("initialize", {}).get("lookups")
        lookups = registry.resolve({"lookups": block})["lookups"] if block else None
        return cls(lang, settings, max(int(epochs), 1), lookups)

    def tagger(self) -> DynOracleTagger:
        """An untrained tagger in a pipeline of its own.

        Raises ValueError if its features read more than words.
        """
        nlp = spacy.blank(self.lang)
        if self.lookups is not None:
            nlp.vocab.lookups = self.lookups
        tagger: DynOracleTagger = nlp.add_pipe(NAME, config=self.config)  # type: ignore[assignment]
        column = not_of_words(tagger)
        if column is not None:
            raise ValueError(
                f"the features use {column!r}, which comes from "
                f"{tagger.recipe.sources[column]}: the taggers of jackknifing read "
                f"nothing but words"
            )
        return tagger


def splits_before(config: dict[str, Any], pipeline: Sequence[str]) -> bool:
    """Whether a component before the tagger of a config splits sentences."""
    for name in pipeline:
        made_by = config["components"].get(name, {}).get("factory")
        if made_by == NAME:
            return False
        if made_by is not None and Language.has_factory(made_by):
            assigns = Language.get_factory_meta(made_by).assigns
            if set(assigns).intersection(SENTENCES_ASSIGNED):
                return True
    return False


def annotated_attrs(docs: Sequence[Doc]) -> list[str]:
    """The attributes that a tagger could learn from documents."""
    found = []
    for attr in TAG_NAMES:
        tags = (tag for doc in docs for tag in next(gold_tags(doc, [attr])))
        if any(tag not in (None, NO_FEATURES) for tag in tags):
            found.append(attr)
    return found


def without_annotation(doc: Doc, starts: Sequence[bool | None] | None = None) -> Doc:
    """A copy of a document with its words and nothing else but sentence starts.

    starts: for each token whether a sentence starts there; None for nothing known.
    """
    return Doc(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        sent_starts=None if starts is None else list(starts),
    )


def untagged(example: Example) -> Example:
    """The example with nothing but words and the reference's sentence starts in the
    predicted document: what a tagger behind a perfect sentence splitter reads."""
    predicted = without_annotation(example.predicted, gold_starts(example))
    return Example(predicted, example.reference)


def not_of_words(tagger: DynOracleTagger) -> str | None:
    """The first column of a tagger's features that more than words determine."""
    for column, source in tagger.recipe.sources.items():
        if source.partition(":")[0] not in OF_WORDS:
            return column
    return None


def held_out_tags(
    examples: Sequence[Example], fold: range, tagger: DynOracleTagger, epochs: int
) -> list[IdArray]:
    """Tag the predicted documents of a fold by training on the other folds.

    examples: all folds. fold: the numbers of the examples to tag. tagger: an untrained
    tagger with the attributes to set; the function trains it.

    Returns the values of the attributes, an array of shape (n tokens, n attributes) for
    each document."""
    others = [example for i, example in enumerate(examples) if i not in fold]
    others += map(untagged, OwnWords().of(others))
    tagger.initialize(lambda: others)
    run = tagger.training_run()
    words = WordBatch(
        [example.predicted for example in others],
        tuple(tagger.recipe.sources.values()),
    )
    data = run.read(others, words)
    for epoch in range(1, epochs + 1):
        run.learn(data, epoch)
    tagger.set_model(tagger.frozen_model())
    return tagger.predict([examples[i].predicted for i in fold])


class FoldTagger:
    """Tags folds of documents. Each process has one.

    data: the documents, as the bytes of a DocBin.
    """

    def __init__(
        self,
        data: bytes,
        folds: list[range],
        attrs: list[str],
        settings: TaggerSettings,
    ) -> None:
        vocab = settings.tagger().vocab
        docs = DocBin().from_bytes(data).get_docs(vocab)
        self.examples = [untagged(Example(doc, doc)) for doc in docs]
        self.folds = folds
        self.settings = replace(settings, config=settings.config | {"attrs": attrs})

    def __call__(self, number: int) -> list[IdArray]:
        """The tags of a fold."""
        tagger = self.settings.tagger()
        fold = self.folds[number]
        return held_out_tags(self.examples, fold, tagger, self.settings.epochs)


@dataclass(frozen=True)
class JackknifeResult:
    """Documents with the tags of taggers that were not trained on them.

    docs: the documents, with predicted tags. attrs: attributes that were replaced.
    accuracy: for each attribute the share of the known gold tags that were predicted;
    None where no gold tag is known.
    """

    docs: list[Doc]
    attrs: list[str]
    accuracy: dict[str, float | None]

    def as_dict(self) -> dict[str, Any]:
        """The accuracy as values for JSON, fractions of 1."""
        return {"documents": len(self.docs), "accuracy": self.accuracy}


def jackknife(
    docs: Sequence[Doc],
    settings: TaggerSettings | None = None,
    attrs: Sequence[str] | None = None,
    *,
    n_folds: int = 10,
    n_jobs: int = 1,
    progress: Progress = no_progress,
) -> JackknifeResult:
    """Replace the tags of documents by tags of taggers not trained on them.

    docs: documents with gold tags, with the vocab of a language; their tags are
    overwritten, everything else stays. attrs: attributes to replace, of "TAG", "POS"
    and "MORPH"; None for all that the documents have. n_folds: from 2 to the number of
    documents. n_jobs: number of processes.

    The result does not depend on n_jobs. Raises ValueError for impossible settings.
    """
    settings = settings or TaggerSettings()
    docs = list(docs)
    wanted = annotated_attrs(docs) if attrs is None else list(attrs)
    with progress("folds tagged") as advance:
        tables = []
        for found in held_out_tables(docs, wanted, settings, n_folds, n_jobs):
            tables += found
            advance(1)
    return JackknifeResult(docs, wanted, replace_tags(docs, wanted, tables))


def held_out_tables(
    docs: Sequence[Doc],
    attrs: list[str],
    settings: TaggerSettings,
    n_folds: int,
    n_jobs: int = 1,
) -> Iterator[list[IdArray]]:
    """For each fold the values of attributes for its documents, by held-out taggers."""
    check_n_folds(n_folds, len(docs))
    settings.tagger()
    folds = cut_into_folds([len(doc) for doc in docs], n_folds)
    data = DocBin(docs=docs).to_bytes()
    arguments = (data, folds, attrs, settings)
    yield from fold_results(FoldTagger, arguments, range(n_folds), n_jobs)


def replace_tags(
    docs: Sequence[Doc], attrs: list[str], tables: Sequence[IdArray]
) -> dict[str, float | None]:
    """Overwrite the tags of documents.

    Returns for each attribute the share of the known tags of words that stay the same;
    None where no tag is known.
    """
    right = dict.fromkeys(attrs, 0)
    known = dict.fromkeys(attrs, 0)
    ids = attribute_ids(tuple(attrs))
    for doc, table in zip(docs, tables, strict=True):
        before = list(gold_tags(doc, attrs))
        for attr in attrs:
            attribute = ATTRIBUTES[attr]
            attribute.introduce([attribute.blank], doc.vocab)
        # This way adds analyses to the vocab.
        write_portably(doc, ids, table)
        for attr, old, new in zip(attrs, before, gold_tags(doc, attrs), strict=True):
            known[attr] += sum(tag is not None for tag in old)
            right[attr] += sum(
                a is not None and a == b for a, b in zip(old, new, strict=True)
            )
    return {attr: right[attr] / known[attr] if known[attr] else None for attr in attrs}
