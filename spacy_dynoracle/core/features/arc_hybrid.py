"""Feature templates for arc-hybrid.

No word on the stack has a head, so the head of S0 would add no information.
"""

from .rich_eager import COARSE_TAGS, LOOKS
from .zhang_nivre_2011 import OF_A_HEAD, ZHANG_NIVRE_2011

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
