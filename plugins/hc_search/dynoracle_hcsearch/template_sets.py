"""Sets of templates of whole-tree features.

Source: Zhang, Lei, Barzilay, Jaakkola & Globerson 2014, as used by Liu, Che, Qin & Liu
2015, section 4.1. `LIU_2015` has the 219 templates of Liu et al. The other sets are
further templates in the program of Zhang et al.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import product

from .templates import KINDS, NAMES


def lex1(roles: str) -> list[str]:
    """The tags of all roles, and the same with the form in place of the tag of each
    role in turn.
    """
    return [attributes(roles, form) for form in (None, *roles)]


def attributes(roles: str, *forms: str | None) -> str:
    """The tags of the roles, with forms in place of some tags."""
    return ".".join(f"{role}{'w' if role in forms else 'p'}" for role in roles)


def pairs(roles: str, which: str) -> list[str]:
    """Two roles with several combinations of attributes, such as "pp wp"."""
    return [f"{roles[0]}{both[0]}.{roles[1]}{both[1]}" for both in which.split()]


def each(
    kind: str, atoms: Iterable[str], *conjoined: str, plain: bool = True
) -> Iterator[str]:
    """The templates of a kind, alone and combined with each of the further atoms."""
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
    """Templates for the attachment of prepositions: head and dependent, with and
    without the form of the preposition.
    """
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
# The first kind is for prepositions that have dependents (Penn Treebank). The second is
# for prepositions that depend on the noun (Universal Dependencies).
LIU_2015 = tuple(template for group in GROUPS.values() for template in group)
LIU_2015_UD = (
    *(t for name, g in GROUPS.items() if name != "PP attachment" for t in g),
    *attachment("case"),
)
# Features of larger parts, which need only forms and tags. Coordination follows
# Universal Dependencies.
GLOBAL_GROUPS: dict[str, list[str]] = {
    "coordination": ["coordination:Cp.Lp.Rp", "coordination:Cw.Lp.Rp"],
    "conjunct": [
        *each("conjunct", ["Cp.Hp.Ap", "Cp.Hw.Ap", "Cp.Hp.Aw", "Cp.Hw.Aw", "Cw.Hp.Ap"]),
        *each("conjunct", pairs("HA", FOUR)),
    ],
    "pair": ["pair:Ow", "pair:Ow.Hp", "pair:Ow.Inside", "pair:Ow.Hp.Inside"],
    "right branch": ["rightbranch:Share"],
    "child number": [
        *each("children", ["Np.All", "Nw.All", "Np.Sides", "Np.Tags"]),
    ],
    "span end": ["end:Np.Next.Size"],
    "neighbours": [*each("neighbours", ["Lp.Rp"], "Np", "Nw", "Hp", "Hw", plain=False)],
}
GLOBAL = tuple(template for group in GLOBAL_GROUPS.values() for template in group)


def with_lemmas(group: str) -> list[str]:
    """The templates of a published group, with lemmas and coarse tags in place of forms
    and tags.
    """
    columns = {"w": "lemma", "p": "pos"}
    return [
        re.sub(r"(?<=[A-Z])[wp]\b", lambda match: columns[match[0]], template)
        for template in GROUPS[group]
    ]


# The same features with lemmas and coarse tags, and features of arcs and their
# neighbours.
LEMMA_GROUPS: dict[str, list[str]] = {
    "coordination": ["coordination:Cpos.Lpos.Rpos", "coordination:Cw.Lpos.Rpos"],
    "span end": ["end:Npos.Next.Size"],
    "neighbours": [
        *each(
            "neighbours", ["Lpos.Rpos"],
            "Np", "Npos", "Nw", "Hp", "Hpos", "Hw", plain=False,
        ),
    ],
    "first order": with_lemmas("first order"),
    "sibling": with_lemmas("sibling"),
    "grandparent": with_lemmas("grandparent"),
    "great-grandparent": with_lemmas("great-grandparent"),
    "grand-sibling": with_lemmas("grand-sibling"),
}  # fmt: skip
LEMMAS = tuple(template for group in LEMMA_GROUPS.values() for template in group)

# Morphological features that express agreement or government, and their templates.
AGREEING = ("mCase", "mNumber", "mGender", "mPerson", "mVerbForm", "mDefinite")
MORPHOLOGY = tuple(
    template
    for feature in AGREEING
    for template in (
        f"coordination:Cp.LR{feature}",
        *each("arc", [f"Hp.Mp.H{feature}.M{feature}"], "Dir", "Rel"),
        *each("arc", [f"Hp.Mp.HM{feature}"], "Dir", "Rel"),
        f"sibling:Hp.S{feature}.M{feature}",
        f"grandparent:G{feature}.Pp.M{feature}",
    )
)
