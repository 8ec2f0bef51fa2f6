"""The factory of the pipeline component `dynoracle_lemmatizer`."""

from __future__ import annotations

from spacy.language import Language

from ..components.settings import default_config, factory
from .component import NAME, DynOracleLemmatizer
from .recipe import LemmatizerRecipe

DEFAULT_CONFIG = default_config(LemmatizerRecipe)

make_dynoracle_lemmatizer = Language.factory(
    NAME,
    assigns=["token.lemma"],
    requires=["token.pos", "token.morph"],
    default_config=DEFAULT_CONFIG,
    default_score_weights={"lemma_acc": 1.0},
    func=factory(DynOracleLemmatizer, LemmatizerRecipe),
)
