"""Features of whole trees by name and from files."""

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from dynoracle_hcsearch.features import reranking_templates
from dynoracle_hcsearch.template_sets import (
    GLOBAL,
    LEMMAS,
    LIU_2015,
    LIU_2015_UD,
    MORPHOLOGY,
)
from dynoracle_hcsearch.templates import RankingTemplates

FEATURES = """
# Everything that there is.
liu2015
arc:Hlemma.Mlemma.Dir
arc:Hpos.Mpos.Rel
  rightbranch:Share

arc:HMmNumber.Hp
"""
OWN = (
    "arc:Hlemma.Mlemma.Dir", "arc:Hpos.Mpos.Rel", "rightbranch:Share",
    "arc:HMmNumber.Hp",
)  # fmt: skip


def docs_of(heads, tag="ADP"):
    tags = ["NOUN", tag, "NOUN"]
    settings = {"words": ["x"] * 3, "heads": heads, "deps": ["x"] * 3}
    return [Doc(Vocab(), pos=tags, tags=tags, **settings)]


UD, PTB = docs_of([0, 2, 0]), docs_of([0, 0, 1])


def test_sets():
    assert reranking_templates("liu2015", UD, "TAG") == LIU_2015_UD
    assert reranking_templates("liu2015", PTB, "TAG") == LIU_2015
    assert reranking_templates("global", UD, "TAG") == LIU_2015_UD + GLOBAL
    assert reranking_templates("global", PTB, "TAG") == LIU_2015 + GLOBAL
    lemmas = LIU_2015_UD + GLOBAL + LEMMAS
    assert reranking_templates("lemmas", UD, "TAG") == lemmas
    assert reranking_templates("rich", UD, "TAG") == lemmas + MORPHOLOGY


def test_coarse_tags_that_are_the_tags(tmp_path):
    """No column is read twice, and no template is there twice."""
    found = reranking_templates("rich", UD, "POS")
    assert not any("pos" in template for template in found)
    assert RankingTemplates(found).columns[:3] == ("w", "p", "lemma")
    # All tags, and all forms: they are there already.
    n_fewer = len(reranking_templates("rich", UD, "TAG")) - len(found)
    assert 20 < n_fewer < 60
    file = tmp_path / "own"
    file.write_text("arc:Hp.Hpos\narc:H-1pos.HMpos.Mlemma\n")
    found = reranking_templates(str(file), UD, "POS")
    assert found == ("arc:Hp", "arc:H-1p.HMp.Mlemma")
    found = reranking_templates(str(file), UD, "TAG")
    assert found == ("arc:Hp.Hpos", "arc:H-1pos.HMpos.Mlemma")


def test_files(tmp_path):
    file = tmp_path / "features.txt"
    file.write_text(FEATURES, encoding="utf-8")
    found = reranking_templates(str(file), PTB, "TAG")
    assert found == LIU_2015 + OWN


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "own: 0 ranking templates: expected 1 to 512"),
        (b"# arc:Hw", "own: 0 ranking templates"),
        (
            b"arc:Hw\nS0w.N0w",
            "own: ranking template 'S0w.N0w': 'S0w.N0w' is not a",
        ),
        (b"\xff\xfe", "own: cannot be read: 'utf-8' codec"),
    ],
)
def test_bad_files(tmp_path, text, message):
    file = tmp_path / "own"
    file.write_bytes(text)
    with pytest.raises(ValueError, match=message):
        reranking_templates(str(file), UD, "TAG")


@pytest.mark.parametrize("name", ["LIU2015", "gloabl", ".", ""])
def test_names_that_are_none(name):
    with pytest.raises(ValueError, match="nor one of the sets liu2015, global, lemmas"):
        reranking_templates(name, UD, "TAG")
