"""The settings of the component `dynoracle_parser`."""

# Fields made by `block` have default factories.
# ruff: noqa: RUF009

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..components.settings import block, internal
from ..core.features.templates import FeatureTemplates
from ..core.learners.base import Learner
from ..core.model.model import Model
from ..core.oracles.base import Oracle
from ..core.search.base import Search
from ..core.systems.base import TransitionSystem
from ..core.training.exploration import Exploration
from ..core.training.trainer import check_training
from ..doc.columns import source_of, tag_attribute
from ..doc.surroundings import Surroundings
from ..registry.default_features import features_for, features_for_data
from ..registry.learners import LearnerFactory, check_learner
from ..registry.probabilities import WantedProbabilities
from ..util.config_errors import check_choice, check_type
from .label_counts import is_list_of_labels
from .parsing import DocumentParser

SENTENCES = ("predict", "preset", "doc")
NONPROJECTIVE = ("projectivize", "lift", "drop", "auto")
TAG_ATTRIBUTES = ("TAG", "POS", None)


def check_never_govern(given: Any) -> None:
    """Raise ValueError unless the setting has a value that it may have."""
    if given not in ("auto", None) and not is_list_of_labels(given):
        raise ValueError(
            f'never_govern = {given!r}: expected "auto", null or a list of labels'
        )


