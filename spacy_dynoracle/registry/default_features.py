"""The feature templates that a component uses."""

from __future__ import annotations

from collections.abc import Callable

from ..core.features.templates import TAG_ATTRIBUTES, FeatureTemplates
from ..core.systems.base import TransitionSystem
from .blocks import (
    make_easy_first_without_tags,
    make_goldberg_nivre_2013_easy_first,
    make_rich_hybrid,
    make_rich_hybrid_without_tags,
    make_zhang_nivre_2011,
    make_zhang_nivre_2011_standard,
    make_zhang_nivre_2011_standard_without_tags,
    make_zhang_nivre_2011_without_tags,
)

FeaturesFactory = Callable[[], FeatureTemplates]

# The feature sets that a system gets when the config names none, with tags and without,
# by the name the system states.
DEFAULT_FEATURES: dict[str, tuple[FeaturesFactory, FeaturesFactory]] = {
    "ZhangNivre2011": (make_zhang_nivre_2011, make_zhang_nivre_2011_without_tags),
    "ArcHybrid": (make_rich_hybrid, make_rich_hybrid_without_tags),
    "ArcStandard": (
        make_zhang_nivre_2011_standard,
        make_zhang_nivre_2011_standard_without_tags,
    ),
    "EasyFirst": (make_goldberg_nivre_2013_easy_first, make_easy_first_without_tags),
}


def features_for(
    system: TransitionSystem, features: FeatureTemplates | None, tag_attr: str | None
) -> FeatureTemplates:
    """The templates that a component uses.

    features: the configured set; None is the default of the system. tag_attr: None
    leaves out what uses tags, or takes the default that does not.

    Raises ValueError when no template is left.
    """
    if features is None:
        with_tags, without = DEFAULT_FEATURES[system.default_features]
        return without() if tag_attr is None else with_tags()
    return without_tags(features) if tag_attr is None else features


def without_tags(features: FeatureTemplates) -> FeatureTemplates:
    """The templates that do not use tags. Raises ValueError when there is none."""
    try:
        return features.without(*TAG_ATTRIBUTES)
    except ValueError as error:
        raise ValueError(
            "tag_attr = null leaves no feature template, because all of them use tags"
        ) from error
