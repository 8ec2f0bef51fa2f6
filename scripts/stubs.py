"""Make the stubs (.pyi) of the Cython modules from their sources.

`setup.py` does this before every build, so that type checkers, editors and the
reference know signatures and docstrings of compiled modules. `python scripts/stubs.py`
does it without a build.

Types are the annotations of the source, or else the C types of the parameters. The type
of an attribute or of a constant may stand behind it in a comment, as in
`cdef readonly object system  # type: TransitionSystem`. Annotations need no import in
the source: they may name every class of the package, and the names of IMPORTS.
"""

from __future__ import annotations

import ast
import builtins
import collections.abc
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from Cython.CodeWriter import ExpressionWriter
from Cython.Compiler import ExprNodes, Nodes
from Cython.Compiler.TreeFragment import StringParseContext, parse_from_strings

PACKAGE = Path(__file__).resolve().parents[1] / "spacy_dynoracle"
IMPORTS = {
    **dict.fromkeys(typing.__all__, "typing"),
    **dict.fromkeys(collections.abc.__all__, "collections.abc"),
    **dict.fromkeys(("ArrayLike", "NDArray"), "numpy.typing"),
    **{"Doc": "spacy.tokens", "IntEnum": "enum", "Self": "typing_extensions"},
}
INTEGERS = ("int", "size_t", "Py_ssize_t", "int32_t", "int64_t", "uint64_t", "long")
PYTHON_TYPES = {
    **dict.fromkeys(INTEGERS, "int"),
    **{"bint": "bool", "double": "float", "void": "None", None: "object"},
}
LITERALS = {
    ExprNodes.BoolNode: "bool",
    ExprNodes.IntNode: "int",
    ExprNodes.FloatNode: "float",
    ExprNodes.UnicodeNode: "str",
}
# What the source of a class has for Python or Cython alone.
LEFT_OUT = ("__dealloc__", "__reduce__", "__repr__", "__setstate__")
DEFINITION = re.compile(r"^(?:cdef |cpdef enum )?class (\w+)", re.MULTILINE)
COMMENT = re.compile(r"# type: (.+)$")
NAME = re.compile(r"(?<![\w.'\"])[A-Za-z_]\w*")


