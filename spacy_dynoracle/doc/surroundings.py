"""The pipeline and the data in which a component is initialized."""

from collections.abc import Iterable, Iterator
from itertools import accumulate, islice, pairwise
from typing import Any

from spacy.attrs import MORPH
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from .cluster_numbers import CLUSTER_TABLE

# The names under which components declare the attributes that they assign.
ASSIGNED = {
    "TAG": "token.tag",
    "POS": "token.pos",
    "LEMMA": "token.lemma",
    "MORPH": "token.morph",
}
# The value of max_epochs with which spaCy reads the training data as a stream, of which
# it gives `initialize` the first hundred examples.
STREAMED = -1
# So many texts show what the tokenizer sets.
N_TOKENIZED = 100
SENTENCES_ASSIGNED = ("token.is_sent_start", "doc.sents")


class Surroundings:
    """The components before a component, and the annotation of its training data.

    The other members are known when all examples have passed `watch`.

    Args:
        nlp: The pipeline; None if it is not known.
        component: The component.

    Attributes:
        setters: For each attribute of `ASSIGNED` the names of the components before
            that assign it.
        sentence_setters: The components before that assign sentence starts.
        may_set_anything: Whether a component before does not declare what it assigns.
        is_streamed: Whether the training data are a stream, of which only the beginning
            is known.
        has_clusters: Whether the vocab has word clusters.
        learns_words: Whether the tokenizer learns from data.
        on_predicted: The attributes that any predicted document has.
        on_reference: Those that any reference has.
        features: The names of the morphological features of the references.
        has_trees: Whether any reference has heads.
        several_sentences: Whether any reference has more than one sentence.
        n_words: The number of words that are compared with those of the tokenizer: of
            references whose spaces are known if it has learnt, else of references
            whose predicted documents it made.
        n_missed: How many of these it has missed.
    """

    def __init__(self, nlp: Language | None, component: object) -> None:
        self.is_known = nlp is not None
        training = {} if nlp is None else nlp.config.get("training") or {}
        self.is_streamed = training.get("max_epochs") == STREAMED
        self.has_clusters = nlp is not None and CLUSTER_TABLE in nlp.vocab.lookups
        tokenizer = getattr(nlp, "tokenizer", None)
        self.learns_words = hasattr(tokenizer, "initialize")
        self._tokenizer: Any = tokenizer
        self.setters: dict[str, list[str]] = {attribute: [] for attribute in ASSIGNED}
        self.sentence_setters: list[str] = []
        self.may_set_anything = False
        self.on_predicted: set[str] = set()
        self.on_reference: set[str] = set()
        self.features: set[str] = set()
        self.has_trees = self.several_sentences = False
        self.n_words = self.n_missed = 0
        self._analyses: set[int] = set()
        if nlp is not None:
            # Frozen components are disabled while a pipeline is initialized.
            for name, other in nlp.components:
                if other is component:
                    break
                self._add(name, nlp.get_pipe_meta(name).assigns, other)

    def _add(self, name: str, assigns: Iterable[str], component: object) -> None:
        """Note what a component before assigns."""
        assigns = set(assigns)
        self.may_set_anything |= not assigns
        # A trained tagger may declare more attributes than it has learned, which may be
        # none. One that is not trained may set all that it declares.
        limits = getattr(component, "attrs", None)
        is_trained = getattr(component, "model", None) is not None
        if limits is None or not (limits or is_trained):
            limits = ASSIGNED
        for attribute, declared in ASSIGNED.items():
            if declared in assigns and attribute in limits:
                self.setters[attribute].append(name)
        if assigns.intersection(SENTENCES_ASSIGNED):
            self.sentence_setters.append(name)

    def set_by_tokenizer(self, examples: Iterable[Example]) -> set[str]:
        """The attributes of `ASSIGNED` that the tokenizer sets, as for Japanese."""
        found: set[str] = set()
        # That of Korean sets lemmas of some words only, which the first text may lack.
        for example in islice(examples, N_TOKENIZED if self.is_known else 0):
            doc = self._tokenizer(example.reference.text)
            if len(doc):
                found.update(name for name in ASSIGNED if doc.has_annotation(name))
        return found

    def replaced_by(self, tagger: Any, examples: Iterable[Example]) -> set[str]:
        """The attributes that the tokenizer sets and a tagger replaces."""
        if tagger is None or not tagger.recipe.overwrite:
            return set()
        return self.set_by_tokenizer(examples).intersection(tagger.attrs)

    def watch(self, examples: Iterable[Example]) -> Iterator[Example]:
        """Look at examples as they pass by."""
        for example in examples:
            self._look(example.predicted, example.reference)
            yield example

    def _look(self, predicted: Doc, reference: Doc) -> None:
        for doc, found in (
            (predicted, self.on_predicted),
            (reference, self.on_reference),
        ):
            found.update(a for a in set(ASSIGNED) - found if doc.has_annotation(a))
        # Commands that only put a pipeline together give an example without a tree.
        self.has_trees = self.has_trees or reference.has_annotation("DEP")
        if not self.several_sentences and reference.has_annotation("SENT_START"):
            self.several_sentences = sum(1 for _ in reference.sents) > 1
        if self.learns_words:
            # It may have learnt since the predicted document was made.
            has_learnt = getattr(self._tokenizer, "has_learnt", False)
            if has_learnt and not reference.has_unknown_spaces:
                self._compare(self._tokenizer(reference.text), reference)
        # The words of documents with annotation are somebody's choice.
        elif not any(map(predicted.has_annotation, ASSIGNED)):
            self._compare(predicted, reference)
        for key in set(reference.to_array(MORPH).tolist()) - self._analyses:
            self._analyses.add(key)
            pairs = reference.vocab.strings[key].split("|") if key else []
            self.features.update(pair.partition("=")[0] for pair in pairs)

    def _compare(self, found: Doc, reference: Doc) -> None:
        """Count the words that the tokenizer has missed."""
        words = _places(reference)
        self.n_words += len(words)
        self.n_missed += len(words - _places(found))

    @property
    def in_use(self) -> set[str] | None:
        """The attributes that documents have when the component reads them: those that
        components before assign, or else those of the predicted documents; None if that
        is not known.
        """
        found = {attribute for attribute, names in self.setters.items() if names}
        if found - {"LEMMA"}:
            return found
        if self.on_predicted:
            return found | self.on_predicted
        if not self.is_known or self.may_set_anything or not self.has_trees:
            return None
        return found


def _places(doc: Doc) -> set[tuple[int, int]]:
    """Where each word begins and ends, in characters that are not whitespace: some
    treebanks have words such as ``1 000``.
    """
    lengths = [len("".join(token.text.split())) for token in doc if not token.is_space]
    return set(pairwise(accumulate(lengths, initial=0)))
