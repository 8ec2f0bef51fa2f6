"""The base class of components that label words from left to right."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

from spacy.training import Example
from spacy.vocab import Vocab

from ..components.base import Component, exclusive
from ..components.saving import check_same
from ..core.state.sentence import Sentence
from ..doc.columns import CLUSTER
from ..doc.missing import ADD_CLUSTERS
from ..errors import ModelFileError, value_errors_as
from .gold_tags import GoldTags
from .input import WordBatch
from .tagging import TagModels
from .training import TaggingRun

NO_CLUSTERS = f"the vocab has no word clusters, which the features use: {ADD_CLUSTERS}"


class WordLabeller(Component):
    """A component whose models are those of a tagger.

    Attributes:
        by_sentence: Whether it labels each sentence of a document alone.
    """

    by_sentence = False
    model: TagModels | None
    _run: TaggingRun | None

    def __init__(self, vocab: Vocab, name: str, **settings: Any) -> None:
        super().__init__(vocab, name, **settings)
        self._replace(None, None)

    def _replace(self, model: TagModels | None, run: TaggingRun | None) -> None:
        """Replace the present model and everything that belongs to it."""
        self.model = model
        self._run = run
        self._forget_warnings()

    @property
    def _sources(self) -> tuple[str, ...]:
        """The token attributes from which the columns of the features are read."""
        known = None if self.model is None else self.model.first
        return tuple((known or self.recipe).sources.values())

    # ---- training --------------------------------------------------------------------

    def learn(self, examples: list[Example], losses: dict[str, float]) -> None:
        """Learn from a batch of examples, one document after the other in random order.

        Training skips words whose label is unknown and words that do not align to
        exactly one token of the reference.

        Args:
            losses: The number of wrong labels, of all attributes together, is added
                under the name of the component.
        """
        run = self.training_run()
        taught = self._taught(examples)
        words = WordBatch([example.predicted for example in taught], self._sources)
        self._check_input(words)
        batch = run.read(taught, words, len(examples))
        batch = self._arranged(words, batch)
        losses[self.name] += run.learn(batch, self._iteration())
        for trainer in run.trainers.values():
            self._warn_of_large_weights(trainer.learner)
        run.epochs.count(len(examples))

    def _taught(self, examples: list[Example]) -> list[Example]:
        """The examples to learn from, made of those of a batch."""
        return examples

    def _arranged(
        self, words: WordBatch, batch: list[tuple[Sentence, GoldTags]]
    ) -> list[tuple[Sentence, GoldTags]]:
        """The sequences of a batch as they are learnt."""
        return batch

    def _check_input(self, words: WordBatch) -> None:
        """Warn of documents that lack what the features read."""
        if not any(words.missing):
            return
        for number, missing in enumerate(words.missing):
            start, end = words.word_bounds[number : number + 2]
            for attribute in missing if start < end else ():
                if attribute == CLUSTER:
                    self._warn(attribute, NO_CLUSTERS)
                    continue
                text = words.docs[number].text[:60]
                self._warn(
                    attribute,
                    f"no token of {text!r} has a {attribute}, which the features use: "
                    f"put a component that sets it before {self.name!r} (in training "
                    "also into annotating_components), or choose other features",
                )

    def _resumed(self, model: TagModels) -> TaggingRun:
        """The training state that goes on from models."""
        recipe = self.recipe_of(model)
        return TaggingRun.resume(recipe, model, by_sentence=self.by_sentence)

    def recipe_of(self, model: TagModels | None) -> Any:
        """The settings, with the features of a model if none are configured: it may
        have been trained when the default set was another one.

        Raises:
            ValueError: For features that the settings do not allow, as a damaged model
                may have.
        """
        first = None if model is None else model.first
        if self.recipe.features is not None or first is None:
            return self.recipe
        return replace(self.recipe, features=first.extractor.templates)

    # ---- saving ----------------------------------------------------------------------

    @exclusive
    def set_model(self, model: TagModels | None) -> None:
        """Use a saved model. Training goes on from it when `update` is called."""
        self._replace(model, None)

    @exclusive
    def dump_model(self, *, resume: bool = True) -> bytes:
        """The model as bytes. The component must have a model.

        Args:
            resume: With the part that only further training needs.
        """
        model: TagModels = self._require_model()
        return model.to_bytes(resume=resume)

    def read_model(self, data: bytes | memoryview) -> TagModels:
        """The model in `data`.

        Raises:
            ModelFileError: When it is damaged or does not fit the settings.
        """
        models = self._models_of(data)
        with value_errors_as(ModelFileError):
            recipe = self.recipe_of(models)
        for model in models.by_attr.values():
            check_same("feature templates", model.extractor.templates, recipe.templates)
            check_same("token attributes", model.sources, recipe.sources)
        return models

    @abstractmethod
    def _models_of(self, data: bytes | memoryview) -> TagModels:
        """The models in `data`, if they have the attributes of the component.

        Raises:
            ModelFileError: Otherwise.
        """
