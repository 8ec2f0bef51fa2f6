"""Feature templates for arc-hybrid.

No word on the stack has a head, so the head of S0 would add no information.
"""

from .rich_eager import COARSE_TAGS, LOOKS
from .zhang_nivre_2011 import OF_A_HEAD, ZHANG_NIVRE_2011

# Source: Goldberg & Nivre 2013, the set of their program: no labels, distances or
# valencies.
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

# Not a published set: Zhang & Nivre (2011) with S1 in the place of the head of S0.
RICH_HYBRID = (
    *(template for template in ZHANG_NIVRE_2011 if template not in OF_A_HEAD),
    # Single words
    "S1w", "S1p", "S1w.S1p", "S2w", "S2p",
    # Pairs
    "S1w.S1p.S0w.S0p", "S1w.S1p.S0w", "S1w.S0w.S0p", "S1w.S1p.S0p", "S1p.S0w.S0p",
    "S1w.S0w", "S1p.S0p",
    # Triples
    "S1p.S0p.N0p", "S2p.S1p.S0p", "S1p.S1rp.S0p", "S1p.S1lp.S0p",
    # Valency
    "S1w.vr", "S1p.vr", "S1w.vl", "S1p.vl",
    # Unigrams
    "S1lw", "S1lp", "S1ll", "S1rw", "S1rp", "S1rl",
)  # fmt: skip

# Not a published set: for predicted tags, as the set of `rich_eager` is for arc-eager.
RICH_HYBRID_TWO_TAGS = (
    *RICH_HYBRID,
    *(template for template in COARSE_TAGS if not template.startswith("S0h")),
    *LOOKS,
    # Single words
    "S1pos", "S1shape",
    # Pairs
    "S1pos.S0pos", "S1w.S0pos", "S1pos.S0w",
    # Triples
    "S1pos.S0pos.N0pos", "S1pos.S0pos.S0rpos", "S1pos.S0pos.S0lpos",
)  # fmt: skip
