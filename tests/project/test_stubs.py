"""The stubs (.pyi) against the extension modules that they describe."""

import ast
import importlib
import inspect
import re
from pathlib import Path
from types import GetSetDescriptorType, ModuleType, WrapperDescriptorType

import pytest

import spacy_dynoracle

PACKAGE = Path(spacy_dynoracle.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.pyx"))
# What Cython puts into every class, and what stubs leave out by convention.
NOT_IN_STUBS = {
    "__new__",
    "__init__",
    "__doc__",
    "__repr__",
    "__pyx_vtable__",
    "__setstate__",
    "__reduce_cython__",
    "__setstate_cython__",
}

every_module = pytest.mark.parametrize(
    "source", SOURCES, ids=lambda path: path.relative_to(PACKAGE).as_posix()
)


def load(source):
    """The compiled module and the definitions of its stub, by name."""
    path = source.relative_to(PACKAGE.parent).with_suffix("")
    stub = source.with_suffix(".pyi").read_text(encoding="utf8")
    return importlib.import_module(".".join(path.parts)), definitions(ast.parse(stub))


def definitions(node):
    """What the body of a stub module or class defines, imports left aside."""
    found = {}
    for item in node.body:
        if isinstance(item, ast.AnnAssign):
            found[item.target.id] = item
        elif isinstance(item, ast.FunctionDef | ast.ClassDef):
            found[item.name] = item
    return found


def is_own(module, value):
    """Whether a value is defined in the module, not imported into it."""
    return not isinstance(value, ModuleType) and (
        getattr(value, "__module__", module.__name__) == module.__name__
    )


def public(names):
    return {name for name in names if not name.startswith("_")}


def classes(source):
    """(class, definitions of its stub, bases in the stub) of a module."""
    module, stub = load(source)
    for name, node in stub.items():
        if isinstance(node, ast.ClassDef) and not name.startswith("_"):
            yield getattr(module, name), definitions(node), node.bases


def members(cls):
    """The members of a compiled class that its own source defines."""
    return {
        name: value
        for name, value in vars(cls).items()
        if name not in NOT_IN_STUBS
        and (not name.startswith("_") or name.endswith("__"))
        # A class that cannot be pickled has a generated __reduce__ that says so.
        and getattr(value, "__name__", name) == name
    }


def kind_of(value):
    if isinstance(value, GetSetDescriptorType):
        return "property"
    if isinstance(value, staticmethod):
        return "staticmethod"
    return "method" if callable(value) else "ClassVar"


def kind_in_stub(node):
    if isinstance(node, ast.AnnAssign):
        return node.annotation.value.id
    return node.decorator_list[0].id if node.decorator_list else "method"


def parameters(node):
    """The parameters of a function in a stub, without annotations."""
    for argument in ast.walk(node.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return ast.unparse(node.args)


def constructors(source):
    """For each class of a .pyx file the constructors with their parameters, under the
    names that stubs use."""
    text = source.read_text(encoding="utf8")
    _, *pieces = re.split(r"^cdef class (\w+).*\n", text, flags=re.MULTILINE)
    found = {}
    for name, body in zip(pieces[::2], pieces[1::2], strict=True):
        body = re.split(r"^\S", body, maxsplit=1, flags=re.MULTILINE)[0]
        headers = re.findall(
            r"    def __(c?)init__\(\s*self(.*?)\):\n", body, re.DOTALL
        )
        found[name] = {
            "__new__" if is_c else "__init__": untyped(header)
            for is_c, header in headers
            # Without parameters, __cinit__ takes those of __init__.
            if header or not is_c
        }
    return found


def untyped(header):
    """Parameters of a .pyx file, without their C types."""
    names = ["self"]
    for part in re.sub(r"\[.*?\]", "", header).split(","):
        declaration, equals, default = part.strip().partition("=")
        if declaration:
            name = declaration.removesuffix(" not None").split()[-1]
            names.append(name + equals + default.replace('"', "'"))
    return ", ".join(names)


def test_every_module_has_a_stub():
    stubs = sorted(PACKAGE.rglob("*.pyi"))
    assert [path.with_suffix(".pyx") for path in stubs] == SOURCES
    assert (PACKAGE / "py.typed").exists()


@every_module
def test_names(source):
    module, stub = load(source)
    own = {name for name, value in vars(module).items() if is_own(module, value)}
    assert public(stub) == public(own)


@every_module
def test_functions(source):
    module, stub = load(source)
    for name, node in stub.items():
        if isinstance(node, ast.FunctionDef):
            signature = str(inspect.signature(getattr(module, name)))
            assert f"({parameters(node)})" == signature, name


@every_module
def test_bases(source):
    for cls, _, bases in classes(source):
        expected = [base.__name__ for base in cls.__bases__ if base is not object]
        names = [ast.unparse(base).rpartition(".")[2] for base in bases]
        assert names == expected, cls


@every_module
def test_members(source):
    for cls, stub, _ in classes(source):
        compiled = {name: kind_of(value) for name, value in members(cls).items()}
        described = {
            name: kind_in_stub(node)
            for name, node in stub.items()
            if name not in NOT_IN_STUBS
        }
        # A subclass need not repeat the class attributes that it overrides.
        compiled = {
            name: kind
            for name, kind in compiled.items()
            if kind != "ClassVar" or name in stub or not hasattr(cls.__base__, name)
        }
        assert described == compiled, cls


@every_module
def test_methods(source):
    for cls, stub, _ in classes(source):
        for name, value in members(cls).items():
            # Special methods have no signature of their own.
            if isinstance(value, WrapperDescriptorType):
                continue
            if kind_of(value) in ("method", "staticmethod"):
                signature = str(inspect.signature(value))
                assert f"({parameters(stub[name])})" == signature, (cls, name)


@every_module
def test_constructors(source):
    compiled = constructors(source)
    for cls, stub, _ in classes(source):
        described = {
            name: parameters(stub[name]).replace("cls", "self", 1)
            for name in ("__new__", "__init__")
            if name in stub
        }
        assert described == compiled[cls.__name__], cls
