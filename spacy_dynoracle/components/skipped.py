"""Gold trees that training cannot use."""

from collections import Counter
from collections.abc import Callable

# Warns once for each kind of message: (kind, message).
Warn = Callable[[str, str], None]


class SkippedTrees:
    """Counts the gold trees that training skips, by reason.

    A tree counts each time it is read.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        # The first tree of each reason.
        self._first: dict[str, str] = {}

    def add(self, why: str, text: str) -> None:
        """Count a skipped tree.

        Args:
            why: The reason.
            text: The beginning of its document.
        """
        self._counts[why] += 1
        self._first.setdefault(why, text)

    def report(self, warn: Warn, n_docs: int) -> None:
        """Warn once for each reason, naming the first tree that was skipped.

        Args:
            n_docs: The number of documents that were read.
        """
        for why, n in self._counts.items():
            warn(
                why,
                f"skipped {n} training tree{'s' * (n > 1)} (of {n_docs} "
                f"document{'s' * (n_docs > 1)}); the first, of {self._first[why]!r}, "
                f"because {why}",
            )
