"""Bring the stubs (.pyi) of the compiled modules up to date.

Run `python scripts/stubs.py` after a build. Classes, methods and parameters are those
of the compiled modules; types are those that the sources declare. A type that a stub
already has stays, so that a vague one ("object") can be made precise by hand. With
--check the script writes nothing, and stubs that are out of date are an error.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from types import GetSetDescriptorType, ModuleType, WrapperDescriptorType
from typing import Any

PACKAGE = Path(__file__).resolve().parents[1] / "spacy_dynoracle"
CORE = PACKAGE / "core"
# What Cython puts into every class, and what stubs leave out by convention.
LEFT_OUT = {
    *("__new__", "__init__", "__doc__", "__repr__", "__pyx_vtable__"),
    *("__setstate__", "__reduce_cython__", "__setstate_cython__"),
}
PYTHON_TYPES = {
    "bint": "bool",
    "double": "float",
    "float": "float",
    **dict.fromkeys(("int", "size_t", "Py_ssize_t", "int32_t", "uint64_t"), "int"),
    **dict.fromkeys(("str", "bytes", "list", "tuple", "dict", "set"), None),
}
Definition = ast.FunctionDef | ast.ClassDef | ast.AnnAssign


def sources() -> list[Path]:
    """The .pyx files."""
    return sorted(PACKAGE.rglob("*.pyx"))


def module_name(source: Path) -> str:
    """The name of the module that a source is compiled to."""
    return ".".join(source.relative_to(PACKAGE.parent).with_suffix("").parts)


def stub_of(source: Path) -> ast.Module:
    """Make the stub of a .pyx file, with the types of the existing stub."""
    path = source.with_suffix(".pyi")
    old = ast.parse(path.read_text(encoding="utf8") if path.exists() else "")
    module = importlib.import_module(module_name(source))
    text = source.read_text(encoding="utf8")
    before = definitions(old)
    body: list[ast.stmt] = [
        item for item in old.body if isinstance(item, ast.Import | ast.ImportFrom)
    ]
    # What a stub has for itself, such as the type of a dictionary.
    private = [name for name in before if name.startswith("_")]
    for name in in_order([*private, *own_names(module)], before):
        if name in private:
            body.append(before[name])
        else:
            body.append(define(name, getattr(module, name), before.get(name), text))
    return ast.Module(body, [])


def definitions(node: ast.Module | ast.ClassDef) -> dict[str, Definition]:
    """The definitions in the body of a stub or of a class, by name."""
    found: dict[str, Definition] = {}
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            found[item.target.id] = item
        elif isinstance(item, ast.FunctionDef | ast.ClassDef):
            found[item.name] = item
    return found


def own_names(module: ModuleType) -> list[str]:
    """Public names that a module defines itself."""
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and not isinstance(value, ModuleType)
        and getattr(value, "__module__", module.__name__) == module.__name__
    ]


def in_order(names: list[str], before: Mapping[str, object]) -> Iterator[str]:
    """The names in the order of the existing stub; new names are last."""
    yield from (name for name in before if name in names)
    yield from (name for name in names if name not in before)


def define(name: str, value: Any, old: Definition | None, text: str) -> Definition:
    """The definition of one name of a module."""
    if isinstance(value, type) and issubclass(value, Enum):
        return define_enum(value)
    if isinstance(value, type):
        return define_class(value, old if isinstance(old, ast.ClassDef) else None, text)
    if callable(value):
        return define_function(name, value, old, text)
    return old if isinstance(old, ast.AnnAssign) else constant(name, value)


def constant(name: str, value: object) -> ast.AnnAssign:
    """`NAME: type`."""
    kind = ast.Name(type(value).__name__)
    return ast.AnnAssign(target=ast.Name(name), annotation=kind, value=None, simple=1)


def define_enum(cls: type[Enum]) -> ast.ClassDef:
    """An enumeration with its members and their values."""
    members = "".join(f"\n    {each.name} = {int(each.value)}" for each in cls)
    new = ast.parse(f"class {cls.__name__}(IntEnum):{members}").body[0]
    assert isinstance(new, ast.ClassDef)
    return new


def define_function(
    name: str, value: Any, old: Definition | None, text: str
) -> ast.FunctionDef:
    """A function, or a method that is neither special nor a constructor."""
    signature = str(inspect.signature(value))
    decorators = ["staticmethod"] if isinstance(value, staticmethod) else []
    declared = re.search(rf"def {name}\((.*?)\)\s*(?:->.*?)?:\n", text, re.DOTALL)
    types = declared_types(declared[1] if declared else "")
    return function(name, signature, types, old, decorators)


def function(
    name: str,
    signature: str,
    types: Mapping[str, str],
    old: Definition | None,
    decorators: list[str],
    result: str = "object",
) -> ast.FunctionDef:
    """A definition with a signature. Types are declared, or come from the old stub."""
    (new,) = ast.parse(f"def {name}{signature}: ...").body
    assert isinstance(new, ast.FunctionDef)
    known: dict[str, ast.expr | None] = {}
    new.returns = ast.Name(result)
    if isinstance(old, ast.FunctionDef):
        known = {a.arg: a.annotation for a in ast.walk(old) if isinstance(a, ast.arg)}
        new.returns = old.returns
    types = {**types_of_defaults(new.args), **types}
    for argument in ast.walk(new.args):
        if isinstance(argument, ast.arg) and argument.arg not in ("self", "cls"):
            kind = types.get(argument.arg, "object")
            argument.annotation = known.get(argument.arg) or ast.Name(kind)
    new.decorator_list = [ast.Name(decorator) for decorator in decorators]
    return new


def types_of_defaults(arguments: ast.arguments) -> dict[str, str]:
    """The types of parameters that have a default other than None."""
    with_default = arguments.args[len(arguments.args) - len(arguments.defaults) :]
    return {
        argument.arg: type(default.value).__name__
        for argument, default in [
            *zip(with_default, arguments.defaults, strict=True),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ]
        if isinstance(default, ast.Constant) and default.value is not None
    }


def declared_types(parameters: str) -> dict[str, str]:
    """The Python types of the parameters that are declared with a type."""
    found = {}
    for part in re.sub(r"\[.*?\]", "", parameters).split(","):
        declaration = part.partition("=")[0].strip().removesuffix(" not None")
        *kind, name = declaration.split() or [""]
        if kind and name:
            found[name] = PYTHON_TYPES.get(kind[-1], kind[-1]) or kind[-1]
    return found


def define_class(cls: Any, old: ast.ClassDef | None, text: str) -> ast.ClassDef:
    """A class with its bases, constructors and members."""
    before = definitions(old) if old else {}
    bodies = re.split(rf"^cdef class {cls.__name__}\b.*\n", text, flags=re.MULTILINE)
    own = re.split(r"^\S", bodies[-1], maxsplit=1, flags=re.MULTILINE)[0]
    found = members(cls)
    made: dict[str, Definition] = {}
    for name, parameters in constructors(own).items():
        types = declared_types(parameters)
        result = "None" if name == "__init__" else "Self"
        signature = f"({untyped(parameters, 'self' if result == 'None' else 'cls')})"
        made[name] = function(name, signature, types, before.get(name), [], result)
    for name, value in found.items():
        described = before.get(name) or inherited(cls, name)
        made[name] = member(name, value, described, own)
        # A subclass need not repeat the class attributes that it overrides.
        is_new = kind_of(value) == "ClassVar" and name not in before
        if is_new and hasattr(cls.__base__, name):
            del made[name]
    body: list[ast.stmt] = [made[name] for name in in_order([*made], before)]
    bases: list[ast.expr] = [
        ast.Name(base.__name__) for base in cls.__bases__ if base is not object
    ]
    kept = [ast.unparse(base).rpartition(".")[2] for base in old.bases] if old else []
    if old and kept == [base.__name__ for base in cls.__bases__ if base is not object]:
        bases = old.bases
    new = ast.parse(f"class {cls.__name__}: ...").body[0]
    assert isinstance(new, ast.ClassDef)
    new.bases, new.body = bases, body or new.body
    return new


def inherited(cls: Any, name: str) -> Definition | None:
    """The definition of a member in the stub of a base class."""
    for base in cls.__mro__[1:]:
        stub = PACKAGE.parent.joinpath(*base.__module__.split(".")).with_suffix(".pyi")
        if stub.exists():
            classes = definitions(ast.parse(stub.read_text(encoding="utf8")))
            definition = classes.get(base.__name__)
            if isinstance(definition, ast.ClassDef):
                found = definitions(definition).get(name)
                if found is not None:
                    return found
    return None


def constructors(body: str) -> dict[str, str]:
    """The parameters of __new__ and __init__ in the source of a class, without self."""
    headers = re.findall(r"    def __(c?)init__\(\s*self(.*?)\):\n", body, re.DOTALL)
    return {
        "__new__" if is_c else "__init__": parameters
        for is_c, parameters in headers
        # Without parameters, __cinit__ takes those of __init__.
        if parameters or not is_c
    }


def untyped(parameters: str, first: str) -> str:
    """Parameters of a .pyx file, without their C types."""
    names = [first]
    for part in re.sub(r"\[.*?\]", "", parameters).split(","):
        declaration, equals, default = part.strip().partition("=")
        if declaration:
            names.append(
                declaration.removesuffix(" not None").split()[-1] + equals + default
            )
    return ", ".join(names)


def members(cls: Any) -> dict[str, Any]:
    """The members of a compiled class that its own source defines."""
    return {
        name: value
        for name, value in vars(cls).items()
        if name not in LEFT_OUT
        and (not name.startswith("_") or name.endswith("__"))
        # A class that cannot be pickled has a generated __reduce__ that says so.
        and getattr(value, "__name__", name) == name
    }


def kind_of(value: object) -> str:
    """The kind of a member: property, staticmethod, method or ClassVar."""
    if isinstance(value, GetSetDescriptorType):
        return "property"
    if isinstance(value, staticmethod):
        return "staticmethod"
    return "method" if callable(value) else "ClassVar"


def member(name: str, value: Any, old: Definition | None, text: str) -> Definition:
    """A member of a class."""
    kind = kind_of(value)
    if kind == "ClassVar":
        if isinstance(old, ast.AnnAssign):
            return old
        new = constant(name, value)
        new.annotation = ast.Subscript(ast.Name("ClassVar"), new.annotation)
        return new
    if kind == "property":
        same = isinstance(old, ast.FunctionDef) and bool(old.decorator_list)
        return function(name, "(self)", {}, old if same else None, ["property"])
    # Special methods have no signature of their own.
    if isinstance(value, WrapperDescriptorType):
        return old or function(name, "(self, *args: object)", {}, None, [])
    return define_function(name, value, old, text)


def add_imports(stub: ast.Module, source: Path, classes: Mapping[str, str]) -> None:
    """Import the names that the stub uses and neither defines nor imports."""
    known = {*definitions(stub), *dir(__builtins__), "object", "bool", "int", "float"}
    for item in stub.body:
        if isinstance(item, ast.Import | ast.ImportFrom):
            known |= {(a.asname or a.name).partition(".")[0] for a in item.names}
    used = {node.id for node in ast.walk(stub) if isinstance(node, ast.Name)}
    for name in sorted(used - known):
        origin = {
            "ClassVar": "typing",
            "IntEnum": "enum",
            "Self": "typing_extensions",
        }.get(name, classes.get(name))
        if origin:
            stub.body[:0] = ast.parse(f"from {origin} import {name}").body


def is_up_to_date(source: Path) -> bool:
    """Whether the stub of a .pyx file is up to date."""
    path = source.with_suffix(".pyi")
    if not path.exists():
        return False
    found = ast.parse(path.read_text(encoding="utf8"))
    expected = ast.parse(ast.unparse(ast.fix_missing_locations(stub_of(source))))
    return ast.dump(found) == ast.dump(expected)


def main(arguments: list[str]) -> int:
    """Write the stubs that have changed, or check them; returns the exit code."""
    old = [source for source in sources() if not is_up_to_date(source)]
    if arguments == ["--check"]:
        sys.stderr.writelines(f"out of date: {module_name(path)}\n" for path in old)
        return int(bool(old))
    classes = {
        name: module_name(source)
        for source in sources()
        for name in own_names(importlib.import_module(module_name(source)))
    }
    for source in old:
        stub = stub_of(source)
        add_imports(stub, source, classes)
        text = ast.unparse(ast.fix_missing_locations(stub)) + "\n"
        source.with_suffix(".pyi").write_text(text, encoding="utf8")
    written = [str(source.with_suffix(".pyi")) for source in old]
    if written:
        for command in (["check", "--fix", "--quiet"], ["format", "--quiet"]):
            subprocess.run(["ruff", *command, *written], check=False)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
