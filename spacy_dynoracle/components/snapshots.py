"""Frozen copies of models that are still learning.

The public weights of a learner are averages, which are computed and rounded as they are
met. That takes many times longer than to look them up in a frozen model, and freezing
takes as long as a few thousand words: it pays when development data are parsed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from typing_extensions import Self

# So many words take about as long with the weights as they are met as to freeze them.
ENOUGH_WORDS = 4000


class Freezable(Protocol):
    """What has a frozen copy that predicts the same."""

    def freeze(self) -> Self:
        """The copy."""


FreezableT = TypeVar("FreezableT", bound=Freezable)


class Snapshot(Generic[FreezableT]):
    """The frozen copy of a model in training, if there is one.

    model: the model, which goes on learning.
    """

    def __init__(self, model: FreezableT) -> None:
        self.model = model
        self.forget()

    def forget(self) -> None:
        """Give up the copy: the model is going to change."""
        self._frozen: FreezableT | None = None
        self._version: object = None
        self._n_words = 0

    def get(self, version: object, n_words: int) -> FreezableT:
        """What to predict with: the model, or its copy where it has to predict much.

        version: different whenever the model has changed. n_words: to be predicted now.
        """
        if version != self._version:
            self.forget()
            self._version = version
        self._n_words += n_words
        frozen = self._frozen
        if frozen is None and self._n_words > ENOUGH_WORDS:
            frozen = self._frozen = self.model.freeze()
        return self.model if frozen is None else frozen
