"""The factory of the pipeline component `dynoracle_committee`."""

from ..components.settings import register_factory
from ..parser.factory import ASSIGNS, SCORE_WEIGHTS
from .component import NAME, DynOracleCommittee
from .recipe import CommitteeRecipe

make_dynoracle_committee = register_factory(
    NAME,
    DynOracleCommittee,
    CommitteeRecipe,
    assigns=ASSIGNS,
    default_score_weights=SCORE_WEIGHTS,
)
