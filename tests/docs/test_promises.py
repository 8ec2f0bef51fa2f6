"""Every row of docs/promises.md names tests that exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
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


@cache
def names_of_tests(path):
    """The names of the test functions of a file, and of its classes' methods."""
    tree = ast.parse(path.read_text(encoding="utf8"))
    names = set()
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        for function in inner:
            if isinstance(function, ast.FunctionDef):
                names.add(prefix + function.name)
    return {name for name in names if name.rpartition("::")[2].startswith("test_")}


def problem_with(keeper):
    """What is wrong with the name of a test, a file of tests or a command, if
    anything."""
    path, _, test = keeper.partition("::")
    file = ROOT / path
    if not file.is_file():
        return f"there is no file {path}"
    if path.startswith("tests/") and not re.match(r"test_\w+\.py$", file.name):
        return f"{path} is no file of tests"
    if test and test not in names_of_tests(file):
        return f"there is no test {test} in {path}"
    if not test and path.startswith("tests/") and not names_of_tests(file):
        return f"there are no tests in {path}"
    return None


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_promise_is_kept(row):
    _, what_happens, kept_by = row
    assert what_happens
    if kept_by == NOT_PROMISED:
        return
    keepers = KEEPER.findall(kept_by)
    assert ", ".join(f"`{keeper}`" for keeper in keepers) == kept_by
    problems = [problem for keeper in keepers if (problem := problem_with(keeper))]
    assert not problems
    assert any(keeper.startswith("tests/") for keeper in keepers)


def test_no_promise_is_made_twice():
    wanted = [row[0] for row in ROWS]
    assert len(set(wanted)) == len(wanted)


@pytest.mark.parametrize(
    ("keeper", "problem"),
    [
        ("tests/test_nowhere.py::test_x", "no file"),
        ("tests/docs/test_promises.py::test_nothing", "no test test_nothing"),
        ("tests/docs/test_promises.py::rows", "no test rows"),
        ("tests/parser/treebank.py", "no file of tests"),
        ("tests/docs/test_promises.py::test_every_promise_is_kept", None),
        ("tests/docs/test_promises.py", None),
    ],
)
def test_what_does_not_exist_is_found(keeper, problem):
    found = problem_with(keeper)
    assert found is None if problem is None else problem in found
