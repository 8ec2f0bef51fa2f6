"""Factories of learners, which the learner blocks of a config make."""

from collections.abc import Callable
from dataclasses import dataclass

from ..core.learners.adagrad_rda import AdaGradRDA
from ..core.learners.base import Learner

# Goldberg 2013, section 4.
RELATIVE_L1 = 0.05

# Makes a learner from the number of actions and the number of words in an epoch.
LearnerFactory = Callable[[int, int], Learner]


def check_learner(made: object) -> None:
    """Raise ValueError unless the block of a config made a factory of learners."""
    if not callable(made):
        raise ValueError(
            f"the block learner made {made!r}: expected a registered learner"
        )


@dataclass(frozen=True)
class PerceptronFactory:
    """Makes the learners of the blocks `AveragedPerceptron.v1` and
    `StructuredPerceptron.v1`.

    Attributes:
        kind: The class of the learner.
        settings: Its arguments behind the number of actions.
    """

    kind: Callable[..., Learner]
    settings: tuple[float | str, ...]

    def __call__(self, n_actions: int, n_words: int) -> Learner:
        """Make a learner for a number of actions."""
        return self.kind(n_actions, *self.settings)


@dataclass(frozen=True)
class AdaGradRDAFactory:
    """Makes the learner of the block `AdaGradRDA.v1`; see `make_adagrad_rda`."""

    alpha: float
    rho: float
    l1: float | None
    smallest_gradient: float
    relative_l1: float = RELATIVE_L1

    @property
    def needs_n_words(self) -> bool:
        """Whether the penalty depends on the number of words."""
        return self.l1 is None and self.relative_l1 > 0

    def __call__(self, n_actions: int, n_words: int) -> Learner:
        """Make a learner.

        Args:
            n_words: The number of words in an epoch; 0 if unknown.
        """
        l1 = self.l1
        if l1 is None:
            l1 = self.relative_l1 / n_words if n_words else 0.0
        return AdaGradRDA(n_actions, self.alpha, self.rho, l1, self.smallest_gradient)
