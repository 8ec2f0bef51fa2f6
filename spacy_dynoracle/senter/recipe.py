"""The settings of the component `dynoracle_senter`."""

# Fields made by `block` have default factories.
# ruff: noqa: RUF009

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..components.settings import block
from ..core.features.templates import FeatureTemplates
from ..core.training.exploration import Exploration
from ..doc.columns import source_of
from ..registry.blocks import make_senter_features
from ..registry.learners import LearnerFactory
from ..tagger.attributes import SentenceStart
from ..tagger.recipe import check_learning

ATTRIBUTE = SentenceStart.name


def is_finite_number(value: object) -> bool:
    """Whether a setting is a number; spaCy also lets strings of digits through."""
    return isinstance(value, (int, float)) and math.isfinite(value)


@dataclass(frozen=True)
class SenterRecipe:
    """The settings of a sentence splitter: the keys of its config, with their defaults.

    Attributes:
        overwrite: Whether sentence starts that a document has already are replaced;
            they stay otherwise, whether they are True or False.
        probabilities: Whether the probability of a sentence start at each word is kept
            as `token._.sent_start_probability`; the learner must have probabilities
            (AdaGradRDA).
        bias: A number that is added to the score of a sentence start. The larger it is,
            the more sentences are found. None is 0, too. Probabilities do not depend on
            it.
        every_line: Whether a sentence ends at every line break, as in lists of
            headings and items; otherwise at blank lines.
        seed: Seeds training.
        exploration, learner, features: The blocks of a config, see
            `spacy_dynoracle.registry.blocks`; features None is the default set, which
            reads words only, and that of the model for a model that was loaded. Other
            sets may read the tags of a component before this one.
        scorer: Scores split examples; None for no scores.

    Raises:
        ValueError: For settings that are unknown or do not go together.
    """

    overwrite: bool = False
    probabilities: bool = False
    bias: float | None = 0.0
    every_line: bool = False
    seed: int = 0
    exploration: Exploration = block("spacy_dynoracle.NoExploration.v1")
    learner: LearnerFactory = block(
        "spacy_dynoracle.AveragedPerceptron.v1", margin=40, prune=0.005
    )
    features: FeatureTemplates | None = None
    scorer: Callable[..., dict[str, Any]] | None = block(
        "spacy_dynoracle.senter_scorer.v1", of="scorers"
    )

    def __post_init__(self) -> None:
        check_learning(self)
        if self.bias is not None and not is_finite_number(self.bias):
            raise ValueError(f"bias = {self.bias!r}: expected a finite number or null")

    @cached_property
    def templates(self) -> FeatureTemplates:
        """The feature templates that are used."""
        return make_senter_features() if self.features is None else self.features

    @cached_property
    def sources(self) -> dict[str, str]:
        """For each column of the templates the attribute of spaCy it is read from."""
        return {column: source_of(column, "TAG") for column in self.templates.columns}
