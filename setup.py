"""Extension modules and entry points; everything else is in pyproject.toml."""

import importlib
import importlib.util
import os
import re
import sys
from importlib.metadata import version
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parent
# Quoted includes, in headers and in `cdef extern from`, are relative to the folder of
# the file that includes them, or else to this one.
PACKAGE = Path("spacy_dynoracle")
CORE = PACKAGE / "core"
# Cython's own code for memoryviews, which would be in every module that has them.
SHARED = "spacy_dynoracle.core.cython_shared"
JOBS = int(os.environ.get("DYNORACLE_BUILD_JOBS", os.cpu_count() or 1))
# Such as "-O0", or "-fsanitize=address,undefined"; for compiling and linking.
MORE_FLAGS = os.environ.get("DYNORACLE_FLAGS", "").split()
INCLUDED = re.compile(r'^(?:#include|cdef extern from) "(.+?)"', re.MULTILINE)
CIMPORTED = re.compile(r"^from (\.+)([\w.]+) cimport ", re.MULTILINE)
# Debug symbols would make the compiled modules seven times as large, and the names of
# inner functions a tenth larger.
FLAGS = {
    "msvc": ["/O2", "/std:c++17", "/EHsc"],
    "unix": ["-O3", "-std=c++17", "-g0", "-fvisibility=hidden"],
}
# The linker of macOS has another option, and tools that need names come with flags.
LINK_FLAGS = ["-Wl,-s"] if sys.platform == "linux" and not MORE_FLAGS else []
# Links of the README, which PyPI shows outside of the repository.
REPOSITORY = "https://github.com/spacy-dynoracle/spacy-dynoracle"
LINK = re.compile(r"(!?)(\[[^\]]*\]\()(?!https?:|#)")
# A function that a decorator registers with spaCy.
REGISTERED = re.compile(
    r'^@registry\.(\w+)\("(.+)"\)\n(?:@.*\n)*def (\w+)', re.MULTILINE
)
# A transition system with its body, the indented and empty lines below.
SYSTEM = re.compile(
    r"^cdef class (\w+)\(TransitionSystem\):\n((?: +.*\n|\n)*)", re.MULTILINE
)


class ParallelBuildExt(build_ext):
    """Compile the extension modules in parallel, with the flags of the compiler."""

    def initialize_options(self) -> None:
        """Set the number of jobs."""
        super().initialize_options()
        self.parallel = JOBS

    def build_extensions(self) -> None:
        """Add the flags that the compiler at hand understands."""
        kind = "msvc" if self.compiler.compiler_type == "msvc" else "unix"
        for extension in self.extensions:
            extension.extra_compile_args = FLAGS[kind] + MORE_FLAGS
            extension.extra_link_args = LINK_FLAGS + MORE_FLAGS
        super().build_extensions()


def write_straight_line() -> None:
    """Write the header with the code of feature sets, if it is not there as it is now.

    The modules that make it are imported without the package that they belong to,
    which is not compiled yet.
    """
    folder = ROOT / CORE / "features"
    spec = importlib.util.spec_from_file_location(
        "features", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    sys.modules["features"] = importlib.util.module_from_spec(spec)
    text = importlib.import_module("features.straight_line").header()
    path = folder / "straight_line.hpp"
    if not path.exists() or path.read_text(encoding="utf8") != text:
        path.write_text(text, encoding="utf8")


def write_stubs() -> None:
    """Write the stubs of the extension modules, where they are not as they are now."""
    path = ROOT / "scripts" / "stubs.py"
    spec = importlib.util.spec_from_file_location("stubs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.write_stubs()


def headers_of(path: Path) -> set[str]:
    """The C++ headers that a source includes, directly or through what it cimports.

    Args:
        path: A .pyx, .pxd or .hpp file, relative to this folder.
    """
    found: set[str] = set()
    seen: set[Path] = set()
    pending = [path, path.with_suffix(".pxd")]
    while pending:
        source = pending.pop()
        if source in seen or not (ROOT / source).exists():
            continue
        seen.add(source)
        text = (ROOT / source).read_text(encoding="utf8")
        for name in INCLUDED.findall(text):
            header = next(
                folder / name
                for folder in (source.parent, CORE)
                if (ROOT / folder / name).exists()
            )
            found.add(header.as_posix())
            pending.append(header)
        for dots, module in CIMPORTED.findall(text):
            folder = source.parents[len(dots) - 1]
            pending.append(folder.joinpath(*module.split(".")).with_suffix(".pxd"))
    return found


def extensions() -> list[Extension]:
    """One extension for each .pyx file, and the one that Cython writes for all."""
    sources = sorted((ROOT / PACKAGE).rglob("*.pyx"))
    relative = [path.relative_to(ROOT) for path in sources]
    # The beginning of the versions of spaCy that share the declarations of the one at
    # hand, such as "3.8.".
    versions = ".".join([*version("spacy").split(".")[:2], ""])
    modules = [
        Extension(
            ".".join(path.with_suffix("").parts),
            [path.as_posix()],
            include_dirs=[CORE.as_posix(), numpy.get_include()],
            define_macros=[("DYNORACLE_SPACY_VERSIONS", f'"{versions}"')],
            depends=sorted(headers_of(path)),
            language="c++",
        )
        for path in relative
    ]
    # Cython finds the language by the name of the file, and fails if it is named, too.
    return [*modules, Extension(SHARED, [SHARED.replace(".", "/") + ".cpp"])]


def entry_points() -> dict[str, list[str]]:
    """The command, and everything that configs can name.

    spaCy finds a name in a process that has not imported this package if there is an
    entry point of that name. They are collected from the sources, so that a function or
    a transition system is registered in one place.
    """
    found = {
        "console_scripts": ["spacy-dynoracle = spacy_dynoracle.cli:main"],
        "spacy_factories": [
            f"dynoracle_{name} = spacy_dynoracle.{name}.factory:make_dynoracle_{name}"
            for name in ("committee", "lemmatizer", "parser", "senter", "tagger")
        ],
    }
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        text = path.read_text(encoding="utf8")
        for kind, name, function in REGISTERED.findall(text):
            found.setdefault(f"spacy_{kind}", []).append(
                f"{name} = {module}:{function}"
            )
    for path in sorted((ROOT / CORE / "systems").glob("*.pyx")):
        for name, body in SYSTEM.findall(path.read_text(encoding="utf8")):
            if "    builds_trees = False\n" not in body:
                found["spacy_misc"].append(
                    f"spacy_dynoracle.{name}.v1 = "
                    f"spacy_dynoracle.registry.systems:FACTORIES.{name}"
                )
    return found


def description() -> str:
    """The README with whole addresses: of files to read, and of pictures to load."""

    def addressed(found: re.Match[str]) -> str:
        kind = "raw" if found[1] else "blob"
        return f"{found[0]}{REPOSITORY}/{kind}/main/"

    return LINK.sub(addressed, (ROOT / "README.md").read_text(encoding="utf8"))


if __name__ == "__main__":
    write_straight_line()
    write_stubs()
    setup(
        long_description=description(),
        long_description_content_type="text/markdown",
        entry_points=entry_points(),
        ext_modules=cythonize(
            extensions(),
            nthreads=JOBS,
            shared_utility_qualified_name=SHARED,
            compiler_directives={
                "language_level": 3,
                "embedsignature": True,
                "annotation_typing": False,
            },
        ),
        cmdclass={"build_ext": ParallelBuildExt},
    )
