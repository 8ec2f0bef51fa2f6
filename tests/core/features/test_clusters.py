"""Templates of word clusters on top of other sets."""

import pytest

from spacy_dynoracle.core.features.arc_standard import ARC_STANDARD
from spacy_dynoracle.core.features.clusters import OF_PARSERS, OF_THE_STACK, of_clusters
from spacy_dynoracle.core.features.easy_first import GOLDBERG_NIVRE_2013_EASY_FIRST
from spacy_dynoracle.core.features.rich_eager import RICH_EAGER
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.registry.blocks import (
    make_goldberg_nivre_2013_easy_first,
    make_rich_eager,
    make_tagger_features,
    make_with_clusters,
)


def test_all_templates_for_arc_eager():
    assert of_clusters(RICH_EAGER) == OF_PARSERS
    # A set that has them already stays as it is.
    assert of_clusters(RICH_EAGER + OF_PARSERS) == ()


@pytest.mark.parametrize(
    ("templates", "more"),
    [(ARC_STANDARD, OF_THE_STACK), (GOLDBERG_NIVRE_2013_EASY_FIRST, ())],
)
def test_systems_that_do_not_know_the_head(templates, more):
    found = of_clusters(templates)
    of_the_head = sum("S0h" in t for t in OF_PARSERS)
    assert len(found) == len(OF_PARSERS) - of_the_head + len(more)
    FeatureTemplates(templates + found).check_addresses(more == ())


def test_blocks():
    """Without clusters the sets stay as they are."""
    rich = make_rich_eager()
    assert make_with_clusters(rich) == rich
    more = make_with_clusters(rich, "en")
    assert more.templates == RICH_EAGER + OF_PARSERS
    listed = make_with_clusters(make_goldberg_nivre_2013_easy_first(), "en")
    assert "P0cl.P1cl" in listed.templates
    assert "cl" not in make_tagger_features().columns
    assert "cl" in make_tagger_features("clusters.tsv").columns
    with pytest.raises(ValueError, match="the block features made 3"):
        make_with_clusters(3)
