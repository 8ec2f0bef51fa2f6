"""The settings of the component `dynoracle_parser`."""

# Fields made by `block` have default factories.
# ruff: noqa: RUF009

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..components.settings import MAX_THREADS, block, check_count
from ..core.features.templates import FeatureTemplates
from ..core.learners.base import Learner
from ..core.model.model import Model
from ..core.oracles.base import Oracle
from ..core.search.base import Search
from ..core.search.beam import MAX_BEAM_SIZE
from ..core.search.beam_search import BeamSearch
from ..core.state.configuration import RootRule
from ..core.systems.base import TransitionSystem
from ..core.training.exploration import Exploration
from ..core.training.trainer import (
    check_exploration,
    check_learner,
    check_oracle,
    check_sampling,
)
from ..doc.columns import source_of, tag_attribute
from ..doc.surroundings import Surroundings
from ..registry.default_features import features_for, features_for_data
from ..registry.learners import LearnerFactory
from ..util.config_errors import check_choice, check_type
from .beam_parsing import check_k_best
from .parsing import DocumentParser, check_keeping
from .probabilities import ProbabilitySettings

SENTENCES = ("predict", "preset", "doc")
NONPROJECTIVE = ("projectivize", "lift", "drop")
TAG_ATTRIBUTES = ("TAG", "POS", None)
DIRECTIONS = ("forward", "backward")


