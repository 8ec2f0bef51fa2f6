"""Gold trees that training cannot use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

# Warns once for each kind of message: (kind, message).
Warn = Callable[[str, str], None]


@dataclass
class _Reason:
    n: int
    first: str


class SkippedTrees:
    """Counts the gold trees that training skips, by reason.

    Attributes:
        n: The number of skipped trees so far; a tree counts each time it is read.
    """

    def __init__(self) -> None:
        self.n = 0
        self._reasons: dict[str, _Reason] = {}

    def add(self, why: str, text: str) -> None:
        """Count a skipped tree.

        Args:
            why: The reason.
            text: The beginning of its document.
        """
        self.n += 1
        reason = self._reasons.setdefault(why, _Reason(0, text))
        reason.n += 1

    def report(self, warn: Warn, n_docs: int) -> None:
        """Warn once for each reason, naming the first tree that was skipped.

        Args:
            n_docs: The number of documents that were read.
        """
        for why, reason in self._reasons.items():
            warn(
                why,
                f"skipped {reason.n} training tree{'s' * (reason.n > 1)} (of {n_docs} "
                f"document{'s' * (n_docs > 1)}); the first, of {reason.first!r}, "
                f"because {why}",
            )
