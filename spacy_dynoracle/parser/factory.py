"""The factory of the pipeline component `dynoracle_parser`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spacy.language import Language

from ..core.features.templates import FeatureTemplates
from ..core.oracles.base import Oracle
from ..core.search.base import Search
from ..core.systems.base import TransitionSystem
from ..core.training.exploration import Exploration
from ..registry.learners import LearnerFactory
from .component import NAME, DynOracleParser
from .extensions import register_extensions

DEFAULT_CONFIG = {
    "tag_attr": "TAG",
    "sentences": "predict",
    "keep_preset_heads": False,
    "nonprojective": "projectivize",
    "n_threads": 1,
    "seed": 0,
    "probabilities": "none",
    "n_samples": 64,
    "decode": "greedy",
    "k_best": 0,
    "system": {
        "@misc": "spacy_dynoracle.ArcEager.v1",
        "root": "last",
        "tree_constraint": None,
    },
    "oracle": {"@misc": "spacy_dynoracle.DynamicOracle.v1"},
    "exploration": {"@misc": "spacy_dynoracle.ErrorExploration.v1", "k": 1, "p": 0.9},
    "learner": {"@misc": "spacy_dynoracle.AveragedPerceptron.v1", "margin": 0.0},
    "features": None,
    "search": {"@misc": "spacy_dynoracle.GreedySearch.v1"},
    "scorer": {"@scorers": "spacy_dynoracle.parser_scorer.v1"},
}

register_extensions()


@Language.factory(
    NAME,
    assigns=["token.dep", "token.head", "token.is_sent_start", "doc.sents"],
    default_config=DEFAULT_CONFIG,
    default_score_weights={
        "dep_uas": 0.5,
        "dep_las": 0.5,
        "dep_uas_all": None,
        "dep_las_all": None,
        "dep_las_per_type": None,
        "sents_p": None,
        "sents_r": None,
        "sents_f": 0.0,
    },
)
def make_dynoracle_parser(
    nlp: Language,
    name: str,
    tag_attr: str | None,
    sentences: str,
    keep_preset_heads: bool,
    nonprojective: str,
    n_threads: int,
    seed: int,
    probabilities: str,
    n_samples: int,
    decode: str,
    k_best: int,
    system: TransitionSystem,
    oracle: Oracle,
    exploration: Exploration,
    learner: LearnerFactory,
    features: FeatureTemplates | None,
    search: Search,
    scorer: Callable[..., dict[str, Any]] | None,
) -> DynOracleParser:
    """Make a `DynOracleParser`; see there for the settings."""
    return DynOracleParser(
        nlp.vocab,
        name,
        tag_attr=tag_attr,
        sentences=sentences,
        keep_preset_heads=keep_preset_heads,
        nonprojective=nonprojective,
        n_threads=n_threads,
        seed=seed,
        probabilities=probabilities,
        n_samples=n_samples,
        decode=decode,
        k_best=k_best,
        system=system,
        oracle=oracle,
        exploration=exploration,
        learner=learner,
        features=features,
        search=search,
        scorer=scorer,
    )
