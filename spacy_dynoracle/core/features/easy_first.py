"""Feature templates for easy-first: the pair (P0, P1) and the list around it."""

from itertools import pairwise

from .zhang_nivre_2011 import OF_A_HEAD, ZHANG_NIVRE_2011

WINDOW = ("P-2", "P-1", "P0", "P1", "P2", "P3")
NEIGHBOURS = tuple(pairwise(WINDOW))
BIGRAMS = (("P0", "P1"), ("P0", "P2"), ("P-1", "P0"), ("P-1", "P2"), ("P1", "P2"))


def dependents_of_both(p: str, q: str) -> tuple[str, ...]:
    """The tags of two nodes with one outermost dependent of each, in all four ways."""
    return tuple(f"{p}t.{q}t.{p}{i}t.{q}{j}t" for j in "lr" for i in "lr")


STRUCTURE = (
    *(f"{p}len" for p in WINDOW),
    *(f"{p}nc" for p in WINDOW),
    *(f"{p}{q}d" for p, q in NEIGHBOURS),
    *(f"{p}{q}d.{p}t.{q}t" for p, q in NEIGHBOURS),
)
UNIGRAMS = tuple(
    f"{p}{rest.format(p=p)}"
    for p in WINDOW
    for rest in ("t", "w", "t.{p}lt", "t.{p}rt", "t.{p}rt.{p}lt")
)
PAIRS = tuple(
    template
    for p, q in BIGRAMS
    for template in (
        f"{p}t.{q}t", f"{p}w.{q}w", f"{p}t.{q}w", f"{p}w.{q}t",
        *dependents_of_both(p, q),
    )
)  # fmt: skip
# One of the nodes is an adposition; what it takes may tell where it belongs.
ATTACHMENT_OF_ADPOSITIONS = (
    "P0a.P-1w.P0rt", "P0a.P-1t.P0rw",
    "P1a.P-1w.P1rt", "P1a.P-1t.P1rw", "P1a.P0w.P1rt", "P1a.P0t.P1rw",
    "P2a.P1w.P2rt", "P2a.P1t.P2rw", "P2a.P0w.P2rt", "P2a.P0t.P2rw",
)  # fmt: skip

# Source: Goldberg & Elhadad 2010, figure 2.
GOLDBERG_ELHADAD_2010 = (
    *STRUCTURE,
    *UNIGRAMS,
    *PAIRS,
    *ATTACHMENT_OF_ADPOSITIONS,
)


def of_the_list(template: str) -> str:
    """Change a template of stack and buffer to a template of the list: S0 becomes P0,
    N0 becomes P1, and so on."""
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
    *(template for p, q in BIGRAMS for template in dependents_of_both(p, q)),
    *CONTEXT,
)

# Both sets together.
EASY_FIRST = tuple(
    dict.fromkeys((*GOLDBERG_ELHADAD_2010, *GOLDBERG_NIVRE_2013_EASY_FIRST))
)
