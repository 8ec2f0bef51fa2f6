"""The factory of the pipeline component `dynoracle_committee`."""

from __future__ import annotations

from spacy.language import Language

from ..components.settings import default_config, factory
from .component import NAME, DynOracleCommittee
from .recipe import CommitteeRecipe

DEFAULT_CONFIG = default_config(CommitteeRecipe)

make_dynoracle_committee = Language.factory(
    NAME,
    assigns=["token.dep", "token.head", "token.is_sent_start", "doc.sents"],
    default_config=DEFAULT_CONFIG,
    default_score_weights={
        "dep_uas": 0.5,
        "dep_las": 0.5,
        "dep_uas_all": None,
        "dep_las_all": None,
        "dep_las_per_type": None,
        "sents_p": None,
        "sents_r": None,
        "sents_f": 0.0,
    },
    func=factory(DynOracleCommittee, CommitteeRecipe),
)