@dataclass(frozen=True)
class ParserRecipe:
    """The settings of a parser: the keys of its config, with their defaults.

    Attributes:
        tag_attr: Token attribute behind `p` in the feature templates, "TAG" or "POS";
            None leaves out the templates that use it.
        sentences: "predict" (the parser finds the sentence boundaries and respects
            preset ones), "preset" (one tree for each preset sentence) or "doc" (the Doc
            is one sentence). With "predict" behind a component that sets sentence
            boundaries, the parser is trained on single sentences.
        keep_preset_heads: Whether heads and labels that are on a Doc before it is
            parsed stay there (see `spacy_dynoracle.doc.preset_arcs`). Sentences with
            such heads are parsed greedily, whatever the search.
        nonprojective: How training treats trees with crossing arcs: "projectivize"
            (arcs are lifted, which is undone after parsing), "lift" (it is not undone:
            there are fewer labels then, and parsing is faster), "auto" (it is undone
            where a fifth of the trees have crossing arcs, for kinds of lifts that occur
            20 times) or "drop"; ignored with a system that can derive such trees.
        never_govern: Labels whose words govern nothing in parses: "auto" (those that
            never govern in the training data), a list of labels, or None for none.
            Their dependents are moved up to the first word that may govern.
        seed: Seeds training and sampling.
        probabilities: Which probabilities a parse comes with, a block (see
            `spacy_dynoracle.parser.extensions`); None for none.
        system, oracle, exploration, learner, features, search: The blocks of a config,
            see `spacy_dynoracle.registry.blocks`; features None is the set that suits
            the system, the annotation of the training data and the pipeline, and its
            word clusters.
        scorer: Scores parsed examples; None for no scores.
        backward: Whether every sentence is read from its last word to its first one.
            Such a parser makes other errors, and only a committee has some. It cannot
            predict sentence boundaries, keep preset heads, or give probabilities or
            several trees.

    Raises:
        ValueError: For settings that are unknown or do not go together.
    """

    tag_attr: str | None = "TAG"
    sentences: str = "predict"
    keep_preset_heads: bool = False
    nonprojective: str = "projectivize"
    never_govern: str | list[str] | None = "auto"
    seed: int = 0
    probabilities: Any = None
    system: TransitionSystem = block(
        "spacy_dynoracle.ArcEager.v1", root="last", tree_constraint=None
    )
    oracle: Oracle = block("spacy_dynoracle.DynamicOracle.v1")
    exploration: Exploration = block("spacy_dynoracle.ErrorExploration.v1", k=1, p=0.9)
    learner: LearnerFactory = block(
        "spacy_dynoracle.AveragedPerceptron.v1", margin=200, prune=0.01, min_updates=0
    )
    features: FeatureTemplates | None = None
    search: Search = block("spacy_dynoracle.GreedySearch.v1")
    scorer: Callable[..., dict[str, Any]] | None = block(
        "spacy_dynoracle.parser_scorer.v1", of="scorers"
    )
    backward: bool = internal(False)

    def __post_init__(self) -> None:
        self._check_blocks()
        check_choice("tag_attr", self.tag_attr, TAG_ATTRIBUTES)
        check_choice("sentences", self.sentences, SENTENCES)
        check_choice("nonprojective", self.nonprojective, NONPROJECTIVE)
        check_never_govern(self.never_govern)
        self.templates.check_addresses(self.system.chooses_pair)
        self._check_greedy()
        if self.backward:
            self._check_backward()
        check_training(self.system, self.oracle, self.exploration, self._sample)
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
        given = self.probabilities
        if given is not None and not isinstance(given, WantedProbabilities):
            # Such as the former names.
            raise ValueError(
                f"probabilities = {given!r}: expected null, or a block with @misc = "
                f'"spacy_dynoracle.TransitionProbabilities.v1" or '
                f'"spacy_dynoracle.MarginalProbabilities.v1"'
            )
        self.search.check_system(self.system)
        check_learner(self.learner)
        if self.features is not None:
            check_type("features", self.features, FeatureTemplates)

    def _check_greedy(self) -> None:
        """Raise ValueError for settings that need single decisions, or go without each
        other.
        """
        if self.keep_preset_heads and (
            not self.has_probabilities or self.search.n_best
        ):
            raise ValueError(
                f"keep_preset_heads = true needs single decisions: use "
                f"spacy_dynoracle.GreedySearch.v1, not {self.search!r}"
            )
        if self.probabilities is None:
            return
        self.require_probabilities()
        if self.search.n_best:
            raise ValueError(
                f"n_best = {self.search.n_best} and the block probabilities do not go "
                f"together, because listed trees have scores of their own: set "
                f"n_best = 0, or probabilities = null"
            )
        if self.keep_preset_heads:
            raise ValueError(
                "probabilities belong to trees that the parser chooses freely: with "
                "keep_preset_heads = true, set probabilities = null"
            )

    def require_probabilities(self) -> None:
        """Raise ValueError if decisions have no probabilities."""
        if not self.has_probabilities:
            raise ValueError(
                f"only single decisions have probabilities, and {self.search!r} with "
                f"{type(self._sample).__name__} decides about whole derivations: train "
                f"a parser with AveragedPerceptron or AdaGradRDA, or ask for no "
                f"probabilities (probabilities = null)"
            )

    def _check_backward(self) -> None:
        """Raise ValueError for settings that need the order of the text."""
        refused = {
            "sentences = 'predict'": self.sentences == "predict",
            "keep_preset_heads = true": self.keep_preset_heads,
            "the block probabilities": self.probabilities is not None,
            f"n_best = {self.search.n_best}": self.search.n_best > 0,
        }
        for setting, is_set in refused.items():
            if is_set:
                raise ValueError(
                    f"{setting} does not go with direction = 'backward': use 'forward'"
                )

    # ---- what follows from the settings ----------------------------------------------

    @cached_property
    def templates(self) -> FeatureTemplates:
        """The configured feature templates, or the default ones of the system."""
        return features_for(self.system, self.features, self.tag_attr)

    def suited_to(
        self, around: Surroundings, lemma_parts: Collection[str] = ()
    ) -> ParserRecipe:
        """The same settings, with features that suit the annotation of documents.

        Args:
            lemma_parts: The parts of the lemmas that documents have in training and in
                use, of "stem" and "ending".
        """
        if self.features is not None or self.tag_attr is None or around.in_use is None:
            return self
        templates, tag_attr = features_for_data(
            self.system,
            self.tag_attr,
            around.in_use,
            around.features,
            around.has_clusters,
            lemma_parts,
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
    def has_probabilities(self) -> bool:
        """Whether single decisions may have probabilities: a learner of whole
        derivations, or another part of the model, gives them none.
        """
        return not self._sample.learns_derivations and self.search.needs_part is None

    @cached_property
    def beam_size(self) -> int:
        """The size of the beam of training: that of the search, if the learner learns
        from whole derivations.

        Raises:
            ValueError: When the search has none, and for a threshold, which needs
                probabilities.
        """
        if not self._sample.learns_derivations:
            return 1
        if not self.search.beam_size:
            raise ValueError(
                f"{type(self._sample).__name__} learns from the derivations of a beam, "
                f"which {self.search!r} does not have: use BeamSearch"
            )
        if self.search.threshold:
            raise ValueError(
                f"threshold = {self.search.threshold:g} is for learners of single "
                f"decisions, not {type(self._sample).__name__}: set threshold = 0 in "
                f"its own block search"
            )
        return self.search.beam_size

    def parser(self, n_threads: int = 1) -> DocumentParser:
        """The parser of documents with these settings."""
        return DocumentParser(
            self.search,
            self.sentences,
            self.system.single_root,
            n_threads,
            self.probabilities,
            self.seed,
            keep_arcs=self.keep_preset_heads,
            may_cross=self.nonprojective != "drop",
            backward=self.backward,
        )

    @cached_property
    def _sample(self) -> Learner:
        """A learner of the kind that training makes."""
        return self.learner(1, 1)
