"""Registered functions: the blocks of a config.

One function for each registered name; what papers vary is an argument of one of them.
"""

from __future__ import annotations

from collections.abc import Callable

from spacy.util import registry

from .config_errors import config_block
from .core.exploration import ErrorExploration, Exploration, NoExploration
from .core.features.templates import FeatureTemplates
from .core.features.zhang_nivre_2011 import ZHANG_NIVRE_2011
from .core.learners.averaged_perceptron import AveragedPerceptron
from .core.learners.base import Learner
from .core.oracles.base import Oracle
from .core.oracles.dynamic import DynamicOracle
from .core.oracles.nondeterministic import NonDeterministicOracle
from .core.oracles.static import StaticOracle
from .core.search.base import Search
from .core.search.greedy import GreedySearch
from .core.systems.arc_eager import ArcEager
from .core.systems.base import TransitionSystem

# From the number of actions to a learner for them.
LearnerFactory = Callable[[int], Learner]


@registry.misc("spacy_dynoracle.ArcEager.v1")
@config_block("system")
def make_arc_eager(
    root: str = "last", tree_constraint: bool | None = None
) -> TransitionSystem:
    """The arc-eager transition system.

    root (str): Where ROOT stands: "last", "first" or "none".
    tree_constraint (bool | None): Unshift instead of root attachment; None switches it
        on wherever one root per sentence is promised.
    """
    return ArcEager(root=root, tree_constraint=tree_constraint)


@registry.misc("spacy_dynoracle.DynamicOracle.v1")
def make_dynamic_oracle() -> Oracle:
    """All transitions of cost 0, in every configuration."""
    return DynamicOracle()


@registry.misc("spacy_dynoracle.NonDeterministicOracle.v1")
def make_nondeterministic_oracle() -> Oracle:
    """All transitions that keep the gold tree reachable."""
    return NonDeterministicOracle()


@registry.misc("spacy_dynoracle.StaticOracle.v1")
@config_block("oracle")
def make_static_oracle(variant: str = "reduce") -> Oracle:
    """One derivation per tree.

    variant (str): Which one; for arc-eager "shift" or "reduce" (preferring).
    """
    return StaticOracle(variant=variant)


@registry.misc("spacy_dynoracle.ErrorExploration.v1")
@config_block("exploration")
def make_error_exploration(k: int = 1, p: float = 0.9) -> Exploration:
    """Follow wrong predictions.

    k (int): From epoch k + 1 on.
    p (float): With this probability.
    """
    return ErrorExploration(k=k, p=p)


@registry.misc("spacy_dynoracle.NoExploration.v1")
def make_no_exploration() -> Exploration:
    """Always follow the oracle."""
    return NoExploration()


@registry.misc("spacy_dynoracle.AveragedPerceptron.v1")
def make_averaged_perceptron() -> LearnerFactory:
    """The averaged perceptron."""
    return AveragedPerceptron


@registry.misc("spacy_dynoracle.ZhangNivre2011.v1")
def make_zhang_nivre_2011() -> FeatureTemplates:
    """The 72 templates of Zhang & Nivre (2011)."""
    return FeatureTemplates(ZHANG_NIVRE_2011)


@registry.misc("spacy_dynoracle.FeatureTemplates.v1")
@config_block("features")
def make_feature_templates(templates: list[str]) -> FeatureTemplates:
    """Templates of your own.

    templates (list[str]): For example ["S0w.N0w", "S0p.N0p"].
    """
    return FeatureTemplates(templates)


@registry.misc("spacy_dynoracle.GreedySearch.v1")
def make_greedy_search() -> Search:
    """Always take the best legal transition."""
    return GreedySearch()


# The feature set a system gets when the config names none.
DEFAULT_FEATURES: dict[str, Callable[[], FeatureTemplates]] = {
    "ZhangNivre2011": make_zhang_nivre_2011
}


def without_tags(features: FeatureTemplates) -> FeatureTemplates:
    """The templates that do not use `p`. Raises ValueError when there is none."""
    try:
        return features.without("p")
    except ValueError as error:
        raise ValueError(
            "tag_attr = null leaves no feature template, because all of them use `p`"
        ) from error