class Stub:
    """The stub of one module.

    Args:
        path: The .pyx file.
        classes: The modules of all classes of the package.
    """

    def __init__(self, path: Path, classes: dict[str, str]) -> None:
        self.classes = classes
        self.names: set[str] = set()
        self.defined: set[str] = set()
        self.imported: dict[str, str] = {}
        self.attributes: dict[str, list[str]] = {}
        self.module = path.relative_to(PACKAGE.parent).with_suffix("")
        self.body: list[str] = []
        declarations = path.with_suffix(".pxd")
        if declarations.exists():
            for node in self.statements(declarations):
                if isinstance(node, Nodes.CEnumDefNode) and node.create_wrapper:
                    self.body += self.enum(node)
                elif isinstance(node, Nodes.CClassDefNode):
                    self.attributes[node.class_name] = self.properties(node)
        for node in self.statements(path):
            self.body += self.definition(node)

    def statements(self, path: Path) -> Iterator[Any]:
        """The statements of a file."""
        text = path.read_text(encoding="utf8")
        self.lines = text.splitlines()
        # The parser of pieces of code does not know defaults of declarations.
        text = text.replace("=*", "=None")
        context = StringParseContext(path.name, cpp=True)
        context.set_language_level(3)
        tree = parse_from_strings(path.name, text, context=context)
        if path.suffix == ".pyx":
            self.body[:0] = docstring(tree.doc, "")
        return iterate(tree.body)

    def definition(self, node: Any) -> list[str]:
        """A definition of the module; remembers what is imported."""
        if isinstance(node, Nodes.FromCImportStatNode):
            self.note(node.module_name, node.relative_level, node.imported_names)
        elif isinstance(node, Nodes.FromImportStatNode):
            names = [(None, name, None) for name, _ in node.items]
            self.note(node.module.module_name.value, node.module.level, names)
        elif isinstance(node, Nodes.CClassDefNode):
            return self.cdef_class(node)
        elif isinstance(node, Nodes.CEnumDefNode) and node.create_wrapper:
            return self.enum(node)
        elif isinstance(node, Nodes.DefNode) and not node.name.startswith("_"):
            return self.function(node, "")
        elif isinstance(node, Nodes.SingleAssignmentNode):
            return self.constant(node, "")
        return []

    def note(self, module: str, level: int | None, names: list[Any]) -> None:
        """Remember the origin of imported names."""
        package = self.module.parts[: -level or None] if level else ()
        origin = ".".join([*package, *filter(None, [module])])
        self.imported.update({name: origin for _, name, *_ in names})

    def cdef_class(self, node: Any) -> list[str]:
        """A class with its public members."""
        self.defined.add(node.class_name)
        bases = [
            self.used(shown(base)) for base in (node.bases.args if node.bases else ())
        ]
        head = f"class {node.class_name}" + f"({', '.join(bases)})" * bool(bases) + ":"
        body = docstring(node.doc, "    ")
        body += self.attributes.get(node.class_name) or self.properties(node)
        for member in iterate(node.body):
            if isinstance(member, Nodes.SingleAssignmentNode):
                body += self.constant(member, "    ")
            elif isinstance(member, Nodes.DefNode) and is_public(member.name):
                body += self.function(member, "    ")
        return [head, *(body or ["    ..."])]

    def properties(self, node: Any) -> list[str]:
        """The attributes of a class that Python may read or write."""
        found = []
        for member in iterate(node.body):
            if getattr(member, "visibility", "") in ("readonly", "public"):
                for declarator in member.declarators:
                    kind = self.used(self.comment(member) or self.c_type(member))
                    head = f"    def {declarator.name}(self) -> {kind}: ..."
                    found += (
                        ["    @property", head]
                        if member.visibility == "readonly"
                        else [f"    {declarator.name}: {kind}"]
                    )
        return found

    def enum(self, node: Any) -> list[str]:
        """An enumeration with its values; without a name, these are integers."""
        if node.name is None:
            return [f"{item.name}: int" for item in node.items]
        self.defined.add(node.name)
        self.used("IntEnum")
        members = [f"    {item.name} = {item.value.value}" for item in node.items]
        said = docstring(node.doc, "    ")
        return [f"class {node.name}(IntEnum):", *said, *members]

    def constant(self, node: Any, indent: str) -> list[str]:
        """A constant of a module, or an attribute of a class, if its type is known."""
        name = getattr(node.lhs, "name", "_")
        kind = self.comment(node) or LITERALS.get(type(node.rhs))
        if name.startswith("_") or not kind:
            return []
        if not indent:
            self.defined.add(name)
            return [f"{name}: {self.used(kind)}"]
        return [f"{indent}{name}: {self.used('ClassVar')}[{self.used(kind)}]"]

    def comment(self, node: Any) -> str | None:
        """The type in the comment behind a statement."""
        found = COMMENT.search(self.lines[getattr(node, "lhs", node).pos[1] - 1])
        return found[1] if found else None

    def function(self, node: Any, indent: str) -> list[str]:
        """A function or a method."""
        decorators = [f"{indent}@{d.decorator.name}" for d in node.decorators or ()]
        name, returns = node.name, "object"
        if name == "__cinit__":
            if len(node.args) == 1:
                return []
            name, returns = "__new__", "Self"
        elif name == "__init__":
            returns = "None"
        if node.return_type_annotation:
            returns = node.return_type_annotation.string.value
        shown = [self.parameter(arg) for arg in node.args]
        if name == "__new__":
            shown[0] = "cls"
        n_plain = len(node.args) - node.num_kwonly_args
        if node.star_arg:
            shown.insert(n_plain, f"*{node.star_arg.name}: {self.star(node.star_arg)}")
        elif node.num_kwonly_args:
            shown.insert(n_plain, "*")
        if node.starstar_arg:
            shown.append(f"**{node.starstar_arg.name}: {self.star(node.starstar_arg)}")
        head = f"{indent}def {name}({', '.join(shown)}) -> {self.used(returns)}:"
        doc = docstring(node.doc, indent + "    ")
        return [*decorators, head, *doc] if doc else [*decorators, f"{head} ..."]

    def star(self, node: Any) -> str:
        """The type of *args or **kwargs."""
        return self.used(node.annotation.string.value if node.annotation else "object")

    def parameter(self, node: Any) -> str:
        """A parameter with its type and default."""
        name = node.declarator.name
        if name == "self":
            return name
        default = node.default
        kind = self.c_type(node) if name else "object"
        name = name or node.base_type.name
        if node.annotation:
            kind = node.annotation.string.value
        elif isinstance(default, ExprNodes.NoneNode) and kind != "object":
            kind = f"{kind} | None"
        elif kind == "object" and type(default) in LITERALS:
            kind = LITERALS[type(default)]
        shown = f"{name}: {self.used(kind)}"
        return shown if default is None else f"{shown} = {self.default(default)}"

    def default(self, node: Any) -> str:
        """A default value."""
        text = shown(node)
        return text if self.names_in(text) <= self.defined else "..."

    def c_type(self, node: Any) -> str:
        """The Python type of a declared C type."""
        name = getattr(node.base_type, "name", None)
        return PYTHON_TYPES.get(name) or name or "object"

    def names_in(self, text: str) -> set[str]:
        """The names in an expression or a type that are not builtin."""
        plain = re.sub(r"\"[^\"]*\"|'[^']*'", "", text)
        return {name for name in NAME.findall(plain) if not hasattr(builtins, name)}

    def used(self, kind: str) -> str:
        """The same type; its names will be imported."""
        self.names |= self.names_in(kind)
        return kind

    def imports(self) -> Iterator[str]:
        """The lines that import what the stub uses."""
        for name in sorted(self.names - self.defined):
            if name == "np":
                yield "import numpy as np"
                continue
            origin = IMPORTS.get(name) or self.classes.get(name) or self.imported[name]
            yield f"from {origin} import {name}"

    def text(self) -> str:
        """The stub."""
        start = 1 if self.body and self.body[0].startswith('"""') else 0
        lines = [*self.body[:start], "", *self.imports(), "", *self.body[start:], ""]
        text = "\n".join(lines)
        ast.parse(text)
        return text


