"""Feature templates for text without tags.

Only the form of a word is known. `on_forms` keeps the templates of a set with tags, but
uses the last characters of the form in place of the part of speech. It adds templates
for affixes and shape of the form. The results are not published sets.

`agreement` makes templates for the morphological features of words that an arc may
connect. It is useful for text with tags too.
"""

from collections.abc import Iterable

from .templates import (
    LIST,
    MORPHOLOGICAL,
    STACK_AND_BUFFER,
    TAG_ATTRIBUTES,
    Atom,
    parse_template,
)

# This attribute replaces the part of speech.
PSEUDO_TAG = "suf3"

# Those of a form that say nearly as much as a tag.
PARTS = ("pre1", "pre2", "pre3", "suf1", "suf2", "suf3", "suf4", "shape", "flags")

# The morphological features that the default sets use.
MORPHOLOGICAL_FEATURES = (
    "Case", "Gender", "Number", "Person", "VerbForm", "Mood", "Tense",
)  # fmt: skip


# Words for templates of single words, pairs of words that an arc may connect, and the
# atom for the distance of the first pair: for arc-eager and arc-hybrid, for
# arc-standard, and for easy-first.
AROUND = ("S0", "S1", "N0", "N1")
ON_STACK_AND_BUFFER = AROUND, (("S0", "N0"), ("S1", "S0")), "d"
ON_THE_STACK = AROUND, (("S1", "S0"), ("S0", "N0")), "S1S0d"
ON_A_LIST = (
    ("P0", "P1", "P-1", "P2"),
    (("P0", "P1"), ("P-1", "P0"), ("P1", "P2")),
    "P0P1d",
)


def without_its_tag(atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """The atoms of a template with `PSEUDO_TAG` in place of the tag of a word. It is
    left out beside the form of the same word, where it adds no information.
    """
    forms = {atom.address for atom in atoms if atom.attribute == "w"}
    return tuple(
        Atom(a.address, PSEUDO_TAG) if a.attribute in TAG_ATTRIBUTES else a
        for a in atoms
        if a.attribute not in TAG_ATTRIBUTES or a.address not in forms
    )


def _text(atom: Atom) -> str:
    """The text of an atom in a template."""
    text = f"{''.join(atom.address)}{atom.attribute}"
    return "d" if text == "S0N0d" else text


def of_the_form(
    nodes: tuple[str, ...], pairs: tuple[tuple[str, str], ...], distance: str
) -> tuple[str, ...]:
    """Templates for affixes and shape of the forms of words.

    Args:
        nodes: Nodes for templates of single words.
        pairs: Pairs of words that an arc may connect.
        distance: The atom for the distance of the first pair.
    """
    first, second = pairs[0]
    return (
        *(f"{node}{part}" for node in nodes for part in PARTS),
        *(f"{left}suf3.{right}suf3" for left, right in pairs),
        f"{first}suf3.{second}w", f"{first}w.{second}suf3",
        f"{first}shape.{second}shape",
        f"{first}flags.{distance}", f"{second}flags.{distance}",
    )  # fmt: skip


def on_forms(templates: Iterable[str]) -> tuple[str, ...]:
    """A set for text without tags, made from a set with tags.

    Args:
        templates: The templates with tags. They show which words an arc may connect.
    """
    parsed = [parse_template(template) for template in templates]
    atoms = {atom for template in parsed for atom in template}
    pairs: tuple[tuple[str, str], ...]
    nodes, pairs, distance = ON_STACK_AND_BUFFER
    if any(atom.address[0] in LIST for atom in atoms):
        nodes, pairs, distance = ON_A_LIST
    elif Atom(("S1", "S0"), "d") in atoms:
        nodes, pairs, distance = ON_THE_STACK
    found = [without_its_tag(template) for template in parsed]
    found += map(parse_template, of_the_form(nodes, pairs, distance))
    # Templates that have become equal appear once.
    return tuple(".".join(map(_text, template)) for template in dict.fromkeys(found))


def agreement(templates: Iterable[str], names: Iterable[str]) -> tuple[str, ...]:
    """Templates of morphological features, to add to a set.

    Each feature has templates for its value in each word that an arc may connect, and
    in both words together.

    Args:
        templates: The templates of the set; they show whether it uses a list of nodes
            or S1.
        names: Names of features, such as "Case" or "Number[psor]".

    Raises:
        ValueError: For an invalid name of a feature.
    """
    atoms = [atom for template in templates for atom in parse_template(template)]
    bases = {atom.address[0] for atom in atoms}
    pairs = [("S0", "N0")] if bases & set(STACK_AND_BUFFER) else [("P0", "P1")]
    if "S1" in bases:
        pairs.append(("S1", "S0"))
    nodes = dict.fromkeys(node for pair in pairs for node in pair)
    found = []
    for name in names:
        column = f"m{name}"
        if not MORPHOLOGICAL.fullmatch(column):
            raise ValueError(
                f"{name!r} is no name of a morphological feature: expected one like "
                f"'Case' or 'Number[psor]'"
            )
        found += [f"{node}{column}" for node in nodes]
        found += [f"{left}{column}.{right}{column}" for left, right in pairs]
    return tuple(found)
