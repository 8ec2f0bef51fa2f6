"""Templates of whole-tree features, and their parts and atoms.

The features of a tree are the features of its *parts*: an arc, two siblings and their
head, a chain of heads and so on (`KINDS`). A template has the kind of part, a colon,
and atoms joined by dots. ``arc:Hw.Mp.Dist`` makes a feature for every arc, from the
form of the head, the tag of the dependent and the distance.

Atoms are

- a role of the part with a column of the sentence: ``Hw`` form, ``Hp`` tag, ``Hlemma``,
  ``Hpos``, ``HmCase`` and so on, see `core.features.templates`
- two roles with a column, ``LRmCase``: the value that both words have; where they do
  not have the same one, or none, the template is left out
- for arcs, ``H-1p``, ``H+1p``, ``M-1p`` and ``M+1p``: of the words before and after
- ``Dir``, directions of the arcs of the part; ``Rel``, their labels; ``Dist``, signed
  distance of the last two roles (1 to 5, 6-10, more than 10)
- the values of the kind

The sets are in `template_sets`.

Source: Zhang, Lei, Barzilay, Jaakkola & Globerson 2014, as used by Liu, Che, Qin & Liu
2015, section 4.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spacy_dynoracle.core.features.templates import (
    MORPHOLOGICAL,
    TOKEN_ATTRIBUTES,
    columns_of,
)

MAX_TEMPLATES = 512
MAX_ATOMS = 6
# Every ranker reads these columns, because it makes the parts from them.
NEEDED = ("w", "p")


class Kind(NamedTuple):
    """A kind of part of a tree.

    Attributes:
        roles: One letter for each node.
        arcs: The arcs that Dir and Rel describe, as pairs of roles, the head first.
        values: Names of the numbers that a part has.
    """

    name: str
    roles: str
    arcs: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


# Only in "bigram" can the head of a part be ROOT. Siblings are neighbours on the same
# side of their head, from left to right. parts.pxd has them in the same order.
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
    # The path from ROOT to the last right dependent, the last one of that and so on,
    # punctuation left out. Its one feature is no indicator: it has the length of the
    # path as share of the number of words.
    Kind("rightbranch", "", (), ("Share",)),
)  # fmt: skip
NAMES = {kind.name: number for number, kind in enumerate(KINDS)}
# The places of the atoms that any part may have. The atoms of words come after them.
DIRECTION, LABEL, DISTANCE, VALUES, WORDS = 0, 1, 2, 3, 6
WORD_ATOM = re.compile(
    r"(?P<role>[A-Z])(?:(?P<other>[A-Z])|(?P<step>[-+]1))?"
    rf"(?P<column>{'|'.join(TOKEN_ATTRIBUTES)}|{MORPHOLOGICAL.pattern})"
)


class WordAtom(NamedTuple):
    """A column of a word of a part.

    Attributes:
        role: Place of the word among the roles of the kind.
        step: -1 and 1 for the word before and after it.
        other: Place of the role that must have the same value, or -1.
    """

    role: int
    step: int
    other: int
    column: str


@dataclass(frozen=True)
class Template:
    """A parsed template: the kind of part, its atoms, and whether it has labels.

    Atoms that any part may have are given by their place.
    """

    kind: int
    atoms: tuple[WordAtom | int, ...]
    is_labelled: bool

    @property
    def is_conditional(self) -> bool:
        """Whether the template applies only where two words have a common value."""
        return any(isinstance(a, WordAtom) and a.other >= 0 for a in self.atoms)


def parse_template(template: str) -> Template:
    """Parse a template into its kind and its atoms.

    Raises:
        ValueError: If the template is invalid, naming template and atom.
    """
    name, _, text = template.partition(":")
    if name not in NAMES:
        raise ValueError(
            f"ranking template {template!r}: {name!r} is not a kind of part; expected "
            f"one of {' '.join(NAMES)}"
        )
    kind = KINDS[NAMES[name]]
    places = places_of(kind)
    atoms: list[WordAtom | int] = []
    for atom in text.split("."):
        found = places[atom] if atom in places else parse_word_atom(atom, kind)
        if found is None:
            raise ValueError(
                f"ranking template {template!r}: {atom!r} is not an atom of {name}; "
                f"expected {expected_of(kind)}"
            )
        atoms.append(found)
    if len(atoms) > MAX_ATOMS or len(set(atoms)) < len(atoms):
        raise ValueError(
            f"ranking template {template!r}: expected at most {MAX_ATOMS} atoms, none "
            f"of them twice"
        )
    return Template(NAMES[name], tuple(atoms), LABEL in atoms)


def places_of(kind: Kind) -> dict[str, int]:
    """The places of those atoms of a kind that describe the part and not a single
    word.
    """
    places = {"Dir": DIRECTION, "Rel": LABEL} if kind.arcs else {}
    if len(kind.roles) > 1:
        places["Dist"] = DISTANCE
    return places | {value: VALUES + i for i, value in enumerate(kind.values)}


def parse_word_atom(text: str, kind: Kind) -> WordAtom | None:
    """Parse an atom of one word or of two words of a part.

    Returns:
        None for other atoms.
    """
    match = WORD_ATOM.fullmatch(text)
    if match is None or match["role"] not in kind.roles:
        return None
    role, other = kind.roles.index(match["role"]), -1
    if match["other"]:
        if match["other"] not in kind.roles or match["other"] == match["role"]:
            return None
        role, other = sorted((role, kind.roles.index(match["other"])))
    # Only an arc is certain to have all its nodes.
    if match["step"] and kind.name != "arc":
        return None
    return WordAtom(role, int(match["step"] or 0), other, match["column"])


def expected_of(kind: Kind) -> str:
    """A list of the possible atoms of a kind of part, for error messages."""
    places = " ".join(places_of(kind))
    if not kind.roles:
        return places
    columns = f"an attribute ({' '.join(TOKEN_ATTRIBUTES)}, mCase and the like)"
    beside = ", also with -1 or +1," if kind.name == "arc" else ""
    roles = f"a role ({' '.join(kind.roles)}){beside} with {columns}"
    return f"{roles}, or {places}" if places else roles


class RankingTemplates:
    """A set of templates of whole-tree features.

    Args:
        templates: Strings as described in this module; their order is part of the
            model.

    Attributes:
        columns: The columns of sentences that the templates read.

    Raises:
        ValueError: For an empty set, a set that is too large, a duplicate, and an
            invalid template.
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
        used = {
            atom.column
            for parsed in self.parsed
            for atom in parsed.atoms
            if isinstance(atom, WordAtom)
        }
        self.columns = columns_of(used.union(NEEDED))

    def behind(self, columns: Sequence[str]) -> tuple[str, ...]:
        """The columns of sentences that parser and ranker need together: the columns of
        the parser, then those that only the ranker reads.
        """
        return (*columns, *(name for name in self.columns if name not in columns))

    def __len__(self) -> int:
        return len(self.templates)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RankingTemplates) and self.parsed == other.parsed

    def __hash__(self) -> int:
        return hash(self.parsed)

    def __repr__(self) -> str:
        return f"RankingTemplates({list(self.templates)!r})"
