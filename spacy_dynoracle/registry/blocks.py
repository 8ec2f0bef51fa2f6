"""Registered functions: the blocks of a config.

One function for each registered name; what papers vary is an argument of one of them.
The blocks of transition systems are made in `systems`.
"""

from __future__ import annotations

from pathlib import Path

from spacy.util import registry

from ..core.features.arc_hybrid import RICH_HYBRID, RICH_HYBRID_TWO_TAGS
from ..core.features.arc_standard import ARC_STANDARD, RICH_STANDARD
from ..core.features.clusters import OF_TAGGERS, of_clusters
from ..core.features.covington import RICH_COVINGTON, RICH_COVINGTON_TWO_TAGS
from ..core.features.easy_first import GOLDBERG_NIVRE_2013_EASY_FIRST
from ..core.features.rich_eager import RICH_EAGER
from ..core.features.sentences import SENTENCE_STARTS, SENTENCE_STARTS_WITH_TAGS
from ..core.features.tagging import TAGGER
from ..core.features.templates import FeatureTemplates
from ..core.features.without_tags import agreement
from ..core.features.zhang_nivre_2011 import ZHANG_NIVRE_2011
from ..core.learners.adagrad_rda import SMALLEST_GRADIENT
from ..core.learners.averaged_perceptron import AveragedPerceptron
from ..core.learners.structured_perceptron import StructuredPerceptron
from ..core.oracles.base import DynamicOracle, NonDeterministicOracle, Oracle
from ..core.oracles.static import StaticOracle
from ..core.search.base import Search
from ..core.search.beam_search import BeamSearch
from ..core.search.greedy import GreedySearch
from ..core.training.exploration import (
    ErrorExploration,
    Exploration,
    NoExploration,
    SamplingExploration,
)
from ..util.config_errors import block_function, check_type
from .learners import RELATIVE_L1, AdaGradRDAFactory, LearnerFactory, PerceptronFactory


@registry.misc("spacy_dynoracle.DynamicOracle.v1")
def make_dynamic_oracle() -> Oracle:
    """All transitions of cost 0, in every configuration."""
    return DynamicOracle()


@registry.misc("spacy_dynoracle.NonDeterministicOracle.v1")
def make_nondeterministic_oracle() -> Oracle:
    """All transitions that keep the gold tree reachable."""
    return NonDeterministicOracle()


@registry.misc("spacy_dynoracle.StaticOracle.v1")
@block_function("oracle")
def make_static_oracle(variant: str | None = None) -> Oracle:
    """One derivation per tree.

    Args:
        variant (str | None): Which one: for arc-eager "reduce" or "shift" (preferring),
            for arc-hybrid "right" or "shift", for arc-standard "left-first" or
            "left-last"; None is the first of these.
    """
    return StaticOracle(variant=variant)


@registry.misc("spacy_dynoracle.ErrorExploration.v1")
@block_function("exploration")
def make_error_exploration(k: int = 1, p: float = 0.9) -> Exploration:
    """Follow wrong predictions.

    Args:
        k (int): From epoch k + 1 on.
        p (float): With this probability.
    """
    return ErrorExploration(k=k, p=p)


@registry.misc("spacy_dynoracle.SamplingExploration.v1")
@block_function("exploration")
def make_sampling_exploration(k: int = 0) -> Exploration:
    """Draw the next action from its probability (with AdaGradRDA).

    Args:
        k (int): From epoch k + 1 on.
    """
    return SamplingExploration(k=k)


@registry.misc("spacy_dynoracle.NoExploration.v1")
def make_no_exploration() -> Exploration:
    """Always follow the oracle."""
    return NoExploration()


@registry.misc("spacy_dynoracle.AveragedPerceptron.v1")
@block_function("learner")
def make_averaged_perceptron(
    margin: float = 0.0, prune: float = 0.0, min_updates: int = 0
) -> LearnerFactory:
    """The averaged perceptron.

    Args:
        margin (float): 0 is the perceptron of the papers. With a margin it also learns
            where a wrong action comes closer to a correct one than that, in the sum of
            weights; an update moves them apart by twice the number of templates.
        prune (float): The saved model lacks the weights that are smaller than this
            share of the largest one, and all weights of a feature none of which is
            twice as large.
        min_updates (int): A feature is unknown until its weights have changed this
            often (Goldberg & Elhadad 2011); 0 to 255.
    """
    settings = (margin, prune, min_updates)
    return _checked(PerceptronFactory(AveragedPerceptron, settings))


