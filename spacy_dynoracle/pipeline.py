"""The trainable pipeline component `dynoracle_parser`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import srsly
from spacy import util
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.vocab import Vocab

from . import saving
from .blocks import DEFAULT_FEATURES, LearnerFactory, without_tags
from .config_errors import check_choice, check_type, config_block
from .core.exploration import Exploration
from .core.features.templates import FeatureTemplates
from .core.model import Model
from .core.oracles.base import Oracle
from .core.projectivity import base_label, is_decorated
from .core.search.base import Search
from .core.systems.base import TransitionSystem
from .core.training import check_exploration, check_oracle, check_sampling
from .core.training_easy_first import MAX_UPDATES
from .documents import (
    Annotations,
    TokenArrays,
    has_only_empty,
    source_of,
    tag_attribute,
)
from .errors import ModelFileError
from .extensions import check_registered
from .inventory import label_data
from .learning import Recipe, TrainingRun
from .parsing import DocumentParser
from .probabilities import ProbabilitySettings

NAME = "dynoracle_parser"
SENTENCES = ("predict", "preset", "doc")
NONPROJECTIVE = ("projectivize", "drop")
TAG_ATTRIBUTES = ("TAG", "POS", None)


class DynOracleParser(TrainablePipe):  # type: ignore[misc]
    """A transition-based dependency parser trained with dynamic oracles.

    It may be shared by threads that parse, but must not parse while `update` runs in
    another thread.

    tag_attr: token attribute behind `p` in the feature templates, "TAG" or "POS"; None
        leaves out the templates that use `p`.
    sentences: "predict" (the parser finds the sentence boundaries; preset ones are
        respected), "preset" (one tree for each preset sentence) or "doc" (the Doc is
        one sentence).
    nonprojective: training trees with crossing arcs: "projectivize" (undone after
        parsing) or "drop"; ignored with a system that can derive them.
    n_threads: threads that parse one batch.
    seed: of the training run and of sampling.
    probabilities: what the parser says of its arcs (see `spacy_dynoracle.extensions`):
        "none", "transition" (probabilities of its decisions) or "marginal" (also
        distributions over heads and labels, from sampled derivations).
    n_samples: derivations that are sampled of each sentence.
    decode: "greedy", or "marginal" for the tree with the largest expected number of
        right labelled arcs under the marginals.
    system, oracle, exploration, learner, features, search: the blocks of a config, see
        `spacy_dynoracle.blocks`; features None is the default set of the system.

    Raises ValueError for settings that are unknown or do not go together.
    """

    def __init__(
        self,
        vocab: Vocab,
        name: str = NAME,
        *,
        tag_attr: str | None,
        sentences: str,
        nonprojective: str,
        n_threads: int,
        seed: int,
        probabilities: str,
        n_samples: int,
        decode: str,
        system: TransitionSystem,
        oracle: Oracle,
        exploration: Exploration,
        learner: LearnerFactory,
        features: FeatureTemplates | None,
        search: Search,
        scorer: Callable[..., dict[str, Any]] | None = None,
    ) -> None:
        with config_block("components", name):
            check_choice("tag_attr", tag_attr, TAG_ATTRIBUTES)
            check_choice("sentences", sentences, SENTENCES)
            check_choice("nonprojective", nonprojective, NONPROJECTIVE)
            check_type("system", system, TransitionSystem)
            check_type("oracle", oracle, Oracle)
            check_type("exploration", exploration, Exploration)
            check_type("search", search, Search)
            if not callable(learner):
                raise ValueError(
                    f"the block learner made {learner!r}: expected a registered learner"
                )
            if features is None:
                features = DEFAULT_FEATURES[system.default_features]()
            check_type("features", features, FeatureTemplates)
            features.check_addresses(system.chooses_pair)
            if tag_attr is None:
                features = without_tags(features)
            if n_threads < 1:
                raise ValueError(f"n_threads = {n_threads}: expected at least 1")
            settings = ProbabilitySettings(probabilities, n_samples, decode, seed)
            settings.check(search)
            if settings.wanted:
                check_registered()
            check_exploration(oracle, exploration)
            if exploration.samples:
                check_sampling(exploration, learner(1, 1))
            check_oracle(oracle, system)
        self.vocab = vocab
        self.name = name
        self.cfg: dict[str, Any] = {}
        self.scorer = scorer
        self.recipe = Recipe(
            system=system.for_training(sentences != "predict"),
            features=features,
            sources={c: source_of(c, tag_attr or "") for c in features.columns},
            oracle=oracle,
            exploration=exploration,
            learner=learner,
            seed=seed,
            sentences=sentences,
            nonprojective=nonprojective,
        )
        self._attributes = list(self.recipe.sources.values())
        self.parser = DocumentParser(
            search, sentences, system.single_root, n_threads, settings
        )
        self.model: Model | None = None
        self.epoch: int | None = None
        self._forget()

    def _forget(self) -> None:
        """Forget everything that belongs to the present model."""
        self._run: TrainingRun | None = None
        self._warned: set[str] = set()

    # ---- parsing -------------------------------------------------------------------

    def predict(self, docs: Iterable[Doc]) -> list[Annotations]:
        """Parse documents without changing them.

        Raises ValueError when the component has no model yet, or one that has no
        probabilities although they are wanted.
        """
        docs = list(docs)
        if self.model is None:
            raise ValueError(
                f"the parser {self.name!r} has no model: call nlp.initialize() and "
                f"train it, or load a trained pipeline"
            )
        self.parser.settings.check_model(self.name, self.model)
        tokens = [TokenArrays(doc, self._attributes) for doc in docs]
        self._check_tags(tokens)
        return self.parser.parse(self.model, docs, tokens)

    def set_annotations(
        self, docs: Iterable[Doc], annotations: list[Annotations]
    ) -> None:
        """Write heads, labels and sentence boundaries to the documents."""
        for doc, annotation in zip(docs, annotations, strict=True):
            if self.model is not None:
                self.parser.add_labels(self.model, doc.vocab.strings)
            annotation.write(doc)

    def __call__(self, doc: Doc) -> Doc:
        """Parse one document, in place. If that fails and the error handler does not
        raise, it comes back as it was."""
        try:
            self.set_annotations([doc], self.predict([doc]))
        except Exception as error:
            self.get_error_handler()(self.name, self, [doc], error)
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Parse a stream of documents. One that fails goes to the error handler alone,
        and is left out if the handler does not raise."""
        stream = iter(stream)
        while docs := list(islice(stream, batch_size)):
            annotations: list[Annotations] | None
            try:
                annotations = self.predict(docs)
            except Exception:
                annotations = None
            for i, doc in enumerate(docs):
                try:
                    found = (
                        annotations[i : i + 1] if annotations else self.predict([doc])
                    )
                    self.set_annotations([doc], found)
                except Exception as error:
                    self.get_error_handler()(self.name, self, [doc], error)
                else:
                    yield doc

    def _check_tags(self, tokens: list[TokenArrays]) -> None:
        """Warn once if words have no tags although the features use them."""
        tag_attr = tag_attribute(self.recipe.sources)
        if tag_attr is None or "tags" in self._warned:
            return
        columns = [c for c in ("p", "t") if c in self.recipe.sources]
        if columns and has_only_empty(
            tokens, list(self.recipe.sources).index(columns[0])
        ):
            self._warn(
                "tags",
                f"no token has a {tag_attr}, which the features of "
                f"{self.name!r} use: put a component that sets it before the parser "
                f"(in training into annotating_components, or read the corpus with "
                f"spacy_dynoracle.TaggedCorpus.v1), or set tag_attr = null",
            )

    def _warn(self, kind: str, message: str) -> None:
        """Warn once for each kind of message."""
        if kind not in self._warned:
            self._warned.add(kind)
            warnings.warn(f"{self.name}: {message}", stacklevel=2)

    # ---- labels --------------------------------------------------------------------

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of arcs, without those that only record lifted arcs."""
        if self.model is None:
            return ()
        labels = map(base_label, self.model.labels)
        return tuple(dict.fromkeys(labels))

    @property
    def label_data(self) -> dict[str, Any] | None:
        """What `initialize(labels=...)` needs to make the same inventory."""
        if self.model is None:
            return None
        return label_data(self.model.actions, self.model.root_label)

    def add_label(self, label: str) -> int:
        """Add a label, for arcs in every direction. Returns 1 if it is new, else 0.

        Raises ValueError before `initialize`, and for labels that record lifted arcs.
        """
        if self.model is None:
            raise ValueError(
                f"the parser {self.name!r} has no labels yet: call nlp.initialize() "
                f"first, which collects those of the training data"
            )
        if is_decorated(label):
            raise ValueError(f"label {label!r}: '||' is kept for lifted arcs")
        is_new = label not in self.labels
        self.training_run().add_label(label)
        return int(is_new)

    # ---- training ------------------------------------------------------------------

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Any = None,
    ) -> None:
        """Collect labels, count the examples and start with empty weights.

        get_examples: gives the training examples. labels: what `label_data` returned,
        or a list of labels, instead of those in the examples.
        """
        validate_get_examples(get_examples, f"{type(self).__name__}.initialize")
        self._forget()
        self.epoch = None
        with config_block("initialize", "components", self.name, "labels"):
            self._run = TrainingRun.begin(
                self.recipe, get_examples(), labels, self._warn
            )
            self.parser.settings.check_model(self.name, self._run.model)
        self.model = self._run.model

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Any = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learn from a batch of examples, one sentence after the other in random order.

        drop and sgd are not used. losses: the number of wrong predictions of
        transitions is added under the name of the component. If there are any, trees
        that could not be learned from are counted under the name with "_skipped", and
        all sentences whose training was broken off so far with "_given_up".
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        run = self.training_run()
        tokens = [TokenArrays(eg.predicted, self._attributes) for eg in examples]
        self._check_tags(tokens)
        _, n_errors = run.learn(run.read(examples, tokens), self._iteration())
        run.count(len(examples))
        losses[self.name] += n_errors
        if run.n_skipped:
            key = f"{self.name}_skipped"
            losses[key] = losses.get(key, 0.0) + run.n_skipped
        if run.trainer.n_given_up:
            losses[f"{self.name}_given_up"] = float(run.trainer.n_given_up)
            self._warn(
                "given up",
                f"the training of a sentence was broken off after {MAX_UPDATES} "
                f"updates; losses[{self.name + '_given_up'!r}] counts such cases",
            )
        return losses

    def _iteration(self) -> int:
        return self.training_run().iteration if self.epoch is None else self.epoch

    def training_run(self) -> TrainingRun:
        """The training state; made from the model if that was loaded.

        Raises ValueError when there is no model yet.
        """
        if self._run is None:
            if self.model is None:
                raise ValueError(
                    f"the parser {self.name!r} is not initialized: call "
                    f"nlp.initialize() before training"
                )
            run = TrainingRun.resume(self.recipe, self.model, self._warn)
            self.parser.settings.check_model(self.name, run.model)
            self._run = run
            self.model = run.model
        return self._run

    def finish_update(self, sgd: Any = None) -> None:
        """Nothing: `update` has done it."""

    def use_params(self, params: Any) -> Iterator[None]:
        """Nothing: parsing and saving always use the averaged weights."""
        yield

    # ---- saving --------------------------------------------------------------------

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The component as bytes; weights are those the parser parses with."""
        return util.to_bytes(saving.writers(self), exclude)

    def from_bytes(
        self, bytes_data: bytes, *, exclude: Iterable[str] = ()
    ) -> DynOracleParser:
        """Load from bytes. Raises ModelFileError, leaving the component as it was."""
        try:
            data = srsly.msgpack_loads(bytes_data)
        except Exception as error:
            raise ModelFileError(
                f"the bytes are not a saved {NAME}: {type(error).__name__}: {error}"
            ) from error
        saving.load(self, data, exclude, "the bytes")
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save into a directory, as the files `cfg` and `model`.

        Each is written under another name and renamed when it is complete.
        """
        saving.to_disk(self, util.ensure_path(path), exclude)

    def from_disk(
        self, path: str | Path, *, exclude: Iterable[str] = ()
    ) -> DynOracleParser:
        """Load from a directory. Raises ModelFileError, naming the file, when it is
        missing, damaged or does not fit the settings; the component stays as it was."""
        saving.from_disk(self, util.ensure_path(path), exclude)
        return self

    def set_model(self, model: Model | None) -> None:
        """Take over a saved model. Training goes on from it when `update` is called."""
        self._forget()
        if model is not None:
            self.parser.add_labels(model, self.vocab.strings)
        self.model = model

    def __reduce__(self) -> Any:
        return saving.restore, (type(self), saving.state(self))

    def __deepcopy__(self, memo: dict[int, Any]) -> DynOracleParser:
        return saving.restore(type(self), saving.state(self))
