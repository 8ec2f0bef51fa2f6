"""Frozen copies of models that are still learning.

A learner predicts with averaged weights. It computes and rounds them at every use,
which takes many times longer than a lookup in a frozen model. Freezing takes
as long as parsing a few thousand words, so it pays when development data are parsed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from typing_extensions import Self

# Predicting so many words without freezing takes about as long as freezing.
ENOUGH_WORDS = 4000


class Freezable(Protocol):
    """A model that can make a frozen copy with the same predictions."""

    def freeze(self) -> Self:
        """Make the frozen copy."""


FreezableT = TypeVar("FreezableT", bound=Freezable)


class Snapshot(Generic[FreezableT]):
    """The frozen copy of a model in training, if there is one.

    Args:
        model: The model, which goes on learning.
    """

    def __init__(self, model: FreezableT) -> None:
        self.model = model
        self.forget()

    def forget(self) -> None:
        """Drop the copy, because the model is going to change."""
        self._frozen: FreezableT | None = None
        self._n_words = 0

    def get(self, n_words: int) -> FreezableT:
        """The model for predictions: the model itself, or its copy for many words.

        Args:
            n_words: The number of words to predict now.
        """
        self._n_words += n_words
        frozen = self._frozen
        if frozen is None and self._n_words > ENOUGH_WORDS:
            frozen = self._frozen = self.model.freeze()
        return self.model if frozen is None else frozen