@registry.misc("spacy_dynoracle.AdaGradRDA.v1")
@block_function("learner")
def make_adagrad_rda(
    alpha: float = 1.0,
    rho: float = 0.01,
    l1: float | None = None,
    smallest_gradient: float = SMALLEST_GRADIENT,
    relative_l1: float = RELATIVE_L1,
) -> LearnerFactory:
    """Logistic regression with sparse weights and probabilities (Goldberg 2013).

    Args:
        alpha (float): Step size.
        rho (float): Added to the sum of squared gradients.
        l1 (float | None): Penalty for each update; None is `relative_l1` divided by the
            words of the training data, or 0 when training goes on from a loaded model.
        smallest_gradient (float): A weight comes into being with its first gradient
            that is at least as large.
        relative_l1 (float): The larger, the smaller the model, and the less sure of
            itself. The paper has 1 / 20.
    """
    if not 0 <= relative_l1 < float("inf"):
        raise ValueError(f"relative_l1 = {relative_l1}: expected a number from 0")
    return _checked(AdaGradRDAFactory(alpha, rho, l1, smallest_gradient, relative_l1))


@registry.misc("spacy_dynoracle.StructuredPerceptron.v1")
@block_function("learner")
def make_structured_perceptron(
    update: str = "early", negative: str = "best"
) -> LearnerFactory:
    """The perceptron of whole derivations, with `BeamSearch` and `NoExploration`.

    `StaticOracle` gives each tree one derivation to learn; with the other oracles it is
    the best-scoring one of the correct derivations.

    Args:
        update (str): "early" (when the gold derivation has fallen out of the beam, or
            is not the best one in the end), "max_violation" (in the same sentences, up
            to where the wrong derivation is better by most) or "fall_out" (only when
            the gold derivation has fallen out: the heuristic of HC-search).
        negative (str): With "fall_out", the derivation of the beam to learn from:
            "best" or "worst".
    """
    return _checked(PerceptronFactory(StructuredPerceptron, (update, negative)))


@registry.misc("spacy_dynoracle.ZhangNivre2011.v1")
def make_zhang_nivre_2011() -> FeatureTemplates:
    """The 72 templates of Zhang & Nivre (2011)."""
    return FeatureTemplates(ZHANG_NIVRE_2011)


@registry.misc("spacy_dynoracle.RichHybridTwoTags.v1")
def make_rich_hybrid_two_tags() -> FeatureTemplates:
    """For arc-hybrid and predicted tags: RichHybrid.v1 on TAG, and POS beside."""
    return FeatureTemplates(RICH_HYBRID_TWO_TAGS)


@registry.misc("spacy_dynoracle.RichStandard.v1")
def make_rich_standard() -> FeatureTemplates:
    """For arc-standard and predicted tags: Zhang & Nivre (2011) on TAG, carried over to
    arc-standard, and POS beside.
    """
    return FeatureTemplates(RICH_STANDARD)


@registry.misc("spacy_dynoracle.RichEager.v1")
def make_rich_eager() -> FeatureTemplates:
    """For arc-eager and predicted tags: Zhang & Nivre (2011) on TAG, and POS, the ends
    of words, and the tags beside them.
    """
    return FeatureTemplates(RICH_EAGER)


@registry.misc("spacy_dynoracle.RichHybrid.v1")
def make_rich_hybrid() -> FeatureTemplates:
    """For arc-hybrid: Zhang & Nivre (2011) with S1 instead of the head of S0."""
    return FeatureTemplates(RICH_HYBRID)


@registry.misc("spacy_dynoracle.RichCovington.v1")
def make_rich_covington() -> FeatureTemplates:
    """For Covington's system: Zhang & Nivre (2011), the head of N0 and the tags beside
    S0 and N0.
    """
    return FeatureTemplates(RICH_COVINGTON)


