"""Feature templates for arc-eager and predicted tags.

A tagger makes errors, and one that finds TAG and another that finds POS make different
ones: `p` is the first and `pos` the second. What a word looks like is there where both
are wrong. The word below S0 tells whether REDUCE leaves something to attach to, and so
whether a sentence is over. This is not a published set.
"""

from .zhang_nivre_2011 import ZHANG_NIVRE_2011

COARSE_TAGS = (
    # Single words
    "S0pos", "N0pos", "N1pos", "N2pos", "S0hpos",
    # Pairs
    "S0w.N0pos", "S0pos.N0w", "S0pos.N0pos", "N0pos.N1pos",
    # Triples
    "N0pos.N1pos.N2pos", "S0pos.N0pos.N1pos", "S0hpos.S0pos.N0pos",
    "S0pos.S0lpos.N0pos", "S0pos.S0rpos.N0pos", "S0pos.N0pos.N0lpos",
    # Distance
    "S0pos.d", "N0pos.d", "S0pos.N0pos.d",
)  # fmt: skip

LOOKS = ("S0shape", "S0flags", "N0shape", "N0flags", "N1shape", "N1flags")

BELOW_S0 = (
    "S1w", "S1p", "S1pos", "S1p.S0p", "S1p.N0p", "S1p.S0p.N0p", "S1pos.S0pos.N0pos",
)  # fmt: skip

RICH_EAGER = ZHANG_NIVRE_2011 + COARSE_TAGS + LOOKS + BELOW_S0
