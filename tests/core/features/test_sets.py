"""The feature sets that systems, taggers and sentence splitters have by default."""

import zlib

import pytest

from experiments.paper_features import GOLDBERG_ELHADAD_2010, GOLDBERG_NIVRE_2013_HYBRID
from spacy_dynoracle.core.features.arc_hybrid import RICH_HYBRID, RICH_HYBRID_TWO_TAGS
from spacy_dynoracle.core.features.arc_standard import ARC_STANDARD, RICH_STANDARD
from spacy_dynoracle.core.features.clusters import OF_PARSERS, OF_TAGGERS, OF_THE_STACK
from spacy_dynoracle.core.features.covington import (
    RICH_COVINGTON,
    RICH_COVINGTON_TWO_TAGS,
)
from spacy_dynoracle.core.features.easy_first import GOLDBERG_NIVRE_2013_EASY_FIRST
from spacy_dynoracle.core.features.rich_eager import RICH_EAGER
from spacy_dynoracle.core.features.sentences import (
    SENTENCE_STARTS,
    SENTENCE_STARTS_WITH_TAGS,
)
from spacy_dynoracle.core.features.tagging import TAGGER
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.core.features.without_tags import on_forms
from spacy_dynoracle.core.features.zhang_nivre_2011 import ZHANG_NIVRE_2011


@pytest.mark.parametrize(
    ("templates", "n", "checksum"),
    [
        (ZHANG_NIVRE_2011, 72, 1015886303),
        (ARC_STANDARD, 76, 2998847616),
        (RICH_STANDARD, 110, 1014937466),
        (RICH_HYBRID, 90, 245186331),
        (RICH_HYBRID_TWO_TAGS, 119, 2885334168),
        (GOLDBERG_NIVRE_2013_EASY_FIRST, 105, 3762520003),
        (RICH_EAGER, 99, 2082568007),
        (RICH_COVINGTON, 87, 2547684961),
        (RICH_COVINGTON_TWO_TAGS, 104, 2296309709),
        (TAGGER, 27, 3742693970),
        (SENTENCE_STARTS, 64, 2339402113),
        (SENTENCE_STARTS_WITH_TAGS, 82, 350640617),
        (OF_PARSERS, 15, 287686784),
        (OF_THE_STACK, 6, 2620941464),
        (OF_TAGGERS, 11, 4052592033),
        (on_forms(ZHANG_NIVRE_2011), 102, 2987232328),
        (on_forms(RICH_HYBRID), 114, 3462995564),
        (on_forms(ARC_STANDARD), 105, 2128753458),
        (on_forms(GOLDBERG_NIVRE_2013_EASY_FIRST), 131, 2681232269),
        (GOLDBERG_NIVRE_2013_HYBRID, 49, 1603344503),
        (GOLDBERG_ELHADAD_2010, 102, 2086078757),
    ],
)
def test_sets_stay_as_they_are(templates, n, checksum):
    """Models depend on the templates and their order.

    The published sets were compared with the papers when the checksums were written.
    """
    assert len(FeatureTemplates(templates)) == n
    assert zlib.crc32(" ".join(templates).encode()) == checksum
