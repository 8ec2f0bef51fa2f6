"""What the trainable components of this package have in common.

Errors of single documents, warnings that are given once, saving, and copying.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import srsly
from spacy import util
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.vocab import Vocab

from . import saving
from .errors import ModelFileError

if TYPE_CHECKING:
    from typing_extensions import Self


class Component(TrainablePipe):  # type: ignore[misc]
    """A trainable component whose model is one of this package.

    kind: what messages call it, such as "parser".

    epoch: the epoch, from 1, where somebody tells it (see `callbacks`); None where
    examples are counted.
    """

    kind: ClassVar[str]
    vocab: Vocab
    name: str
    model: Any
    epoch: int | None = None

    # ---- what a component fills in ---------------------------------------------------

    @abstractmethod
    def predict(self, docs: Iterable[Doc]) -> list[Any]:
        """What is to be written to each document, without changing any."""

    @abstractmethod
    def set_annotations(self, docs: Iterable[Doc], annotations: list[Any]) -> None:
        """Write what `predict` found."""

    @abstractmethod
    def set_model(self, model: Any) -> None:
        """Take over a saved model, or None."""

    @abstractmethod
    def dump_model(self) -> bytes:
        """The bytes of the model; there must be one."""

    @abstractmethod
    def read_model(self, data: bytes) -> Any:
        """The model that `dump_model` wrote.

        Raises ModelFileError when it is damaged or does not fit the settings.
        """

    @abstractmethod
    def frozen_model(self) -> Any:
        """The model without its training state, or None."""

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """The keyword arguments from which the same component is made."""

    @abstractmethod
    def training_run(self) -> Any:
        """The training state, whose member `epochs` counts examples."""

    # ---- documents -------------------------------------------------------------------

    def __call__(self, doc: Doc) -> Doc:
        """Annotate one document, in place. If that fails and the error handler does not
        raise, it comes back as it was."""
        try:
            self.set_annotations([doc], self.predict([doc]))
        except Exception as error:
            self.get_error_handler()(self.name, self, [doc], error)
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Annotate a stream of documents. One that fails goes to the error handler
        alone, and is left out if the handler does not raise."""
        stream = iter(stream)
        while docs := list(islice(stream, batch_size)):
            annotations = None
            try:
                annotations = self.predict(docs)
                self.set_annotations(docs, annotations)
            except Exception:
                yield from self._one_by_one(docs, annotations)
            else:
                yield from docs

    def _one_by_one(
        self, docs: list[Doc], annotations: list[Any] | None
    ) -> Iterator[Doc]:
        """Annotate documents some of which fail. annotations: None if they are not
        known; those of some documents may have been written already."""
        for i, doc in enumerate(docs):
            try:
                found = annotations[i : i + 1] if annotations else self.predict([doc])
                self.set_annotations([doc], found)
            except Exception as error:
                self.get_error_handler()(self.name, self, [doc], error)
            else:
                yield doc

    def _forget_warnings(self) -> None:
        """Let every kind of warning be given once more."""
        self._warned: set[str] = set()

    def _warn(self, kind: str, message: str) -> None:
        """Warn once for each kind of message."""
        if kind not in self._warned:
            self._warned.add(kind)
            warnings.warn(f"{self.name}: {message}", stacklevel=2)

    def _require_model(self) -> Any:
        """The model. Raises ValueError when there is none yet."""
        if self.model is None:
            raise ValueError(
                f"the {self.kind} {self.name!r} has no model: call nlp.initialize() "
                f"and train it, or load a trained pipeline"
            )
        return self.model

    # ---- the training loop -----------------------------------------------------------

    def _iteration(self) -> int:
        """The epoch, from 1."""
        return self.epoch or int(self.training_run().epochs.epoch)

    def finish_update(self, sgd: Any = None) -> None:
        """Nothing: `update` has done it."""

    def use_params(self, params: Any) -> Iterator[None]:
        """Nothing: predicting and saving always use the averaged weights."""
        yield

    # ---- saving ----------------------------------------------------------------------

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The component as bytes; weights are those it predicts with."""
        return util.to_bytes(saving.writers(self), exclude)

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> Self:
        """Load from bytes. Raises ModelFileError, leaving the component as it was."""
        try:
            data = srsly.msgpack_loads(bytes_data)
        except Exception as error:
            raise ModelFileError(
                f"the bytes are not a saved {self.kind}: {type(error).__name__}: "
                f"{error}"
            ) from error
        saving.load(self, data, exclude, "the bytes")
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save into a directory, as the files `cfg` and `model`.

        Each is written under another name and renamed when it is complete.
        """
        saving.to_disk(self, util.ensure_path(path), exclude)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> Self:
        """Load from a directory. Raises ModelFileError, naming the file, when it is
        missing, damaged or does not fit the settings; the component stays as it was."""
        saving.from_disk(self, util.ensure_path(path), exclude)
        return self

    def __reduce__(self) -> Any:
        return saving.restore, (type(self), saving.state(self))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return saving.restore(type(self), saving.state(self))
