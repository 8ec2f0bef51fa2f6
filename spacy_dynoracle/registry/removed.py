"""Names of blocks that are gone. A config with such a name gets an error that says what
to write instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spacy.util import registry

from ..util.config_errors import block_function

ON_FORMS = "write features = null and tag_attr = null"
OF_A_PAPER = (
    "experiments/paper_features.py in the repository registers it as experiments.{name}"
)
INSTEAD = {
    "RichEager.v2": "write spacy_dynoracle.RichEager.v1",
    "ZhangNivre2011WithoutTags.v1": ON_FORMS,
    "RichHybridWithoutTags.v1": ON_FORMS,
    "ZhangNivre2011StandardWithoutTags.v1": ON_FORMS,
    "EasyFirstWithoutTags.v1": ON_FORMS,
    "SenterFeaturesWithTags.v1": (
        "write spacy_dynoracle.SenterFeatures.v1 and tags = true"
    ),
    "GoldbergNivre2013Hybrid.v1": OF_A_PAPER,
    "GoldbergElhadad2010.v1": OF_A_PAPER,
    "EasyFirstUnion.v1": (
        "list its templates with spacy_dynoracle.FeatureTemplates.v1, or write "
        "spacy_dynoracle.GoldbergNivre2013EasyFirst.v1"
    ),
}


def _refusing(name: str, instead: str) -> Callable[[], Any]:
    """A function that makes no block."""

    @block_function("features")
    def refuse() -> Any:
        raise ValueError(
            f"there is no spacy_dynoracle.{name} any more: "
            f"{instead.format(name=name)}; see 'Choose feature templates' in the "
            f"documentation"
        )

    return refuse


for _name, _instead in INSTEAD.items():
    registry.misc(f"spacy_dynoracle.{_name}", func=_refusing(_name, _instead))
