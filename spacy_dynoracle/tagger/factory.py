"""The factory of the pipeline component `dynoracle_tagger`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spacy.language import Language

from ..core.features.templates import FeatureTemplates
from ..core.search.base import Search
from ..core.training.exploration import Exploration
from ..registry.learners import LearnerFactory
from .component import NAME, DynOracleTagger

DEFAULT_CONFIG = {
    "attrs": None,
    "overwrite": False,
    "lexicon": True,
    "n_threads": 1,
    "seed": 0,
    "exploration": {"@misc": "spacy_dynoracle.ErrorExploration.v1", "k": 1, "p": 0.9},
    "learner": {"@misc": "spacy_dynoracle.AveragedPerceptron.v1", "margin": 20},
    "features": None,
    "search": {"@misc": "spacy_dynoracle.GreedySearch.v1"},
    "scorer": {"@scorers": "spacy_dynoracle.tagger_scorer.v1"},
}


@Language.factory(
    NAME,
    assigns=["token.tag", "token.pos", "token.morph"],
    default_config=DEFAULT_CONFIG,
    default_score_weights={
        "tag_acc": 0.5,
        "pos_acc": 0.25,
        "morph_acc": 0.25,
        "morph_micro_p": None,
        "morph_micro_r": None,
        "morph_micro_f": None,
        "morph_per_feat": None,
    },
)
def make_dynoracle_tagger(
    nlp: Language,
    name: str,
    attrs: list[str] | None,
    overwrite: bool,
    lexicon: bool,
    n_threads: int,
    seed: int,
    exploration: Exploration,
    learner: LearnerFactory,
    features: FeatureTemplates | None,
    search: Search,
    scorer: Callable[..., dict[str, Any]] | None,
) -> DynOracleTagger:
    """Make a `DynOracleTagger`; see there for the settings."""
    return DynOracleTagger(
        nlp.vocab,
        name,
        attrs=attrs,
        overwrite=overwrite,
        lexicon=lexicon,
        n_threads=n_threads,
        seed=seed,
        exploration=exploration,
        learner=learner,
        features=features,
        search=search,
        scorer=scorer,
    )
