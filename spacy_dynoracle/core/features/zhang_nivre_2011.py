"""The feature templates of Zhang & Nivre (2011) for arc-eager.

Source: Zhang & Nivre 2011, tables 1 and 2: 26 baseline and 46 non-local templates.
"""

BASELINE = (
    # Single words
    "S0w.S0p", "S0w", "S0p",
    "N0w.N0p", "N0w", "N0p",
    "N1w.N1p", "N1w", "N1p",
    "N2w.N2p", "N2w", "N2p",
    # Pairs
    "S0w.S0p.N0w.N0p", "S0w.S0p.N0w", "S0w.N0w.N0p", "S0w.S0p.N0p", "S0p.N0w.N0p",
    "S0w.N0w", "S0p.N0p", "N0p.N1p",
    # Triples
    "N0p.N1p.N2p", "S0p.N0p.N1p", "S0hp.S0p.N0p",
    "S0p.S0lp.N0p", "S0p.S0rp.N0p", "S0p.N0p.N0lp",
)  # fmt: skip

NON_LOCAL = (
    # Distance
    "S0w.d", "S0p.d", "N0w.d", "N0p.d", "S0w.N0w.d", "S0p.N0p.d",
    # Valency
    "S0w.vr", "S0p.vr", "S0w.vl", "S0p.vl", "N0w.vl", "N0p.vl",
    # Unigrams
    "S0hw", "S0hp", "S0l", "S0lw", "S0lp", "S0ll", "S0rw", "S0rp", "S0rl",
    "N0lw", "N0lp", "N0ll",
    # Third order
    "S0h2w", "S0h2p", "S0hl", "S0l2w", "S0l2p", "S0l2l", "S0r2w", "S0r2p", "S0r2l",
    "N0l2w", "N0l2p", "N0l2l",
    "S0p.S0lp.S0l2p", "S0p.S0rp.S0r2p", "S0p.S0hp.S0h2p", "N0p.N0lp.N0l2p",
    # Label sets
    "S0w.sr", "S0p.sr", "S0w.sl", "S0p.sl", "N0w.sl", "N0p.sl",
)  # fmt: skip

ZHANG_NIVRE_2011 = BASELINE + NON_LOCAL

# The templates among them that use the head of S0.
OF_A_HEAD = (
    "S0hp.S0p.N0p", "S0hw", "S0hp", "S0l", "S0h2w", "S0h2p", "S0hl", "S0p.S0hp.S0h2p",
)  # fmt: skip
