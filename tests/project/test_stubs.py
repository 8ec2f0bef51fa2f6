"""The stubs (.pyi) that the build makes describe the compiled modules."""

import ast
import importlib
import importlib.util
import inspect

import pytest

from ..programs import ROOT

SPEC = importlib.util.spec_from_file_location("stubs", ROOT / "scripts" / "stubs.py")
stubs = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(stubs)
SOURCES = sorted(stubs.PACKAGE.rglob("*.pyx"))

SOURCE = '''
"""A module."""
from ..state.configuration cimport Configuration
from ..state.labels import Labels

LARGEST = 3
NAMES = {  # type: dict[str, int]
    "a": 1,
}
_HIDDEN = 1

cpdef enum class Kind:
    FIRST = 0

cdef class Thing(Base):
    r"""A thing \\\\d."""

    title = ""
    cdef readonly object labels  # type: Labels
    cdef readonly double weight
    cdef int hidden

    def __cinit__(self, int n, double[:, ::1] a: NDArray[np.float64], *, big=True):
        pass

    cdef int inner(self):
        return 1

    @property
    def size(self) -> int:
        """Its size."""
        return 1

    def find(self, Configuration c not None, Kind kind=None, most=LARGEST, at=_HIDDEN):
        return 1
'''
STUB = '''"""A module."""

import numpy as np
from spacy_dynoracle.core.state.configuration import Configuration
from enum import IntEnum
from spacy_dynoracle.core.state.labels import Labels
from numpy.typing import NDArray
from typing_extensions import Self
from typing import ClassVar
LARGEST: int
NAMES: dict[str, int]
class Kind(IntEnum):
    FIRST = 0
class Thing(Base):
    """A thing \\\\\\\\d."""
    @property
    def labels(self) -> Labels: ...
    @property
    def weight(self) -> float: ...
    title: ClassVar[str]
    def __new__(cls, n: int, a: NDArray[np.float64], *, big: bool = True) -> Self: ...
    @property
    def size(self) -> int:
        """Its size."""
    def find(self, c: Configuration, kind: Kind | None = None, most: object = LARGEST,
        at: object = ...) -> object: ...
'''


@pytest.mark.heavy
def test_a_stub_has_types_and_docstrings_of_its_source(tmp_path, monkeypatch):
    monkeypatch.setattr(stubs, "PACKAGE", tmp_path / "spacy_dynoracle")
    path = tmp_path / "spacy_dynoracle" / "core" / "systems" / "thing.pyx"
    path.parent.mkdir(parents=True)
    path.write_text(SOURCE, encoding="utf8")
    found = stubs.Stub(path, {"Base": "spacy_dynoracle.base"}).text()
    imports, rest = split(found)
    expected_imports, expected_rest = split(STUB)
    assert imports == expected_imports | {"from spacy_dynoracle.base import Base"}
    assert rest == expected_rest


def split(text):
    """The imports of a stub, and all other statements."""
    body = ast.parse(text).body
    is_import = (ast.Import, ast.ImportFrom)
    imports = {ast.unparse(node) for node in body if isinstance(node, is_import)}
    return imports, [ast.unparse(n) for n in body if not isinstance(n, is_import)]


@pytest.mark.parametrize(
    "source", SOURCES, ids=lambda path: path.relative_to(stubs.PACKAGE).as_posix()
)
def test_a_stub_has_what_its_module_has(source):
    module = ".".join(source.relative_to(ROOT).with_suffix("").parts)
    compiled = importlib.import_module(module)
    tree = ast.parse(source.with_suffix(".pyi").read_text(encoding="utf8"))
    definitions = (ast.FunctionDef, ast.ClassDef)
    shown = {node.name: node for node in tree.body if isinstance(node, definitions)}
    expected = {
        name
        for name, value in vars(compiled).items()
        if callable(value) and getattr(value, "__module__", "") == module
    }
    assert shown.keys() == {name for name in expected if not name.startswith("_")}
    for name, node in shown.items():
        value = getattr(compiled, name)
        if isinstance(node, ast.FunctionDef):
            assert [*inspect.signature(value).parameters] == parameters(node)
            continue
        for member in node.body:
            if isinstance(member, ast.FunctionDef):
                assert hasattr(value, member.name)


def parameters(node):
    """The names of the parameters of a function."""
    of = node.args
    return [argument.arg for argument in [*of.posonlyargs, *of.args, *of.kwonlyargs]]


def test_every_stub_has_a_module():
    found = sorted(stubs.PACKAGE.rglob("*.pyi"))
    assert [path.with_suffix(".pyx") for path in found] == SOURCES
    assert (stubs.PACKAGE / "py.typed").exists()
