"""Feature templates, and their compilation into a plan for the extractor.

A template is a string of atoms joined by dots, such as ``S0w.N0p`` or ``N0p.N0lp``.
An atom is an address followed by an attribute.

Addresses: ``S0 S1 S2`` from the top of the stack and ``N0 N1 N2`` from the front of
the buffer; for easy-first ``P-2 P-1 P0 P1 P2 P3``, the pair (P0, P1) and the list
around it, in which ROOT is only ever P0. Any of ``h`` head, ``h2`` head of the head,
``l`` leftmost and ``l2`` second leftmost left dependent, ``r`` rightmost and ``r2``
second rightmost right dependent may follow, or ``<`` the word before it in the sentence
and ``>`` the word after it, wherever these are now: ``S0>p``.

Attributes of the words:

- ``w`` form, ``lower`` and ``norm`` lower-cased and normalised form, ``lemma``
- ``stem`` the first and ``ending`` the last part of a lemma whose parts are separated
  by plus signs, as in Korean; of other lemmas the whole, and null
- ``p`` part of speech, ``wp`` form and part of speech (two atoms), ``t`` part of
  speech, joined with the form for adpositions and coordinating conjunctions, ``a`` form
  of an adposition, ``pos`` coarse part of speech
- ``pre1`` to ``pre5`` and ``suf1`` to ``suf7`` first and last characters, ``shape`` the
  classes of the characters, ``flags`` what kind of form it is (punctuation, number,
  title case, stop word and so on)
- ``cl`` cluster, ``cl4`` and ``cl6`` the first bits of its path
- ``space`` whether whitespace follows the word, ``line`` whether a line break does
  (null if not)
- ``mCase``, ``mNumber``, ``mNumber[psor]`` and so on: the value of a morphological
  feature, by its name in Universal Dependencies

The caller that makes the `Sentence` provides these values. The atom is null for a word
without a cluster or without the morphological feature.

Attributes of the tree built so far: ``l`` label of the arc into the node, ``len``
number of words below the node, itself included (for systems that attach bottom-up),
``nc`` whether it has no dependent, ``vl`` and ``vr`` number of left and right
dependents up to 15, ``sl`` and ``sr`` set of the labels of left and right dependents.
The last four may stand alone and then belong to the first node of the template:
``S0w.vr`` is the word form of S0 with the number of *its* right dependents. A template
with ``a`` makes no feature where the node is not an adposition. ``S1S0d`` is the
distance of two nodes, ``d`` that of S0 and N0. Distances and ``len`` from 6 to 10 are
one number, and those above are another one.

Source: Zhang & Nivre 2011, for the addresses, attributes and their meaning; Goldberg &
Elhadad 2010, figure 2, for P, t, a, len and nc; Koo, Carreras & Collins 2008 for cl.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

# Attributes that are columns of the sentence matrix, in the order of the columns;
# behind them come the morphological features, by name.
AFFIXES = (
    "pre1", "pre2", "pre3", "pre4", "pre5",
    "suf1", "suf2", "suf3", "suf4", "suf5", "suf6", "suf7",
)  # fmt: skip
TOKEN_ATTRIBUTES = (
    "w", "p", "t", "a",
    "lower", "norm", *AFFIXES, "shape", "flags", "cl", "cl4", "cl6", "lemma", "pos",
    "space", "line", "stem", "ending",
)  # fmt: skip
# A layer follows in brackets: Number[psor].
MORPHOLOGICAL = re.compile(r"m[A-Z][A-Za-z0-9]*(?:\[[A-Za-z0-9]+\])?")
# The attributes that come from a tag.
TAG_ATTRIBUTES = ("p", "t", "a")
# A template with this attribute makes no feature where the attribute has no value.
REQUIRED = "a"
# What a word beside the outermost nodes of a list has in the tree changes where
# `EasyFirst.touched` does not look.
_TOO_FAR = {("P-2", "<"), ("P3", ">")}
VALENCIES = ("vl", "vr")
LABEL_SETS = ("sl", "sr")
# Properties of the subtree of a node.
SIZES = ("len", "nc")
# The attributes of the tree built so far, by kind.
OF_THE_TREE = {
    "label": ("l",),
    "valency": VALENCIES,
    "label set": LABEL_SETS,
    "size": SIZES,
}
# The kinds of atoms, as the extractor numbers them.
KINDS = ("token", *OF_THE_TREE, "distance")
STACK_AND_BUFFER = ("S0", "S1", "S2", "N0", "N1", "N2")
LIST = ("P-2", "P-1", "P0", "P1", "P2", "P3")
BASES = STACK_AND_BUFFER + LIST
# Each step follows one member of a node, see `Node` in configuration.pxd, or leads to
# its neighbour in the sentence.
BEFORE, AFTER = "before", "after"
STEPS = {
    "": (),
    "h": ("head",),
    "h2": ("head", "head"),
    "l": ("leftmost",),
    "l2": ("leftmost", "sibling"),
    "r": ("rightmost",),
    "r2": ("rightmost", "sibling"),
    "<": (BEFORE,),
    ">": (AFTER,),
}
MAX_ATOMS_PER_TEMPLATE = 6
BASE = r"[SN]\d|P-?\d"
ATOM = re.compile(
    rf"(?P<base>{BASE})(?P<steps>h2|l2|r2|h|l|r|<|>)?"
    rf"(?P<attribute>wp|{'|'.join(TOKEN_ATTRIBUTES)}|vl|vr|sl|sr|len|nc|l"
    rf"|{MORPHOLOGICAL.pattern})"
)
DISTANCE = re.compile(rf"(?P<left>{BASE})(?P<right>{BASE})d")


@dataclass(frozen=True)
class Atom:
    """One attribute of one node, or the distance of two nodes.

    Attributes:
        address: The base and the steps of the node; for a distance, the two bases.
    """

    address: tuple[str, str]
    attribute: str


# Models and settings of a pipeline share most of their templates.
@lru_cache(maxsize=1 << 12)
def parse_template(template: str) -> tuple[Atom, ...]:
    """Parse a template into its atoms.

    Raises:
        ValueError: If the template is invalid, naming template and atom.
    """
    atoms: list[Atom] = []
    for text in template.split("."):
        atoms.extend(_parse_atom(text, atoms, template))
    if len(atoms) > MAX_ATOMS_PER_TEMPLATE:
        raise ValueError(
            f"feature template {template!r} has {len(atoms)} atoms: at most "
            f"{MAX_ATOMS_PER_TEMPLATE} are possible"
        )
    return tuple(atoms)


def _parse_atom(text: str, before: list[Atom], template: str) -> Iterator[Atom]:
    distance = DISTANCE.fullmatch("S0N0d" if text == "d" else text)
    if distance and distance["left"] in BASES and distance["right"] in BASES:
        yield Atom((distance["left"], distance["right"]), "d")
        return
    if text in VALENCIES + LABEL_SETS:
        if not before or before[0].attribute == "d":
            raise ValueError(
                f"feature template {template!r}: {text!r} belongs to the first node of "
                f"the template, so it cannot come first (expected for example "
                f"'S0w.{text}')"
            )
        yield Atom(before[0].address, text)
        return
    match = ATOM.fullmatch(text)
    if match is None or match["base"] not in BASES:
        raise ValueError(
            f"feature template {template!r}: {text!r} is not an atom; expected an "
            f"address ({' '.join(BASES)}, then nothing or one of h h2 l l2 r r2 < >) "
            f"and an attribute (wp {' '.join(TOKEN_ATTRIBUTES)} l len nc vl vr sl sr, "
            f"or m and the name of a morphological feature: mCase), or d (of two: "
            f"S1S0d), vl, vr, sl, sr"
        )
    address = (match["base"], match["steps"] or "")
    attribute = match["attribute"]
    for single in ("w", "p") if attribute == "wp" else (attribute,):
        yield Atom(address, single)


def columns_of(used: Iterable[str]) -> tuple[str, ...]:
    """The attributes that are columns of the sentence matrix, in the order of the
    columns.
    """
    used = set(used)
    return (
        *(name for name in TOKEN_ATTRIBUTES if name in used),
        *sorted(filter(MORPHOLOGICAL.fullmatch, used)),
    )


@dataclass
class Plan:
    """The instructions of the extractor for a template set, as flat lists.

    Attributes:
        addresses: (parent, member): take node `parent` of this list and follow one of
            its members, by name, or `BEFORE` or `AFTER`; bases are (-1, name).
        slots: For each distinct atom its kind (see `KINDS`), its address, and the
            column or side; for distances a second address.
        templates: For each its slots.
        required: For each template a slot that must not be null, or -1.
    """

    addresses: list[tuple[int, str]] = field(default_factory=list)
    slots: list[tuple[str, int, int]] = field(default_factory=list)
    templates: list[tuple[int, ...]] = field(default_factory=list)
    required: list[int] = field(default_factory=list)


class FeatureTemplates:
    """A set of feature templates.

    Args:
        templates: Strings as described in this module; their order is part of the
            model.

    Attributes:
        columns: The word attributes that the templates use, in the order of the
            sentence matrix.

    Raises:
        ValueError: For an empty set, a duplicate and an invalid template.
    """

    def __init__(self, templates: Iterable[str]) -> None:
        if isinstance(templates, str):
            raise ValueError(
                f"feature templates must be a list of strings, got the string "
                f"{templates!r}"
            )
        self.templates = tuple(templates)
        if not self.templates:
            raise ValueError("a feature set needs at least one template")
        self.atoms = tuple(parse_template(template) for template in self.templates)
        seen: dict[tuple[Atom, ...], str] = {}
        for template, atoms in zip(self.templates, self.atoms, strict=True):
            if atoms in seen:
                raise ValueError(
                    f"feature template {template!r} is the same as {seen[atoms]!r}"
                )
            seen[atoms] = template
        used = {atom.attribute for atoms in self.atoms for atom in atoms}
        self.columns = columns_of(used)

    def without(self, *attributes: str) -> FeatureTemplates:
        """The templates that do not use any of these attributes."""
        return FeatureTemplates(
            template
            for template, atoms in zip(self.templates, self.atoms, strict=True)
            if all(atom.attribute not in attributes for atom in atoms)
        )

    def with_more(self, templates: Iterable[str]) -> FeatureTemplates:
        """These templates, and others behind them."""
        return FeatureTemplates((*self.templates, *templates))

    def check_addresses(self, of_a_list: bool) -> None:
        """Raise ValueError, naming the template, if its addresses do not suit the
        system: addresses of stack and buffer, or addresses of a list of nodes.
        """
        allowed = LIST if of_a_list else STACK_AND_BUFFER
        for template, atoms in zip(self.templates, self.atoms, strict=True):
            for atom in atoms:
                bases = atom.address if atom.attribute == "d" else atom.address[:1]
                if not set(bases) <= set(allowed):
                    raise ValueError(
                        f"feature template {template!r} does not suit the transition "
                        f"system: expected addresses among {' '.join(allowed)}"
                    )
                is_of_tree = any(atom.attribute in of for of in OF_THE_TREE.values())
                if atom.address in _TOO_FAR and is_of_tree:
                    raise ValueError(
                        f"feature template {template!r}: {''.join(atom.address)} has "
                        f"no {atom.attribute}, only attributes of words"
                    )

    def compile(self) -> Plan:
        """The plan that the extractor carries out."""
        plan = Plan()
        addresses: dict[tuple[str, ...], int] = {}
        slots: dict[Atom, int] = {}
        for atoms in self.atoms:
            template = []
            for atom in atoms:
                if atom not in slots:
                    slots[atom] = len(plan.slots)
                    plan.slots.append(self._slot(plan, addresses, atom))
                template.append(slots[atom])
            plan.templates.append(tuple(template))
            needed = [slots[atom] for atom in atoms if atom.attribute == REQUIRED]
            plan.required.append(needed[0] if needed else -1)
        return plan

    def _slot(
        self, plan: Plan, addresses: dict[tuple[str, ...], int], atom: Atom
    ) -> tuple[str, int, int]:
        if atom.attribute == "d":
            left, right = (
                self._address(plan, addresses, base, "") for base in atom.address
            )
            return "distance", left, right
        node = self._address(plan, addresses, *atom.address)
        for kind, attributes in OF_THE_TREE.items():
            if atom.attribute in attributes:
                return kind, node, attributes.index(atom.attribute)
        return "token", node, self.columns.index(atom.attribute)

    @staticmethod
    def _address(
        plan: Plan, addresses: dict[tuple[str, ...], int], base: str, steps: str
    ) -> int:
        path: tuple[str, ...] = (base,)
        for step in (None, *STEPS[steps]):
            if step is not None:
                parent = addresses[path]
                path = (*path, step)
            if path not in addresses:
                addresses[path] = len(plan.addresses)
                plan.addresses.append((-1, base) if step is None else (parent, step))
        return addresses[path]

    def __len__(self) -> int:
        return len(self.templates)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FeatureTemplates) and self.atoms == other.atoms

    def __hash__(self) -> int:
        return hash(self.atoms)

    def __repr__(self) -> str:
        return f"FeatureTemplates({list(self.templates)!r})"
