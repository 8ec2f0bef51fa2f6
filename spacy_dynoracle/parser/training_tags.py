"""Tags for training documents that have none.

In use, the parser reads the tags that a tagger before it sets. spaCy does not run that
tagger on the documents of `update`, unless the config names it among the annotating
components. Its tags would be too good there, because it is trained on the same
sentences. The parser therefore jackknifes: it cuts the training data into folds and
tags each fold with a tagger that is trained on the other folds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from spacy.attrs import ORTH
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..components.settings import keywords
from ..doc.own_words import OwnWords
from ..tagger.component import DynOracleTagger
from ..tagger.jackknife import (
    EPOCHS,
    annotated_attrs,
    held_out_tags,
    not_of_words,
    untagged,
)
from ..tagger.recipe import TaggerRecipe
from ..util.arrays import IdArray
from ..util.folds import cut_into_folds
from ..util.progress import Progress, progress_bar

# For each attribute the values of the tokens of a document.
Tags = dict[str, IdArray]


class TrainingTags:
    """Gives training documents the tags that they lack.

    attrs: the attributes that the parser reads and that a component before it sets,
    some of TAG, POS and MORPH. get_examples: returns the training data. tagger: the
    `dynoracle_tagger` of the pipeline; None if another component sets the tags. The
    taggers of the folds have its settings, and it tags documents that are not in the
    training data. n_folds: the number of folds; 0 leaves all documents to `tagger`.

    The taggers are trained when the first document without tags comes.
    """

    def __init__(
        self,
        vocab: Vocab,
        attrs: Sequence[str],
        get_examples: Callable[[], Iterable[Example]],
        tagger: DynOracleTagger | None,
        n_folds: int,
        progress: Progress = progress_bar,
    ) -> None:
        self.vocab = vocab
        self.attrs = tuple(attrs)
        self.tagger = tagger
        self.n_folds = n_folds
        self.progress = progress
        self._get_examples: Callable[[], Iterable[Example]] | None = get_examples
        # The tags by the forms of the document, since a corpus makes new documents in
        # each epoch. Attributes are columns in the order of `_held_out_attrs`.
        self._held_out: dict[bytes, IdArray] = {}
        self._held_out_attrs: list[str] = []

    def missing_from(self, docs: Sequence[Doc]) -> dict[int, Tags]:
        """Tags for the documents that lack any, by the number of the document.

        Documents that nothing can tag are left out.
        """
        bare = {}
        for number, doc in enumerate(docs):
            lacks = [attr for attr in self.attrs if not doc.has_annotation(attr)]
            if lacks and len(doc):
                bare[number] = lacks
        if not bare:
            return {}
        self._jackknife()
        found = {number: self._of_known(docs[number]) for number in bare}
        unseen = [n for n, attrs in bare.items() if not found[n].keys() >= set(attrs)]
        for number, tags in self._of_tagger(docs, unseen):
            found[number] = tags | found[number]
        return {
            number: {
                attr: found[number][attr] for attr in attrs if attr in found[number]
            }
            for number, attrs in bare.items()
        }

    def _of_known(self, doc: Doc) -> Tags:
        """The tags of a document of the training data; none for other documents."""
        table = self._held_out.get(forms(doc))
        if table is None:
            return {}
        tags = by_attr(table, self._held_out_attrs)
        if doc.vocab is not self.vocab:
            for attr in {"TAG", "MORPH"}.intersection(tags):
                for value in set(tags[attr].tolist()):
                    doc.vocab.strings.add(self.vocab.strings[value])
        return tags

    def _of_tagger(
        self, docs: Sequence[Doc], numbers: list[int]
    ) -> Iterator[tuple[int, Tags]]:
        """The tags that the tagger of the pipeline gives some documents."""
        if not numbers or self.tagger is None or self.tagger.model is None:
            return
        tables = self.tagger.predict([docs[number] for number in numbers])
        for number, table in zip(numbers, tables, strict=True):
            self.tagger.writer.introduce(self.tagger.model, docs[number].vocab)
            yield number, by_attr(table, self.tagger.attrs)

    def _jackknife(self) -> None:
        """Tag the training data, unless that has been done."""
        if self._get_examples is None:
            return
        get_examples, self._get_examples = self._get_examples, None
        recipe = TaggerRecipe() if self.tagger is None else self.tagger.recipe
        if not self.n_folds or not_of_words(self._new_tagger(recipe)):
            return
        examples = [
            untagged(example) for example in get_examples() if len(example.predicted)
        ]
        known = annotated_attrs([example.reference for example in examples])
        # Attributes in the order of the tagger, whose first attribute leads.
        order = self.attrs if self.tagger is None else self.tagger.attrs
        attrs = [attr for attr in order if attr in self.attrs and attr in known]
        n_folds = min(self.n_folds, len(examples))
        if n_folds < 2 or not attrs:
            return
        by_sentence = self.tagger is not None and self.tagger.by_sentence
        sentences = "preset" if by_sentence else "doc"
        recipe = replace(recipe, attrs=attrs, sentences=sentences)
        lengths = [len(example.predicted) for example in examples]
        with self.progress(
            f"of {n_folds} folds of the training data tagged"
        ) as advance:
            for fold in cut_into_folds(lengths, n_folds):
                tagger = self._new_tagger(recipe)
                tables = held_out_tags(examples, fold, tagger, EPOCHS)
                docs = [examples[i].predicted for i in fold]
                own = OwnWords().of(examples[i] for i in fold)
                more = [untagged(example).predicted for example in own]
                tables += tagger.predict(more)
                for doc, table in zip(docs + more, tables, strict=True):
                    # Of several documents with the same words the first one counts.
                    self._held_out.setdefault(forms(doc), table)
                advance(1)
        self._held_out_attrs = attrs

    def _new_tagger(self, recipe: TaggerRecipe) -> DynOracleTagger:
        """An untrained tagger with the vocab of the pipeline."""
        return DynOracleTagger(self.vocab, **keywords(recipe))


def forms(doc: Doc) -> bytes:
    """The ids of the forms of a document."""
    return bytes(doc.to_array([ORTH]).tobytes())


def by_attr(table: IdArray, attrs: Iterable[str]) -> Tags:
    """The columns of a table by their attributes."""
    return {attr: table[:, column] for column, attr in enumerate(attrs)}
