"""Affixes of forms, and the table that remembers what was made of strings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.lang import lex_attrs

from spacy_dynoracle.core.features.lexical import StringTable, affixes, word_shape

from ..builders import run_python

LENGTHS = [("prefix", n) for n in range(1, 6)] + [("suffix", n) for n in range(1, 8)]
# Few characters, of one, two and four bytes, so that affixes are often equal.
words = st.text(alphabet="aä\U0001f331", min_size=1, max_size=9)


def by_name(form):
    """The affixes themselves: the characters and whether they are the whole form."""
    return [
        (form[:n] if side == "prefix" else form[-n:], len(form) <= n)
        for side, n in LENGTHS
    ]


# ---- affixes -------------------------------------------------------------------------


@given(words, words)
def test_equal_affixes_have_equal_hashes(one, other):
    for a, b, x, y in zip(
        affixes(one), affixes(other), by_name(one), by_name(other), strict=True
    ):
        assert (a == b) == (x == y)


def test_a_whole_word_is_no_affix_of_another():
    """ "and" ends otherwise than "hand", but as itself."""
    whole, longer = affixes("and"), affixes("hand")
    assert whole[7] != longer[7]
    assert whole[6] == longer[6]
    assert whole[2] == whole[4] == whole[7] == whole[11]
    assert affixes("sand")[7] == longer[7]


def test_case_and_order_count():
    assert affixes("The")[:3] != affixes("the")[:3]
    assert len(set(affixes("abab")[:3] + affixes("baba")[:3])) == 6


def test_affixes_are_integers_of_64_bits():
    found = [
        value
        for form in ("", "a", "\U0001f331b", "x" * 1000)
        for value in affixes(form)
    ]
    assert all(0 < value < 1 << 64 for value in found)
    assert affixes("x" * 1000) == affixes("x" * 8)


def test_affixes_are_the_same_in_every_process():
    """Models are made of them."""
    assert affixes("Größe")[7] == 0x8386B8094B6E8460
    code = (
        "from spacy_dynoracle.core.features.lexical import affixes; "
        "print(affixes('Größe'))"
    )
    for seed in ("0", "1"):
        found = run_python(code, PYTHONUTF8="1", PYTHONHASHSEED=seed)
        assert found.strip() == str(affixes("Größe"))


# ---- the table -----------------------------------------------------------------------


class Strings:
    """Strings by their ids, counting the look-ups."""

    def __init__(self):
        self.n_read = 0

    def __getitem__(self, number):
        self.n_read += 1
        return f"s{number}"


def lengths_of(text):
    """Two values that tell strings apart."""
    return int(text[1:]) * 2, int(text[1:]) * 2 + 1


def fill(table, ids, columns=(0, 1), width=2, strings=None):
    values = np.full((len(ids), width + 1), 7, dtype=np.uint64)
    values[:, width] = ids
    table.fill(values, width, strings or Strings(), columns)
    return values


ids = st.lists(st.integers(0, 40) | st.integers(0, (1 << 62) - 1), max_size=30)


@given(ids, st.sampled_from([2, 4, 8, 64]))
def test_values_of_strings(numbers, capacity):
    """Whatever took the place of what."""
    table = StringTable(lengths_of, 2, capacity)
    for _ in range(2):
        found = fill(table, numbers)
        for number, row in zip(numbers, found.tolist(), strict=True):
            assert row == [2 * number, 2 * number + bool(number), number]


def test_what_was_made_is_kept():
    table, strings = StringTable(lengths_of, 2, 8), Strings()
    fill(table, [1, 2, 3, 1, 2, 3], strings=strings)
    assert strings.n_read == 3
    fill(table, [3, 2, 1, 0, 0], strings=strings)
    assert strings.n_read == 3
    # 5 and 1 share two rows, and 9 takes the place of the one that was used before.
    fill(table, [5, 1, 5, 1], strings=strings)
    assert strings.n_read == 4
    fill(table, [9, 1, 2, 3], strings=strings)
    assert strings.n_read == 5
    fill(table, [5], strings=strings)
    assert strings.n_read == 6


def test_columns():
    """Any of them, or none; also that of the ids."""
    table = StringTable(lengths_of, 2, 8)
    assert fill(table, [5, 6], [-1, 0]).tolist() == [[11, 7, 5], [13, 7, 6]]
    assert fill(table, [5, 6], [2, 1]).tolist() == [[7, 11, 10], [7, 13, 12]]
    assert fill(table, [5], [-1, -1]).tolist() == [[7, 7, 5]]
    assert fill(table, []).shape == (0, 3)


@pytest.mark.parametrize("columns", [(0,), (0, 1, 2), (0, 3), (-2, 0)])
def test_columns_that_are_not_there(columns):
    with pytest.raises(ValueError, match=r"columns for 2 values|there is no column"):
        fill(StringTable(lengths_of, 2, 8), [1], columns)


@pytest.mark.parametrize("source", [-1, 2])
def test_source_that_is_not_there(source):
    table = np.ones((1, 2), dtype=np.uint64)
    with pytest.raises(ValueError, match=f"there is no column {source} among 2"):
        StringTable(lengths_of, 2, 8).fill(table, source, Strings(), (0, 1))


@pytest.mark.parametrize(
    ("width", "capacity"), [(0, 8), (2, 0), (2, 1), (2, 12), (2, -8)]
)
def test_tables_that_cannot_be(width, capacity):
    with pytest.raises(ValueError, match="expected at least one value and a power"):
        StringTable(lengths_of, width, capacity)


@pytest.mark.parametrize("made", [(1,), (1, 2, 3), (1, -1), (1, 1 << 64), (1, "2")])
def test_functions_that_do_not_fit(made):
    """Nothing remains of what they made."""
    good = True
    table = StringTable(lambda text: (3, 4) if good else made, 2, 8)
    good = False
    for _ in range(2):
        with pytest.raises((ValueError, OverflowError, TypeError)):
            fill(table, [5])
    good = True
    assert fill(table, [5]).tolist() == [[3, 4, 5]]


def test_errors_of_the_function_and_of_unknown_ids_come_out():
    table = StringTable(lengths_of, 2, 8)
    with pytest.raises(KeyError):
        fill(table, [5], strings={1: "s1"})
    with pytest.raises(ValueError, match="invalid literal"):
        fill(table, [5], strings={5: "sx"})
    assert fill(table, [5]).tolist() == [[10, 11, 5]]


@pytest.mark.parametrize("times", [1, 3, 4, 5, 50])
def test_shapes_are_those_of_spacy(times):
    # Each character, alone and between others of all classes.
    for point in [*range(0x3000), *range(0xD7F0, 0x10FFFF, 97)]:
        form = f"A{chr(point)}b1" * times
        assert word_shape(form) == lex_attrs.word_shape(form), hex(point)
    for length in (99, 100, 101):
        form = "ab" * length
        assert word_shape(form[:length]) == lex_attrs.word_shape(form[:length])