@dataclass(frozen=True)
class ParserRecipe:
    """The settings of a parser: the keys of its config, with their defaults.

    tag_attr: token attribute behind `p` in the feature templates, "TAG" or "POS"; None
        leaves out the templates that use it.
    sentences: "predict" (the parser finds the sentence boundaries and respects preset
        ones), "preset" (one tree for each preset sentence) or "doc" (the Doc is one
        sentence). With "predict" behind a component that sets sentence boundaries, the
        parser is trained on single sentences.
    direction: "forward", or "backward" for a parser that reads every sentence from its
        last word to its first one. Such a parser makes other errors, which is useful
        in a committee (see `spacy_dynoracle.committee`). It cannot predict sentence
        boundaries, keep preset heads, or give probabilities or several trees.
    keep_preset_heads: whether heads and labels that are on a Doc before it is parsed
        stay there (see `spacy_dynoracle.doc.preset_arcs`).
    nonprojective: how training treats trees with crossing arcs: "projectivize" (arcs
        are lifted, which is undone after parsing), "lift" (it is not undone: there are
        fewer labels then, and parsing is faster) or "drop"; ignored with a system that
        can derive such trees.
    jackknife_folds: training documents without tags get them from taggers that were
        trained on the other folds (see `spacy_dynoracle.parser.training_tags`); 0: from
        the tagger of the pipeline.
    n_threads: threads that parse one batch.
    seed: seeds training and sampling.
    probabilities: which probabilities a parse comes with (see
        `spacy_dynoracle.parser.extensions`): "none", "transition" (those of its
        decisions) or "marginal" (also distributions over heads and labels, from sampled
        derivations).
    n_samples: derivations that are sampled of each sentence.
    decode: "greedy", or "marginal" for the tree with the largest expected number of
        right labelled arcs under the marginals.
    k_best: how many of the best trees are kept with each Doc, as `Doc._.kbest`; 0 for
        none.
    system, oracle, exploration, learner, features, search: the blocks of a config, see
        `spacy_dynoracle.registry.blocks`; features None is the set that suits the
        system, the annotation of the training data and the pipeline, and its word
        clusters.
    scorer: scores parsed examples; None for no scores.

    Raises ValueError for settings that are unknown or do not go together.
    """

    tag_attr: str | None = "TAG"
    sentences: str = "predict"
    direction: str = "forward"
    keep_preset_heads: bool = False
    nonprojective: str = "projectivize"
    jackknife_folds: int = 5
    n_threads: int = 1
    seed: int = 0
    probabilities: str = "none"
    n_samples: int = 64
    decode: str = "greedy"
    k_best: int = 0
    system: TransitionSystem = block(
        "spacy_dynoracle.ArcEager.v1", root="last", tree_constraint=None
    )
    oracle: Oracle = block("spacy_dynoracle.DynamicOracle.v1")
    exploration: Exploration = block("spacy_dynoracle.ErrorExploration.v1", k=1, p=0.9)
    learner: LearnerFactory = block("spacy_dynoracle.AveragedPerceptron.v1", margin=200)
    features: FeatureTemplates | None = None
    search: Search = block("spacy_dynoracle.GreedySearch.v1")
    scorer: Callable[..., dict[str, Any]] | None = block(
        "spacy_dynoracle.parser_scorer.v1", of="scorers"
    )

    def __post_init__(self) -> None:
        self._check_blocks()
        check_choice("tag_attr", self.tag_attr, TAG_ATTRIBUTES)
        check_choice("sentences", self.sentences, SENTENCES)
        check_choice("direction", self.direction, DIRECTIONS)
        check_choice("nonprojective", self.nonprojective, NONPROJECTIVE)
        self.templates.check_addresses(self.system.chooses_pair)
        if self.jackknife_folds:
            check_count("jackknife_folds", self.jackknife_folds, 2)
        check_count("n_threads", self.n_threads, 1, MAX_THREADS)
        self.probability_settings.check(self.search)
        if self.keep_preset_heads:
            check_keeping(self.search, self.probability_settings)
        check_count("k_best", self.k_best, 0, MAX_BEAM_SIZE)
        if self.k_best:
            check_k_best(self.k_best, self.search)
        if self.is_backward:
            self._check_backward()
        check_learner(self._sample, self.exploration)
        check_exploration(self.oracle, self.exploration)
        check_sampling(self.exploration, self._sample)
        check_oracle(self.oracle, self.system)
        # Raises ValueError for a learner that needs a beam.
        _ = self.beam_size

    def _check_blocks(self) -> None:
        """Raise ValueError unless every block made the right kind of thing."""
        check_type("system", self.system, TransitionSystem)
        if not self.system.builds_trees:
            raise ValueError(
                f"{self.system!r} does not build dependency trees: expected a "
                f"transition system of a parser, such as ArcEager"
            )
        check_type("oracle", self.oracle, Oracle)
        check_type("exploration", self.exploration, Exploration)
        check_type("search", self.search, Search)
        self.search.check_system(self.system)
        if not callable(self.learner):
            raise ValueError(
                f"the block learner made {self.learner!r}: expected a registered "
                f"learner"
            )
        if self.features is not None:
            check_type("features", self.features, FeatureTemplates)

    def _check_backward(self) -> None:
        """Raise ValueError for settings that need the order of the text."""
        refused = {
            "sentences = 'predict'": self.sentences == "predict",
            "keep_preset_heads = true": self.keep_preset_heads,
            f"probabilities = {self.probabilities!r}": self.probability_settings.wanted,
            f"k_best = {self.k_best}": self.k_best > 0,
        }
        for setting, is_set in refused.items():
            if is_set:
                raise ValueError(
                    f"{setting} does not go with direction = 'backward': use 'forward'"
                )

    # ---- what follows from the settings ----------------------------------------------

    @property
    def is_backward(self) -> bool:
        """Whether sentences are read from their last word to their first one."""
        return self.direction == "backward"

    @cached_property
    def templates(self) -> FeatureTemplates:
        """The configured feature templates, or the default ones of the system."""
        return features_for(self.system, self.features, self.tag_attr)

    def suited_to(self, around: Surroundings) -> ParserRecipe:
        """The same settings, with features that suit the annotation of documents."""
        if self.features is not None or self.tag_attr is None or around.in_use is None:
            return self
        templates, tag_attr = features_for_data(
            self.system,
            self.tag_attr,
            around.in_use,
            around.features,
            around.has_clusters,
        )
        return replace(self, features=templates, tag_attr=tag_attr)

    def of_model(self, model: Model) -> ParserRecipe:
        """The same settings, with the features of a model if none are configured."""
        if self.features is not None:
            return self
        tag_attr = tag_attribute(model.sources)
        return replace(self, features=model.extractor.templates, tag_attr=tag_attr)

    @cached_property
    def sources(self) -> dict[str, str]:
        """For each column of the templates the attribute of spaCy it is read from."""
        tag_attr = self.tag_attr or ""
        return {name: source_of(name, tag_attr) for name in self.templates.columns}

    @cached_property
    def training_rule(self) -> RootRule:
        """How many roots a sentence may have in training."""
        return self.system.training_root_rule(self.sentences != "predict")

    @cached_property
    def beam_size(self) -> int:
        """The size of the beam of training: that of the search, if the learner learns
        from whole derivations. Raises ValueError when the search has none."""
        if not self._sample.learns_derivations:
            return 1
        if not isinstance(self.search, BeamSearch):
            raise ValueError(
                f"{type(self._sample).__name__} learns from the derivations of a beam, "
                f"which {self.search!r} does not have: use BeamSearch"
            )
        return self.search.beam_size

    @cached_property
    def probability_settings(self) -> ProbabilitySettings:
        """Which probabilities are computed, and how."""
        return ProbabilitySettings(
            self.probabilities, self.n_samples, self.decode, self.seed
        )

    @cached_property
    def needs_full_trees(self) -> bool:
        """Whether training needs the head of every word of a tree."""
        return self.oracle.needs_full_tree or self.system.needs_full_tree

    def parser(self) -> DocumentParser:
        """The parser of documents with these settings."""
        return DocumentParser(
            self.search,
            self.sentences,
            self.system.single_root,
            self.n_threads,
            self.probability_settings,
            self.keep_preset_heads,
            may_cross=self.nonprojective != "drop",
            k_best=self.k_best,
            backward=self.is_backward,
        )

    @cached_property
    def _sample(self) -> Learner:
        """A learner of the kind that training makes."""
        return self.learner(1, 1)
