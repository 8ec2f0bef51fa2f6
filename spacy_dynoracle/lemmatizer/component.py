"""The trainable pipeline component `dynoracle_lemmatizer`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import exp
from typing import Any

import numpy as np
from spacy.attrs import LEMMA
from spacy.language import Language
from spacy.parts_of_speech import IDS
from spacy.tokens import Doc, Token
from spacy.training import Example, validate_get_examples
from spacy.vocab import Vocab

from ..components.base import Component, exclusive
from ..components.settings import keywords
from ..doc.attribute_table import one_vocab
from ..doc.borders import write_tokens
from ..doc.surroundings import Surroundings
from ..tagger.lexicon import UNKNOWN
from ..tagger.training_tags import JACKKNIFE_FOLDS, TrainingTags, tagger_before
from ..util.arrays import IdArray, Int32Array, IntArray
from ..util.config_errors import check_count, check_type, config_block
from .dictionary import DictionaryEntry
from .learning import known_words, learn_lemmas, sum_of_others, telling_parts
from .model import LemmaModel
from .recipe import LemmatizerRecipe
from .words import LemmaBatch, word_keys

NAME = "dynoracle_lemmatizer"
_POS = frozenset(IDS.values()) - {IDS[""]}
_ENTRY = (str, int, str)

# Rarer words whose lemmas are remembered.
N_REMEMBERED = 1 << 16


class DynOracleLemmatizer(Component):
    """A lemmatizer that reads the form, the POS and the MORPH of each word.

    It learns in `initialize`, from the lemmas and tags of the training documents;
    `update` learns nothing. A word whose form training had with the same POS, or else
    without any, gets the lemma that it had there. For any other word a linear model
    chooses among the lemmas that rules make of the form. The lemma of a whitespace
    token is its text.

    Any tagger may set POS and MORPH, as long as it uses the tags of the training data.

    Args:
        settings: The members of `spacy_dynoracle.lemmatizer.recipe.LemmatizerRecipe`,
            which are the keys of the config.

    Attributes:
        recipe: The settings.
        model: The model; None before training.
        training_tags: The tags that `initialize` made of the training documents.
        lemma_parts: The parts of their lemmas that help a parser, of "stem" and
            "ending".

    Raises:
        ValueError: For settings that are unknown.
    """

    kind = "lemmatizer"
    recipe: LemmatizerRecipe
    recipe_type = LemmatizerRecipe
    training_tags: TrainingTags | None
    lemma_parts: Sequence[str]
    # Those of the dictionary that `initialize` was given.
    _entries: list[DictionaryEntry]
    model: LemmaModel | None
    # spaCy's training shows no loss of it.
    is_trainable = False
    # A string store, a model, and the ids of those of its lemmas that the store has.
    _introduced: tuple[Any, LemmaModel | None, IdArray]
    # A model, and the lemmas of words that it did not know as they stood in a text, by
    # the keys of the words.
    _remembered: tuple[LemmaModel | None, dict[int, str]]

    def __init__(self, vocab: Vocab, name: str = NAME, **settings: Any) -> None:
        super().__init__(vocab, name, **settings)
        self.set_model(None)

    # ---- lemmas ----------------------------------------------------------------------

    def annotations(self, docs: list[Doc], model: LemmaModel) -> list[IdArray]:
        """The lemmas of documents, as ids, for each token."""
        batch = LemmaBatch(docs)
        self._check_input(batch)
        return self._lemmas(batch, model)

    def lemmatized(
        self, docs: Sequence[Doc], tags: Sequence[Mapping[str, IdArray]]
    ) -> list[IdArray]:
        """The lemmas of documents, as ids, for each token.

        Args:
            tags: For each document tags that replace its own, by the name of the
                attribute.

        Raises:
            ValueError: When there is no model yet.
        """
        model: LemmaModel = self._require_model()
        batch = LemmaBatch(docs)
        for number, given in enumerate(tags):
            batch.change_tags(given, batch.part(number))
        return self._lemmas(batch, model)

    def _lemmas(self, batch: LemmaBatch, model: LemmaModel) -> list[IdArray]:
        """The lemmas of the documents of a batch."""
        docs = batch.docs
        numbers = model.find(batch.form, batch.pos, batch.morph)
        lemmas = np.zeros(len(numbers), dtype=np.uint64)
        for first, last in one_vocab(docs):
            part = slice(batch.bounds[first], batch.bounds[last])
            lemmas[part] = self._introduce(docs[first].vocab, model, numbers[part])
        # Who has learnt from no lemma makes none.
        rest = (numbers == UNKNOWN) & bool(model.lemmas)
        if batch.any_space:
            lemmas[batch.is_space] = batch.orth[batch.is_space]
            rest &= ~batch.is_space
        if not (self.recipe.overwrite and model.lemmas):
            is_lacking = batch.lemma == 0
            lemmas = np.where(is_lacking, lemmas, batch.lemma)
            rest &= is_lacking
        for first, last in one_vocab(docs):
            vocab, start = docs[first].vocab, batch.bounds[first]
            tokens = start + np.flatnonzero(rest[start : batch.bounds[last]])
            if len(tokens):
                lemmas[tokens] = self._rarer(batch, tokens, vocab, model)
        return [lemmas[batch.part(number)] for number in range(len(docs))]

    def _rarer(
        self, batch: LemmaBatch, tokens: IntArray, vocab: Vocab, model: LemmaModel
    ) -> list[int]:
        """The ids of the lemmas of words that are not known as they stand in the text.

        Args:
            tokens: Their numbers in the batch.
            vocab: Of their documents.
        """
        pos, morph = batch.pos[tokens], batch.morph[tokens]
        context = batch.context[tokens]
        keys = word_keys(batch.form[tokens], pos, morph, context).tolist()
        model_of, lemmas = self._remembered
        if model_of is not model or len(lemmas) > N_REMEMBERED:
            # Other threads may still read the old ones.
            lemmas = {}
            self._remembered = model, lemmas
        words = {key: i for i, key in enumerate(keys) if key not in lemmas}
        if words:
            new = np.array(list(words.values()))
            forms = batch.normal_forms(tokens[new], vocab)
            found = model.rarer(forms, pos[new], morph[new], context[new])
            lemmas.update(zip(words, found, strict=True))
        return [vocab.strings.add(lemmas[key]) for key in keys]

    def set_annotations(
        self, docs: Iterable[Doc], annotations: Sequence[IdArray]
    ) -> None:
        """Write lemmas to the documents."""
        tables = [lemmas.reshape(-1, 1) for lemmas in annotations]
        write_tokens(list(docs), (LEMMA,), tables)

    @exclusive
    def candidates(
        self, token: Token, *, probabilities: bool = False
    ) -> list[tuple[str, float]]:
        """The lemmas that rules make of a token and the ranker's scores, best first.

        A known word gets its lemma without rules.

        Args:
            probabilities: Return probabilities, which add up to 1, in place of scores;
                the learner must have probabilities (`AdaGradRDA`).

        Raises:
            ValueError: When there is no model yet, or if it has no probabilities.
        """
        model: LemmaModel = self._require_model()
        batch = LemmaBatch([token.doc])
        i = token.i
        (form,) = batch.normal_forms(np.array([i]), token.vocab)
        read = (batch.pos, batch.morph, batch.context)
        found = model.scored(form, *(int(values[i]) for values in read))
        if not probabilities:
            return found
        asked, instead = "probabilities = True", "probabilities = False"
        temperature = self._temperature(model, asked, instead)
        masses = [exp((score - found[0][1]) / temperature) for _, score in found]
        return [
            (lemma, mass / sum(masses))
            for (lemma, _), mass in zip(found, masses, strict=True)
        ]

    def _introduce(self, vocab: Any, model: LemmaModel, numbers: Int32Array) -> IdArray:
        """Add lemmas of known words to a vocab permanently, if it lacks them.

        They enter when a text has them: all of them at once would make loading slow.

        Args:
            numbers: Of lemmas of the model, or UNKNOWN.

        Returns:
            The id of each; 0 if it is unknown.
        """
        strings = vocab.strings
        store, of, ids = self._introduced
        if store is not strings or of is not model:
            # The last one is that of words that are not known.
            ids = np.zeros(len(model.lemmas) + 1, dtype=np.uint64)
            if not vocab.in_memory_zone:
                self._introduced = strings, model, ids
        elif vocab.in_memory_zone:
            # What the zone had before goes with it, and must be added again.
            ids = ids.copy()
        for number in np.unique(numbers[ids[numbers] == 0]).tolist():
            if number != UNKNOWN:
                lemma = model.lemmas[number]
                ids[number] = strings.add(lemma, allow_transient=False)
        return ids[numbers]

    def _check_input(self, batch: LemmaBatch) -> None:
        """Warn of documents without parts of speech, if training had some."""
        for doc, missing in zip(batch.docs, batch.missing, strict=True):
            if "POS" in missing and self._reads_pos:
                self._warn(
                    "POS",
                    f"no token of {doc.text[:60]!r} has a POS, which most lemmas "
                    f"depend on: put a component that sets it before {self.name!r}",
                )

    # ---- training --------------------------------------------------------------------

    @exclusive
    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        dictionary: Any = None,
        jackknife_folds: int = JACKKNIFE_FOLDS,
    ) -> None:
        """Learn lemmas from the references of the examples.

        Args:
            get_examples: Returns the training examples; it is called several times.
            nlp: The pipeline, whose `dynoracle_tagger` tells which tags the lemmatizer
                will read.
            dictionary: More lemmas: what `LemmaDictionary.v1` makes, or None.
            jackknife_folds: The lemmatizer learns to make the lemmas of unknown words
                from tags as it will read them, those of taggers that are trained here,
                each on the other folds (see `spacy_dynoracle.tagger.training_tags`).
                The parser uses the same ones in its first round. 0: from gold tags.

        Raises:
            ValueError: For a dictionary of another kind.
        """
        if jackknife_folds:
            with config_block("initialize", "components", self.name):
                check_count("jackknife_folds", jackknife_folds, 2)
        validate_get_examples(get_examples, f"{type(self).__name__}.initialize")
        entries = [] if dictionary is None else dictionary
        with config_block("initialize", "components", self.name, "dictionary"):
            check_type("dictionary", entries, list)
            for entry in entries:
                # spaCy makes plain tuples of the entries that a config makes.
                is_triple = isinstance(entry, tuple) and len(entry) == len(_ENTRY)
                if not (is_triple and all(map(isinstance, entry, _ENTRY))):
                    check_type("dictionary", entry, DictionaryEntry)
        entries = [DictionaryEntry(*entry) for entry in entries]
        self.set_model(None)
        words = known_words(get_examples())
        if not words:
            self._warn("no LEMMA", "no training example has a lemma to learn from")
        tags = (
            self._held_out_tags(get_examples, nlp, jackknife_folds) if words else None
        )
        ranked = known_words(get_examples(), tags) if tags else words
        recipe = self.recipe
        self.set_model(
            learn_lemmas(words, ranked, entries, recipe.learner, recipe.seed)
        )
        self._warn_of_tokenizer(Surroundings(nlp, self), get_examples(), ["LEMMA"])
        self.training_tags, self._entries = tags, entries
        self._is_loaded = False
        self.lemma_parts = telling_parts(words)

    def _held_out_tags(
        self,
        get_examples: Callable[[], Iterable[Example]],
        nlp: Language | None,
        n_folds: int,
    ) -> TrainingTags | None:
        """The tags of jackknifing; None if there is nothing to do it with."""
        around = Surroundings(nlp, self)
        if around.is_streamed:
            self._warn(
                "stream",
                "the training data are a stream (max_epochs = -1), of which the "
                "lemmatizer learns from the first hundred documents alone: train it "
                "without a stream, and source it (frozen_components)",
            )
        tagger = None if nlp is None else tagger_before(nlp, around.setters["POS"])
        if nlp is None or tagger is None or around.is_streamed or not n_folds:
            return None
        replaced = around.replaced_by(tagger, get_examples())
        tags = TrainingTags(nlp.vocab, tagger.attrs, tagger, n_folds, self, replaced)
        # A parser behind it adds more rounds for its epochs.
        tags.jackknife(get_examples, n_rounds=1)
        return tags

    def of_others(
        self, examples: Sequence[Example], folds: Sequence[range]
    ) -> Iterator[DynOracleLemmatizer]:
        """For each fold a lemmatizer that has learnt from the words of the others.

        Args:
            examples: Those of `initialize`.
            folds: Their numbers.
        """
        tags, recipe = self.training_tags, self.recipe
        parts = [[examples[i] for i in fold] for fold in folds]
        words = [known_words(part) for part in parts]
        ranked = [known_words(part, tags) for part in parts]
        for number in range(len(parts)):
            model = learn_lemmas(
                sum_of_others(words, number),
                sum_of_others(ranked, number),
                self._entries,
                recipe.learner,
                recipe.seed,
            )
            lemmatizer = type(self)(self.vocab, self.name, **keywords(recipe))
            lemmatizer.set_model(model)
            yield lemmatizer

    def learn(self, examples: list[Example], losses: dict[str, float]) -> None:
        """Do nothing: `initialize` has learnt from all examples at once."""
        if self._is_loaded:
            self._warn(
                "update",
                "further training does not change its lemmas: initialize it with all "
                "data, or leave it out (frozen_components, or `exclude` of nlp.update)",
            )

    def training_run(self) -> None:
        """None: there is no training beside `initialize`."""

    # ---- saving ----------------------------------------------------------------------

    @exclusive
    def set_model(self, model: LemmaModel | None) -> None:
        """Use a saved model, or None."""
        self.model = model
        self._is_loaded = model is not None
        self.training_tags, self.lemma_parts, self._entries = None, (), []
        self._forget_warnings()
        self._introduced = None, None, np.zeros(0, dtype=np.uint64)
        self._remembered = None, {}
        # Whether the words of training had parts of speech.
        rules = [] if model is None else model.ranker.rules
        self._reads_pos = any(not _POS.isdisjoint(tags) for _, tags in rules)

    def frozen_model(self) -> LemmaModel | None:
        """The model, which does not change."""
        return self.model

    def dump_model(self, *, resume: bool = True) -> bytes:
        """The model as bytes. The component must have a model.

        Args:
            resume: Not used: training does not go on.
        """
        model: LemmaModel = self._require_model()
        return model.to_bytes()

    def read_model(self, data: bytes | memoryview) -> LemmaModel:
        """The model in `data`.

        Raises:
            ModelFileError: When it is damaged.
        """
        return LemmaModel.from_bytes(data)
