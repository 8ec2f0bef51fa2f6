"""Training of the component: everything that exists only while it learns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from spacy.tokens import Doc
from spacy.training import Example

from ..components.epochs import EpochCounter
from ..components.skipped import SkippedTrees, Warn
from ..components.snapshots import Snapshot
from ..core.features.extractor import Extractor
from ..core.features.templates import FeatureTemplates
from ..core.learners.base import Learner
from ..core.learners.structured_perceptron import StructuredPerceptron
from ..core.model.model import Model
from ..core.oracles.base import Oracle
from ..core.state.gold import GoldTree
from ..core.state.sentence import Sentence
from ..core.systems.actions import Actions
from ..core.systems.base import TransitionSystem
from ..core.training.beam import BeamTrainer
from ..core.training.easy_first import EasyFirstTrainer
from ..core.training.exploration import Exploration
from ..core.training.trainer import Trainer
from ..core.weights.frozen import FrozenWeights
from ..doc.token_arrays import TokenArrays
from ..registry.learners import LearnerFactory
from .gold_trees import GoldCache, GoldReader, Tree
from .inventory import Inventory, labelled_arcs


@dataclass(frozen=True)
class Recipe:
    """What training depends on; the members are those of the component's config.

    sources: for each token attribute of the features the spaCy attribute it is from.
    beam_size: of the search, for learners that learn from whole derivations.
    """

    system: TransitionSystem
    features: FeatureTemplates
    sources: dict[str, str]
    oracle: Oracle
    exploration: Exploration
    learner: LearnerFactory
    seed: int
    sentences: str
    nonprojective: str
    beam_size: int = 1

    def trainer(
        self, extractor: Extractor, actions: Actions, learner: Learner
    ) -> Trainer:
        """The training state that suits system and learner."""
        parts = (
            self.system,
            extractor,
            actions,
            self.oracle,
            self.exploration,
        )
        rule = self.system.training_rule(self.sentences != "predict")
        if isinstance(learner, StructuredPerceptron):
            size = self.beam_size
            return BeamTrainer(
                *parts, learner, self.seed, beam_size=size, root_rule=rule
            )
        kind = EasyFirstTrainer if self.system.chooses_pair else Trainer
        return kind(*parts, learner, self.seed, root_rule=rule)

    def accepts(self, tree: Tree, doc: Doc, skipped: SkippedTrees) -> bool:
        """Whether a gold tree of a document is trained on; if it cannot be, that is
        noted.

        Where crossing arcs are dropped or lifted for good, `tree` itself changes:
        dropped, the heads of its sentences with crossing arcs become unknown, and the
        rest stays.
        """
        if not tree.derivable and self.nonprojective == "drop":
            tree.forget_crossing()
        if not tree.derivable and self.nonprojective == "lift":
            tree.lift()
        if tree.n_known == 0:
            return False
        needs_full_tree = self.oracle.needs_full_tree or self.system.needs_full_tree
        if needs_full_tree and tree.n_known < len(tree.heads):
            skipped.add("the oracle needs the head of every word", doc)
            return False
        return True

    def reader(self, skipped: SkippedTrees) -> GoldReader:
        """Reads gold trees off examples."""
        return GoldReader(self.sentences, self.system.projective, skipped.add)


class TrainingRun:
    """A model in the making.

    recipe: what training depends on. actions: the inventory, which may grow.
    root_label: label of words that become the root by a rule. warn: told of trees that
    are skipped. n_examples, n_words: examples in an epoch and words of their trees; 0
    if unknown. start: a model to go on from.

    trainer: the core's training state. model: always shows the present public weights;
    snapshot: of it, for predictions. skipped: trees that could not be learned from;
    n_skipped: those of the last batch. epochs: tells the epoch by the examples seen.
    """

    def __init__(
        self,
        recipe: Recipe,
        actions: Actions,
        root_label: str | None,
        warn: Warn,
        *,
        n_examples: int = 0,
        n_words: int = 0,
        start: Model | None = None,
    ) -> None:
        self.recipe = recipe
        self.warn = warn
        self.epochs = EpochCounter(n_examples)
        learner = recipe.learner(len(actions), n_words)
        if start is not None:
            learner.resume(cast(FrozenWeights, start.weights))
        extractor = Extractor(recipe.features)
        self.trainer = recipe.trainer(extractor, actions, learner)
        self.skipped = SkippedTrees()
        self.n_skipped = 0
        reader = recipe.reader(self.skipped)
        self.gold = GoldCache(reader, actions.labels, self._take, self.skipped)
        self.model = Model(
            recipe.system,
            extractor,
            actions,
            learner.public_view(),
            recipe.sources,
            root_label,
            type(learner).__name__,
            # A temperature that was fitted does not fit any more.
            temperature=1.0 if learner.is_probabilistic else None,
        )
        self.snapshot = Snapshot(self.model)

    def model_for(self, n_words: int) -> Model:
        """The model as it is, for predictions. n_words: to be predicted now."""
        version = (self.trainer.n_decisions, len(self.trainer.actions))
        return self.snapshot.get(version, n_words)

    @classmethod
    def begin(
        cls, recipe: Recipe, examples: Iterable[Example], labels: Any, warn: Warn
    ) -> TrainingRun:
        """Start with empty weights and the labels of the examples, or given ones."""
        system = recipe.system
        found = Inventory()
        skipped = SkippedTrees()
        reader = recipe.reader(skipped)
        n_examples = n_words = 0
        for example in examples:
            n_examples += 1
            for tree in reader.reference_trees(example.reference):
                if recipe.accepts(tree, example.reference, skipped):
                    found.add(system, tree)
                    n_words += len(tree.heads)
        skipped.report(warn, n_examples)
        if not found.counts:
            warn("empty", "no training example has a tree with labels to learn from")
        inventory = found
        if labels is not None:
            inventory = Inventory.from_label_data(system, labels)
            inventory.root_labels = inventory.root_labels or found.root_labels
        actions = inventory.actions(system)
        return cls(
            recipe,
            actions,
            inventory.root_label,
            warn,
            n_examples=n_examples,
            n_words=n_words,
        )

    @classmethod
    def resume(cls, recipe: Recipe, model: Model, warn: Warn) -> TrainingRun:
        """Go on from a saved model."""
        actions = model.actions.copy()
        return cls(recipe, actions, model.root_label, warn, start=model)

    def add_label(self, label: str) -> None:
        """Add a label for arcs in every direction."""
        system = self.recipe.system
        for name in filter(system.is_labelled, system.transition_names):
            self.trainer.add_action(name, label)

    def _take(self, tree: Tree, doc: Doc) -> bool:
        """Whether a tree is trained on; labels that are new then become actions."""
        if not self.recipe.accepts(tree, doc, self.skipped):
            return False
        for transitions, label, _ in labelled_arcs(self.recipe.system, tree):
            for transition in transitions:
                if (transition, label) not in self.trainer.actions:
                    self.trainer.add_action(transition, label)
        return True

    def read(
        self, examples: list[Example], tokens: list[TokenArrays]
    ) -> list[tuple[Sentence, GoldTree]]:
        """The sentences and gold trees of a batch; tokens are the predicted ones."""
        n_before = self.skipped.n
        batch = [
            (t.sentence(words), gold)
            for example, t in zip(examples, tokens, strict=True)
            for words, gold in self.gold.get(example, t.orth)
        ]
        self.n_skipped = self.skipped.n - n_before
        self.skipped.report(self.warn, len(examples))
        return batch

    def learn(
        self, batch: list[tuple[Sentence, GoldTree]], iteration: int
    ) -> tuple[int, int]:
        """Train on a batch in random order. Returns (decisions, wrong predictions).

        spaCy sorts every batch by length, which is no order to learn in.
        """
        self.snapshot.forget()
        self.trainer.random.shuffle(batch)
        return self.trainer.train(batch, iteration)
