"""The trainable pipeline component `dynoracle_tagger`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.vocab import Vocab

from ..components.base import Component, check_same, exclusive
from ..util.arrays import IdArray
from ..util.config_errors import config_block
from .attributes import ATTRIBUTES
from .input import WordBatch
from .recipe import TaggerRecipe
from .tagging import TagModels, TagWriter, tag
from .training import TaggingRun

NAME = "dynoracle_tagger"


class DynOracleTagger(Component):
    """A greedy tagger for TAG, POS and MORPH.

    Each attribute has its own model; all models read the same features. The tagger tags
    a document as a whole, from left to right, and ignores sentence boundaries. It skips
    whitespace tokens, which get the TAG "_SP", the POS "SPACE" and a
    MORPH without features.

    Several threads may use it at once. Tagging waits while `update` runs in another
    thread.

    settings: the members of `spacy_dynoracle.tagger.recipe.TaggerRecipe`, which are the
        keys of the config.

    recipe: the settings. model: the models, one for each attribute; None before
    training.

    Raises ValueError for settings that are unknown or do not go together.
    """

    kind = "tagger"
    model: TagModels | None
    recipe: TaggerRecipe

    def __init__(self, vocab: Vocab, name: str = NAME, **settings: Any) -> None:
        super().__init__(vocab, name)
        with config_block("components", name):
            self._use(TaggerRecipe(**settings))
        self._take_over(None, None)

    def _use(self, recipe: TaggerRecipe) -> None:
        """Take over settings."""
        self.recipe = recipe
        self.scorer = recipe.scorer
        self.writer = TagWriter(recipe.overwrite)

    def change(self, **settings: Any) -> None:
        """Change settings of tagging, such as `search` or `n_threads`; the models stay.

        Raises ValueError for settings that are unknown or do not go together.
        """
        self._use(replace(self.recipe, **settings))

    def _take_over(self, model: TagModels | None, run: TaggingRun | None) -> None:
        """Replace the present model and everything that belongs to it."""
        self.model = model
        self._run: TaggingRun | None = run
        self._forget_warnings()
        if model is not None:
            self.writer.introduce(model, self.vocab)

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

    @property
    def _sources(self) -> tuple[str, ...]:
        """The token attributes from which the columns of the features are read."""
        return tuple(self.recipe.sources.values())

    # ---- tagging ---------------------------------------------------------------------

    def predict(self, docs: Iterable[Doc]) -> list[IdArray]:
        """Tag documents without changing them.

        Returns for each document the values of the attributes, of shape (n tokens, n
        attributes). Without `overwrite` they include the values that the document has
        already. Raises ValueError when the component has no model yet.
        """
        docs = list(docs)
        predict = partial(self._tag, docs)
        return self._predict_with(self._require_model(), sum(map(len, docs)), predict)

    def _tag(self, docs: list[Doc], model: TagModels) -> list[IdArray]:
        """Tag documents with models."""
        kept = self.writer.kept(model)
        batch = WordBatch(docs, self._sources, kept)
        values = self.writer.values(model)
        recipe = self.recipe
        return tag(model, recipe.search, batch, values, recipe.n_threads)

    def set_annotations(
        self, docs: Iterable[Doc], annotations: Sequence[IdArray]
    ) -> None:
        """Write tags to the documents."""
        model: TagModels = self._require_model()
        attrs = model.attrs
        vocab = None
        for doc, table in zip(docs, annotations, strict=True):
            if doc.vocab is not vocab:
                vocab = doc.vocab
                self.writer.introduce(model, vocab)
            self.writer.write(doc, attrs, table)

    # ---- labels ----------------------------------------------------------------------

    @property
    def labels(self) -> tuple[str, ...]:
        """The tags of all attributes, one attribute after the other."""
        data = self.label_data or {}
        return tuple(label for labels in data.values() for label in labels)

    @property
    def label_data(self) -> dict[str, list[str]] | None:
        """The tags by attribute, from which `initialize(labels=...)` makes the same
        actions."""
        if self.model is None:
            return None
        return {attr: list(m.labels) for attr, m in self.model.by_attr.items()}

    @exclusive
    def add_label(self, label: str, attr: str | None = None) -> int:
        """Add a tag. Returns 1 if it is new, else 0.

        attr: the attribute of the tag; may be None if the tagger has only one.

        Raises ValueError before `initialize`, for an attribute that the tagger does not
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
                f"the tagger {self.name!r} has the attributes "
                f"{', '.join(self.attrs)}: expected one of them, got {attr!r}"
            )
        label = ATTRIBUTES[attr].check(label)
        is_new = self.training_run().add_label(attr, label)
        self.writer.introduce(self.model, self.vocab)
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

        get_examples: returns the training examples. labels: the value of `label_data`,
        or a list of tags if there is only one attribute; it replaces the tags of the
        examples.
        """
        validate_get_examples(get_examples, f"{type(self).__name__}.initialize")
        self._take_over(None, None)
        self.epoch = None
        with config_block("initialize", "components", self.name, "labels"):
            run = TaggingRun.begin(self.recipe, get_examples(), labels, self._warn)
        self._run = run
        self.model = run.models
        self.writer.introduce(run.models, self.vocab)

    @exclusive
    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Any = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learn from a batch of examples, one document after the other in random order.

        drop and sgd are not used. losses: the number of wrong tags, of all attributes
        together, is added under the name of the component.

        Training skips words whose tag is unknown and words that do not align to exactly
        one token of the reference.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        run = self.training_run()
        predicted = [example.predicted for example in examples]
        data = run.read(examples, WordBatch(predicted, self._sources))
        losses[self.name] += run.learn(data, self._iteration())
        run.epochs.count(len(examples))
        return losses

    @exclusive
    def training_run(self) -> TaggingRun:
        """The training state. It is made from the model if the model was loaded.

        Raises ValueError when there is no model yet.
        """
        if self._run is None:
            if self.model is None:
                raise ValueError(
                    f"the tagger {self.name!r} is not initialized: call "
                    f"nlp.initialize() before training"
                )
            self._run = TaggingRun.resume(self.recipe, self.model)
            self.model = self._run.models
        return self._run

    # ---- saving ----------------------------------------------------------------------

    @exclusive
    def set_model(self, model: TagModels | None) -> None:
        """Take over a saved model. Training goes on from it when `update` is called."""
        self._take_over(model, None)

    @exclusive
    def frozen_model(self) -> TagModels | None:
        """The model without its training state, or None."""
        return None if self.model is None else self.model.freeze()

    @exclusive
    def dump_model(self) -> bytes:
        """The model as bytes. The component must have a model."""
        model: TagModels = self._require_model()
        return model.to_bytes()

    def read_model(self, data: bytes) -> TagModels:
        """The model in `data`.

        Raises ModelFileError when it is damaged or does not fit the settings.
        """
        models = TagModels.from_bytes(data)
        recipe = self.recipe
        if recipe.attrs is not None:
            check_same("attrs", models.attrs, list(recipe.attrs))
        for model in models.by_attr.values():
            check_same("feature templates", model.extractor.templates, recipe.templates)
            check_same("token attributes", model.sources, recipe.sources)
        return models
