"""What the blocks of learners in a config stand for: makers of learners."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..core.learners.adagrad_rda import AdaGradRDA
from ..core.learners.averaged_perceptron import AveragedPerceptron
from ..core.learners.base import Learner
from ..core.learners.structured_perceptron import StructuredPerceptron

# Goldberg 2013, section 4.
RELATIVE_L1 = 0.05

# From the number of actions and that of the words in an epoch to a learner.
LearnerFactory = Callable[[int, int], Learner]


@dataclass(frozen=True)
class AveragedPerceptronFactory:
    """The learner that `AveragedPerceptron.v1` stands for."""

    margin: float

    def __call__(self, n_actions: int, n_words: int) -> Learner:
        """A learner for so many actions."""
        return AveragedPerceptron(n_actions, self.margin)


@dataclass(frozen=True)
class AdaGradRDAFactory:
    """The learner that `AdaGradRDA.v1` stands for; see `make_adagrad_rda`."""

    alpha: float
    rho: float
    l1: float | None
    smallest_gradient: float
    relative_l1: float = RELATIVE_L1

    def __call__(self, n_actions: int, n_words: int) -> Learner:
        """A learner for so many actions, and so many words in an epoch."""
        l1 = self.l1
        if l1 is None:
            l1 = self.relative_l1 / n_words if n_words else 0.0
        return AdaGradRDA(n_actions, self.alpha, self.rho, l1, self.smallest_gradient)


@dataclass(frozen=True)
class StructuredPerceptronFactory:
    """The learner that `StructuredPerceptron.v1` stands for."""

    update: str
    negative: str

    def __call__(self, n_actions: int, n_words: int) -> Learner:
        """A learner for so many actions."""
        return StructuredPerceptron(n_actions, self.update, self.negative)
