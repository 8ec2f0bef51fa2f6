"""Feature templates for predicted lemmas, to add to a set.

Where words have many forms, many forms in a text are new to the parser, and few lemmas.
The lemmas of Korean treebanks have parts, of which the last one is often a particle
that shows the function of the word.

The templates are not published.
"""

from collections.abc import Iterable

from .easy_first import of_the_list
from .templates import LIST, parse_template

OF_STEMS = (
    "S0stem.S0p", "N0stem.N0p", "N1stem.N0p", "S0stem.S0p.N0p", "S0p.N0stem.N0p",
    "S0stem.N0stem", "N0lstem.N0stem", "S1stem.N0p",
)  # fmt: skip

# For systems in which the word on top of the stack may have a head already.
OF_HEADS = ("S0hstem",)

OF_ENDINGS = (
    "S0ending", "N0ending", "S1ending", "S0ending.N0ending", "S1ending.S0ending",
)  # fmt: skip


def of_lemmas(templates: Iterable[str], endings: bool) -> tuple[str, ...]:
    """The templates of lemmas for a set.

    Args:
        templates: The templates of the set. They show whether its system uses a list of
            nodes, and whether it uses the head of S0.
        endings: Whether the lemmas have parts.
    """
    atoms = [atom for template in templates for atom in parse_template(template)]
    found = OF_STEMS + (OF_ENDINGS if endings else ())
    if {atom.address[0] for atom in atoms} & set(LIST):
        return tuple(of_the_list(t.replace("S1", "P-1")) for t in found)
    has_heads = any(atom.address[1].startswith("h") for atom in atoms)
    return found + OF_HEADS if has_heads else found
