"""Run tests with a build that reports undefined behaviour and invalid memory accesses.

`python scripts/sanitized.py` copies the sources to build/sanitized, compiles the core
there with GCC's AddressSanitizer and UndefinedBehaviorSanitizer and checked indices of
vectors, and runs tests of the copy: those of the core, of the oracles and of damaged
models. The first build takes about 5 minutes of CPU time, later ones only compile what
changed; the tests take about 12. Arguments are passed to pytest instead of these tests:
`python scripts/sanitized.py tests/core/weights -x`. With `--fuzz` they are passed to
the fuzzers of the copy: `python scripts/sanitized.py --fuzz models threads --n 2000`.

Reports are printed at the end. The exit code is that of the build, of pytest or of the
fuzzers, or 1 if there are reports.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPY = ROOT / "build" / "sanitized"
REPORTS = COPY / "reports"
SOURCES = {".py", ".pyx", ".pxd", ".hpp"}
# Python's own flag -fwrapv would define the overflow of signed integers.
FLAGS = """
    -O1 -g1 -fno-omit-frame-pointer -fno-wrapv -D_GLIBCXX_ASSERTIONS
    -fsanitize=address,undefined,float-cast-overflow
"""
TESTS = (
    *("tests/core", "tests/oracles"),
    *("tests/parser/test_saving.py", "tests/tagger/test_saving.py"),
)


def copy_sources() -> None:
    """Bring the copy of the repository's files up to date, with their times."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    names = [name for name in os.fsdecode(listed.stdout).split("\0") if name]
    wanted = {name for name in names if (ROOT / name).exists()}
    for name in wanted:
        source, target = ROOT / name, COPY / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.stat().st_mtime != source.stat().st_mtime:
            shutil.copy2(source, target)
    for room in ("spacy_dynoracle", "tests"):
        for path in (COPY / room).rglob("*"):
            is_source = path.suffix in SOURCES
            if is_source and path.relative_to(COPY).as_posix() not in wanted:
                path.unlink()


def build() -> int:
    """Compile in the copy.

    Returns:
        The exit code.
    """
    flags = {"DYNORACLE_FLAGS": " ".join(FLAGS.split()), "CC": "gcc", "CXX": "g++"}
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
    return subprocess.run(command, cwd=COPY, env=os.environ | flags).returncode


def library(name: str) -> str:
    """The path of a library of the compiler."""
    command = ["g++", f"-print-file-name={name}"]
    found = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return found.stdout.strip()


def test(command: list[str]) -> int:
    """Run a command in the copy.

    Returns:
        Its exit code.
    """
    shutil.rmtree(REPORTS, ignore_errors=True)
    REPORTS.mkdir()
    log = f"log_path={REPORTS / 'report'}"
    settings = {
        "PYTHONPATH": str(COPY),
        # Python's own allocator would hide the bounds of its objects.
        "PYTHONMALLOC": "malloc",
        # The sanitizer has to know how C++ throws before anything does.
        "LD_PRELOAD": f"{library('libasan.so')} {library('libstdc++.so')}",
        # The interpreter does not free everything when it ends.
        "ASAN_OPTIONS": f"detect_leaks=0:{log}",
        "UBSAN_OPTIONS": f"print_stacktrace=1:{log}",
    }
    return subprocess.run(command, cwd=COPY, env=os.environ | settings).returncode


def reports() -> Counter[str]:
    """The reports of the last run, and how often each occurred."""
    found: Counter[str] = Counter()
    for path in sorted(REPORTS.iterdir()):
        for line in path.read_text(encoding="utf8", errors="replace").splitlines():
            if "runtime error: " in line or "ERROR: AddressSanitizer" in line:
                found[line] += 1
    return found


def main() -> int:
    """Build, test or fuzz, print the reports; returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fuzz", action="store_true", help="run python -m tests.fuzz")
    options, arguments = parser.parse_known_args()
    copy_sources()
    if code := build():
        return code
    if options.fuzz:
        command = [sys.executable, "-m", "tests.fuzz", *arguments]
    else:
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n0"]
        # It would catch the signals of invalid accesses.
        command += ["-p", "no:faulthandler", *(arguments or TESTS)]
    code = test(command)
    found = reports()
    lines = [f"{count} times: {line}\n" for line, count in found.most_common()]
    sys.stdout.writelines(lines)
    sys.stdout.write(f"{len(found)} different reports; details: {REPORTS}\n")
    return code or int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
