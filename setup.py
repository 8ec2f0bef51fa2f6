"""The extension modules; everything else is in pyproject.toml."""

import os
import platform
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parent
JOBS = int(os.environ.get("DYNORACLE_BUILD_JOBS", os.cpu_count() or 1))
# Scores are summed as integers in the memory that then holds them as floats.
FLAGS = (
    ["/O2", "/std:c++17"]
    if platform.system() == "Windows"
    else ["-O3", "-std=c++17", "-fno-strict-aliasing"]
)


class ParallelBuildExt(build_ext):
    """Compile the extension modules in parallel."""

    def initialize_options(self) -> None:
        """Set the number of jobs."""
        super().initialize_options()
        self.parallel = JOBS


def extensions() -> list[Extension]:
    """One extension for each .pyx file of the core."""
    paths = sorted((ROOT / "spacy_dynoracle").rglob("*.pyx"))
    relative = [path.relative_to(ROOT) for path in paths]
    headers = [str(path) for path in (ROOT / "spacy_dynoracle").rglob("*.hpp")]
    return [
        Extension(
            ".".join(path.with_suffix("").parts),
            [path.as_posix()],
            include_dirs=["spacy_dynoracle/core"],
            depends=headers,
            language="c++",
            extra_compile_args=FLAGS,
        )
        for path in relative
    ]


if __name__ == "__main__":
    setup(
        ext_modules=cythonize(
            extensions(),
            nthreads=JOBS,
            compiler_directives={
                "language_level": 3,
                "embedsignature": True,
                "annotation_typing": False,
            },
        ),
        cmdclass={"build_ext": ParallelBuildExt},
    )
