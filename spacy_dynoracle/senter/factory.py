"""The factory of the pipeline component `dynoracle_senter`."""

from ..components.settings import register_factory
from .component import NAME, DynOracleSenter
from .recipe import SenterRecipe
from .start_records import register_extensions

register_extensions()

make_dynoracle_senter = register_factory(
    NAME,
    DynOracleSenter,
    SenterRecipe,
    assigns=["token.is_sent_start", "doc.sents"],
    default_score_weights={"sents_f": 1.0, "sents_p": 0.0, "sents_r": 0.0},
)
