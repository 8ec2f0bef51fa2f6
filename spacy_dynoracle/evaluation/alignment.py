"""Aligning the words of two texts that have the same characters.

Source: CoNLL 2018 shared task (Zeman et al. 2018, section 2.2). Words that are tokens
are aligned if they span the same characters. Words of multiword tokens span no
characters of their own. A group of words around multiword tokens, of one side or both,
is therefore aligned by the longest common subsequence of its forms.
"""

from collections.abc import Sequence

import numpy as np

from .texts import Word

Words = Sequence[Word]
# Longer groups, which no language has, are aligned in blocks, in linear time.
_BLOCK = 4000


def align(gold: Words, predicted: Words) -> list[tuple[int, int]]:
    """The pairs of indices of aligned words, in order."""
    pairs: list[tuple[int, int]] = []
    g = p = 0
    while g < len(gold) and p < len(predicted):
        if gold[g].is_part or predicted[p].is_part:
            of_gold, of_predicted = _group(gold, predicted, g, p)
            for k in range(0, len(of_gold), _BLOCK):
                parts = of_gold[k : k + _BLOCK], of_predicted[k : k + _BLOCK]
                pairs += _longest_common(gold, predicted, *parts)
            g, p = of_gold.stop, of_predicted.stop
        elif gold[g].span == predicted[p].span:
            pairs.append((g, p))
            g, p = g + 1, p + 1
        elif gold[g].span[0] <= predicted[p].span[0]:
            g += 1
        else:
            p += 1
    return pairs


def _group(gold: Words, predicted: Words, g: int, p: int) -> tuple[range, range]:
    """The words to align by their forms, from word g and word p on, one of which is
    part of a multiword token.

    The group reaches to where no multiword token of either side crosses its end. Of
    other words, those that do are left out, and so is one that begins before the
    multiword token.
    """
    if gold[g].is_part:
        end = gold[g].span[1]
        p += not predicted[p].is_part and predicted[p].span[0] < gold[g].span[0]
    else:
        end = predicted[p].span[1]
        g += gold[g].span[0] < predicted[p].span[0]
    first_g, first_p = g, p
    while _within(gold, g, end) or _within(predicted, p, end):
        from_gold = g < len(gold) and (
            p == len(predicted) or gold[g].span[0] <= predicted[p].span[0]
        )
        word = gold[g] if from_gold else predicted[p]
        if word.is_part:
            end = max(end, word.span[1])
        g, p = g + from_gold, p + (not from_gold)
    return range(first_g, g), range(first_p, p)


def _within(words: Words, i: int, end: int) -> bool:
    """Whether word i belongs to a group that reaches to the character `end`."""
    if i == len(words):
        return False
    word = words[i]
    return word.span[0] < end if word.is_part else word.span[1] <= end


def _longest_common(
    gold: Words, predicted: Words, of_gold: range, of_predicted: range
) -> list[tuple[int, int]]:
    """Align the longest common subsequence of the forms in two ranges of words.

    A row at a time, and a bit for each pair of words, because a multiword token may
    have thousands of words.
    """
    number: dict[str, int] = {}
    a, b = (
        np.array([number.setdefault(side[i].form, len(number)) for i in of])
        for side, of in ((gold, of_gold), (predicted, of_predicted))
    )
    n, m = len(a), len(b)
    # For each pair whether as much is left without the word of the first side.
    without = np.empty((n, (m + 7) // 8), dtype=np.uint8)
    below = np.zeros(m + 1, dtype=np.int32)
    for i in reversed(range(n)):
        row = np.zeros_like(below)
        row[:m] = np.maximum(below[1:] + (a[i] == b), below[:m])
        row = np.maximum.accumulate(row[::-1])[::-1]
        without[i] = np.packbits(row[:m] == below[:m])
        below = row
    pairs = []
    i = j = 0
    while i < n and j < m:
        if a[i] == b[j]:
            pairs.append((of_gold[i], of_predicted[j]))
            i, j = i + 1, j + 1
        elif without[i, j >> 3] >> (7 - (j & 7)) & 1:
            i += 1
        else:
            j += 1
    return pairs
