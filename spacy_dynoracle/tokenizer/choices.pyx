# cython: boundscheck=False, wraparound=False
"""The splits that a token may have, and the features by which one of them is chosen."""
from bisect import bisect_left

from ..util.typography import is_blank, normal_form
from .splits import lowered

# Number of a split; WHOLE is a token that is not split.
WHOLE = -1  # type: int
cdef frozenset SENTENCE_ENDS = frozenset(".!?…")


def by_ending(
    str lower not None, dict endings not None: dict[str, tuple[int, ...]],
    Py_ssize_t longest, list splits not None: list[Split],
) -> tuple[int, ...]:
    """The candidates of an unknown token, in lower case.

    Args:
        endings: For each ending the splits of unknown tokens.
        longest: The number of characters of the longest ending.
    """
    cdef Py_ssize_t start, n = len(lower)
    cdef list found = [WHOLE]
    for start in range(max(1, n - longest), n):
        for number in endings.get(lower[start:], ()):
            if start > splits[number].removed:
                found.append(number)
    return tuple(found)


cdef str end_of(str text, Py_ssize_t length):
    """The last characters of a text."""
    return text[max(len(text) - length, 0):]


def own_features(
    str token not None, tuple candidates not None: tuple[int, ...],
    list splits not None: list[Split], list stems not None: list[str],
) -> list[tuple[str, ...]]:
    """The features of a token, in lower case, for each candidate.

    Args:
        stems: Known words, ascending.
    """
    cdef list own = []
    cdef str stem, word = f"w={token}"
    cdef bint is_word
    for number in candidates:
        if number == WHOLE:
            own.append(("", word, f"end={end_of(token, 4)}", f"end={end_of(token, 3)}"))
            continue
        split = splits[number]
        stem = token[:len(token) - len(split.ending) - split.removed] + split.added
        ends = f"stem={stem}", f"stem3={end_of(stem, 3)}", f"stem2={end_of(stem, 2)}"
        place = bisect_left(stems, stem)
        is_word = place < len(stems) and stems[place] == stem
        kind = f"is word={bool(is_word)}", f"long={min(len(stem), 4)}"
        own.append(("", word, *ends, *kind))
    return own


def features_around(str token not None, tokens: Sequence[str], int i) -> list[str]:
    """The features of the neighbours of token i.

    Args:
        token: Itself, in lower case.
    """
    before, bb = neighbours(tokens, i, -1)
    after, aa = neighbours(tokens, i, 1)
    if end_of(before, 1) in SENTENCE_ENDS:
        before = ""
    b2, a2 = end_of(before, 2), end_of(after, 2)
    return [
        f"b={before}", f"a={after}", f"w,b={token} {before}", f"w,a={token} {after}",
        f"b3={end_of(before, 3)}", f"a3={end_of(after, 3)}", f"b2={b2}", f"a2={a2}",
        f"b2,a2={b2} {a2}", f"bb={bb}", f"aa={aa}",
    ]


cdef list neighbours(tokens, int i, int step):
    """The next two tokens in one direction that are not whitespace, in lower case."""
    cdef list found = []
    cdef str token
    while len(found) < 2:
        i += step
        if not 0 <= i < len(tokens):
            found.append("")
            continue
        token = tokens[i]
        if token.isascii() and token.isalnum():
            found.append(token.lower())
        elif not is_blank(token):
            # Here the number of characters does not matter.
            found.append(lowered(normal_form(token)))
    return found


def add_weights(
    list scores not None: list[float], tuple candidates not None: tuple[int, ...],
    dict by_name not None: dict[str, dict[int, float]], names: Iterable[str],
) -> None:
    """Add the weights of features to the scores of candidates.

    Args:
        by_name: For each feature its weights by the candidate.
    """
    cdef int place
    for name in names:
        weights = by_name.get(name)
        if weights is not None:
            for place in range(len(candidates)):
                scores[place] += weights.get(candidates[place], 0.0)
