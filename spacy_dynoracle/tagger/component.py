"""The trainable pipeline component `dynoracle_tagger`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from spacy.vocab import Vocab

from ..components.base import exclusive
from ..components.saving import check_same
from ..doc.borders import write_tokens
from ..doc.own_words import OwnWords
from ..doc.surroundings import Surroundings
from ..util.arrays import IdArray
from ..util.config_errors import config_block
from .attributes import ATTRIBUTES
from .input import WordBatch
from .recipe import TaggerRecipe
from .tagging import TagModels, TagValues, attribute_ids, tag
from .training import TaggingRun
from .word_labeller import WordLabeller

NAME = "dynoracle_tagger"


class DynOracleTagger(WordLabeller):
    """A greedy tagger for TAG, POS and MORPH.

    Each attribute has its own model; all models read the same features. The tagger tags
    from left to right: each sentence alone if a component before it splits sentences,
    else a document as a whole (see the setting `sentences`). It skips whitespace
    tokens, which get the TAG "_SP", the POS "SPACE" and a MORPH without features.

    Several threads may use it at once. Tagging waits while `update` runs in another
    thread.

    Args:
        settings: The members of `spacy_dynoracle.tagger.recipe.TaggerRecipe`, which are
            the keys of the config.

    Attributes:
        recipe: The settings.
        model: The models, one for each attribute; None before training.
        by_sentence: Whether it tags each sentence alone.

    Raises:
        ValueError: For settings that are unknown or do not go together.
    """

    kind = "tagger"
    recipe_type = TaggerRecipe
    recipe: TaggerRecipe
    # What the setting is if it is None.
    _learnt_by_sentence = False

    def __init__(self, vocab: Vocab, name: str = NAME, **settings: Any) -> None:
        super().__init__(vocab, name, **settings)
        self._own_words = OwnWords()

    def _taught(self, examples: list[Example]) -> list[Example]:
        """The examples to learn from, made of those of a batch."""
        return [*examples, *self._own_words.of(examples)]

    def _use(self, recipe: TaggerRecipe) -> None:
        """Use these settings."""
        super()._use(recipe)
        self.tag_values = TagValues()
        self._set_by_sentence(self._learnt_by_sentence)

    def _set_by_sentence(self, learnt: bool) -> None:
        """Tag each sentence alone, or not, as the setting says, or else as learnt."""
        self._learnt_by_sentence = learnt
        own = self.recipe.sentences
        self.by_sentence = learnt if own is None else own == "preset"

    def change(self, **settings: Any) -> None:
        """As `Component.change`.

        Raises:
            ValueError: For other attributes than those of the model, too.
        """
        attrs = replace(self.recipe, **settings).attrs
        others = attrs is not None and tuple(attrs) != self.attrs
        if self.model is not None and others:
            raise ValueError("attrs: those of a trained tagger stay")
        super().change(**settings)

    def _replace(self, model: TagModels | None, run: TaggingRun | None) -> None:
        """Replace the present model and everything that belongs to it."""
        super()._replace(model, run)
        if model is not None:
            self.tag_values.introduce(model, self.vocab)

    @property
    def attrs(self) -> tuple[str, ...]:
        """The attributes that the tagger sets."""
        if self.model is not None:
            return tuple(self.model.attrs)
        return tuple(self.recipe.attrs or ())

    @property
    def cfg(self) -> dict[str, Any]:
        """The settings of the scorer: the attributes to score."""
        return {"attrs": self.attrs}

    # ---- tagging ---------------------------------------------------------------------

    def annotations(self, docs: list[Doc], model: TagModels) -> list[IdArray]:
        """Tag documents with models.

        Returns:
            For each document the values of the attributes, of shape (n tokens, n
            attributes). Without `overwrite` they include the values that the document
            has already.
        """
        kept = () if self.recipe.overwrite else attribute_ids(tuple(model.by_attr))
        batch = WordBatch(docs, self._sources, kept, by_sentence=self.by_sentence)
        self._check_input(batch)
        return tag(model, batch, self.tag_values.of(model), self.n_threads)

    def set_annotations(
        self, docs: Iterable[Doc], annotations: Sequence[IdArray]
    ) -> None:
        """Write tags to the documents."""
        model: TagModels = self._require_model()
        docs = list(docs)
        for vocab in dict.fromkeys(doc.vocab for doc in docs):
            self.tag_values.introduce(model, vocab)
        write_tokens(docs, attribute_ids(tuple(model.by_attr)), annotations)

    # ---- labels ----------------------------------------------------------------------

    @property
    def labels(self) -> tuple[str, ...]:
        """The tags of all attributes, one attribute after the other."""
        data = self.label_data or {}
        return tuple(label for labels in data.values() for label in labels)

    @property
    def label_data(self) -> dict[str, list[str]] | None:
        """The tags by attribute, from which `initialize(labels=...)` makes the same
        actions.
        """
        if self.model is None:
            return None
        return {attr: list(m.labels) for attr, m in self.model.by_attr.items()}

    @exclusive
    def add_label(self, label: str, attr: str | None = None) -> int:
        """Add a tag.

        Args:
            attr: The attribute of the tag; may be None if the tagger has only one.

        Returns:
            1 if it is new, else 0.

        Raises:
            ValueError: Before `initialize`, for an attribute that the tagger does not
                have, and for a tag that the attribute cannot have.
        """
        if self.model is None:
            raise ValueError(
                f"the tagger {self.name!r} has no labels yet: call nlp.initialize() "
                f"first, which collects the tags of the training data"
            )
        if attr is None and len(self.attrs) == 1:
            (attr,) = self.attrs
        if attr not in self.attrs:
            raise ValueError(
                f"the tagger {self.name!r}: attr = {attr!r}, expected one of "
                f"{', '.join(self.attrs)}"
            )
        label = ATTRIBUTES[attr].check(label)
        is_new = self.training_run().add_label(attr, label)
        self.tag_values.introduce(self.model, self.vocab)
        return int(is_new)

    # ---- training --------------------------------------------------------------------

    @exclusive
    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Any = None,
    ) -> None:
        """Collect tags, count the examples and start with empty weights.

        Args:
            get_examples: Returns the training examples.
            nlp: The pipeline, which shows whether a component before the tagger splits
                sentences.
            labels: The value of `label_data`, or a list of tags if there is only one
                attribute; it replaces the tags of the examples.
        """
        validate_get_examples(get_examples, f"{type(self).__name__}.initialize")
        self._replace(None, None)
        self.epoch = None
        around = Surroundings(nlp, self)
        self._warn_of_stream(around)
        own = self.recipe.sentences
        self._set_by_sentence(
            bool(around.sentence_setters) if own is None else own == "preset"
        )
        with config_block("initialize", "components", self.name, "labels"):
            run = TaggingRun.begin(
                self.recipe,
                get_examples(),
                labels,
                self._warn,
                by_sentence=self.by_sentence,
                is_streamed=around.is_streamed,
            )
        self._run = run
        self.model = run.models
        self.tag_values.introduce(run.models, self.vocab)
        self._warn_of_tokenizer(around, get_examples(), self.attrs)

    # ---- saving ----------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Whether it has learnt to tag each sentence alone, if it has."""
        return {"by_sentence": True} if self._learnt_by_sentence else {}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore a saved `state`, after the model. The setting comes first."""
        self._set_by_sentence(bool(state.get("by_sentence", False)))

    def _models_of(self, data: bytes | memoryview) -> TagModels:
        """The models in `data`, if they have the attributes of the tagger.

        Raises:
            ModelFileError: Otherwise.
        """
        models = TagModels.from_bytes(data)
        if self.recipe.attrs is not None:
            check_same("attrs", models.attrs, list(self.recipe.attrs))
        return models
