"""The feature templates that a component uses."""

from __future__ import annotations

from spacy.util import registry

from ..core.features.templates import TAG_ATTRIBUTES, FeatureTemplates
from ..core.systems.base import TransitionSystem


def features_for(
    system: TransitionSystem, features: FeatureTemplates | None, tag_attr: str | None
) -> FeatureTemplates:
    """The templates that a component uses.

    features: the configured set; None for the default of the system. tag_attr: the
    setting of the parser. If it is None, the default set without tags is used, or the
    templates of the configured set that do not use tags.

    Raises ValueError if no template is left.
    """
    if features is None:
        name = system.default_features
        if tag_attr is None:
            name = system.default_features_without_tags or name
        features = registry.misc.get(name)()
    return without_tags(features) if tag_attr is None else features


def without_tags(features: FeatureTemplates) -> FeatureTemplates:
    """The templates that do not use tags. Raises ValueError if there is none."""
    try:
        return features.without(*TAG_ATTRIBUTES)
    except ValueError as error:
        raise ValueError(
            "tag_attr = null leaves no feature template, because all of them use tags: "
            "name the tags in tag_attr, or choose features that do not use tags"
        ) from error
