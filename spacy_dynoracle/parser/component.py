"""The trainable pipeline component `dynoracle_parser`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.vocab import Vocab

from ..components.base import Component, check_readable, check_same
from ..core.features.templates import FeatureTemplates
from ..core.learners.base import Learner
from ..core.model.file import read_model, write_model
from ..core.model.model import Model
from ..core.oracles.base import Oracle
from ..core.search.base import Search
from ..core.search.beam_search import BeamSearch
from ..core.state.projectivity import base_label, is_decorated
from ..core.systems.base import TransitionSystem
from ..core.training.easy_first import MAX_UPDATES
from ..core.training.exploration import Exploration
from ..core.training.trainer import (
    check_exploration,
    check_learner,
    check_oracle,
    check_sampling,
)
from ..doc.columns import source_of
from ..doc.missing import MissingAnnotation
from ..doc.token_arrays import TokenArrays
from ..registry.default_features import features_for
from ..registry.learners import LearnerFactory
from ..util.config_errors import check_choice, check_type, config_block
from .annotations import Annotations
from .best_trees import annotations_of, best_trees, check_k_best, unfit_for_beams
from .extensions import check_registered, register
from .inventory import label_data
from .k_best import KBest
from .parsing import DocumentParser, check_keeping
from .probabilities import ProbabilitySettings
from .training import Recipe, TrainingRun

NAME = "dynoracle_parser"
SENTENCES = ("predict", "preset", "doc")
NONPROJECTIVE = ("projectivize", "lift", "drop")
TAG_ATTRIBUTES = ("TAG", "POS", None)


def beam_size_for(learner: Learner, search: Search) -> int:
    """The size of the beam of training: that of the search, if the learner learns from
    whole derivations. Raises ValueError when the search has none."""
    if not learner.learns_derivations:
        return 1
    if not isinstance(search, BeamSearch):
        raise ValueError(
            f"{type(learner).__name__} learns from the derivations of a beam, which "
            f"{search!r} does not have: use BeamSearch"
        )
    return search.beam_size


class DynOracleParser(Component):
    """A transition-based dependency parser trained with dynamic oracles.

    It may be shared by threads that parse, but must not parse while `update` runs in
    another thread.

    tag_attr: token attribute behind `p` in the feature templates, "TAG" or "POS"; None
        leaves out the templates that use it.
    sentences: "predict" (the parser finds the sentence boundaries; preset ones are
        respected), "preset" (one tree for each preset sentence) or "doc" (the Doc is
        one sentence).
    keep_preset_heads: whether heads and labels that are on a Doc before it is parsed
        stay there (see `spacy_dynoracle.doc.preset_arcs`).
    nonprojective: training trees with crossing arcs: "projectivize" (arcs are lifted,
        which is undone after parsing), "lift" (it is not undone: there are fewer labels
        then, and parsing is faster) or "drop"; ignored with a system that can derive
        them.
    n_threads: threads that parse one batch.
    seed: of the training run and of sampling.
    probabilities: what the parser says of its arcs (see
        `spacy_dynoracle.parser.extensions`): "none", "transition" (probabilities of its
        decisions) or "marginal" (also distributions over heads and labels, from sampled
        derivations).
    n_samples: derivations that are sampled of each sentence.
    decode: "greedy", or "marginal" for the tree with the largest expected number of
        right labelled arcs under the marginals.
    k_best: how many of the best trees are kept with each Doc, as `Doc._.kbest`; 0 for
        none.
    system, oracle, exploration, learner, features, search: the blocks of a config, see
        `spacy_dynoracle.registry.blocks`; features None is the default set of the
        system, with tags or without.

    Raises ValueError for settings that are unknown or do not go together.
    """

    kind = "parser"
    model: Model | None

    def __init__(
        self,
        vocab: Vocab,
        name: str = NAME,
        *,
        tag_attr: str | None,
        sentences: str,
        keep_preset_heads: bool,
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
        k_best: int = 0,
        scorer: Callable[..., dict[str, Any]] | None = None,
    ) -> None:
        with config_block("components", name):
            check_choice("tag_attr", tag_attr, TAG_ATTRIBUTES)
            check_choice("sentences", sentences, SENTENCES)
            check_choice("nonprojective", nonprojective, NONPROJECTIVE)
            check_type("system", system, TransitionSystem)
            if not system.builds_trees:
                raise ValueError(
                    f"{system!r} builds no dependency trees: expected a transition "
                    f"system of a parser, such as ArcEager"
                )
            check_type("oracle", oracle, Oracle)
            check_type("exploration", exploration, Exploration)
            check_type("search", search, Search)
            search.check_system(system)
            if not callable(learner):
                raise ValueError(
                    f"the block learner made {learner!r}: expected a registered learner"
                )
            if features is not None:
                check_type("features", features, FeatureTemplates)
            features = features_for(system, features, tag_attr)
            features.check_addresses(system.chooses_pair)
            if n_threads < 1:
                raise ValueError(f"n_threads = {n_threads}: expected at least 1")
            settings = ProbabilitySettings(probabilities, n_samples, decode, seed)
            settings.check(search)
            if keep_preset_heads:
                check_keeping(search, settings)
            if k_best < 0:
                raise ValueError(f"k_best = {k_best}: expected at least 0")
            if k_best:
                check_k_best(k_best, search)
            if settings.wanted or k_best:
                # A worker process that is spawned has not imported the factory.
                register()
                check_registered()
            sample = learner(1, 1)
            beam_size = beam_size_for(sample, search)
            check_learner(sample, exploration)
            check_exploration(oracle, exploration)
            check_sampling(exploration, sample)
            check_oracle(oracle, system)
        self.vocab = vocab
        self.name = name
        self.tag_attr = tag_attr
        self.cfg: dict[str, Any] = {}
        self.scorer = scorer
        self.recipe = Recipe(
            system=system,
            features=features,
            sources={c: source_of(c, tag_attr or "") for c in features.columns},
            oracle=oracle,
            exploration=exploration,
            learner=learner,
            seed=seed,
            sentences=sentences,
            nonprojective=nonprojective,
            beam_size=beam_size,
        )
        self.parser = DocumentParser(
            search,
            sentences,
            system.single_root,
            n_threads,
            settings,
            keep_preset_heads,
            may_cross=nonprojective != "drop",
            k_best=k_best,
        )
        self.model = None
        self._forget()

    def _forget(self) -> None:
        """Forget everything that belongs to the present model."""
        self._run: TrainingRun | None = None
        self._read_for(None)
        self._forget_warnings()

    @property
    def sources(self) -> dict[str, str]:
        """The attribute of tokens that each column of the sentences is read from: those
        of the feature templates, and behind them what only the ranker reads."""
        return self.recipe.sources if self.model is None else self.model.sources

    def _read_for(self, model: Model | None) -> None:
        """Read from documents what a model needs, or the templates if it is None."""
        sources = self.recipe.sources if model is None else model.sources
        self._attributes = list(sources.values())
        self._missing = MissingAnnotation(self._attributes)

    # ---- parsing -------------------------------------------------------------------

    def predict(self, docs: Iterable[Doc]) -> list[Annotations]:
        """Parse documents without changing them.

        Raises ValueError when the component has no model yet, or one that has no
        probabilities although they are wanted.
        """
        docs = list(docs)
        model = self._checked_model()
        if self._run is not None:
            model = self._run.model_for(sum(map(len, docs)))
        tokens = self._read(docs)
        if not self.parser.k_best:
            return self.parser.parse(model, docs, tokens)
        found = best_trees(self.parser, model, docs, tokens, self.parser.k_best)
        return list(map(annotations_of, found, tokens))

    def k_best(self, doc: Doc, k: int) -> KBest:
        """The k best trees of each segment of a Doc, or as many as the beam ends with.

        The Doc is not changed; it needs what the parser reads, such as tags. The first
        trees are those of a parse.

        Raises ValueError when there is no model yet, for a search without a beam, and
        for k < 1.
        """
        check_k_best(k, self.parser.search)
        model = self._checked_model()
        (found,) = best_trees(self.parser, model, [doc], self._read([doc]), k)
        return found

    def _checked_model(self) -> Model:
        """The model, for parsing; a warning if it does not suit the search."""
        model: Model = self._require_model()
        self.parser.settings.check_model(self.name, model)
        unfit = unfit_for_beams(model, self.parser.search)
        if unfit is not None:
            self._warn("beam", unfit)
        return model

    def _read(self, docs: list[Doc]) -> list[TokenArrays]:
        tokens = TokenArrays.of_batch(docs, self._attributes)
        self.check_annotation(docs, tokens)
        return tokens

    def set_annotations(
        self, docs: Iterable[Doc], annotations: list[Annotations]
    ) -> None:
        """Write heads, labels and sentence boundaries to the documents."""
        vocab = None
        for doc, annotation in zip(docs, annotations, strict=True):
            if self.model is not None and doc.vocab is not vocab:
                vocab = doc.vocab
                self.parser.add_labels(self.model, vocab)
            annotation.write(doc)

    def check_annotation(
        self, docs: list[Doc], tokens: list[TokenArrays], in_training: bool = False
    ) -> None:
        """Warn once if documents do not have what the features use, such as tags.

        tokens: of the documents.
        """
        for attribute, message in self._missing.in_batch(docs, tokens, in_training):
            self._warn(attribute, message)

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

        get_examples: gives the training examples. nlp: the pipeline, which tells what
        sets tags. labels: what `label_data` returned, or a list of labels, instead of
        those in the examples.
        """
        validate_get_examples(get_examples, f"{type(self).__name__}.initialize")
        self._forget()
        self.epoch = None
        examples = get_examples()
        if nlp is not None:
            examples = self._missing.watch(nlp, self, examples)
        with config_block("initialize", "components", self.name, "labels"):
            self._run = TrainingRun.begin(self.recipe, examples, labels, self._warn)
            self.parser.settings.check_model(self.name, self._run.model)
        self.model = self._run.model
        self.parser.add_labels(self.model, self.vocab)
        for attribute, message in self._missing.in_pipeline():
            self._warn(attribute, message)

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
        transitions is added under the name of the component, or with a learner that
        learns from whole derivations that of sentences with an update. If there are
        any, trees that could not be learned from are counted under the name with
        "_skipped", and all sentences whose training was broken off so far with
        "_given_up".
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        run = self.training_run()
        docs = [eg.predicted for eg in examples]
        tokens = TokenArrays.of_batch(docs, self._attributes)
        self.check_annotation(docs, tokens, in_training=True)
        _, n_errors = run.learn(run.read(examples, tokens), self._iteration())
        run.epochs.count(len(examples))
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
            self._read_for(self.model)
        return self._run

    # ---- saving --------------------------------------------------------------------

    def set_model(self, model: Model | None) -> None:
        """Take over a saved model. Training goes on from it when `update` is called."""
        self._forget()
        if model is not None:
            self.parser.add_labels(model, self.vocab)
        self._read_for(model)
        self.model = model

    def frozen_model(self) -> Model | None:
        """The model without its training state, or None."""
        return None if self.model is None else self.model.freeze()

    def dump_model(self) -> bytes:
        """The bytes of the model; there must be one."""
        return write_model(self._require_model())

    def read_model(self, data: bytes) -> Model:
        """The model in `data`.

        Raises ModelFileError when it is damaged or does not fit the settings.
        """
        model = read_model(data)
        recipe = self.recipe
        system = recipe.system.settings()
        check_same("transition system", model.system.settings(), system)
        check_same("feature templates", model.extractor.templates, recipe.features)
        tag_attr = self.tag_attr or ""
        sources = {column: source_of(column, tag_attr) for column in model.columns}
        check_same("token attributes", model.sources, sources)
        check_readable(model.sources)
        return model

    def settings(self) -> dict[str, Any]:
        """The keyword arguments from which the same component is made."""
        recipe, parser = self.recipe, self.parser
        return {
            "tag_attr": self.tag_attr,
            "sentences": recipe.sentences,
            "keep_preset_heads": parser.keep_arcs,
            "nonprojective": recipe.nonprojective,
            "n_threads": parser.n_threads,
            "seed": recipe.seed,
            "probabilities": parser.settings.probabilities,
            "n_samples": parser.settings.n_samples,
            "decode": parser.settings.decode,
            "k_best": parser.k_best,
            "system": recipe.system,
            "oracle": recipe.oracle,
            "exploration": recipe.exploration,
            "learner": recipe.learner,
            "features": recipe.features,
            "search": parser.search,
            "scorer": self.scorer,
        }
