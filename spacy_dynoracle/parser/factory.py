"""The factory of the pipeline component `dynoracle_parser`."""

from ..components.settings import register_factory
from .component import NAME, DynOracleParser
from .extensions import register_extensions
from .recipe import ParserRecipe

# The same for a committee.
ASSIGNS = ["token.dep", "token.head", "token.is_sent_start", "doc.sents"]
SCORE_WEIGHTS: dict[str, float | None] = {
    "dep_uas": 0.5,
    "dep_las": 0.5,
    "dep_uas_all": None,
    "dep_las_all": None,
    "dep_las_per_type": None,
    "sents_p": None,
    "sents_r": None,
    "sents_f": 0.0,
}

register_extensions()

make_dynoracle_parser = register_factory(
    NAME,
    DynOracleParser,
    ParserRecipe,
    assigns=ASSIGNS,
    default_score_weights=SCORE_WEIGHTS,
)
