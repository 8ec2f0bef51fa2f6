"""Feature templates: the notation and its errors."""

import pickle
from itertools import product

import pytest

from spacy_dynoracle.core.features.templates import (
    BASES,
    STEPS,
    TOKEN_ATTRIBUTES,
    Atom,
    FeatureTemplates,
    parse_template,
)


def atom(base, attribute, steps=""):
    return Atom((base, steps), attribute)


@pytest.mark.parametrize(
    ("template", "atoms"),
    [
        ("S0w", [atom("S0", "w")]),
        ("N2p", [atom("N2", "p")]),
        ("S0wp", [atom("S0", "w"), atom("S0", "p")]),
        ("S0hwp", [atom("S0", "w", "h"), atom("S0", "p", "h")]),
        ("S0wp.N0p", [atom("S0", "w"), atom("S0", "p"), atom("N0", "p")]),
        # The label of S0, of its leftmost dependent, and the left valency.
        ("S0l", [atom("S0", "l")]),
        ("S0ll", [atom("S0", "l", "l")]),
        ("S0lw", [atom("S0", "w", "l")]),
        ("S0l2l", [atom("S0", "l", "l2")]),
        ("S0lvl", [atom("S0", "vl", "l")]),
        ("S0vl", [atom("S0", "vl")]),
        ("S0hl", [atom("S0", "l", "h")]),
        ("S0h2p", [atom("S0", "p", "h2")]),
        ("S1r2w", [atom("S1", "w", "r2")]),
        # The words beside it in the sentence.
        ("S0<p", [atom("S0", "p", "<")]),
        ("N0>wp.N1w", [*(atom("N0", a, ">") for a in "wp"), atom("N1", "w")]),
        # Alone, these belong to the first node.
        ("N0w.vl", [atom("N0", "w"), atom("N0", "vl")]),
        ("S0w.N0w.sr", [atom("S0", "w"), atom("N0", "w"), atom("S0", "sr")]),
        ("S0rp.vr", [atom("S0", "p", "r"), atom("S0", "vr", "r")]),
        ("d", [Atom(("S0", "N0"), "d")]),
        ("S0w.d", [atom("S0", "w"), Atom(("S0", "N0"), "d")]),
        # Any two bases have a distance; `d` is that of S0 and N0.
        ("S1S0d", [Atom(("S1", "S0"), "d")]),
        ("S0N0d", [Atom(("S0", "N0"), "d")]),
        ("P-2P-1d", [Atom(("P-2", "P-1"), "d")]),
        ("P-1P3d.P0w", [Atom(("P-1", "P3"), "d"), atom("P0", "w")]),
        # The list around a pair.
        ("P-2w", [atom("P-2", "w")]),
        ("P0t", [atom("P0", "t")]),
        ("P0lt", [atom("P0", "t", "l")]),
        ("P3r2p", [atom("P3", "p", "r2")]),
        ("P-1ll", [atom("P-1", "l", "l")]),
        ("P0a.P-1w", [atom("P0", "a"), atom("P-1", "w")]),
        ("P2len", [atom("P2", "len")]),
        ("P-1nc", [atom("P-1", "nc")]),
        ("P0llen", [atom("P0", "len", "l")]),
        ("P1w.vr", [atom("P1", "w"), atom("P1", "vr")]),
        # Attributes of words with longer names.
        ("S0lower", [atom("S0", "lower")]),
        ("S0llower", [atom("S0", "lower", "l")]),
        ("N0l2lemma", [atom("N0", "lemma", "l2")]),
        ("S0pre3.N0suf4", [atom("S0", "pre3"), atom("N0", "suf4")]),
        ("P-1pos.P0shape", [atom("P-1", "pos"), atom("P0", "shape")]),
        ("S0cl.N0cl4", [atom("S0", "cl"), atom("N0", "cl4")]),
        ("S0mCase.N0hmCase", [atom("S0", "mCase"), atom("N0", "mCase", "h")]),
        ("S0mNumber[psor]", [atom("S0", "mNumber[psor]")]),
        ("S0flags.vr", [atom("S0", "flags"), atom("S0", "vr")]),
        ("S0w.S1w.S2w.N0w.N1w.N2w", [atom(b, "w") for b in
                                     ("S0", "S1", "S2", "N0", "N1", "N2")]),
    ],
)  # fmt: skip
def test_parse_template(template, atoms):
    assert parse_template(template) == tuple(atoms)


@pytest.mark.parametrize(
    ("template", "culprit"),
    [
        *((atom, atom) for atom in (
            "", "S0", "w", "S3w", "N3w", "B0w", "s0w", "S0x", "S0h3w", "S0hhw", "S0llw",
            "S0pw", "S0w ", "S0w\n", "S0d", "S0hN0d", "S3S0d", "S0S1S2d", "P4w", "P-3w",
            "P-0w", "S-1w", "P0P4d", "P0n", "P0le", "S0suf8", "S0pre", "S0mcase", "S0m",
            "S0mCase=Nom", "S0mNumber[]", "S0Case", "suf3",
        )),
        ("S0w..N0w", ""),
        ("S0w.", ""),
        ("S0w.N0q", "N0q"),
    ],
)  # fmt: skip
def test_what_is_not_an_atom(template, culprit):
    with pytest.raises(ValueError, match="is not an atom; expected an addr") as raised:
        parse_template(template)
    assert f"feature template {template!r}: {culprit!r} is not" in str(raised.value)


