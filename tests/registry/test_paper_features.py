"""Feature sets that only experiments use."""

import pytest

import experiments.paper_features  # noqa: F401

from ..parser.treebank import NAME, block, make_nlp


@pytest.mark.parametrize(
    ("name", "system", "n"),
    [
        ("GoldbergNivre2013Hybrid", "ArcHybrid", 49),
        ("GoldbergElhadad2010", "EasyFirst", 102),
    ],
)
def test_configs_can_name_them(name, system, n):
    features = {"@misc": f"experiments.{name}.v1"}
    parser = make_nlp(system=block(system), features=features).get_pipe(NAME)
    assert len(parser.templates) == n
