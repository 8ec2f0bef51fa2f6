"""The feature templates that a component uses."""

from __future__ import annotations

from collections.abc import Collection

from spacy.util import registry

from ..core.features.clusters import of_clusters
from ..core.features.lemmas import of_lemmas
from ..core.features.templates import TAG_ATTRIBUTES, FeatureTemplates
from ..core.features.without_tags import MORPHOLOGICAL_FEATURES, agreement, on_forms
from ..core.systems.base import TransitionSystem


def features_for(
    system: TransitionSystem, features: FeatureTemplates | None, tag_attr: str | None
) -> FeatureTemplates:
    """The templates that a component uses.

    Args:
        features: The configured set; None for the default of the system.
        tag_attr: The setting of the parser. If it is None, the default set is changed
            to one on forms, and of a configured set those templates are used that do
            not use tags.

    Raises:
        ValueError: If no template is left.
    """
    if features is not None:
        return without_tags(features) if tag_attr is None else features
    default: FeatureTemplates = registry.misc.get(system.default_features)()
    if tag_attr is None:
        return FeatureTemplates(on_forms(default.templates))
    return default


def features_for_data(
    system: TransitionSystem,
    tag_attr: str,
    annotation: Collection[str],
    morphology: Collection[str],
    has_clusters: bool,
    lemma_parts: Collection[str] = (),
) -> tuple[FeatureTemplates, str | None]:
    """The default templates for documents with some annotation.

    Args:
        tag_attr: The tag to use, if the documents have it.
        annotation: The attributes that the documents have, of TAG, POS and MORPH.
        morphology: The names of their morphological features.
        has_clusters: Whether there are word clusters.
        lemma_parts: The parts of the lemmas that the documents have, of "stem" and
            "ending".

    Returns:
        The templates and the attribute behind their tags, None without tags.
    """
    tags = [attr for attr in (tag_attr, "TAG", "POS") if attr in annotation]
    if not tags:
        return features_for(system, None, None), None
    features = features_for(system, None, tags[0])
    both = system.default_features_with_both_tags
    # With tag_attr = "POS" the published sets are used, as in the papers.
    if tag_attr == "TAG" and both is not None:
        features = registry.misc.get(both)()
        if not {"TAG", "POS"}.issubset(annotation):
            features = features.without("pos")
    if "MORPH" in annotation:
        names = [name for name in MORPHOLOGICAL_FEATURES if name in morphology]
        features = features.with_more(agreement(features.templates, names))
    if has_clusters:
        features = features.with_more(of_clusters(features.templates))
    if lemma_parts:
        more = of_lemmas(features.templates, "ending" in lemma_parts)
        features = features.with_more(more)
    return features, tags[0]


def without_tags(features: FeatureTemplates) -> FeatureTemplates:
    """The templates that do not use tags.

    Raises:
        ValueError: If there is none.
    """
    try:
        return features.without(*TAG_ATTRIBUTES)
    except ValueError as error:
        raise ValueError(
            "tag_attr = null leaves no feature template, because all of them use tags: "
            "name the tags in tag_attr, or choose features that do not use tags"
        ) from error
