"""Feature sets of papers that no pipeline of the package uses.

Give this file to `spacy train` with `--code`, and configs can name the sets.
"""

from spacy.util import registry

from spacy_dynoracle import FeatureTemplates

# Source: Goldberg & Nivre 2013, the set of their program for arc-hybrid: no labels,
# distances or valencies.
GOLDBERG_NIVRE_2013_HYBRID = (
    # Single words
    "S0w", "S0p", "S0w.S0p",
    "S1w", "S1p", "S1w.S1p",
    "N0w", "N0p", "N0w.N0p",
    "N1w", "N1p", "N1w.N1p",
    # Pairs on the stack
    "S0w.S1w", "S0p.S1p", "S0w.S0p.S1p", "S0p.S1w.S1p", "S0w.S1w.S1p", "S0w.S0p.S1w",
    # Pairs of stack and buffer
    "S0w.N0w", "S0p.N0p", "S0p.N1p", "S0w.S0p.N0p", "S0p.N0w.N0p", "S0w.N0w.N0p",
    "S0w.S0p.N0w", "N0w.N0p.N1p",
    # Triples
    "S0p.N0p.N1p", "S1p.S0p.N0p", "S0w.N0p.N1p", "S1p.S0w.N0p", "S2p.S1p.S0p",
    # Dependents
    "S1p.S1rp.N0p", "S1p.S1rp.S0p", "S1p.S1lp.S0p", "S1p.S0p.S0lp", "S1p.S0rp.S0p",
    "S0p.S1lp.S0w", "S1p.S0w.S0rp", "S0p.S1rp.S0w", "S1p.S0w.S0lp",
    # Dependents and buffer
    "S0p.S0rp.N0p", "S0p.S0rp.N1p", "S0p.S0lp.N0p", "S0p.N0p.N0lp", "S0p.S0lp.N0w",
    "S0p.S0rp.N0w", "S0p.N0w.N0lp", "S0p.N0p.N0lp.S0rp", "S0p.S1p.S0lp.S1rp",
)  # fmt: skip

# Source: Goldberg & Elhadad 2010, figure 2, for easy-first: properties of the nodes and
# their distances, single nodes, pairs, and the attachment of adpositions.
AS_PUBLISHED = """
    P-2len P-1len P0len P1len P2len P3len P-2nc P-1nc P0nc P1nc P2nc P3nc
    P-2P-1d P-1P0d P0P1d P1P2d P2P3d
    P-2P-1d.P-2t.P-1t P-1P0d.P-1t.P0t P0P1d.P0t.P1t P1P2d.P1t.P2t P2P3d.P2t.P3t

    P-2t P-2w P-2t.P-2lt P-2t.P-2rt P-2t.P-2rt.P-2lt
    P-1t P-1w P-1t.P-1lt P-1t.P-1rt P-1t.P-1rt.P-1lt
    P0t P0w P0t.P0lt P0t.P0rt P0t.P0rt.P0lt
    P1t P1w P1t.P1lt P1t.P1rt P1t.P1rt.P1lt
    P2t P2w P2t.P2lt P2t.P2rt P2t.P2rt.P2lt
    P3t P3w P3t.P3lt P3t.P3rt P3t.P3rt.P3lt

    P0t.P1t P0w.P1w P0t.P1w P0w.P1t
    P0t.P1t.P0lt.P1lt P0t.P1t.P0rt.P1lt P0t.P1t.P0lt.P1rt P0t.P1t.P0rt.P1rt
    P0t.P2t P0w.P2w P0t.P2w P0w.P2t
    P0t.P2t.P0lt.P2lt P0t.P2t.P0rt.P2lt P0t.P2t.P0lt.P2rt P0t.P2t.P0rt.P2rt
    P-1t.P0t P-1w.P0w P-1t.P0w P-1w.P0t
    P-1t.P0t.P-1lt.P0lt P-1t.P0t.P-1rt.P0lt P-1t.P0t.P-1lt.P0rt P-1t.P0t.P-1rt.P0rt
    P-1t.P2t P-1w.P2w P-1t.P2w P-1w.P2t
    P-1t.P2t.P-1lt.P2lt P-1t.P2t.P-1rt.P2lt P-1t.P2t.P-1lt.P2rt P-1t.P2t.P-1rt.P2rt
    P1t.P2t P1w.P2w P1t.P2w P1w.P2t
    P1t.P2t.P1lt.P2lt P1t.P2t.P1rt.P2lt P1t.P2t.P1lt.P2rt P1t.P2t.P1rt.P2rt

    P0a.P-1w.P0rt P0a.P-1t.P0rw
    P1a.P-1w.P1rt P1a.P-1t.P1rw P1a.P0w.P1rt P1a.P0t.P1rw
    P2a.P1w.P2rt P2a.P1t.P2rw P2a.P0w.P2rt P2a.P0t.P2rw
"""
GOLDBERG_ELHADAD_2010 = tuple(AS_PUBLISHED.split())


@registry.misc("experiments.GoldbergNivre2013Hybrid.v1")
def make_goldberg_nivre_2013_hybrid() -> FeatureTemplates:
    """For arc-hybrid: the 49 templates of Goldberg & Nivre (2013)."""
    return FeatureTemplates(GOLDBERG_NIVRE_2013_HYBRID)


@registry.misc("experiments.GoldbergElhadad2010.v1")
def make_goldberg_elhadad_2010() -> FeatureTemplates:
    """For easy-first: the 102 templates of Goldberg & Elhadad (2010)."""
    return FeatureTemplates(GOLDBERG_ELHADAD_2010)