@registry.misc("spacy_dynoracle.RichCovingtonTwoTags.v1")
def make_rich_covington_two_tags() -> FeatureTemplates:
    """For Covington's system and predicted tags: RichEager.v1 and the head of N0."""
    return FeatureTemplates(RICH_COVINGTON_TWO_TAGS)


@registry.misc("spacy_dynoracle.ZhangNivre2011Standard.v1")
def make_zhang_nivre_2011_standard() -> FeatureTemplates:
    """For arc-standard: the 76 templates of Liu et al. (2015)."""
    return FeatureTemplates(ARC_STANDARD)


@registry.misc("spacy_dynoracle.GoldbergNivre2013EasyFirst.v1")
def make_goldberg_nivre_2013_easy_first() -> FeatureTemplates:
    """For easy-first: the 105 templates of Goldberg & Nivre (2013)."""
    return FeatureTemplates(GOLDBERG_NIVRE_2013_EASY_FIRST)


@registry.misc("spacy_dynoracle.WithMorphology.v1")
@block_function("features")
def make_with_morphology(
    features: FeatureTemplates, names: list[str]
) -> FeatureTemplates:
    """A set, and templates of morphological features and their agreement.

    Args:
        features (FeatureTemplates): The set.
        names (list[str]): Of features in Universal Dependencies, as ["Case", "Number"].
    """
    check_type("features", features, FeatureTemplates)
    return features.with_more(agreement(features.templates, names))


@registry.misc("spacy_dynoracle.WithClusters.v1")
@block_function("features")
def make_with_clusters(
    features: FeatureTemplates, clusters: str | Path | None = None
) -> FeatureTemplates:
    """A set for parsers, and templates of word clusters.

    Args:
        features (FeatureTemplates): The set.
        clusters (str | Path | None): The source of the clusters, which
            `spacy_dynoracle.ClusterTable.v1` reads. With None the set stays as it is.
    """
    check_type("features", features, FeatureTemplates)
    if clusters is None:
        return features
    return features.with_more(of_clusters(features.templates))


@registry.misc("spacy_dynoracle.TaggerFeatures.v1")
def make_tagger_features(clusters: str | Path | None = None) -> FeatureTemplates:
    """For taggers: the words around, affixes, the tags before.

    Args:
        clusters (str | Path | None): The source of the clusters, which
            `spacy_dynoracle.ClusterTable.v1` reads. With None no template uses
            clusters.
    """
    return FeatureTemplates(TAGGER if clusters is None else TAGGER + OF_TAGGERS)


@registry.misc("spacy_dynoracle.SenterFeatures.v1")
def make_senter_features(tags: bool = False) -> FeatureTemplates:
    """For sentence splitters: the words around.

    Args:
        tags (bool): Whether to read the TAG and POS of the words, too, after a tagger.
    """
    return FeatureTemplates(SENTENCE_STARTS_WITH_TAGS if tags else SENTENCE_STARTS)


@registry.misc("spacy_dynoracle.FeatureTemplates.v1")
@block_function("features")
def make_feature_templates(templates: list[str]) -> FeatureTemplates:
    """Templates of your own.

    Args:
        templates (list[str]): For example ["S0w.N0w", "S0p.N0p"].
    """
    return FeatureTemplates(templates)


@registry.misc("spacy_dynoracle.GreedySearch.v1")
def make_greedy_search() -> Search:
    """Always take the best legal transition."""
    return GreedySearch()


@registry.misc("spacy_dynoracle.BeamSearch.v1")
@block_function("search")
def make_beam_search(
    beam_size: int = 64, n_best: int = 0, threshold: float = 0
) -> Search:
    """Keep the best derivations side by side, for systems from left to right.

    Args:
        beam_size (int): How many. Time grows with it; 1 is greedy search.
        n_best (int): How many of the best trees are kept with each Doc, as
            `Doc._.kbest`; 0 for none.
        threshold (float): A derivation leaves the beam when its probability is less
            than this share of the best one's; 0 for never. Where the parser is sure,
            the beam then has one derivation and is nearly as fast as greedy search.
    """
    return BeamSearch(beam_size, n_best, threshold)


def _checked(factory: LearnerFactory) -> LearnerFactory:
    """A factory that makes a learner: wrong values are found here and not when training
    begins.
    """
    factory(1, 1)
    return factory
