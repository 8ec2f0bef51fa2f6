"""The published templates, and what is refused."""

import pytest

from spacy_dynoracle.rerank.template_sets import (
    GLOBAL,
    GLOBAL_GROUPS,
    GROUPS,
    LEMMA_GROUPS,
    LEMMAS,
    LIU_2015,
    LIU_2015_UD,
    MORPHOLOGY,
)
from spacy_dynoracle.rerank.templates import KINDS, RankingTemplates


def test_counts():
    """Group by group as in the table of the specification."""
    assert {name: len(group) for name, group in GROUPS.items()} == {
        "first order": 32,
        "context": 10,
        "sibling": 12,
        "sibling pair": 8,
        "grandparent": 12,
        "grandparent pair": 7,
        "head bigram": 2,
        "great-grandparent": 15,
        "great-grandparent triple": 8 + 8,
        "great-grandparent pair": 6,
        "grand-sibling": 15 + 8,
        "tri-sibling": 10 + 8 + 8,
        "sibling and grandchild": 20,
        "span length": 2,
        "valency": 6,
        "label set": 6,
        "PP attachment": 16,
    }
    assert len(LIU_2015) == len(LIU_2015_UD) == 219
    assert len(set(LIU_2015)) == 219


def test_some_groups_in_full():
    assert GROUPS["sibling"] == [
        "sibling:Hp.Sp.Mp", "sibling:Hw.Sp.Mp", "sibling:Hp.Sw.Mp", "sibling:Hp.Sp.Mw",
        "sibling:Hp.Sp.Mp.Dir", "sibling:Hw.Sp.Mp.Dir",
        "sibling:Hp.Sw.Mp.Dir", "sibling:Hp.Sp.Mw.Dir",
        "sibling:Hp.Sp.Mp.Rel", "sibling:Hw.Sp.Mp.Rel",
        "sibling:Hp.Sw.Mp.Rel", "sibling:Hp.Sp.Mw.Rel",
    ]  # fmt: skip
    assert GROUPS["grandparent pair"] == [
        "grandparent:Gp.Mp", "grandparent:Gw.Mp", "grandparent:Gp.Mw",
        "grandparent:Gp.Mp.Dir", "grandparent:Gw.Mw.Dir",
        "grandparent:Gp.Mw.Dir", "grandparent:Gw.Mp.Dir",
    ]  # fmt: skip
    assert GROUPS["valency"] == [
        "valency:Np.All", "valency:Nw.All", "valency:Np.Left", "valency:Nw.Left",
        "valency:Np.Right", "valency:Nw.Right",
    ]  # fmt: skip
    assert sorted(GROUPS["PP attachment"]) == sorted(
        f"preposition:{word}H{h}.M{m}{direction}"
        for word in ("", "Pw.")
        for h in "wp"
        for m in "wp"
        for direction in ("", ".Dir")
    )


def test_all_sets_parse():
    every = LIU_2015 + GLOBAL + LEMMAS + MORPHOLOGY
    for templates in (LIU_2015, LIU_2015_UD, GLOBAL, LEMMAS, MORPHOLOGY, every):
        found = RankingTemplates(templates)
        assert len(found) == len(templates)
        assert found == RankingTemplates(list(templates))
        assert set(found.columns) >= {"w", "p"}
    assert RankingTemplates(LIU_2015 + GLOBAL).columns == ("w", "p")
    assert RankingTemplates(LEMMAS).columns == ("w", "p", "lemma", "pos")
    assert "mCase" in RankingTemplates(MORPHOLOGY).columns
    assert len(GLOBAL) == sum(map(len, GLOBAL_GROUPS.values()))
    assert len(LEMMAS) == sum(map(len, LEMMA_GROUPS.values()))
    # Every kind of part is of use.
    used = {template.partition(":")[0] for template in LIU_2015 + LIU_2015_UD + GLOBAL}
    assert used == {kind.name for kind in KINDS}


@pytest.mark.parametrize(
    ("templates", "message"),
    [
        ([], "0 ranking templates: expected 1 to 512"),
        (["arc:Hw"] * 513, "513 ranking templates"),
        ("arc:Hw", "must be a list of strings"),
        (["arc:Hw", "arc:Hw"], "'arc:Hw' is the same as 'arc:Hw'"),
        (["arc:"], "'' is not an atom of arc"),
        (["Hw.Mw"], "'Hw.Mw' is not a kind of part; expected one of arc sibling"),
        (["arc:Hw.Sw"], "'Sw' is not an atom of arc; expected a role \\(H M\\), also"),
        (
            ["arc:Hform"],
            r"a role .* with an attribute \(w p t .* mCase and",
        ),
        (["arc:Hm"], "'Hm' is not an atom of arc"),
        (["arc:HHp"], "'HHp' is not an atom of arc"),
        (["arc:HSp"], "'HSp' is not an atom of arc"),
        (["arc:HMp", "arc:MHp"], "'arc:MHp' is the same as 'arc:HMp'"),
        (["arc:HM+1p"], "'HM\\+1p' is not an atom of arc"),
        (["arc:H+2p"], "is not an atom of arc"),
        (["rightbranch:Np"], "'Np' is not an atom of rightbranch; expected Share"),
        (["sibling:H-1p"], "'H-1p' is not an atom of sibling"),
        (["bigram:Gp.All"], "'All' is not an atom of bigram"),
        (["span:Np.Dist"], "'Dist' is not an atom of span"),
        (["arc:Hw.Hw"], "expected at most 6 atoms, none of them twice"),
    ],
)
def test_refused(templates, message):
    with pytest.raises(ValueError, match=message):
        RankingTemplates(templates)
