"""Feature templates as data, and their compilation into a plan for the extractor.

A template is a string of atoms joined by dots, such as ``S0w.N0p`` or ``N0p.N0lp``.
An atom is an address followed by an attribute.

Addresses: ``S0 S1 S2`` from the top of the stack and ``N0 N1 N2`` from the front of
the buffer, followed by any of ``h`` head, ``h2`` head of the head, ``l`` leftmost and
``l2`` second leftmost left dependent, ``r`` rightmost and ``r2`` second rightmost right
dependent.

Attributes: ``w`` word form, ``p`` part of speech, ``wp`` both (two atoms), ``l`` label
of the arc into the node, ``vl`` and ``vr`` number of left and right dependents, ``sl``
and ``sr`` set of the labels of left and right dependents. The last four may stand alone
and then belong to the first node of the template: ``S0w.vr`` is the word form of S0
with the number of *its* right dependents. ``d`` stands alone: the distance of S0 and
N0.

Source: Zhang & Nivre 2011, for the addresses, attributes and their meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

# Attributes that are columns of the sentence matrix.
TOKEN_ATTRIBUTES = ("w", "p")
VALENCIES = ("vl", "vr")
LABEL_SETS = ("sl", "sr")
BASES = ("S0", "S1", "S2", "N0", "N1", "N2")
# Each step follows one member of a node; see `Node` in configuration.pxd.
STEPS = {
    "": (),
    "h": ("head",),
    "h2": ("head", "head"),
    "l": ("leftmost",),
    "l2": ("leftmost", "sibling"),
    "r": ("rightmost",),
    "r2": ("rightmost", "sibling"),
}
MEMBERS = {"head": 0, "label": 1, "leftmost": 2, "rightmost": 3, "sibling": 4}
MAX_ATOMS_PER_TEMPLATE = 6
ATOM = re.compile(
    r"(?P<base>[SN]\d)(?P<steps>h2|l2|r2|h|l|r)?(?P<attribute>wp|w|p|vl|vr|sl|sr|l)"
)


@dataclass(frozen=True)
class Atom:
    """One attribute of one node. address: base and steps; None for the distance."""

    address: tuple[str, str] | None
    attribute: str


def parse_template(template: str) -> tuple[Atom, ...]:
    """The atoms of a template.

    Raises ValueError, naming template and atom, when it does not parse.
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
    if text == "d":
        yield Atom(None, "d")
        return
    if text in VALENCIES + LABEL_SETS:
        if not before or before[0].address is None:
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
            f"address ({' '.join(BASES)}, then nothing or one of h h2 l l2 r r2) and "
            f"an attribute (w p wp l vl vr sl sr), or d, vl, vr, sl, sr"
        )
    address = (match["base"], match["steps"] or "")
    attribute = match["attribute"]
    for single in ("w", "p") if attribute == "wp" else (attribute,):
        yield Atom(address, single)


@dataclass
class Plan:
    """What the extractor does for a template set, as flat lists.

    addresses: (parent, member): take node `parent` of this list and follow one of its
        members; bases are (-1, index in BASES). The rest are lists of slots, one for
        each distinct atom, by kind: (slot, address, column or side).
    """

    addresses: list[tuple[int, int]] = field(default_factory=list)
    tokens: list[tuple[int, int, int]] = field(default_factory=list)
    labels: list[tuple[int, int, int]] = field(default_factory=list)
    valencies: list[tuple[int, int, int]] = field(default_factory=list)
    label_sets: list[tuple[int, int, int]] = field(default_factory=list)
    distance: int = -1
    n_slots: int = 0
    templates: list[tuple[int, ...]] = field(default_factory=list)


class FeatureTemplates:
    """A set of feature templates.

    templates: strings as described above; their order is part of the model.

    Raises ValueError for an empty set, a duplicate and a template that does not parse.
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

    @property
    def columns(self) -> tuple[str, ...]:
        """The token attributes in use, in the order of the sentence matrix."""
        used = {atom.attribute for atoms in self.atoms for atom in atoms}
        return tuple(name for name in TOKEN_ATTRIBUTES if name in used)

    def without(self, attribute: str) -> FeatureTemplates:
        """The templates that do not use a token attribute."""
        return FeatureTemplates(
            template
            for template, atoms in zip(self.templates, self.atoms, strict=True)
            if all(atom.attribute != attribute for atom in atoms)
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
                    slots[atom] = plan.n_slots
                    plan.n_slots += 1
                    self._add_slot(plan, addresses, atom, slots[atom])
                template.append(slots[atom])
            plan.templates.append(tuple(template))
        return plan

    def _add_slot(
        self, plan: Plan, addresses: dict[tuple[str, ...], int], atom: Atom, slot: int
    ) -> None:
        if atom.address is None:
            plan.distance = slot
            return
        node = self._address(plan, addresses, *atom.address)
        if atom.attribute == "l":
            plan.labels.append((slot, node, 0))
        elif atom.attribute in VALENCIES:
            plan.valencies.append((slot, node, VALENCIES.index(atom.attribute)))
        elif atom.attribute in LABEL_SETS:
            plan.label_sets.append((slot, node, LABEL_SETS.index(atom.attribute)))
        else:
            plan.tokens.append((slot, node, self.columns.index(atom.attribute)))

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
                plan.addresses.append(
                    (-1, BASES.index(base)) if step is None else (parent, MEMBERS[step])
                )
        return addresses[path]

    def __len__(self) -> int:
        return len(self.templates)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FeatureTemplates) and self.atoms == other.atoms

    def __hash__(self) -> int:
        return hash(self.atoms)

    def __repr__(self) -> str:
        return f"FeatureTemplates({list(self.templates)!r})"
