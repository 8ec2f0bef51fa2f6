"""Feature templates for word clusters, to add to a set.

A cluster stands for words that occur in similar contexts. Templates with clusters help
where the treebank has too few examples of a word.

Source: Koo, Carreras & Collins 2008, section 3.2, for clusters in place of forms and
tags, and their prefixes (cl4 and cl6).
"""

from collections.abc import Iterable

from .easy_first import of_the_list
from .templates import LIST, parse_template

# For arc-eager and other systems with a stack and a buffer.
OF_PARSERS = (
    # Single words
    "S0cl", "N0cl", "N1cl", "S1cl", "S0lcl", "N0lcl",
    # Pairs
    "S0cl.N0cl", "S0cl.N0w", "S0w.N0cl", "S0cl.N0p", "S0p.N0cl", "S0cl.S0p.N0cl.N0p",
    "N0cl.N1cl", "S1cl.N0cl",
    # Triples
    "S0p.N0p.N1cl",
)  # fmt: skip

# In addition, for systems that connect the two topmost words of the stack.
OF_THE_STACK = (
    "S1cl.S0cl", "S1cl.S0w", "S1w.S0cl", "S1p.S0cl", "S1cl.S0p", "S1cl.S0cl.S0p.S1p",
)  # fmt: skip

# N0 is the word to tag.
OF_TAGGERS = (
    "N0cl", "N1cl", "N2cl", "S0cl", "S1cl", "S0cl.N0cl", "N0cl.N1cl", "S0l.N0cl",
    "N0cl4", "N0cl6", "N1cl6",
)  # fmt: skip


def of_clusters(templates: Iterable[str]) -> tuple[str, ...]:
    """The templates of `OF_PARSERS` and `OF_THE_STACK` for a set, without those that
    it already has.

    Args:
        templates: The templates of the set. They show whether its system uses a list of
            nodes, and whether it uses the head of S0, which systems that connect the
            two topmost words of the stack never know.
    """
    parsed = [parse_template(template) for template in templates]
    addresses = {atom.address for atoms in parsed for atom in atoms}
    found: tuple[str, ...] = OF_PARSERS
    on_list = bool({base for base, _ in addresses} & set(LIST))
    if on_list:
        found = tuple(of_the_list(t.replace("S1", "P-1")) for t in found)
    elif not any(steps.startswith("h") for _, steps in addresses):
        found += OF_THE_STACK
    known = set(parsed)
    return tuple(t for t in found if parse_template(t) not in known)
