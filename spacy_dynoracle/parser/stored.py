"""The stored parts of a parser: its settings, and its model with its labels."""

from typing import Any

from spacy.vocab import Vocab

from ..components.base import exclusive
from ..components.saving import check_same, shortened
from ..core.features.templates import FeatureTemplates
from ..core.model.file import read_model, write_model
from ..core.model.model import Model
from ..core.state.projectivity import base_label
from ..doc.columns import reader_of, source_of
from ..doc.missing import MissingAnnotation
from ..doc.surroundings import Surroundings
from ..errors import ModelFileError, value_errors_as
from ..tagger.training_tags import TrainingTags
from .any_parser import AnyParser
from .label_counts import GovernorCounts, is_list_of_labels, label_data
from .label_names import LabelNames
from .recipe import ParserRecipe
from .training import TrainingRun


class StoredParser(AnyParser):
    """The part of a parser that is saved, and that makes its labels known.

    Attributes:
        recipe: The settings.
        model: The model; None before training.
    """

    kind = "parser"
    model: Model | None
    recipe: ParserRecipe
    recipe_type = ParserRecipe

    @property
    def tag_attr(self) -> str | None:
        """The token attribute behind the tags of the features; None without tags."""
        return self._present_recipe.tag_attr

    @property
    def templates(self) -> FeatureTemplates:
        """The feature templates of the model, or those of the settings before
        training.
        """
        return self._present_recipe.templates

    @property
    def _present_recipe(self) -> ParserRecipe:
        """The settings, with the features of the model if none are configured."""
        return self.recipe if self.model is None else self.recipe.of_model(self.model)

    def _forget(self) -> None:
        """Forget everything that belongs to the present model."""
        self._run: TrainingRun | None = None
        self._tags: TrainingTags | None = None
        self._trains_on_sentences = False
        self._never_govern: list[str] = []
        self._governors = GovernorCounts()
        self._names: LabelNames | None = None
        self._read_for(None)
        self._forget_warnings()

    @property
    def sources(self) -> dict[str, str]:
        """The attribute of tokens that each column of the sentences is read from: the
        columns of the feature templates, then those that only its parts read.
        """
        return self.recipe.sources if self.model is None else self.model.sources

    def _read_for(
        self, model: Model | None, around: Surroundings | None = None
    ) -> None:
        """Read the attributes that a model needs, or the templates if it is None."""
        sources = self.recipe.sources if model is None else model.sources
        self._missing = MissingAnnotation(tuple(sources.values()), around)

    # ---- labels --------------------------------------------------------------------

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of arcs, without those that only record lifted arcs."""
        if self.model is None:
            return ()
        labels = map(base_label, self.model.labels)
        return tuple(dict.fromkeys(labels))

    @property
    def label_data(self) -> dict[str, Any] | None:
        """The actions, from which `initialize(labels=...)` makes the same actions."""
        if self.model is None:
            return None
        return label_data(self.model.actions, self.model.root_label)

    @property
    def never_govern(self) -> list[str]:
        """The labels whose words govern nothing in parses: those of the settings, or
        those that the training data have shown.
        """
        given = self.recipe.never_govern
        return self._never_govern if given == "auto" else list(given or ())

    def label_names(self, model: Model) -> LabelNames:
        """The labels of a model as documents have them."""
        names = self._names
        never_govern = self.never_govern
        if names is None or not names.are_of(model, never_govern):
            names = self._names = LabelNames(model, never_govern)
        return names

    def introduce_labels(self, vocab: Vocab) -> None:
        """Make the labels of the model, if there is one, known to a vocab."""
        if self.model is not None:
            self.label_names(self.model).introduce(vocab)

    # ---- saving --------------------------------------------------------------------

    @exclusive
    def set_model(self, model: Model | None) -> None:
        """Use a saved model. Training goes on from it when `update` is called."""
        self._forget()
        self.model = model
        self.introduce_labels(self.vocab)
        self._read_for(model)

    @exclusive
    def replace_model(self, model: Model) -> None:
        """Use a variant of the present model, such as one with another temperature.

        What training has noted beside the model (see `state`) stays.
        """
        state = self.state()
        self.set_model(model)
        self.set_state(state)

    def state(self) -> dict[str, Any]:
        """Whether training uses single sentences, if it does, a direction that is not
        "forward", and the labels of the training data that never govern, if any.
        """
        state: dict[str, Any] = {}
        if self._trains_on_sentences:
            state["trains_on_sentences"] = True
        if self.recipe.backward:
            state["direction"] = "backward"
        if self._never_govern:
            state["never_govern"] = self._never_govern
        return state

    def check_state(self, state: dict[str, Any]) -> None:
        """Raise ModelFileError if a model was trained in the other direction, or if the
        labels that never govern are damaged.
        """
        own = "backward" if self.recipe.backward else "forward"
        check_same("direction", state.get("direction", "forward"), own)
        if not is_list_of_labels(never_govern := state.get("never_govern", [])):
            raise ModelFileError(
                f"its never_govern is {shortened(never_govern)}, not a list of labels"
            )

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore a saved `state`, after the model."""
        self._trains_on_sentences = bool(state.get("trains_on_sentences", False))
        self._never_govern = list(state.get("never_govern", []))

    @exclusive
    def dump_model(self, *, resume: bool = True) -> bytes:
        """The model as bytes. The component must have a model.

        Args:
            resume: With the part that only further training needs.
        """
        return write_model(self._require_model(), resume=resume)

    def read_model(self, data: bytes | memoryview) -> Model:
        """The model in `data`.

        Raises:
            ModelFileError: When it is damaged or does not fit the settings.
        """
        model = read_model(data)
        self.check_model(model)
        return model

    def check_model(self, model: Model) -> None:
        """Raise ModelFileError if a model does not fit the settings."""
        system = self.recipe.system.settings()
        check_same("transition system", model.system.settings(), system)
        recipe = self.recipe
        if recipe.tag_attr is not None:
            with value_errors_as(ModelFileError):
                recipe = recipe.of_model(model)
        check_same("feature templates", model.extractor.templates, recipe.templates)
        tag_attr = recipe.tag_attr or ""
        sources = {column: source_of(column, tag_attr) for column in model.columns}
        check_same("token attributes", model.sources, sources)
        with value_errors_as(ModelFileError):
            reader_of(tuple(model.sources.values()))
