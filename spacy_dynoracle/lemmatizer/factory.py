"""The factory of the pipeline component `dynoracle_lemmatizer`."""

from ..components.settings import register_factory
from .component import NAME, DynOracleLemmatizer
from .recipe import LemmatizerRecipe

make_dynoracle_lemmatizer = register_factory(
    NAME,
    DynOracleLemmatizer,
    LemmatizerRecipe,
    assigns=["token.lemma"],
    requires=["token.pos", "token.morph"],
    default_score_weights={"lemma_acc": 1.0},
)
