"""Compare the product with exhaustive search, and print the tables."""

import argparse
import sys
import time

from .cases import NAMES, cases
from .report import CaseReport, Progress, compare, table, table_beyond


def main() -> int:
    """The exit code: 1 if anything disagrees."""
    options = _options()
    chosen = [case for case in cases() if case.name in options.systems]
    reports: list[CaseReport] = []
    for number, case in enumerate(chosen, start=1):
        progress = _progress(f"{number}/{len(chosen)} ")
        lengths = range(options.n + 1)
        reports.append(compare(case, lengths, options.most, progress, options.whole))
    sys.stderr.write("\r\x1b[K" if sys.stderr.isatty() else "")
    sys.stdout.write(f"Sentences of up to {options.n} words\n\n{table(reports)}")
    sys.stdout.write(
        f"\nNo promise: costs known to be approximate, {options.n} words\n\n"
        f"{table_beyond(reports)}\n"
    )
    for report in reports:
        for example in report.examples():
            sys.stdout.write(f"\n{report.case.name}: {example}\n")
    return int(any(report.disagreements for report in reports))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.second_proof", description=__doc__)
    parser.add_argument(
        "--systems",
        nargs="+",
        choices=NAMES,
        default=NAMES,
        metavar="NAME",
        help=f"Systems to compare: {', '.join(NAMES)}. All by default.",
    )
    parser.add_argument(
        "--n", type=int, default=5, help="Words of the longest sentences."
    )
    parser.add_argument(
        "--most",
        type=int,
        default=2_000_000,
        help="Pairs of a configuration and a gold tree in one comparison. If there "
        "are more, an even sample is compared, and the table shows the share.",
    )
    parser.add_argument(
        "--whole",
        type=int,
        default=4,
        help="Sentences of up to so many words are compared completely.",
    )
    return parser.parse_args()


def _progress(prefix: str) -> Progress:
    """Show what is running: on one line of a terminal, else a line for each."""
    began = time.monotonic()
    shown = 0.0

    def tell(what: str, share: float) -> None:
        nonlocal shown
        now = time.monotonic()
        if sys.stderr.isatty():
            if share == 0 or now - shown > 0.5:
                shown = now
                line = f"{prefix}{what}: {share:.0%}, {now - began:.0f} s"
                sys.stderr.write(f"\r\x1b[K{line}")
        elif share == 0:
            sys.stderr.write(f"{prefix}{what}\n")
        sys.stderr.flush()

    return tell


sys.exit(main())
