"""Templates of lemmas on top of other sets."""

import pytest

from spacy_dynoracle.core.features.arc_standard import ARC_STANDARD
from spacy_dynoracle.core.features.easy_first import GOLDBERG_NIVRE_2013_EASY_FIRST
from spacy_dynoracle.core.features.lemmas import (
    OF_ENDINGS,
    OF_HEADS,
    OF_STEMS,
    of_lemmas,
)
from spacy_dynoracle.core.features.rich_eager import RICH_EAGER
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.core.systems.arc_eager import ArcEager
from spacy_dynoracle.registry.default_features import features_for_data


def test_endings_only_where_lemmas_have_them():
    assert of_lemmas(RICH_EAGER, endings=False) == OF_STEMS + OF_HEADS
    assert of_lemmas(RICH_EAGER, endings=True) == OF_STEMS + OF_ENDINGS + OF_HEADS


@pytest.mark.parametrize(
    ("templates", "on_list"),
    [(ARC_STANDARD, False), (GOLDBERG_NIVRE_2013_EASY_FIRST, True)],
)
def test_systems_that_do_not_know_the_head(templates, on_list):
    found = of_lemmas(templates, endings=True)
    assert len(found) == len(OF_STEMS + OF_ENDINGS)
    FeatureTemplates((*templates, *found)).check_addresses(on_list)


@pytest.mark.parametrize("parts", [(), ("stem",), ("stem", "ending")])
def test_the_default_set_has_the_parts_that_the_data_have(parts):
    features, _ = features_for_data(ArcEager(), "TAG", {"TAG"}, (), False, parts)
    columns = set(features.columns) & {"stem", "ending"}
    assert columns == set(parts)
