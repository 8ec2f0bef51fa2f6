"""Feature templates for easy-first: the pair (P0, P1) and the list around it."""

from .zhang_nivre_2011 import OF_A_HEAD, ZHANG_NIVRE_2011

BIGRAMS = (("P0", "P1"), ("P0", "P2"), ("P-1", "P0"), ("P-1", "P2"), ("P1", "P2"))


def of_the_list(template: str) -> str:
    """Change a template of stack and buffer to a template of the list: S0 becomes P0,
    N0 becomes P1, and so on.
    """
    atoms = ["P0P1d" if atom == "d" else atom for atom in template.split(".")]
    template = ".".join(atoms)
    for i, base in enumerate(("S0", "N0", "N1", "N2")):
        template = template.replace(base, f"P{i}")
    return template


CONTEXT = (
    # The pair and a dependent of either
    "P0t.P1t.P0rt", "P0t.P1t.P0lt", "P0t.P1t.P1rt", "P0t.P1t.P1lt",
    # Neighbours, and the dependent that is next to them
    "P1t.P1rt.P2t", "P0t.P1t.P1rt.P2t", "P0t.P0lt.P-1t", "P0t.P1t.P0lt.P-1t",
    "P1t.P1rt.P2t.P3t", "P0t.P0lt.P-1t.P-2t", "P-1t.P0t.P1t.P2t",
    "P0t.P1t.P1rt.P2t.P3t", "P1t.P0t.P0lt.P-1t.P-2t",
    # Two dependents on one side, alone and with the neighbour on that side
    "P0t.P0rt.P0r2t", "P0t.P0lt.P0l2t", "P1t.P1rt.P1r2t", "P1t.P1lt.P1l2t",
    "P0t.P0rt.P0r2t.P1t", "P0t.P0lt.P0l2t.P-1t", "P1t.P1rt.P1r2t.P2t",
    "P1t.P1lt.P1l2t.P0t",
)  # fmt: skip

# Source: Goldberg & Nivre 2013, the set of their program as far as it is known.
GOLDBERG_NIVRE_2013_EASY_FIRST = (
    *(of_the_list(t) for t in ZHANG_NIVRE_2011 if t not in OF_A_HEAD),
    # The tags of two nodes with one outermost dependent of each, in all four ways
    *(f"{p}t.{q}t.{p}{i}t.{q}{j}t" for p, q in BIGRAMS for j in "lr" for i in "lr"),
    *CONTEXT,
)
