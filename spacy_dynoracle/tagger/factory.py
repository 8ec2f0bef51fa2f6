"""The factory of the pipeline component `dynoracle_tagger`."""

from ..components.settings import register_factory
from .component import NAME, DynOracleTagger
from .recipe import TaggerRecipe

make_dynoracle_tagger = register_factory(
    NAME,
    DynOracleTagger,
    TaggerRecipe,
    assigns=["token.tag", "token.pos", "token.morph"],
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
