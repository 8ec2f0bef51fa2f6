"""The factory of the pipeline component `dynoracle_tagger`."""

from __future__ import annotations

from spacy.language import Language

from ..components.settings import default_config, factory
from .component import NAME, DynOracleTagger
from .recipe import TaggerRecipe

DEFAULT_CONFIG = default_config(TaggerRecipe)

make_dynoracle_tagger = Language.factory(
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
    func=factory(DynOracleTagger, TaggerRecipe),
)
