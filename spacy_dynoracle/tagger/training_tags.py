"""Tags and lemmas for training documents that have none.

In use, parser and lemmatizer read the tags of a tagger before them. spaCy does not run
that tagger on the documents of `update`, unless the config names it among the
annotating components. Its tags would be too good there, because it is trained on the
same sentences. So `initialize` jackknifes: it cuts the training data into folds and
tags each fold with a tagger that is trained on the other folds. It does so several
times with other folds, so that one epoch has other wrong tags than the next one. A
lemmatizer before the parser does the same once with lemmas, if the parser reads them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise, starmap
from typing import Protocol
from weakref import ref

from spacy.attrs import ORTH
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..components.settings import keywords
from ..doc.own_words import OwnWords
from ..doc.records import CASE_COPY
from ..util.arrays import IdArray
from ..util.folds import cut_into_folds
from ..util.progress import progress_bar
from .component import DynOracleTagger
from .jackknifing import annotated_attrs, held_out_tags, not_of_words, untagged
from .recipe import TaggerRecipe

JACKKNIFE_FOLDS = 5
# How many times the training data of a parser are tagged, each time with one more fold.
ROUNDS = 3

# For each attribute, LEMMA among them, the values of the tokens of a document.
Tags = dict[str, IdArray]
GetExamples = Callable[[], Iterable[Example]]
LEMMA = "LEMMA"
NOT_JACKKNIFED = (
    "some training documents have no tags of taggers that have not seen them (the "
    "first is {!r}), as where an augmenter of spaCy makes others in each epoch, all "
    "data are one document, or nlp.initialize had other data: components behind the "
    "tagger learn from its own tags, which are too good if it has learnt from these "
    "documents: use spacy_dynoracle.CaseCopies.v1 as augmenter, documents of some "
    "sentences, and all data to initialize"
)


class Lemmatizer(Protocol):
    """The lemmatizer of a pipeline."""

    # The parts of its lemmas that help a parser, of "stem" and "ending".
    lemma_parts: Sequence[str]

    def lemmatized(
        self, docs: Sequence[Doc], tags: Sequence[Mapping[str, IdArray]]
    ) -> list[IdArray]:
        """The ids of the lemmas of documents with these tags in place of theirs."""

    def of_others(
        self, examples: Sequence[Example], folds: Sequence[range]
    ) -> Iterator[Lemmatizer]:
        """For each fold a lemmatizer that has learnt from the other folds."""


class TrainingTags:
    """Gives training documents the tags that they lack.

    Args:
        attrs: The attributes that are read and that a component before sets, some of
            TAG, POS and MORPH.
        tagger: The `dynoracle_tagger` of the pipeline; None if another component sets
            the tags. The taggers of the folds have its settings, and it tags documents
            that have not been jackknifed.
        n_folds: Of the first round of jackknifing.
        lemmatizer: That of the pipeline, which has made these tags; None if the
            documents get no lemmas.
        replaced: The attributes that count as lacking even where documents have them.
    """

    def __init__(
        self,
        vocab: Vocab,
        attrs: Sequence[str],
        tagger: DynOracleTagger | None,
        n_folds: int,
        lemmatizer: Lemmatizer | None = None,
        replaced: Container[str] = (),
    ) -> None:
        self.vocab = vocab
        self.attrs = tuple(attrs)
        self.tagger = tagger
        self.n_folds = n_folds
        self.lemmatizer = lemmatizer
        self.replaced = replaced
        # A strong reference would keep the training data in memory.
        self._source: ref[GetExamples] | None = None
        # For each round the tags by the forms of the document, since a corpus makes new
        # documents in each epoch. The first round has the lemmas.
        self._held_out: list[dict[bytes, Tags]] = [{}]
        # How many rounds were asked for; small data may have fewer.
        self._n_rounds = 0
        # Whether to warn of documents that have not been jackknifed.
        self._warns = False

    def jackknife(self, get_examples: GetExamples, n_rounds: int) -> None:
        """Tag the training data, unless all of them have tags.

        Args:
            n_rounds: How many times; those that were done before count.
        """
        if self._n_rounds >= n_rounds:
            return
        n_done, self._n_rounds = self._n_rounds, n_rounds
        # Callables of some kinds have no weak references.
        with suppress(TypeError):
            self._source = ref(get_examples)
        examples = [example for example in get_examples() if len(example.predicted)]
        pieces = _with_copies(examples)
        n_folds = min(self.n_folds, len(pieces))
        recipe = self._recipe_of_folds(examples)
        own_tagger = self.tagger is not None
        self._warns = own_tagger and recipe is not None and self.n_folds > 1
        if recipe is None or n_folds < 2:
            return
        examples = list(map(untagged, examples))
        n_rounds = min(n_rounds, len(pieces) - n_folds + 1)
        self._held_out += [{} for _ in range(len(self._held_out), n_rounds)]
        jobs = [
            (number, fold)
            for number in range(n_done, n_rounds)
            for fold in _folds(examples, pieces, n_folds + number)
        ]
        described = f"of {len(jobs)} folds of the training data tagged"
        with progress_bar(described) as advance:
            for number, fold in jobs:
                settings = keywords(replace(recipe, seed=recipe.seed + number))
                tagger = DynOracleTagger(self.vocab, **settings)
                for doc, tags in _tagged(examples, fold, tagger):
                    # Of several documents with the same words the first one counts.
                    self._held_out[number].setdefault(forms(doc), tags)
                advance(1)

    def _recipe_of_folds(self, examples: Sequence[Example]) -> TaggerRecipe | None:
        """The settings of the taggers of the folds: those of the pipeline's tagger, but
        for the attributes that the examples teach.

        None if there is nothing to learn, if no document lacks tags, or if the features
        read more than words: the documents of the folds have nothing else.
        """
        # Another tagger, whose settings are unknown, is replaced by a default one.
        tagger = self.tagger or DynOracleTagger(self.vocab)
        recipe: TaggerRecipe = tagger.recipe_of(tagger.model)
        known = annotated_attrs([example.reference for example in examples])
        # In the order of the tagger, whose first attribute leads.
        order = dict.fromkeys((*tagger.attrs, *self.attrs))
        attrs = [attr for attr in order if attr in self.attrs and attr in known]
        all_have_tags = not any(
            self._lacking(example.predicted) for example in examples
        )
        if not attrs or all_have_tags or not_of_words(tagger):
            return None
        sentences = "preset" if tagger.by_sentence else "doc"
        return replace(recipe, attrs=attrs, sentences=sentences)

    def add_lemmas(self, get_examples: GetExamples) -> None:
        """Lemmatize the training data, each fold with lemmas of the other folds."""
        if self.lemmatizer is None or LEMMA in self.attrs:
            return
        self.attrs += (LEMMA,)
        examples = [example for example in get_examples() if len(example.predicted)]
        pieces = _with_copies(examples)
        n_folds = min(self.n_folds, len(pieces))
        if n_folds < 2:
            return
        folds = _folds(examples, pieces, n_folds)
        held_out = self.lemmatizer.of_others(examples, folds)
        described = f"of {n_folds} folds of the training data lemmatized"
        with progress_bar(described) as advance:
            for fold, lemmatizer in zip(folds, held_out, strict=True):
                taught = [examples[i] for i in fold]
                self._lemmatize((*taught, *OwnWords().of(taught)), lemmatizer)
                advance(1)

    def _lemmatize(self, examples: Iterable[Example], lemmatizer: Lemmatizer) -> None:
        """Note lemmas for the predicted documents of examples."""
        docs = [each.predicted for each in examples]
        lacking = list(filter(self._can_lemmatize, docs))
        tags = [self.held_out(doc) for doc in lacking]
        lemmas = lemmatizer.lemmatized(lacking, tags)
        for doc, values in zip(lacking, lemmas, strict=True):
            self._held_out[0].setdefault(forms(doc), {}).setdefault(LEMMA, values)
            introduce(values, doc.vocab, self.vocab)

    def _can_lemmatize(self, doc: Doc) -> bool:
        """Whether a document has no lemmas, and tags from which to make them.

        An augmenter may have made a document that has not been jackknifed.
        """
        lacks = self._lacking(doc)
        return LEMMA in lacks and ("POS" not in lacks or bool(self.held_out(doc)))

    def is_made_of(self, get_examples: GetExamples) -> bool:
        """Whether these training data have been jackknifed."""
        return self._source is not None and self._source() is get_examples

    def held_out(self, doc: Doc) -> Tags:
        """The tags that a document of the training data lacks; none for others."""
        found = self._of_known(doc)
        return {attr: found[attr] for attr in self._lacking(doc) if attr in found}

    def missing_from(self, docs: Sequence[Doc], epoch: int = 1) -> dict[int, Tags]:
        """Tags for the documents that lack any, by the number of the document.

        Documents that nothing can tag are left out.

        Args:
            epoch: Of training, from 1. The epochs get the tags of the rounds in turn.
        """
        bare = {n: lacks for n, doc in enumerate(docs) if (lacks := self._lacking(doc))}
        found = {number: self._of_known(docs[number], epoch) for number in bare}
        unseen = [
            n for n, attrs in bare.items() if not found[n].keys() >= {*attrs} - {LEMMA}
        ]
        first = next((docs[n] for n in unseen if not found[n]), None)
        if self._warns and first is not None:
            self._warns = False
            warnings.warn(NOT_JACKKNIFED.format(first.text[:60]), stacklevel=2)
        for number, tags in self._of_tagger(docs, unseen):
            found[number] = tags | found[number]
        found = {
            n: {attr: found[n][attr] for attr in attrs if attr in found[n]}
            for n, attrs in bare.items()
        }
        new = [n for n, attrs in bare.items() if LEMMA in {*attrs} - found[n].keys()]
        if new and self.lemmatizer is not None:
            lemmas = self.lemmatizer.lemmatized(
                [docs[n] for n in new], [found[n] for n in new]
            )
            for number, values in zip(new, lemmas, strict=True):
                found[number][LEMMA] = values
        return found

    def _lacking(self, doc: Doc) -> list[str]:
        """The attributes that a document lacks, or has of a tokenizer whose tags are
        replaced; none if it has no tokens.
        """
        if not len(doc):
            return []
        replaced, has = self.replaced, doc.has_annotation
        return [attr for attr in self.attrs if attr in replaced or not has(attr)]

    def _of_known(self, doc: Doc, epoch: int = 1) -> Tags:
        """The tags of a document of the training data; none for other documents."""
        key = forms(doc)
        of_round = self._held_out[(epoch - 1) % len(self._held_out)]
        tags = self._held_out[0].get(key, {}) | of_round.get(key, {})
        for attr in {"TAG", "MORPH", LEMMA}.intersection(tags):
            introduce(tags[attr], self.vocab, doc.vocab)
        return tags

    def _of_tagger(
        self, docs: Sequence[Doc], numbers: list[int]
    ) -> Iterator[tuple[int, Tags]]:
        """The tags that the tagger of the pipeline gives some documents."""
        if not numbers or self.tagger is None or self.tagger.model is None:
            return
        tables = self.tagger.predict([docs[number] for number in numbers])
        for number, table in zip(numbers, tables, strict=True):
            self.tagger.tag_values.introduce(self.tagger.model, docs[number].vocab)
            yield number, by_attr(table, self.tagger.attrs)


def _with_copies(examples: Sequence[Example]) -> list[range]:
    """The numbers of each document and its copies in another case behind it, which
    would be too good an example for each other.
    """
    copies = [CASE_COPY in example.reference.user_data for example in examples]
    starts = [i for i, is_copy in enumerate(copies) if not is_copy or i == 0]
    return list(starmap(range, pairwise([*starts, len(examples)])))


def _folds(
    examples: Sequence[Example], pieces: Sequence[range], n_folds: int
) -> list[range]:
    """Folds of about as many words, each of whole pieces."""
    sizes = [sum(len(examples[i].predicted) for i in piece) for piece in pieces]
    return [
        range(pieces[fold.start].start, pieces[fold.stop - 1].stop)
        for fold in cut_into_folds(sizes, n_folds)
    ]


def _tagged(
    examples: Sequence[Example], fold: range, tagger: DynOracleTagger
) -> Iterator[tuple[Doc, Tags]]:
    """Yield the predicted documents of a fold, and those of their own words, with the
    tags of an untrained tagger that learns from the other folds.
    """
    tables = held_out_tags(examples, fold, tagger)
    own = OwnWords().of(examples[i] for i in fold)
    more = [untagged(example).predicted for example in own]
    docs = [examples[i].predicted for i in fold] + more
    for doc, table in zip(docs, tables + tagger.predict(more), strict=True):
        yield doc, by_attr(table, tagger.attrs)


def forms(doc: Doc) -> bytes:
    """The ids of the forms of a document."""
    return bytes(doc.to_array([ORTH]).tobytes())


def introduce(values: IdArray, known: Vocab, vocab: Vocab) -> None:
    """Add the strings of ids to a vocab from one that knows them."""
    if vocab is not known:
        for value in set(values.tolist()):
            vocab.strings.add(known.strings[value])


def by_attr(table: IdArray, attrs: Iterable[str]) -> Tags:
    """The columns of a table by their attributes."""
    return {attr: table[:, column] for column, attr in enumerate(attrs)}


def tagger_before(nlp: Language, setters: Iterable[str]) -> DynOracleTagger | None:
    """The last `dynoracle_tagger` among components of a pipeline.

    Args:
        setters: The names of the components.
    """
    names = set(setters)
    taggers = [
        component
        for name, component in nlp.components
        if name in names and isinstance(component, DynOracleTagger)
    ]
    return taggers[-1] if taggers else None
