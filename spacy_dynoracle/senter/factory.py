"""The factory of the pipeline component `dynoracle_senter`."""

from __future__ import annotations

from spacy.language import Language

from ..components.settings import default_config, factory
from .component import NAME, DynOracleSenter
from .extensions import register_extensions
from .recipe import SenterRecipe

DEFAULT_CONFIG = default_config(SenterRecipe)

register_extensions()

make_dynoracle_senter = Language.factory(
    NAME,
    assigns=["token.is_sent_start", "doc.sents"],
    default_config=DEFAULT_CONFIG,
    default_score_weights={"sents_f": 1.0, "sents_p": 0.0, "sents_r": 0.0},
    func=factory(DynOracleSenter, SenterRecipe),
)
