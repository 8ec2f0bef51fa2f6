"""Templates of whole-tree features as data.

The features of a tree are those of its *parts*: an arc, two siblings and their head, a
chain of heads and so on (`KINDS`). A template is the kind of part, a colon, and atoms
joined by dots: ``arc:Hw.Mp.Dist`` is, for every arc, the form of the head, the tag of
the dependent and the distance.

Atoms are a role of the part with ``w`` (form) or ``p`` (tag); for arcs also ``H-1p``,
``H+1p``, ``M-1p`` and ``M+1p``, tags of the words before and after; ``Dir``, directions
of the arcs of the part; ``Rel``, their labels; ``Dist``, signed distance of the last
two roles (1 to 5, 6-10, more than 10); and the values of the kind.

Source: Zhang, Lei, Barzilay, Jaakkola & Globerson 2014, as used by Liu, Che, Qin & Liu
2015, section 4.1. The 219 templates of the latter are `LIU_2015`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

MAX_TEMPLATES = 512
MAX_ATOMS = 6


class Kind(NamedTuple):
    """A kind of part of a tree.

    roles: one letter for each node. arcs: those that Dir and Rel are about, as pairs of
    roles, the head first. values: names of the numbers that a part has.
    """

    name: str
    roles: str
    arcs: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


# No head of a part is ROOT but in "bigram". Siblings are neighbours on the same side of
# their head, from left to right. The order is that of the kinds in trees.pxd.
KINDS = (
    # Head and modifier.
    Kind("arc", "HM", ("HM",)),
    Kind("sibling", "HSM", ("HS", "HM")),
    Kind("trisibling", "HMST", ("HM", "HS", "HT")),
    # Heads of heads: G of P, P of M, M of C.
    Kind("grandparent", "GPM", ("GP", "PM")),
    Kind("greatgrandparent", "GPMC", ("GP", "PM", "MC")),
    # M and S are siblings below P.
    Kind("grandsibling", "GPMS", ("GP", "PM", "PS")),
    # S and M are siblings below H, with a child C of M or of S.
    Kind("sibling+right", "HSMC", ("HS", "HM", "MC")),
    Kind("sibling+left", "HSCM", ("HS", "HM", "SC")),
    # Two words that follow one another, and their heads.
    Kind("bigram", "GHLM", ("GL", "HM")),
    # A preposition P, its head H and its dependent M.
    Kind("preposition", "HPM", ("HP", "PM")),
    # A preposition P that depends on M, and the head H of M.
    Kind("case", "HPM", ("HM", "MP")),
    # A node and what is below it, punctuation left out: number of words; number of
    # dependents; sets of their labels.
    Kind("span", "N", (), ("Size",)),
    Kind("valency", "N", (), ("All", "Left", "Right")),
    Kind("labels", "N", (), ("All", "Left", "Right")),
    # A node and its dependents: number of all, left and right, 5 for more; their tags.
    Kind("children", "N", (), ("All", "Sides", "Tags")),
    # A node and the end of its subtree: what follows; number of words, 5 for more.
    Kind("end", "N", (), ("Next", "Size")),
    # A node, its head and the words just left and right of its subtree.
    Kind("neighbours", "NHLR"),
    # A conjunction C that depends on a conjunct R, whose head is the first conjunct L.
    Kind("coordination", "CLR"),
    # The same with one conjunct A, and the head H of the first.
    Kind("conjunct", "CAH"),
    # A quotation mark or bracket and its partner, and the one head of both; whether
    # it stands between them.
    Kind("pair", "OCH", (), ("Inside",)),
)  # fmt: skip
NAMES = {kind.name: number for number, kind in enumerate(KINDS)}
# The atoms that any part may have, by slot, behind forms and tags of four roles.
BESIDE = 8
DIRECTION, LABEL, DISTANCE, VALUES = 12, 13, 14, 15
N_SLOTS = 18


@dataclass(frozen=True)
class Template:
    """A parsed template: kind of part, slots of its atoms, whether labels are among
    them."""

    kind: int
    slots: tuple[int, ...]
    is_labelled: bool


def parse_template(template: str) -> Template:
    """The kind and the slots of a template.

    Raises ValueError, naming template and atom, when it does not parse.
    """
    name, _, text = template.partition(":")
    if name not in NAMES:
        raise ValueError(
            f"ranking template {template!r}: {name!r} is not a kind of part; expected "
            f"one of {' '.join(NAMES)}"
        )
    atoms = text.split(".")
    slots = slots_of(KINDS[NAMES[name]])
    for atom in atoms:
        if atom not in slots:
            raise ValueError(
                f"ranking template {template!r}: {atom!r} is not an atom of {name}; "
                f"expected some of {' '.join(slots)}"
            )
    if len(atoms) > MAX_ATOMS or len(set(atoms)) < len(atoms):
        raise ValueError(
            f"ranking template {template!r}: expected at most {MAX_ATOMS} atoms, none "
            f"of them twice"
        )
    return Template(NAMES[name], tuple(slots[atom] for atom in atoms), "Rel" in atoms)


def slots_of(kind: Kind) -> dict[str, int]:
    """The slots of all atoms of a kind of part."""
    slots = {
        f"{role}{attribute}": 2 * i + j
        for i, role in enumerate(kind.roles)
        for j, attribute in enumerate("wp")
    }
    if kind.name == "arc":
        beside = (f"{role}{step}p" for role in kind.roles for step in ("-1", "+1"))
        slots |= {atom: BESIDE + i for i, atom in enumerate(beside)}
    if kind.arcs:
        slots |= {"Dir": DIRECTION, "Rel": LABEL}
    if len(kind.roles) > 1:
        slots["Dist"] = DISTANCE
    return slots | {value: VALUES + i for i, value in enumerate(kind.values)}


class RankingTemplates:
    """A set of templates of whole-tree features.

    templates: strings as described above; their order is part of the model.

    Raises ValueError for an empty set, one that is too large, a duplicate and a
    template that does not parse.
    """

    def __init__(self, templates: Iterable[str]) -> None:
        if isinstance(templates, str):
            raise ValueError(
                f"ranking templates must be a list of strings, got the string "
                f"{templates!r}"
            )
        self.templates = tuple(templates)
        if not 0 < len(self.templates) <= MAX_TEMPLATES:
            raise ValueError(
                f"{len(self.templates)} ranking templates: expected 1 to "
                f"{MAX_TEMPLATES}"
            )
        self.parsed = tuple(parse_template(template) for template in self.templates)
        seen: dict[Template, str] = {}
        for template, parsed in zip(self.templates, self.parsed, strict=True):
            if parsed in seen:
                raise ValueError(
                    f"ranking template {template!r} is the same as {seen[parsed]!r}"
                )
            seen[parsed] = template

    def __len__(self) -> int:
        return len(self.templates)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RankingTemplates) and self.parsed == other.parsed

    def __hash__(self) -> int:
        return hash(self.parsed)

    def __repr__(self) -> str:
        return f"RankingTemplates({list(self.templates)!r})"


# ---- the sets ------------------------------------------------------------------------


def lex1(roles: str) -> list[str]:
    """All tags, and for each role in turn its form in place of its tag."""
    return [attributes(roles, form) for form in (None, *roles)]


def attributes(roles: str, *forms: str | None) -> str:
    """The tags of some roles, but the forms of others."""
    return ".".join(f"{role}{'w' if role in forms else 'p'}" for role in roles)


def pairs(roles: str, which: str) -> list[str]:
    """Two roles with some combinations of attributes, such as "pp wp"."""
    return [f"{roles[0]}{both[0]}.{roles[1]}{both[1]}" for both in which.split()]


def each(
    kind: str, atoms: Iterable[str], *conjoined: str, plain: bool = True
) -> Iterator[str]:
    """The templates of a kind, plain and with each of some atoms conjoined."""
    for last, text in product(([""] if plain else []) + [*conjoined], [*atoms]):
        yield f"{kind}:{text}.{last}" if last else f"{kind}:{text}"


FOUR = "pp ww pw wp"
THREE = "pp wp pw"
FIRST_ORDER = (
    "Hw.Mw", "Hw.Mp", "Hp.Mw", "Hp.Mp",
    "Hp.Mp.Mw", "Hw.Mp.Mw", "Hw.Hp.Mp", "Hw.Hp.Mw",
)  # fmt: skip
CONTEXT = (
    "H-1p.Hp.Mp.M+1p", "H-1p.Hp.Mp", "Hp.Mp.M+1p", "H-1p.Hp.M+1p", "H-1p.Mp.M+1p",
    "Hp.H+1p.M-1p.Mp", "Hp.H+1p.Mp", "Hp.M-1p.Mp", "H+1p.M-1p.Mp", "Hp.H+1p.M-1p",
)  # fmt: skip
ONE_NODE = ("Np", "Nw")


def with_values(kind: str) -> list[str]:
    """Tag and form of a node with each value of the kind."""
    return [
        f"{kind}:{node}.{value}"
        for value, node in product(KINDS[NAMES[kind]].values, ONE_NODE)
    ]


def attachment(kind: str) -> list[str]:
    """Attachment of prepositions: head and dependent, with and without its form."""
    bare = pairs("HM", FOUR)
    return [*each(kind, [*bare, *(f"Pw.{atoms}" for atoms in bare)], "Dir")]


# The groups of the published set.
GROUPS: dict[str, list[str]] = {
    "first order": [*each("arc", FIRST_ORDER, "Dist", "Dir", "Rel")],
    "context": [*each("arc", CONTEXT)],
    "sibling": [*each("sibling", lex1("HSM"), "Dir", "Rel")],
    "sibling pair": [*each("sibling", pairs("SM", FOUR), "Dist")],
    "grandparent": [*each("grandparent", lex1("GPM"), "Dir", "Rel")],
    "grandparent pair": [
        *each("grandparent", pairs("GM", THREE)),
        *each("grandparent", pairs("GM", FOUR), "Dir", plain=False),
    ],
    "head bigram": [*each("bigram", ["Gp.Hp.Lp.Mp"], "Dir")],
    "great-grandparent": [*each("greatgrandparent", lex1("GPMC"), "Dir", "Rel")],
    "great-grandparent triple": [
        *each("greatgrandparent", lex1("GPC"), "Dir"),
        *each("greatgrandparent", lex1("GMC"), "Dir"),
    ],
    "great-grandparent pair": [*each("greatgrandparent", pairs("GC", THREE), "Dir")],
    "grand-sibling": [
        *each("grandsibling", lex1("GPMS"), "Dir", "Rel"),
        *each("grandsibling", lex1("GMS"), "Dir"),
    ],
    "tri-sibling": [
        *each("trisibling", lex1("HMST"), "Dir"),
        *each("trisibling", lex1("HMT"), "Dir"),
        *each("trisibling", lex1("MST"), "Dir"),
    ],
    "sibling and grandchild": [
        *each("sibling+right", lex1("HSMC"), "Dir"),
        *each("sibling+left", lex1("HSCM"), "Dir"),
    ],
    "span length": with_values("span"),
    "valency": with_values("valency"),
    "label set": with_values("labels"),
    "PP attachment": attachment("preposition"),
}
# The first is for prepositions that have dependents (Penn Treebank), the second for
# those that depend on the noun (Universal Dependencies).
LIU_2015 = tuple(template for group in GROUPS.values() for template in group)
LIU_2015_UD = (
    *(t for name, g in GROUPS.items() if name != "PP attachment" for t in g),
    *attachment("case"),
)
# What may be added, from the program of Zhang et al. 2014: features of larger parts, as
# far as they need nothing but forms and tags. Coordination is that of UD.
GLOBAL_GROUPS: dict[str, list[str]] = {
    "coordination": ["coordination:Cp.Lp.Rp", "coordination:Cw.Lp.Rp"],
    "conjunct": [
        *each("conjunct", ["Cp.Hp.Ap", "Cp.Hw.Ap", "Cp.Hp.Aw", "Cp.Hw.Aw", "Cw.Hp.Ap"]),
        *each("conjunct", pairs("HA", FOUR)),
    ],
    "pair": ["pair:Ow", "pair:Ow.Hp", "pair:Ow.Inside", "pair:Ow.Hp.Inside"],
    "child number": [
        *each("children", ["Np.All", "Nw.All", "Np.Sides", "Np.Tags"]),
    ],
    "span end": ["end:Np.Next.Size"],
    "neighbours": [*each("neighbours", ["Lp.Rp"], "Np", "Nw", "Hp", "Hw", plain=False)],
}
GLOBAL = tuple(template for group in GLOBAL_GROUPS.values() for template in group)
