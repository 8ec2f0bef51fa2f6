"""The factory of the pipeline component `dynoracle_committee`."""

from __future__ import annotations

from spacy.language import Language

from ..components.settings import default_config, factory
from ..parser.factory import ASSIGNS, SCORE_WEIGHTS
from .component import NAME, DynOracleCommittee
from .recipe import CommitteeRecipe

DEFAULT_CONFIG = default_config(CommitteeRecipe)

make_dynoracle_committee = Language.factory(
    NAME,
    assigns=ASSIGNS,
    default_config=DEFAULT_CONFIG,
    default_score_weights=SCORE_WEIGHTS,
    func=factory(DynOracleCommittee, CommitteeRecipe),
)
