"""Feature templates for arc-eager and predicted tags.

Taggers make errors, and a tagger for TAG and a tagger for POS make different errors.
The set therefore uses both tags: `p` is TAG and `pos` is POS. The form and shape of a
word help where both tags are wrong. The word below S0 shows whether REDUCE leaves a
word to attach to, and so whether a sentence is complete. This is not a published set.
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
