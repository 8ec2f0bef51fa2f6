"""Which pass over the training data it is."""

from __future__ import annotations

# A resumed model is past the epochs in which training follows the oracle.
LATE_EPOCH = 1 << 30


class EpochCounter:
    """Tells the epoch from the number of examples seen.

    n_examples: in one epoch; 0 if that is unknown.
    """

    def __init__(self, n_examples: int) -> None:
        self.n_examples = n_examples
        self.n_seen = 0

    def count(self, n_examples: int) -> None:
        """Note that so many examples have been seen."""
        self.n_seen += n_examples

    @property
    def epoch(self) -> int:
        """The present pass over the data, from 1."""
        if self.n_examples == 0:
            return LATE_EPOCH
        return self.n_seen // self.n_examples + 1
