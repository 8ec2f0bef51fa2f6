"""The epoch of training, counted by examples."""

# The epoch of a resumed model, later than all epochs in which training follows the
# oracle.
LATE_EPOCH = 1 << 30


class EpochCounter:
    """Computes the epoch from the number of examples seen.

    Args:
        n_examples: The number of examples in one epoch; 0 if unknown.
    """

    def __init__(self, n_examples: int) -> None:
        self.n_examples = n_examples
        self.n_seen = 0

    def count(self, n_examples: int) -> None:
        """Add a number of examples to those seen."""
        self.n_seen += n_examples

    @property
    def epoch(self) -> int:
        """The epoch, counted from 1."""
        if self.n_examples == 0:
            return LATE_EPOCH
        return self.n_seen // self.n_examples + 1
