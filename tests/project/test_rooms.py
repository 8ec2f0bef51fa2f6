"""Imports between rooms go one way, in compiled modules as well.

import-linter knows neither the modules of Cython nor what imports them. Here the
imports of all sources are checked against the same contracts, those of
pyproject.toml.
"""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

tomllib = pytest.importorskip("tomllib")

ROOT = Path(__file__).parents[2]
PACKAGE = "spacy_dynoracle"
SUFFIXES = (".py", ".pyx", ".pxd")
# Imports at the top of a module, those in brackets over several lines.
IMPORT = re.compile(
    r"^from (?P<dots>\.+)(?P<module>[\w.]*) c?import (?P<names>\([^)]*\)|.*)", re.M
)


class Contract(NamedTuple):
    """Which rooms of a container may import which.

    Attributes:
        levels: The number of the level of each room, counted from the lowest.
    """

    container: str
    levels: dict[str, int]

    def room_of(self, module):
        """The room of a module, None outside of the container."""
        inside = module.removeprefix(self.container + ".")
        return None if inside == module else inside.partition(".")[0]

    def allows(self, importing, imported):
        """Whether a module may import another one."""
        source, target = self.room_of(importing), self.room_of(imported)
        if source == target or source not in self.levels or target not in self.levels:
            return True
        return self.levels[target] < self.levels[source]


def read_contracts():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))
    for contract in settings["tool"]["importlinter"]["contracts"]:
        levels = {
            name.strip(" ()"): level
            for level, line in enumerate(reversed(contract["layers"]))
            for name in line.split("|")
        }
        (container,) = contract["containers"]
        yield Contract(container, levels)


def module_name(path):
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path, text):
    """The modules and names that a source of the package imports.

    Args:
        path: Relative to the folder with the package.
    """
    for match in IMPORT.finditer(text):
        folder = path.parents[len(match["dots"]) - 1]
        base = ".".join(filter(None, [*folder.parts, match["module"]]))
        names = re.sub(r"#.*", "", match["names"]).strip("()").split(",")
        for name in filter(None, map(str.strip, names)):
            yield f"{base}.{name.split()[0]}"


def broken(contracts, path, text):
    """The imports of a source that a contract does not allow."""
    return [
        (module_name(path), imported)
        for imported in imports_of(path, text)
        for contract in contracts
        if not contract.allows(module_name(path), imported)
    ]


CONTRACTS = list(read_contracts())
SOURCES = [
    path.relative_to(ROOT)
    for path in sorted((ROOT / PACKAGE).rglob("*"))
    if path.suffix in SUFFIXES
]


def test_every_source_is_in_a_room():
    for path in SOURCES:
        for contract in CONTRACTS:
            room = contract.room_of(module_name(path))
            assert room is None or room in contract.levels, path


def test_imports_go_one_way():
    found = [
        case
        for path in SOURCES
        for case in broken(CONTRACTS, path, (ROOT / path).read_text(encoding="utf8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("core/state/gold.pyx", "from ..search.greedy cimport GreedySearch"),
        ("core/oracles/base.pxd", "from ..learners.base cimport (\n    Decision,\n)"),
        ("core/hashing.pxd", "from . cimport state"),
        ("core/search/beam.pyx", "from ...parser.k_best import KBest"),
        ("tagger/tagging.py", "from ..evaluation import attachment"),
    ],
)
def test_a_broken_contract_is_found(path, text):
    assert broken(CONTRACTS, Path(PACKAGE, path), text)
