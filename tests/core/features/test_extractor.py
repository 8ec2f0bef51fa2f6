"""The extractor against a reference that works on names instead of hashes."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle import ArcEager
from spacy_dynoracle.core.features import templates as definitions
from spacy_dynoracle.core.features.arc_hybrid import RICH_HYBRID
from spacy_dynoracle.core.features.arc_standard import ARC_STANDARD
from spacy_dynoracle.core.features.extractor import MEMBERS, Extractor
from spacy_dynoracle.core.features.rich_eager import RICH_EAGER
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.core.features.without_tags import on_forms
from spacy_dynoracle.core.features.zhang_nivre_2011 import ZHANG_NIVRE_2011
from spacy_dynoracle.core.state.sentence import Sentence

from ..builders import SYSTEMS, code, labels_for, restricted, sentence, walk, walks
from .by_hand import assert_atoms, numbered_sentence
from .reference import Reference, assert_same_pattern

ZN = FeatureTemplates(ZHANG_NIVRE_2011)
# Addresses and attributes that no template of Zhang & Nivre combines.
UNUSUAL = FeatureTemplates([
    "S1w", "S2wp", "S1l2l", "S2hw", "N1lp", "N2sl", "S1sr", "S0rvr", "S0h2l", "d",
    "S0w.S0w", "N0w.S0w", "S0w.S1w.S2w.N0w.N1w.N2w", "S0hsl", "S0r2vl", "N0vr", "S1vl",
    "S0<p", "S0>w.N0<w", "S2>l", "N1>sl", "N0<vr", "N2>w.d",
])  # fmt: skip


# ---- one configuration, by hand ------------------------------------------------------

# ROOT stands last. Stack: w3 w7; buffer: w12 w13 ROOT.
#   w3 -conj-> w7; w7 -det-> w4, -amod-> w5, -amod-> w6, -case-> w8, -nmod-> w10;
#   w12 -aux-> w11, -nsubj-> w1; w1 -punct-> w2
ARCS = [
    (3, "conj", 7),
    (7, "det", 4),
    (7, "amod", 5),
    (7, "amod", 6),
    (7, "case", 8),
    (7, "nmod", 10),
    (12, "nsubj", 1),
    (12, "aux", 11),
    (1, "punct", 2),
]

# Every atom of the 72 templates in that configuration; None is null.
BY_HAND = {
    "S0w": "w7", "S0p": "p7", "S0l": "conj",
    "N0w": "w12", "N0p": "p12", "N1w": "w13", "N1p": "p13",
    "N2w": "ROOT", "N2p": "ROOT",
    "S0hw": "w3", "S0hp": "p3", "S0hl": None, "S0h2w": None, "S0h2p": None,
    "S0lw": "w4", "S0lp": "p4", "S0ll": "det",
    "S0l2w": "w5", "S0l2p": "p5", "S0l2l": "amod",
    "S0rw": "w10", "S0rp": "p10", "S0rl": "nmod",
    "S0r2w": "w8", "S0r2p": "p8", "S0r2l": "case",
    "N0lw": "w1", "N0lp": "p1", "N0ll": "nsubj",
    "N0l2w": "w11", "N0l2p": "p11", "N0l2l": "aux",
    "d": "5",
    "S0vl": 3, "S0vr": 2, "N0vl": 2,
    "S0sl": {"det", "amod"}, "S0sr": {"case", "nmod"}, "N0sl": {"nsubj", "aux"},
}  # fmt: skip


def hand_written():
    c = ArcEager().configuration(13, stack=[3, 7], buffer=[12, 13, 0], arcs=ARCS)
    return c, numbered_sentence(13, ("w", "p"))


def test_all_templates_of_zhang_nivre_2011():
    c, words = hand_written()
    # w3 has neither head nor label.
    assert assert_atoms(ZN.templates, c, BY_HAND) == ["S0h2w", "S0h2p", "S0hl"]
    assert len(Extractor(ZN).keys(c, words)) == 69


# ---- any configuration ---------------------------------------------------------------


@st.composite
def random_configurations(draw):
    n = draw(st.integers(0, 14))
    words = draw(labels_for(n, ("x", "y", "z")))
    tags = draw(labels_for(n, ("x", "y")))
    system = restricted(draw(st.sampled_from(SYSTEMS)), draw(st.booleans()))
    steps = draw(walks(system, n, labels=("a", "b", "c", None)))
    return walk(system, n, steps), words, tags, system.root


@pytest.mark.parametrize(
    "templates",
    [ZN, UNUSUAL, FeatureTemplates(RICH_HYBRID), FeatureTemplates(ARC_STANDARD)],
    ids=["ZN", "unusual", "hybrid", "standard"],
)
@given(random_configurations())
def test_as_the_reference(templates, configuration):
    c, words, tags, root = configuration
    extractor = Extractor(templates)
    found = extractor.atom_values(c, sentence(words, tags))
    reference = Reference(c, {"w": words, "p": tags}, root)
    assert_same_pattern(found, list(reference.features(templates)))
    keys = extractor.keys(c, sentence(words, tags))
    assert len(keys) == len(set(keys)) == len(found)


# Attributes of words that may be null, and others.
NULLABLE = ("cl", "cl6", "mCase", "mNumber[psor]")
LEXICAL = FeatureTemplates([
    "S0suf3", "S0suf3.N0suf3", "S1flags.N0flags.d", "N0lshape", "S0mCase.N0mCase",
    "S0mCase", "N0mNumber[psor].S0mCase", "S0cl.N0w", "N1cl6", "S0rcl6.S0lemma",
    "S0hcl",
])  # fmt: skip


@pytest.mark.heavy
@pytest.mark.parametrize(
    "templates",
    [LEXICAL, FeatureTemplates(RICH_EAGER), FeatureTemplates(on_forms(ARC_STANDARD))],
    ids=["any", "eager", "forms"],
)
@given(random_configurations(), st.data())
def test_other_attributes_of_words(templates, configuration, data):
    c, words, _, root = configuration
    values, columns = [], {}
    nullable = [name for name in templates.columns if name in NULLABLE]
    for name in templates.columns:
        known = st.sampled_from(["x", "y", None] if name in nullable else ["x", "y"])
        n = len(words)
        columns[name] = data.draw(st.lists(known, min_size=n, max_size=n))
        values.append([0 if value is None else code(value) for value in columns[name]])
    table = np.array(values, dtype=np.uint64).T.reshape(len(words), len(columns))
    numbers = [templates.columns.index(name) for name in nullable]
    found = Extractor(templates).atom_values(
        c, Sentence(np.ascontiguousarray(table), numbers)
    )
    reference = Reference(c, columns, root, nullable)
    assert_same_pattern(found, list(reference.features(templates)))


@given(random_configurations(), random_configurations())
def test_keys_are_equal_where_the_atoms_are(one, other):
    """Across sentences: the key of a feature depends on template and atoms alone."""
    extractor = Extractor(ZN)
    seen, owners = {}, {}
    for c, words, tags, root in (one, other):
        item = sentence(words, tags)
        features = Reference(c, {"w": words, "p": tags}, root).features(ZN)
        # Label ids are given by each configuration in the order of first use.
        ids = {label: i for i, label in enumerate(c.labels)}
        for key, (template, values) in zip(
            extractor.keys(c, item), features, strict=True
        ):
            feature = template, tuple(numbered(value, ids) for value in values)
            assert seen.setdefault(feature, key) == key
            assert owners.setdefault(key, feature) == feature


def numbered(value, ids):
    if value is not None and value[0] == "label":
        return "label", ids[value[1]]
    if value is not None and value[0] == "label set":
        return "label set", frozenset(ids[label] for label in value[1])
    return value


# ---- single points -------------------------------------------------------------------


def atoms_in(template, c):
    """The atoms of a template, or None if it is left out."""
    n = len(c)
    words = [f"w{k}" for k in range(1, n + 1)]
    templates = FeatureTemplates([template])
    item = sentence(*[words] * len(templates.columns))
    if not templates.columns:
        item = Sentence(np.empty((n, 0), dtype=np.uint64))
    return dict(Extractor(templates).atom_values(c, item)).get(template)


@pytest.mark.parametrize(
    ("labels", "others", "same"),
    [
        (["a", "b"], ["b", "a"], True),
        (["a", "a", "b"], ["b", "a", "b"], True),
        (["a", "a"], ["a"], True),
        (["a", "b"], ["a"], False),
        # A sum or an exclusive or of label numbers would confuse these.
        (["a", "a"], [], False),
        (["a", "b", "b"], ["a", "c", "c"], False),
        (["a", "d"], ["b", "c"], False),
    ],
)
@pytest.mark.parametrize("side", ["l", "r"])
def test_label_sets_are_sets(labels, others, same, side):
    def atom(names):
        # The first configuration fixes the numbers of all labels.
        node, first = (6, 1) if side == "l" else (1, 2)
        c = ArcEager().configuration(
            11,
            stack=[node],
            arcs=[(11, label, 7 + i) for i, label in enumerate("abcd")]
            + [(node, name, first + i) for i, name in enumerate(names)],
        )
        return atoms_in(f"S0s{side}", c)

    assert (atom(labels) == atom(others)) == same


def test_valency_is_capped_at_15():
    def atom(n):
        c = ArcEager().configuration(
            20, stack=[20], arcs=[(20, None, d) for d in range(1, n + 1)]
        )
        return atoms_in("S0vl", c)

    values = [atom(n) for n in range(20)]
    assert len(set(values[:16])) == 16
    assert set(values[15:]) == {values[15]}


def test_distance_buckets():
    def bucket(distance):
        c = ArcEager().configuration(30, stack=[2], buffer=[2 + distance])
        return atoms_in("d", c)

    buckets = {}
    for distance in range(1, 29):
        buckets.setdefault(bucket(distance), []).append(distance)
    expected = [[1], [2], [3], [4], [5], [*range(6, 11)], [*range(11, 29)]]
    assert list(buckets.values()) == expected


def test_root_is_neither_null_nor_a_word():
    last = ArcEager().configuration(1, stack=[1], buffer=[0])
    first = ArcEager(root="first").configuration(1, stack=[0], buffer=[1])
    root = atoms_in("N0w", last)
    assert root != (0,)
    assert root != atoms_in("S0w", last)
    assert atoms_in("S0w", first) == root
    # Words and tags of ROOT differ as those of words do.
    assert len(set(atoms_in("N0wp", last))) == 2


def keys(templates, c, words):
    return Extractor(FeatureTemplates(templates)).keys(c, sentence(words))


def test_keys_of_swapped_atoms_differ():
    c = ArcEager().configuration(2, stack=[1], buffer=[2, 0])
    assert keys(["S0w.N0w"], c, ["x", "y"]) != keys(["S0w.N0w"], c, ["y", "x"])
    assert keys(["S0w.N0w"], c, ["x", "x"]) == keys(["S0w.N0w"], c, ["x", "x"])
    # Null atoms have a place, too.
    only_s0 = ArcEager(root="none").configuration(2, stack=[1])
    only_n0 = ArcEager(root="none").configuration(2, buffer=[1])
    assert keys(["S0w.N0w"], only_s0, "xx") != keys(["S0w.N0w"], only_n0, "xx")


def test_keys_of_templates_with_equal_atoms_differ():
    c = ArcEager().configuration(2, stack=[1], buffer=[2, 0])
    found = keys(["S0w", "N0w", "S0w.N0w", "N0w.S0w"], c, ["x", "x"])
    assert len(set(found)) == 4


# ---- errors --------------------------------------------------------------------------


def test_sentence_must_fit():
    c = ArcEager().initial(2)
    extractor = Extractor(FeatureTemplates(["S0w.N0p"]))
    for ask in (extractor.keys, extractor.atom_values):
        for wrong in (sentence("abc", "abc"), sentence("ab")):
            with pytest.raises(ValueError, match="a sentence of 2 words with 2 at"):
                ask(c, wrong)
        with pytest.raises(TypeError):
            ask(None, sentence("ab", "ab"))


def test_columns_of_others_behind_its_own():
    c = ArcEager().initial(2)
    extractor = Extractor(FeatureTemplates(["S0w"]))
    assert extractor.keys(c, sentence("ab", "cd")) == extractor.keys(c, sentence("ab"))


BASES = ("S0", "S1", "S2", "N0", "N1", "N2")
STEPS = ("", "h", "h2", "l", "l2", "r", "r2")
ATTRIBUTES = ("w", "p", "l", "vl", "vr", "sl", "sr")
# 6 * 7 * 7 = 294 atoms, the largest set that the notation allows.
ALL_ATOMS = [b + s + a for b in BASES for s in STEPS for a in ATTRIBUTES]


def test_too_many_atoms():
    FeatureTemplates(ALL_ATOMS)
    with pytest.raises(
        ValueError, match="294 atoms and 294 templates: at most 64, 256"
    ):
        Extractor(FeatureTemplates(ALL_ATOMS))
    with pytest.raises(ValueError, match="257 atoms and 257 templates"):
        Extractor(FeatureTemplates(ALL_ATOMS[:257]))


def test_too_many_templates():
    pairs = [f"{a}.{b}" for a in ALL_ATOMS[:23] for b in ALL_ATOMS[:23]]
    with pytest.raises(ValueError, match="23 atoms and 513 templates"):
        Extractor(FeatureTemplates(pairs[:513]))
    assert len(Extractor(FeatureTemplates(pairs[:512])).templates) == 512


def test_largest_sets():
    c, words = hand_written()
    columns = {"w": range(1, 14), "p": range(1, 14)}
    templates = FeatureTemplates(ALL_ATOMS[38:])
    assert len(templates) == 256
    found = Extractor(templates).atom_values(c, words)
    assert_same_pattern(found, list(Reference(c, columns).features(templates)))


def test_pickle():
    c, words = hand_written()
    extractor = Extractor(ZN)
    copy = pickle.loads(pickle.dumps(extractor))
    assert copy.keys(c, words) == extractor.keys(c, words)


def test_names_of_addresses_are_those_of_the_c_code():
    assert set(MEMBERS) == {
        member for steps in definitions.STEPS.values() for member in steps
    }
