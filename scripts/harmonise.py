"""Give the words of one English treebank the features that another one would.

UD_English-EWT follows the guidelines of release 2.16; the features of UD_English-GUM10
are older and partly set by a program. A tagger that learns from both as they are learns
to contradict itself.

Source: https://universaldependencies.org/en/index.html, Morphology.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

# Words of these parts of speech have features that the guidelines list word by word.
CLOSED = {"ADV", "ADP", "CCONJ", "DET", "INTJ", "PART", "PRON", "SCONJ"}
# What a word has these features for is said by no list.
OF_A_TOKEN = {"Abbr", "ExtPos", "Foreign", "Style", "Typo"}
# So often a word has to occur, and in this share with the same features.
OFTEN, SHARE = 5, 0.9
# Names that are abbreviated: months and days.
CALENDAR = re.compile(
    r"(jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|mon|tues?|wed|thu|thurs?|fri|sat|sun)"
    r"\.?"
)

Word = tuple[str, str, str]
Features = dict[str, str]


def features_of(column: str) -> Features:
    """The features of a column FEATS, by name."""
    if column == "_":
        return {}
    return dict(pair.split("=", 1) for pair in column.split("|"))


def column_of(features: Features) -> str:
    """The column FEATS of features."""
    names = sorted(features, key=str.lower)
    return "|".join(f"{name}={features[name]}" for name in names) or "_"


def words(text: str) -> Iterator[list[str]]:
    """The columns of the words of a CoNLL-U file."""
    for line in text.splitlines():
        columns = line.split("\t")
        if len(columns) == 10 and columns[0].isdecimal():
            yield columns


def usual_features(text: str) -> dict[Word, Features]:
    """The features of the words of closed classes that have always the same."""
    counts: defaultdict[Word, Counter[str]] = defaultdict(Counter)
    for columns in words(text):
        if columns[3] in CLOSED:
            features = features_of(columns[5])
            if not OF_A_TOKEN.intersection(features):
                word = (columns[1].lower(), columns[3], columns[4])
                counts[word][columns[5]] += 1
    found = {}
    for word, count in counts.items():
        ((column, n),) = count.most_common(1)
        if n >= OFTEN and n >= SHARE * count.total():
            found[word] = features_of(column)
    return found


def harmonised(columns: list[str], usual: dict[Word, Features]) -> Features:
    """The features that a word has by the guidelines.

    Args:
        columns: Those of its line.
        usual: What `usual_features` found.
    """
    form, upos, xpos = columns[1].lower(), columns[3], columns[4]
    features = features_of(columns[5])
    of_token = {k: v for k, v in features.items() if k in OF_A_TOKEN}
    known = usual.get((form, upos, xpos))
    if known is not None:
        return known | of_token
    # Only adverbs that can be compared have a degree, and most cannot.
    if upos == "ADV" and features.get("Degree") == "Pos":
        del features["Degree"]
    # "you" is one form for one and for many.
    if upos == "PRON" and features.get("Person") == "2" and "Reflex" not in features:
        features.pop("Number", None)
    # Imperatives and infinitives do not agree with anything.
    if features.get("Mood") == "Imp" or features.get("VerbForm") == "Inf":
        features.pop("Person", None)
    # A name is written as it is, except for those of the calendar.
    if upos == "PROPN" and not CALENDAR.fullmatch(form):
        features.pop("Abbr", None)
    return features


def harmonise(text: str, reference: str) -> str:
    """A CoNLL-U file whose words have the features that a reference would give them."""
    usual = usual_features(reference)
    lines = []
    for line in text.splitlines():
        columns = line.split("\t")
        if len(columns) == 10 and columns[0].isdecimal():
            columns[5] = column_of(harmonised(columns, usual))
            line = "\t".join(columns)
        lines.append(line)
    return "".join(f"{line}\n" for line in lines)