def shown(node: Any) -> str:
    """The source of an expression."""
    return str(ExpressionWriter().write(node))


def iterate(body: Any) -> Iterator[Any]:
    """The statements of a block."""
    yield from body.stats if isinstance(body, Nodes.StatListNode) else [body]


def is_public(name: str) -> bool:
    """Whether a stub shows a method."""
    is_special = name.startswith("__") and name not in LEFT_OUT
    return is_special or not name.startswith("_")


def docstring(text: str | None, indent: str) -> list[str]:
    """A docstring as it stands in the source."""
    if not text:
        return []
    escaped = text.replace("\\", "\\\\").replace('"""', r"\"\"\"")
    space = " " if escaped.endswith('"') else ""
    return [f'{indent}"""{escaped}{space}"""']


def classes_of_package() -> dict[str, str]:
    """The module of every class of the package whose name no other class has."""
    found: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.p[yx]*")):
        if path.suffix in (".py", ".pyx", ".pxd"):
            module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
            text = path.read_text(encoding="utf8")
            for name in DEFINITION.findall(text):
                found.setdefault(name, set()).add(module)
    return {name: min(of) for name, of in found.items() if len(of) == 1}


def write_stubs() -> None:
    """Write the stubs that are older than a source, or than this script."""
    classes = classes_of_package()
    for path in sorted(PACKAGE.rglob("*.pyx")):
        stub = path.with_suffix(".pyi")
        sources = [path, path.with_suffix(".pxd"), Path(__file__)]
        newest = max(source.stat().st_mtime for source in sources if source.exists())
        if not stub.exists() or stub.stat().st_mtime < newest:
            stub.write_text(Stub(path, classes).text(), encoding="utf8")


if __name__ == "__main__":
    write_stubs()
