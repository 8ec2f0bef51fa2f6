"""The feature templates that a component uses."""

from __future__ import annotations

from spacy.util import registry

from ..core.features.templates import TAG_ATTRIBUTES, FeatureTemplates
from ..core.systems.base import TransitionSystem


def features_for(
    system: TransitionSystem, features: FeatureTemplates | None, tag_attr: str | None
) -> FeatureTemplates:
    """The templates that a component uses.

    features: the configured set; None is the default of the system. tag_attr: None
    leaves out what uses tags, or takes the default that does not.

    Raises ValueError when no template is left.
    """
    if features is None:
        name = system.default_features
        if tag_attr is None:
            name = system.default_features_without_tags or name
        features = registry.misc.get(name)()
    return without_tags(features) if tag_attr is None else features


def without_tags(features: FeatureTemplates) -> FeatureTemplates:
    """The templates that do not use tags. Raises ValueError when there is none."""
    try:
        return features.without(*TAG_ATTRIBUTES)
    except ValueError as error:
        raise ValueError(
            "tag_attr = null leaves no feature template, because all of them use tags"
        ) from error
