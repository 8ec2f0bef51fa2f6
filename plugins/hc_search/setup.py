"""Extension modules, compiled against spacy_dynoracle; more is in pyproject.toml."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

ROOT = Path(__file__).parent
PACKAGE = Path("dynoracle_hcsearch")
# Cython's own code for memoryviews, which would be in every module that has them.
SHARED = "dynoracle_hcsearch.cython_shared"
# The folder of the installed package, or of the checkout that is installed.
(DYNORACLE,) = map(Path, find_spec("spacy_dynoracle").submodule_search_locations)
CORE = DYNORACLE / "core"
DECLARATIONS = ("*.pxd", "*.hpp")
# Such as "-O1"; for compiling and linking.
MORE_FLAGS = os.environ.get("DYNORACLE_FLAGS", "").split()
if sys.platform == "win32":
    FLAGS = ["/O2", "/std:c++17", "/EHsc"]
else:
    FLAGS = ["-O3", "-std=c++17", "-g0", "-fvisibility=hidden"]


def extensions() -> list[Extension]:
    """One extension for each .pyx file, and the one that Cython writes for all."""
    declarations = [
        str(path)
        for folder in (ROOT / PACKAGE, CORE)
        for pattern in DECLARATIONS
        for path in sorted(folder.rglob(pattern))
    ]
    modules = [
        Extension(
            f"{PACKAGE.name}.{path.stem}",
            [(PACKAGE / path.name).as_posix()],
            include_dirs=[str(CORE)],
            depends=declarations,
            extra_compile_args=FLAGS + MORE_FLAGS,
            extra_link_args=MORE_FLAGS,
            language="c++",
        )
        for path in sorted((ROOT / PACKAGE).glob("*.pyx"))
    ]
    # Cython finds the language by the name of the file, and fails if it is named, too.
    shared = Extension(
        SHARED,
        [SHARED.replace(".", "/") + ".cpp"],
        extra_compile_args=FLAGS + MORE_FLAGS,
        extra_link_args=MORE_FLAGS,
    )
    return [*modules, shared]


setup(
    ext_modules=cythonize(
        extensions(),
        shared_utility_qualified_name=SHARED,
        include_path=[str(DYNORACLE.parent)],
        compiler_directives={
            "language_level": 3,
            "embedsignature": True,
            "annotation_typing": False,
        },
    ),
)
