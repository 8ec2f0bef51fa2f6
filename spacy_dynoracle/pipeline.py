"""The trainable pipeline component `dynoracle_parser`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, cast

import srsly
from spacy import util
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.vocab import Vocab

from . import saving
from .blocks import DEFAULT_FEATURES, LearnerFactory
from .config_errors import config_block
from .core.actions import Actions
from .core.exploration import Exploration
from .core.features.extractor import Extractor
from .core.features.templates import FeatureTemplates
from .core.frozen import FrozenWeights
from .core.model import Model
from .core.oracles.base import Oracle
from .core.projectivity import base_label
from .core.search.base import Search
from .core.systems.base import TransitionSystem
from .core.training import Trainer, check_exploration
from .documents import Annotations, TokenArrays
from .errors import ModelFileError
from .examples import GoldCache, GoldReader, Tree
from .inventory import Inventory, label_data, labelled_arcs
from .parsing import DocumentParser

NAME = "dynoracle_parser"
SENTENCES = ("predict", "preset", "doc")
NONPROJECTIVE = ("projectivize", "drop")
TAG_ATTRIBUTES = ("TAG", "POS", None)
# A resumed model is past the epochs in which training follows the oracle.
LATE_EPOCH = 1 << 30

DEFAULT_CONFIG = {
    "tag_attr": "TAG",
    "sentences": "predict",
    "nonprojective": "projectivize",
    "n_threads": 1,
    "seed": 0,
    "system": {
        "@misc": "spacy_dynoracle.ArcEager.v1",
        "root": "last",
        "tree_constraint": None,
    },
    "oracle": {"@misc": "spacy_dynoracle.DynamicOracle.v1"},
    "exploration": {"@misc": "spacy_dynoracle.ErrorExploration.v1", "k": 1, "p": 0.9},
    "learner": {"@misc": "spacy_dynoracle.AveragedPerceptron.v1"},
    "features": {"@misc": "spacy_dynoracle.ZhangNivre2011.v1"},
    "search": {"@misc": "spacy_dynoracle.GreedySearch.v1"},
    "scorer": {"@scorers": "spacy_dynoracle.parser_scorer.v1"},
}


@Language.factory(
    NAME,
    assigns=["token.dep", "token.head", "token.is_sent_start", "doc.sents"],
    default_config=DEFAULT_CONFIG,
    default_score_weights={
        "dep_uas": 0.5,
        "dep_las": 0.5,
        "dep_uas_all": None,
        "dep_las_all": None,
        "dep_las_per_type": None,
        "sents_p": None,
        "sents_r": None,
        "sents_f": 0.0,
    },
)
def make_dynoracle_parser(
    nlp: Language,
    name: str,
    tag_attr: str | None,
    sentences: str,
    nonprojective: str,
    n_threads: int,
    seed: int,
    system: TransitionSystem,
    oracle: Oracle,
    exploration: Exploration,
    learner: LearnerFactory,
    features: FeatureTemplates | None,
    search: Search,
    scorer: Callable[..., dict[str, Any]] | None,
) -> DynOracleParser:
    """Make a `DynOracleParser`; see there for the settings."""
    return DynOracleParser(
        nlp.vocab,
        name,
        tag_attr=tag_attr,
        sentences=sentences,
        nonprojective=nonprojective,
        n_threads=n_threads,
        seed=seed,
        system=system,
        oracle=oracle,
        exploration=exploration,
        learner=learner,
        features=features,
        search=search,
        scorer=scorer,
    )


class DynOracleParser(TrainablePipe):  # type: ignore[misc]
    """A greedy transition-based dependency parser trained with dynamic oracles.

    tag_attr: token attribute behind `p` in the feature templates, "TAG" or "POS"; None
        leaves out the templates that use `p`.
    sentences: "predict" (the parser finds the sentence boundaries; preset ones are
        respected), "preset" (one tree for each preset sentence) or "doc" (the Doc is
        one sentence).
    nonprojective: training trees with crossing arcs: "projectivize" (undone after
        parsing) or "drop".
    n_threads: threads that parse one batch.
    seed: of the training run.
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
            if features is None:
                features = DEFAULT_FEATURES[system.default_features]()
            check_type("features", features, FeatureTemplates)
            if n_threads < 1:
                raise ValueError(f"n_threads = {n_threads}: expected at least 1")
            check_exploration(oracle, exploration)
        self.vocab = vocab
        self.name = name
        self.cfg: dict[str, Any] = {}
        self.scorer = scorer
        self.sentences = sentences
        self.nonprojective = nonprojective
        self.seed = seed
        # Training runs on the plain system (Nivre & Fernandez-Gonzalez 2014, sect. 4).
        self.system = system.with_tree_constraint(False)
        self.oracle = oracle
        self.exploration = exploration
        self.learner = learner
        self.features = features if tag_attr else features.without("p")
        sources: dict[str, Any] = {"w": "ORTH", "p": tag_attr}
        self.sources: dict[str, str] = {
            column: sources[column] for column in self.features.columns
        }
        self._attributes = list(self.sources.values())
        self.parser = DocumentParser(
            search, sentences, system.tree_constraint, n_threads
        )
        self.model: Model | None = None
        self.epoch: int | None = None
        self._start()

    def _start(self) -> None:
        self._trainer: Trainer | None = None
        self._gold: GoldCache | None = None
        self._n_examples = 0
        self._n_seen = 0
        self._warned: set[str] = set()
        self._strings: Any = None

    # ---- parsing -------------------------------------------------------------------

    def predict(self, docs: Iterable[Doc]) -> list[Annotations]:
        """Parse documents without changing them.

        Raises ValueError when the component has no model yet.
        """
        docs = list(docs)
        if self.model is None:
            raise ValueError(
                f"the parser {self.name!r} has no model: call nlp.initialize() and "
                f"train it, or load a trained pipeline"
            )
        tokens = [TokenArrays(doc, self._attributes) for doc in docs]
        self._check_tags(tokens)
        return self.parser.parse(self.model, docs, tokens)

    def set_annotations(
        self, docs: Iterable[Doc], annotations: list[Annotations]
    ) -> None:
        """Write heads, labels and sentence boundaries to the documents."""
        for doc, annotation in zip(docs, annotations, strict=True):
            self._add_strings(doc.vocab)
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
            try:
                annotations = self.predict(docs)
            except Exception:
                yield from self._pipe_one_by_one(docs)
                continue
            for doc, annotation in zip(docs, annotations, strict=True):
                try:
                    self.set_annotations([doc], [annotation])
                except Exception as error:
                    self.get_error_handler()(self.name, self, [doc], error)
                else:
                    yield doc

    def _pipe_one_by_one(self, docs: list[Doc]) -> Iterator[Doc]:
        for doc in docs:
            try:
                self.set_annotations([doc], self.predict([doc]))
            except Exception as error:
                self.get_error_handler()(self.name, self, [doc], error)
            else:
                yield doc

    def _add_strings(self, vocab: Vocab) -> None:
        # Documents may come with another vocab than the component's.
        if self._strings is not vocab.strings:
            root_label = self.model.root_label if self.model else None
            for label in (*self.labels, root_label, *self.parser.own_labels):
                if label is not None:
                    vocab.strings.add(label, allow_transient=False)  # type: ignore[call-arg]
            self._strings = vocab.strings

    def _check_tags(self, tokens: list[TokenArrays]) -> None:
        if "p" not in self.sources or "tags" in self._warned:
            return
        column = self.features.columns.index("p")
        if any(len(t.values) for t in tokens) and not any(
            t.values[:, column].any() for t in tokens
        ):
            self._warn(
                "tags",
                f"no token has a {self.sources['p']}, which the features of "
                f"{self.name!r} use: put a component that sets it before the parser "
                f"(in training into annotating_components, or read the corpus with "
                f"spacy_dynoracle.TaggedCorpus.v1), or set tag_attr = null",
            )

    def _warn(self, kind: str, message: str) -> None:
        """Warn once for each kind of message."""
        if kind not in self._warned:
            self._warned.add(kind)
            warnings.warn(message, stacklevel=2)

    # ---- labels --------------------------------------------------------------------

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of arcs, without those that only record lifted arcs."""
        if self.model is None:
            return ()
        return tuple(dict.fromkeys(base_label(label) for label in self.model.labels))

    @property
    def label_data(self) -> dict[str, Any] | None:
        """What `initialize(labels=...)` needs to make the same inventory."""
        if self.model is None:
            return None
        return label_data(self.model.actions, self.model.root_label)

    def add_label(self, label: str) -> int:
        """Add a label, for arcs in either direction. Returns 1 if it is new, else 0.

        Raises ValueError before `initialize`.
        """
        if self.model is None:
            raise ValueError(
                f"the parser {self.name!r} has no label inventory yet: call "
                f"nlp.initialize() first, which collects the labels of the training "
                f"data"
            )
        if label in self.labels:
            return 0
        trainer = self._training()
        for name in filter(self.system.is_labelled, self.system.transition_names):
            trainer.add_action(name, label)
        self._strings = None
        return 1

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
        self._start()
        inventory = Inventory()
        if labels is not None:
            inventory = Inventory.from_label_data(self.system, labels, self.name)
        reader = self._reader()
        for example in get_examples():
            self._n_examples += 1
            if labels is None:
                for tree in reader.reference_trees(example.reference):
                    if self._accepts(tree, example.reference):
                        inventory.add(self.system, tree)
        actions = inventory.actions(self.system)
        self._train_from(actions, inventory.root_label)

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
        transitions is added under the name of the component.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        trainer = self._training()
        assert self._gold is not None
        batch = []
        all_tokens = []
        for example in examples:
            tokens = TokenArrays(example.predicted, self._attributes)
            all_tokens.append(tokens)
            for words, gold in self._gold.get(example, tokens.orth):
                batch.append((tokens.sentence(words), gold))
        self._check_tags(all_tokens)
        # spaCy sorts every batch by length, which is no order to learn in.
        trainer.random.shuffle(batch)
        _, n_errors = trainer.train(batch, self._iteration())
        self._n_seen += len(examples)
        losses[self.name] += n_errors
        return losses

    def _iteration(self) -> int:
        if self.epoch is not None:
            return self.epoch
        if self._n_examples == 0:
            return LATE_EPOCH
        return self._n_seen // self._n_examples + 1

    def _training(self) -> Trainer:
        """The training state; made from the model if that was loaded."""
        if self._trainer is None:
            if self.model is None:
                raise ValueError(
                    f"the parser {self.name!r} is not initialized: call "
                    f"nlp.initialize() before training"
                )
            model = self.model
            self._train_from(model.actions.copy(), model.root_label, model)
        assert self._trainer is not None
        return self._trainer

    def _train_from(
        self, actions: Actions, root_label: str | None, model: Model | None = None
    ) -> None:
        learner = self.learner(len(actions))
        if model is not None:
            learner.resume(cast(FrozenWeights, model.weights))
        extractor = Extractor(self.features)
        self._trainer = Trainer(
            self.system,
            extractor,
            actions,
            self.oracle,
            self.exploration,
            learner,
            seed=self.seed,
        )
        self._gold = GoldCache(self._reader(), actions.labels, self._accepts_new)
        self.model = Model(
            self.system,
            extractor,
            actions,
            learner.public_view(),
            self.sources,
            root_label,
            type(learner).__name__,
        )
        self._strings = None

    def _reader(self) -> GoldReader:
        return GoldReader(self.sentences, self._skip)

    def _skip(self, why: str, doc: Doc) -> None:
        self._warn(
            why,
            f"{self.name!r} skips a training tree, and others like it, because {why}: "
            f"{doc.text[:60]!r}",
        )

    def _accepts(self, tree: Tree, doc: Doc) -> bool:
        """Whether a gold tree is trained on."""
        if tree.n_known == 0:
            return False
        if not tree.projective and self.nonprojective == "drop":
            return False
        if self.oracle.needs_full_tree and tree.n_known < len(tree.heads):
            self._skip("the static oracle needs the head of every word", doc)
            return False
        return True

    def _accepts_new(self, tree: Tree, doc: Doc) -> bool:
        """The same, and labels that `initialize` did not see become actions."""
        if not self._accepts(tree, doc):
            return False
        trainer = self._training()
        for transition, label, _ in labelled_arcs(self.system, tree):
            if transition and (transition, label) not in trainer.actions:
                trainer.add_action(transition, label)
                self._strings = None
        return True

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

    def set_model(self, model: Model) -> None:
        """Take over a saved model. Training goes on from it when `update` is called."""
        self._start()
        self.model = model
        self._strings = None
        self._add_strings(self.vocab)

    def __reduce__(self) -> Any:
        return saving.restore, (type(self), saving.state(self))

    def __deepcopy__(self, memo: dict[int, Any]) -> DynOracleParser:
        return saving.restore(type(self), saving.state(self))


def check_choice(key: str, value: Any, choices: tuple[str | None, ...]) -> None:
    """Raise ValueError unless a setting is one of its choices."""
    if value not in choices:
        expected = ", ".join("null" if c is None else repr(c) for c in choices)
        raise ValueError(f"{key} = {value!r}: expected one of {expected}")


def check_type(key: str, value: Any, expected: type) -> None:
    """Raise ValueError unless a block of the config made the right kind of thing."""
    if not isinstance(value, expected):
        raise ValueError(
            f"the block {key} made {value!r}: expected a registered {expected.__name__}"
        )
