"""Feature templates for tagging.

N0 is the word to tag. S0 is the word before it, and the label of S0 is its tag.

Sources: Ratnaparkhi 1996, table 1, for words and tags around a word, affixes and forms
of rare words; Collins 2002, section 3, for the perceptron with these features.
"""

TAGGER = (
    # The word: form and shape, beginning and end
    "N0w", "N0shape", "N0flags", "N0flags.N1shape",
    "N0pre1", "N0pre3", "N0pre4", "N0pre5",
    "N0suf1", "N0suf2", "N0suf3", "N0suf4", "N0suf5", "N0suf6", "N0suf7",
    # The tags before it
    "S0l", "S0l.S1l", "S0l.N0w",
    # Words around it
    "S0w", "S1w", "N1w", "N2w", "S0w.N0w", "N0w.N1w",
    "S0suf3", "N1suf3", "N1shape",
)  # fmt: skip
