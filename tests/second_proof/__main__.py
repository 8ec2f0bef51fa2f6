"""Compare the product with exhaustive search, and print the tables."""

import argparse
import sys

from .cases import NAMES, cases
from .report import CaseReport, compare, table


def main() -> int:
    """The exit code: 1 if anything disagrees."""
    options = _options()
    chosen = [case for case in cases() if case.name in options.systems]
    reports: list[CaseReport] = []
    for number, case in enumerate(chosen, start=1):
        lengths = range(options.n + 1)

        def progress(what: str, number: int = number) -> None:
            sys.stderr.write(f"{number}/{len(chosen)} {what}\n")

        reports.append(compare(case, lengths, options.most, options.whole, progress))
    sys.stdout.write(f"Sentences of up to {options.n} words\n\n{table(reports)}")
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


sys.exit(main())
