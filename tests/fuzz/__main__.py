"""The command line: `python -m tests.fuzz SURFACE ... --n 1000`.

Prints each finding with the command that repeats it, and one line for each surface at
the end. The exit code is 1 if anything was found.
"""

from __future__ import annotations

import argparse
import random
import sys

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from .runner import Finding, Report, run
from .surface import NAMES, surface

SURFACES = """\
surfaces:
  models    damaged and crafted model files, loaded and used for parsing
  conllu    damaged treebanks and texts, read, checked, trained on and parsed
  commands  command lines with odd arguments and input
  configs   components, readers and tokenizers with odd settings: made and used
  records   damaged records of Docs
  threads   training, saving, copying and abandoned generators beside parsing
  disks     full and read-only disks under every command that writes, and kills
  tokenizers damaged files of tokenizers, loaded and used
  merges    Docs whose tokens are merged and split, copied and saved
  tables    damaged files and outputs of parse-table
"""


def arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description="Try hostile input and faults on parts of the package (surfaces).",
        epilog=SURFACES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "surfaces", nargs="*", metavar="SURFACE", help="by default all; see below"
    )
    parser.add_argument(
        "--seed", type=int, help="seeds the cases; by default a new one, printed"
    )
    parser.add_argument("--n", type=int, help="cases of each surface")
    parser.add_argument("--only", type=int, help="only the case with this number")
    parser.add_argument(
        "--seconds", type=float, help="begin no case of a surface after so many"
    )
    found = parser.parse_args()
    for name in found.surfaces:
        if name not in NAMES:
            parser.error(f"no surface {name!r}: expected one of {', '.join(NAMES)}")
    return found


def main() -> int:
    """Run the surfaces; returns the exit code."""
    options = arguments()
    seed = random.SystemRandom().randrange(10**9) if options.seed is None else None
    seed = options.seed if seed is None else seed
    out = Console(highlight=False, markup=False, soft_wrap=True)
    out.print(f"seed {seed}")
    reports: list[Report] = []
    for name in options.surfaces or NAMES:
        n = surface(name).SHORT if options.n is None else options.n
        numbers = range(n)
        if options.only is not None:
            numbers = range(options.only, options.only + 1)
        columns = (name, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(name, total=len(numbers))

            def show(finding: Finding) -> None:
                out.print(str(finding))

            def advance(n: int, bar: Progress = bar, task: object = task) -> None:
                bar.advance(task, n)  # type: ignore[arg-type]

            report = run(name, seed, numbers, advance, show, options.seconds)
        out.print(str(report))
        reports.append(report)
    if len(reports) > 1:
        out.print("\n".join(map(str, reports)))
    return int(any(report.findings for report in reports))


if __name__ == "__main__":
    sys.exit(main())
