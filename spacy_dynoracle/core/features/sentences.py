"""Feature templates for finding where sentences start.

N0 is the word that may start a sentence, S0 the word before it. No template reads the
labels of the words before, so a decision does not depend on those before it.
"""

SENTENCE_STARTS = (
    # The words around
    "S1w", "S0w", "N0w", "N1w", "N2w",
    "S1lower", "S0lower", "N0lower", "N1lower", "N2lower",
    "S2shape", "S1shape", "S0shape", "N0shape", "N1shape", "N2shape",
    "S1flags", "S0flags", "N0flags", "N1flags", "N2flags",
    "S0suf1", "S0suf2", "S0suf3", "N0suf2", "N0suf3", "N0pre1", "N0pre2", "N0pre3",
    "N1suf3",
    # The whitespace between S0 and N0
    "S0space", "S0line", "S0w.S0space", "S0space.N0shape",
    # Two words
    "S1w.S0w", "S0w.N0w", "N0w.N1w", "S0lower.N0lower", "N0lower.N1lower",
    "S0w.N0shape", "S0shape.N0w", "S0shape.N0shape", "S0w.N0flags", "S0flags.N0w",
    "S0flags.N0flags", "S0flags.N0lower", "N0lower.N1flags",
    "S0lower.N0suf3", "S0suf3.N0lower", "S0suf2.N0suf2", "S0suf3.N0suf3",
    "N0suf3.N1suf3",
    # In some languages the last character of a sentence tells, without any mark
    "S1suf1.S0suf1", "S1suf2.S0suf2", "S0suf1.N0suf1",
    # Three words and four
    "S1lower.S0lower.N0lower", "S0lower.N0lower.N1lower", "S1w.S0w.N0shape",
    "S0lower.N0flags.N1flags",
    "S1shape.S0shape.N0shape", "S0shape.N0shape.N1shape",
    "S1flags.S0flags.N0flags", "S0flags.N0flags.N1flags",
    "S1shape.S0shape.N0shape.N1shape",
)  # fmt: skip

# Tags, TAG and POS, alone and with words.
SENTENCE_STARTS_WITH_TAGS = (
    *SENTENCE_STARTS,
    "S1p", "S0p", "N0p", "N1p", "N2p", "S0pos", "N0pos", "N1pos",
    "S0p.N0p", "N0p.N1p", "S1p.S0p.N0p", "S0p.N0p.N1p", "N0p.N1p.N2p",
    "S0w.N0p", "S0p.N0shape", "N0p.N0shape", "S0w.N0p.N1p", "S0pos.N0pos.N1pos",
)  # fmt: skip
