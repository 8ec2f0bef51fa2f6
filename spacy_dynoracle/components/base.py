"""The base class of the trainable components of this package.

It handles errors of single documents and warns once of each problem.
"""

from __future__ import annotations

import copy
import functools
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from spacy.vocab import Vocab

from ..doc.surroundings import Surroundings
from ..util.config_errors import config_block
from .saving import SavedComponent
from .settings import keywords

if TYPE_CHECKING:
    from typing_extensions import Self

C = TypeVar("C", bound="Component")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])


def exclusive(method: F) -> F:
    """Decorate a method that changes the model of a component: it waits for other
    threads that change the model or search with a model in training.
    """

    @functools.wraps(method)
    def wrapped(self: Component, *arguments: Any, **keywords: Any) -> Any:
        with self._lock:
            return method(self, *arguments, **keywords)

    return cast(F, wrapped)


class Component(SavedComponent):
    """A trainable component whose model is one of this package.

    Attributes:
        recipe: Its settings, a dataclass (see `components.settings`).
        recipe_type: The class of the settings.
        epoch: The epoch, counted from 1, if a callback sets it (see `callbacks`); None
            if the component counts examples.
        n_threads: Threads that share a batch; see `set_threads`.
        within: The component of a pipeline that this one is a part of; None if it is
            itself one.
    """

    recipe: Any
    recipe_type: ClassVar[Any]
    epoch: int | None = None
    n_threads = 1
    within: Component | None = None
    # The training state, if there is one.
    _run: Any = None

    def __init__(self, vocab: Vocab, name: str, **settings: Any) -> None:
        self.vocab = vocab
        self.name = name
        # Guards the training state and the model that it changes; see `exclusive`.
        self._lock = RLock()
        with config_block("components", name):
            self._use(self.recipe_type(**settings))

    # ---- what a component fills in ---------------------------------------------------

    @abstractmethod
    def annotations(self, docs: list[Doc], model: Any) -> list[Any]:
        """The annotation of each document with a model."""

    @abstractmethod
    def set_annotations(self, docs: Iterable[Doc], annotations: list[Any]) -> None:
        """Write the results of `predict` to the documents."""

    @exclusive
    def frozen_model(self) -> Any:
        """The model without its training state, or None."""
        return None if self.model is None else self.model.freeze()

    @abstractmethod
    def _resumed(self, model: Any) -> Any:
        """The training state that goes on from a model: its member `epochs` counts
        examples, and its member `snapshot` has the model that learns.
        """

    @abstractmethod
    def learn(self, examples: list[Example], losses: dict[str, float]) -> None:
        """Learn from a batch of examples.

        Args:
            losses: What is counted is added.
        """

    # ---- documents -------------------------------------------------------------------

    def __call__(self, doc: Doc) -> Doc:
        """Annotate one document, in place.

        If that fails and the error handler does not raise, the document stays as it
        was.
        """
        try:
            self.set_annotations([doc], self.predict([doc]))
        except Exception as error:
            self.get_error_handler()(self.name, self, [doc], error)
        return doc

    def predict(self, docs: Iterable[Doc]) -> list[Any]:
        """Compute the annotation of each document without changing the documents.

        Raises:
            ValueError: When the component has no model yet, and when the settings ask
                for something that the model does not have.
        """
        return self._predict_with(self.annotations, list(docs))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Annotate a stream of documents.

        A document that fails goes to the error handler alone. It is left out if the
        handler does not raise.
        """
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
        """Annotate documents of which some fail.

        Args:
            annotations: None if they are not known; some of them may have been written
                already.
        """
        for i, doc in enumerate(docs):
            try:
                found = annotations[i : i + 1] if annotations else self.predict([doc])
                self.set_annotations([doc], found)
            except Exception as error:
                self.get_error_handler()(self.name, self, [doc], error)
            else:
                yield doc

    def _forget_warnings(self) -> None:
        """Allow every kind of warning once more."""
        self._warned: set[str] = set()

    def _warn(self, kind: str, message: str) -> None:
        """Warn once for each kind of message, and once for all parts of a component."""
        warned = (self.within or self)._warned
        if kind not in warned:
            warned.add(kind)
            warnings.warn(f"{self.name}: {message}", stacklevel=2)

    def _require_model(self) -> Any:
        """The model.

        Raises:
            ValueError: When there is none yet.
        """
        if self.model is None:
            raise ValueError(
                f"the {self.kind} {self.name!r} has no model: take it from a trained "
                f"pipeline (nlp.add_pipe with source), or train the pipeline "
                f"(nlp.initialize() resets all of its components)"
            )
        return self.model

    def _checked_model(self) -> Any:
        """The model for predictions.

        Raises:
            ValueError: When there is none yet.
        """
        return self._require_model()

    def _temperature(self, model: Any, asked: str, instead: str) -> float:
        """The temperature of a model.

        Args:
            asked: The setting that asks for probabilities.
            instead: The setting that does not.

        Raises:
            ValueError: If the model has no probabilities.
        """
        if model.temperature is None:
            raise ValueError(
                f"{asked}, but scores of the learner {model.learner}, which trained "
                f"{self.name!r}, are not probabilities: train with AdaGradRDA, or set "
                f"{instead}"
            )
        return float(model.temperature)

    def _predict_with(
        self, predict: Callable[[list[Doc], Any], R], docs: list[Doc]
    ) -> R:
        """Call a function with documents and the model for predictions, which does not
        change until the function returns. A model that is not in training needs no
        lock.
        """
        # The model is read before the training state, which other threads make.
        model = self._checked_model()
        run = self._run
        if run is None:
            return predict(docs, model)
        with self._lock:
            model = run.snapshot.get(sum(map(len, docs)))
            if model is run.snapshot.model:
                return predict(docs, model)
        return predict(docs, model)

    # ---- settings --------------------------------------------------------------------

    def _use(self, recipe: Any) -> None:
        """Use these settings."""
        self.recipe = recipe
        self.scorer = recipe.scorer

    def change(self, **settings: Any) -> None:
        """Change settings of prediction, such as `overwrite`; the model stays.

        What is saved is the config, so these settings are not: give them to
        `spacy.load(..., config=...)` in order to save them.

        Raises:
            ValueError: For settings that are unknown or do not go together.
        """
        self._use(replace(self.recipe, **settings))

    def set_threads(self, n_threads: int) -> None:
        """Let so many threads share each batch."""
        self.n_threads = n_threads

    # ---- the training loop -----------------------------------------------------------

    @exclusive
    def training_run(self) -> Any:
        """The training state. It is made from the model if the model was loaded.

        Raises:
            ValueError: When there is no model yet.
        """
        if self._run is None:
            if self.model is None:
                raise ValueError(
                    f"the {self.kind} {self.name!r} is not initialized: call "
                    f"nlp.initialize() before training"
                )
            try:
                self._run = self._resumed(self.model)
            except ValueError as error:
                raise ValueError(
                    f"{self.name}: {error}; if it is not to learn, train the others "
                    "alone (nlp.select_pipes, or frozen_components of a config)"
                ) from error
            self.model = self._run.snapshot.model
        return self._run

    def _warn_of_stream(self, around: Surroundings) -> None:
        """Warn if the learner needs the size of training data that are a stream."""
        if around.is_streamed and getattr(self.recipe.learner, "needs_n_words", False):
            self._warn(
                "stream",
                "the training data are a stream (max_epochs = -1), so the number of "
                "words in an epoch is not known, and the learner has no L1 penalty: "
                "set l1 of AdaGradRDA.v1, for example to 0.05 divided by that number",
            )

    def _warn_of_tokenizer(
        self, around: Surroundings, examples: Iterable[Example], own: Iterable[str]
    ) -> None:
        """Warn if the tokenizer sets attributes that the component is to set."""
        kept = set() if self.recipe.overwrite else around.set_by_tokenizer(examples)
        kept = kept.intersection(own)
        if kept:
            self._warn(
                "tokenizer",
                f"the tokenizer sets {' and '.join(sorted(kept))}, which the "
                f"{self.kind} keeps: set overwrite = true in its block",
            )

    def _warn_of_large_weights(self, learner: Any) -> None:
        """Warn if training does not change some weights any more."""
        if getattr(learner, "has_stopped_growing", False):
            self._warn(
                "large weights",
                "some weights have reached 2**24, where numbers in single precision "
                "stop growing, so training from here on makes the model worse: stop "
                "it, or set a smaller margin of the learner",
            )

    @exclusive
    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Any = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learn from a batch of examples.

        drop and sgd are not used.

        Args:
            losses: What `learn` counts is added, under the name of the component.
        """
        losses = {} if losses is None else losses
        if self.is_trainable:
            losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        self.learn(examples, losses)
        return losses

    def _iteration(self) -> int:
        """The epoch, counted from 1."""
        return self.epoch or int(self.training_run().epochs.epoch)

    def finish_update(self, sgd: Any = None) -> None:
        """Do nothing: `update` has changed the weights already."""

    def use_params(self, params: Any) -> Iterator[None]:
        """Do nothing: prediction and saving always use the averaged weights."""
        yield

    # ---- copying ---------------------------------------------------------------------

    def settings(self) -> dict[str, Any]:
        """The keyword arguments that make the same component."""
        return keywords(self.recipe)

    def __reduce__(self) -> Any:
        return copied_component, (type(self), self._copied())

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # A pipeline and its copy have a vocab each, as with spaCy's components.
        vocab = copy.deepcopy(self.vocab, memo)
        return copied_component(type(self), {**self._copied(), "vocab": vocab})

    def _copied(self) -> dict[str, Any]:
        """Everything `copied_component` needs; the training state is not part of it."""
        return {
            "vocab": self.vocab,
            "name": self.name,
            "settings": self.settings(),
            "model": self.frozen_model(),
            "state": self.state(),
            "error_handler": self.get_error_handler(),
            "n_threads": self.n_threads,
        }


def copied_component(cls: type[C], copied: dict[str, Any]) -> C:
    """The component whose copy `Component._copied` made."""
    component = cls(copied["vocab"], copied["name"], **copied["settings"])
    component.set_model(copied["model"])
    component.set_state(copied.get("state", {}))
    component.set_error_handler(copied["error_handler"])
    component.set_threads(copied["n_threads"])
    return component
