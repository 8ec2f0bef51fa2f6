"""The feature templates of Zhang & Nivre (2011), carried over to arc-standard.

Source: Liu, Che, Qin & Liu 2015, the set of their program. The templates of Zhang &
Nivre for S0 and N0 become templates for S1 and S0, the two words that an arc can
connect.

`RICH_STANDARD` is for predicted tags, as the set of `rich_eager` is for arc-eager. It
is not a published set.
"""

from .rich_eager import LOOKS

ARC_STANDARD = (
    # Single words
    "S0w", "S0p", "S0w.S0p",
    "S1w", "S1p", "S1w.S1p",
    "N0w", "N0p", "N0w.N0p",
    "N1w", "N1p", "N1w.N1p",
    # Pairs
    "S1w.S1p.S0w", "S1w.S0w.S0p", "S1w.S1p.S0p", "S1p.S0w.S0p", "S0w.S0p.S1w.S1p",
    "S1w.S0w", "S1p.S0p", "S0p.N0p",
    # Triples
    "S0p.N0p.N1p", "S1p.S0p.N0p",
    "S0p.S0lp.S1p", "S0p.S0rp.S1p", "S0p.S1lp.S1p", "S0p.S1rp.S1p",
    # Distance
    "S0w.S1S0d", "S0p.S1S0d", "S1w.S1S0d", "S1p.S1S0d", "S0w.S1w.S1S0d",
    "S0p.S1p.S1S0d",
    # Valency
    "S0w.vl", "S0w.vr", "S0p.vl", "S0p.vr", "S1w.vl", "S1w.vr", "S1p.vl", "S1p.vr",
    # Unigrams
    "S0lw", "S0lp", "S0ll", "S0rw", "S0rp", "S0rl",
    "S1lw", "S1lp", "S1ll", "S1rw", "S1rp", "S1rl",
    # Third order
    "S0l2w", "S0l2p", "S0l2l", "S0r2w", "S0r2p", "S0r2l",
    "S1l2w", "S1l2p", "S1l2l", "S1r2w", "S1r2p", "S1r2l",
    "S0p.S0lp.S0l2p", "S0p.S0rp.S0r2p", "S1p.S1lp.S1l2p", "S1p.S1rp.S1r2p",
    # Label sets
    "S0w.sl", "S0p.sl", "S0w.sr", "S0p.sr", "S1w.sl", "S1p.sl", "S1w.sr", "S1p.sr",
)  # fmt: skip

RICH_STANDARD = (
    *ARC_STANDARD,
    # Single words
    "S0pos", "S1pos", "N0pos", "N1pos", "N2pos", "S2p", "S2pos", "N2p",
    # Pairs
    "S1w.S0pos", "S1pos.S0w", "S1pos.S0pos", "S0pos.N0pos", "S0w.N0p", "S0p.N0w",
    # Triples
    "S1pos.S0pos.N0pos", "S0pos.N0pos.N1pos", "S2p.S1p.S0p", "N0p.N1p.N2p",
    "S1w.S0p.N0p", "S1p.S0w.N0p", "S1p.S0p.N0p.N1p",
    # Dependents
    "S1pos.S0pos.S0lpos", "S1pos.S0pos.S0rpos", "S1pos.S0pos.S1lpos",
    "S1pos.S0pos.S1rpos",
    # Distance
    "S1pos.S0pos.S1S0d",
    *LOOKS, "S1shape", "S1flags",
)  # fmt: skip
