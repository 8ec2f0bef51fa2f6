"""The settings of the component `dynoracle_lemmatizer`."""

# Fields made by `block` have default factories.
# ruff: noqa: RUF009

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..components.settings import block
from ..registry.learners import LearnerFactory, check_learner


@dataclass(frozen=True)
class LemmatizerRecipe:
    """The settings of a lemmatizer: the keys of its config, with their defaults.

    Attributes:
        overwrite: Whether lemmas that a document has already are replaced; they stay
            otherwise.
        seed: Seeds training.
        learner: The block of the config that ranks the lemmas of unknown words, see
            `spacy_dynoracle.registry.blocks`.
        scorer: Scores lemmatized examples; None for no scores.

    Raises:
        ValueError: For settings that are unknown.
    """

    overwrite: bool = False
    seed: int = 0
    learner: LearnerFactory = block(
        "spacy_dynoracle.AveragedPerceptron.v1", margin=5, min_updates=4
    )
    scorer: Callable[..., dict[str, Any]] | None = block(
        "spacy_dynoracle.lemmatizer_scorer.v1", of="scorers"
    )

    def __post_init__(self) -> None:
        check_learner(self.learner)
