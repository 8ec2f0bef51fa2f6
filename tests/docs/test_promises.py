"""Every row of docs/promises.md names files of tests that exist."""

import re

import pytest

from ..programs import ROOT

PROMISES = ROOT / "docs" / "promises.md"
# Instead of tests, where nothing is promised.
NOT_PROMISED = "out of scope"
KEEPER = re.compile(r"`([^`]+)`")


def rows():
    """(what is wanted, what happens, by what it is kept) of every table."""
    found = []
    for line in PROMISES.read_text(encoding="utf8").splitlines():
        # A bar within a cell is written with a backslash before it.
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells and not cells[0].startswith("---") and cells[0] != "you want":
            assert len(cells) == 3, line
            found.append(tuple(cells))
    return found


ROWS = rows()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_promise_is_kept(row):
    _, what_happens, kept_by = row
    assert what_happens
    if kept_by == NOT_PROMISED:
        return
    keepers = KEEPER.findall(kept_by)
    assert ", ".join(f"`{keeper}`" for keeper in keepers) == kept_by
    tests = [ROOT / "tests" / name for name in keepers if "/test_" in name]
    others = [ROOT / name for name in keepers if "/test_" not in name]
    assert tests
    assert all("\ndef test_" in path.read_text(encoding="utf8") for path in tests)
    assert all(path.is_file() for path in others)


def test_no_promise_is_made_twice():
    wanted = [row[0] for row in ROWS]
    assert len(set(wanted)) == len(wanted)
