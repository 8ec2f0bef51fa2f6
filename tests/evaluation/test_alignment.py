"""The longest common subsequence of words, beside the plain table of lengths."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle.evaluation.alignment import _longest_common, align

FORMS = st.lists(st.sampled_from("abc"), max_size=24)


def words(forms):
    return [SimpleNamespace(form=form) for form in forms]


def by_the_table(a, b):
    length = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            same = a[i] == b[j]
            length[i][j] = max(
                length[i + 1][j + 1] + same, length[i + 1][j], length[i][j + 1]
            )
    pairs = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif length[i][j] == length[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


@given(FORMS, FORMS)
def test_the_pairs_are_those_of_the_table(a, b):
    found = _longest_common(words(a), words(b), range(len(a)), range(len(b)))
    assert found == by_the_table(a, b)


def test_thousands_of_words():
    long = words(["a", "b"] * 3000)
    assert len(_longest_common(long, long[1:], range(6000), range(5999))) == 5999


@pytest.mark.parametrize("n", [4000, 9001])
def test_blocks_of_words(n):
    whole = [SimpleNamespace(form="a", is_part=True, span=(0, 2 * n))] * n
    assert align(whole, whole) == [(i, i) for i in range(n)]
    assert align(whole, whole[1:]) == [(i, i) for i in range(n - 1)]
    assert align(whole[:3], whole) == [(i, i) for i in range(3)]
