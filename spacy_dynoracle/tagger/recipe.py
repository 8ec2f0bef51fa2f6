"""The settings of the component `dynoracle_tagger`."""

# Fields made by `block` have default factories.
# ruff: noqa: RUF009

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..components.settings import block
from ..core.features.templates import TAG_ATTRIBUTES, FeatureTemplates
from ..core.oracles.base import DynamicOracle
from ..core.systems.tagging import Tagging
from ..core.training.exploration import Exploration
from ..core.training.trainer import check_training
from ..doc.columns import source_of
from ..registry.blocks import make_tagger_features
from ..registry.learners import LearnerFactory, check_learner
from ..util.config_errors import check_choice, check_type
from .attributes import TAG_NAMES, check_attrs

# What the tagger labels at once.
SENTENCES = ("preset", "doc")


def check_learning(recipe: Any) -> None:
    """Raise ValueError for settings of training that are wrong.

    Args:
        recipe: Those of a component that labels words, such as a `TaggerRecipe`.
    """
    check_type("exploration", recipe.exploration, Exploration)
    check_learner(recipe.learner)
    check_type("features", recipe.templates, FeatureTemplates)
    if recipe.exploration.samples:
        learner = recipe.learner(1, 1)
        check_training(Tagging(), DynamicOracle(), recipe.exploration, learner)
    recipe.templates.check_addresses(of_a_list=False)


@dataclass(frozen=True)
class TaggerRecipe:
    """The settings of a tagger: the keys of its config, with their defaults.

    Attributes:
        attrs: The attributes to set, some of "TAG", "POS" and "MORPH"; None for those
            that the training data have.
        sentences: "preset" (each sentence is tagged alone, in training those of the
            reference), "doc" (a document is tagged as a whole), or None for "preset" if
            a component before the tagger splits sentences, else "doc".
        overwrite: Whether tags that a document has already are replaced; as in spaCy's
            tagger, they stay otherwise.
        lexicon: Whether words that need no scoring are collected in training (see
            `spacy_dynoracle.tagger.lexicon`): forms that are frequent and nearly always
            had the same first attribute, and pairs of form and first attribute that
            always had the same others.
        seed: Seeds training.
        exploration, learner, features: The blocks of a config, see
            `spacy_dynoracle.registry.blocks`; features None is the default set of
            taggers, and that of the model for a model that was loaded.
        scorer: Scores tagged examples; None for no scores.

    Raises:
        ValueError: For settings that are unknown or do not go together.
    """

    attrs: list[str] | None = None
    sentences: str | None = None
    overwrite: bool = False
    lexicon: bool = True
    seed: int = 0
    exploration: Exploration = block("spacy_dynoracle.ErrorExploration.v1", k=1, p=0.9)
    learner: LearnerFactory = block(
        "spacy_dynoracle.AveragedPerceptron.v1", margin=20, prune=0.005, min_updates=10
    )
    features: FeatureTemplates | None = None
    scorer: Callable[..., dict[str, Any]] | None = block(
        "spacy_dynoracle.tagger_scorer.v1", of="scorers"
    )

    def __post_init__(self) -> None:
        check_attrs(self.attrs)
        check_choice("sentences", self.sentences, (*SENTENCES, None))
        check_learning(self)
        self._check_features()

    def _check_features(self) -> None:
        """Raise ValueError for templates that read attributes which the tagger sets."""
        for column in self.templates.columns:
            if column in TAG_ATTRIBUTES:
                raise ValueError(
                    f"the features use {column!r}, a tag of the document, which the "
                    f"tagger is to find: the tags before a word are the labels S0l, "
                    f"S1l and S2l"
                )
            attr = self.sources[column].partition(":")[0]
            if attr in (self.attrs or TAG_NAMES):
                raise ValueError(
                    f"the features use {column!r}, which comes from {attr}, and the "
                    f"tagger is to find {attr}: set attrs to other attributes"
                )

    @cached_property
    def templates(self) -> FeatureTemplates:
        """The feature templates that are used."""
        return make_tagger_features() if self.features is None else self.features

    @cached_property
    def sources(self) -> dict[str, str]:
        """For each column of the templates the attribute of spaCy it is read from."""
        return {column: source_of(column, "") for column in self.templates.columns}
