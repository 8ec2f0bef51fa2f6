"""Run command lines, most of them in this process: most take less time for their work
than a new interpreter takes to import spaCy.
"""

import contextlib
import gc
import io
import os
import runpy
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
in_checkout = pytest.mark.skipif(
    not ((ROOT / "models").is_dir() and (ROOT / "plugins").is_dir()),
    reason="needs the folders models and plugins, which an sdist lacks",
)


@dataclass
class Result:
    """The exit code of a command and what it printed."""

    returncode: int
    stdout: str
    stderr: str


def python(*arguments, cwd="."):
    """As `python -m MODULE ...` or `python FILE ...` in a directory."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        code = execute(list(map(str, arguments)), Path(cwd))
    return Result(code, stdout.getvalue(), stderr.getvalue())


def new_process(*arguments, cwd=ROOT, timeout=None, stdin=None, **environment):
    """The same in a new interpreter, which finds the package and the tests."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        input=stdin,
        timeout=timeout,
        capture_output=True,
        encoding="utf-8",
    )


def execute(arguments, directory):
    """Run the arguments of `python` with their output wherever it goes; return the exit
    code.
    """
    before = os.getcwd(), sys.argv, sys.path
    is_module = arguments[0] == "-m"
    name, *rest = arguments[1:] if is_module else arguments
    sys.argv = [name, *rest]
    sys.path = ["" if is_module else str(Path(name).resolve().parent), *sys.path]
    os.chdir(directory)
    # Benchmarks collect garbage before they measure, and other tests left much behind:
    # collections visit nothing of it until the next program begins.
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    try:
        if is_module:
            runpy.run_module(name, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(name, run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
            return 1
        return int(end.code or 0)
    finally:
        os.chdir(before[0])
        sys.argv, sys.path = before[1:]
    return 0