@pytest.mark.parametrize("attribute", [*TOKEN_ATTRIBUTES, "mTense", "mPerson[obj]"])
def test_names_of_atoms_can_be_read_in_one_way(attribute):
    for base, steps in product(BASES, STEPS):
        expected = (atom(base, attribute, steps),)
        assert parse_template(f"{base}{steps}{attribute}") == expected


@pytest.mark.parametrize("template", ["vl", "vr.S0w", "sl", "sr.N0p", "d.vl"])
def test_valencies_and_label_sets_need_a_node(template):
    with pytest.raises(ValueError, match="belongs to the first node of") as raised:
        FeatureTemplates([template])
    assert f"feature template {template!r}" in str(raised.value)


@pytest.mark.parametrize("template", ["S0wp.N0wp.N1wp.N2w", "S0w.S0w.S0w.N0wp.N1wp"])
def test_too_many_atoms(template):
    with pytest.raises(ValueError, match=f"{template!r} has 7 atoms: at most 6"):
        FeatureTemplates([template])


def test_sets_that_are_none():
    with pytest.raises(ValueError, match="a list of strings, got the string 'S0w'"):
        FeatureTemplates("S0w")
    with pytest.raises(ValueError, match="needs at least one template"):
        FeatureTemplates([])


@pytest.mark.parametrize("same", ["S0w.S0p", "S0wp"])
def test_duplicates(same):
    with pytest.raises(ValueError, match=f"template {same!r} is the same as 'S0wp'"):
        FeatureTemplates(["S0wp", "N0w", same])


def test_order_of_atoms_makes_another_template():
    assert len(FeatureTemplates(["S0w.N0w", "N0w.S0w"])) == 2


@pytest.mark.parametrize(
    ("templates", "columns"),
    [
        (["S0w"], ("w",)),
        (["S0p", "N0p.d"], ("p",)),
        (["S0p", "N0w"], ("w", "p")),
        (["N0wp"], ("w", "p")),
        (["S0l", "d"], ()),
        (["P0a.P1t", "P1p", "P2w"], ("w", "p", "t", "a")),
        (["P0t", "P0len", "P0nc"], ("t",)),
        (
            ["S0mB", "S0suf1", "S0mA.N0mB", "S0pos", "S0pre1", "S0w"],
            ("w", "pre1", "suf1", "pos", "mA", "mB"),
        ),
        (["S0cl6", "S0lemma", "S0flags", "S0norm"], ("norm", "flags", "cl6", "lemma")),
    ],
)
def test_columns(templates, columns):
    assert FeatureTemplates(templates).columns == columns
    assert FeatureTemplates(templates[::-1]).columns == columns


def test_distance_written_out_is_the_same():
    with pytest.raises(ValueError, match="template 'S0N0d' is the same as 'd'"):
        FeatureTemplates(["d", "S0N0d"])
    assert len(FeatureTemplates(["S1S0d", "S0S1d"])) == 2


def test_without():
    templates = FeatureTemplates(["S0w", "S0p.N0w", "P0t", "P0a.P1w", "d"])
    assert templates.without("p").templates == ("S0w", "P0t", "P0a.P1w", "d")
    assert templates.without("p", "t", "a").templates == ("S0w", "d")
    with pytest.raises(ValueError, match="needs at least one template"):
        templates.without("p", "t", "a", "w", "d")


@pytest.mark.parametrize(
    ("template", "of_a_list"),
    [("S2hw", False), ("N2w", False), ("d", False), ("S1S0d.S0w", False),
     ("P-2w", True), ("P3rp", True), ("P0P1d", True), ("P0w.vl", True)],
)  # fmt: skip
def test_addresses_suit_a_kind_of_system(template, of_a_list):
    templates = FeatureTemplates([template])
    templates.check_addresses(of_a_list)
    expected = "S0 S1 S2 N0 N1 N2" if of_a_list else "P-2 P-1 P0 P1 P2 P3"
    with pytest.raises(
        ValueError, match=f"{template!r} does not suit .* among {expected}"
    ):
        templates.check_addresses(not of_a_list)


def test_a_list_is_not_seen_beyond_its_ends():
    FeatureTemplates(["P0>vl", "P3>w"]).check_addresses(True)
    for template in ("P0w.P3>vr", "P-2<l"):
        with pytest.raises(ValueError, match=f"{template!r}: .* only attributes of w"):
            FeatureTemplates([template]).check_addresses(True)


@pytest.mark.parametrize("template", ["S0w.P0w", "P0S0d", "P0w.d"])
def test_addresses_of_both_kinds_suit_no_system(template):
    for of_a_list in (False, True):
        with pytest.raises(ValueError, match="does not suit the transition"):
            FeatureTemplates([template]).check_addresses(of_a_list)


def test_equality_repr_and_pickle():
    templates = FeatureTemplates(["S0wp", "N0w"])
    same = FeatureTemplates(["S0w.S0p", "N0w"])
    assert templates == same
    assert hash(templates) == hash(same)
    assert templates != FeatureTemplates(["N0w", "S0wp"])
    assert templates != ["S0wp", "N0w"]
    assert repr(templates) == "FeatureTemplates(['S0wp', 'N0w'])"
    assert pickle.loads(pickle.dumps(templates)) == templates
