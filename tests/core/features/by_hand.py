"""Expected atoms of all templates of a set, from the atoms of a configuration."""

import re

import numpy as np

from spacy_dynoracle.core.features.extractor import Extractor
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.core.state.sentence import Sentence

from ..builders import code, sentence
from .reference import assert_same_pattern

# Values of different kinds are different. `S0l` and `S0ll` are labels.
KINDS = {
    "d": "distance", "w": "word", "p": "tag", "l": "label",
    "t": "lexical tag", "a": "adposition", "len": "size", "nc": "size",
    "vl": "valency", "vr": "valency", "sl": "label set", "sr": "label set",
}  # fmt: skip


def kind(atom):
    """The kind of values that an atom, which is an address and an attribute, has."""
    return next(KINDS[atom[-n:]] for n in (3, 2, 1) if atom[-n:] in KINDS)


def atoms_of(template):
    """The atoms of a template: `vl` after `S0w` is `S0vl`."""
    base = re.match(r"[SN]\d|P-?\d|", template)[0]
    for atom in template.split("."):
        yield base + atom if atom in ("vl", "vr", "sl", "sr") else atom


def symbol(atom, values):
    value = values[atom]
    if value is None:
        return None
    return kind(atom), frozenset(value) if isinstance(value, set) else value


def numbered_sentence(n, columns, adpositions=()):
    """Words w1 .. wn with tags p1 .. pn and t1 .. tn; the form of adpositions in a."""
    words = range(1, n + 1)
    if "a" not in columns:
        return sentence(*([f"{column}{k}" for k in words] for column in columns))
    values = [
        [
            code(f"{column}{k}") if column != "a" or k in adpositions else 0
            for column in columns
        ]
        for k in words
    ]
    return Sentence(np.array(values, dtype=np.uint64), [columns.index("a")])


def assert_atoms(templates, c, values, *, adpositions=()):
    """Compare with what the extractor finds; returns the templates that are left out.

    Args:
        values: Every atom by its name; None is null.
    """
    templates = FeatureTemplates(templates)
    expected, left_out = [], []
    for template in templates.templates:
        atoms = list(atoms_of(template))
        symbols = tuple(symbol(atom, values) for atom in atoms)
        missing = any(a[-1] == "a" and values[a] is None for a in atoms)
        if missing or not any(symbols):
            left_out.append(template)
        else:
            expected.append((template, symbols))
    words = numbered_sentence(len(c), templates.columns, adpositions)
    extractor = Extractor(templates)
    assert_same_pattern(extractor.atom_values(c, words), expected)
    assert len(set(extractor.keys(c, words))) == len(expected)
    return left_out
