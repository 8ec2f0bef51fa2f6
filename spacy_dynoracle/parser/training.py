"""Training of the parser, with the state that exists only during training."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from functools import partial
from typing import Any, cast

from spacy.tokens import Doc
from spacy.training import Example

from ..components.epochs import EpochCounter
from ..components.skipped import SkippedTrees, Warn
from ..components.snapshots import Snapshot
from ..core.features.extractor import Extractor
from ..core.learners.base import Learner
from ..core.model.model import Model
from ..core.state.sentence import Sentence
from ..core.systems.actions import Actions
from ..core.training.beam import BeamTrainer
from ..core.training.easy_first import EasyFirstTrainer
from ..core.training.trainer import Trainer
from ..core.weights.frozen import FrozenWeights
from ..doc.attribute_table import AttributeTable
from ..doc.own_words import OwnWords
from ..util.arrays import IntArray
from .gold_trees import AnnotatedTree, GoldReader, TrainingTree, TrainingTrees, usable
from .label_counts import LabelCounts, labelled_arcs
from .recipe import ParserRecipe

# A sentence with its gold tree.
Pair = tuple[Sentence, TrainingTree]

# Longer trees, or trees of longer sentences, are not trained on where the time of
# training grows with the square of that length, or faster. No sentence has as many
# words.
MAX_WORDS = 1000
# If the time grows with the square of the length of a document, documents of more words
# than this are cut into pieces of whole sentences. Much shorter pieces would have too
# few ends of sentences to learn from.
PIECE_WORDS = 200


def new_trainer(
    recipe: ParserRecipe, extractor: Extractor, actions: Actions, learner: Learner
) -> Trainer:
    """The training state that suits system and learner."""
    system = recipe.system
    rule = system.training_root_rule(recipe.sentences != "predict")
    parts = (system, extractor, actions, recipe.oracle, recipe.exploration, learner)
    if learner.learns_derivations:
        size = recipe.beam_size
        return BeamTrainer(*parts, recipe.seed, beam_size=size, root_rule=rule)
    kind = EasyFirstTrainer if system.repeats_decisions else Trainer
    return kind(*parts, recipe.seed, root_rule=rule)


def training_trees(
    recipe: ParserRecipe, records: Container[str] | None = None
) -> TrainingTrees:
    """Reads the training trees of examples under the settings of a parser.

    Args:
        records: With nonprojective = "auto" the labels that may record a lift; None for
            all.
    """
    lift = {
        "drop": AnnotatedTree.without_crossing,
        "lift": AnnotatedTree.lifted,
        "projectivize": AnnotatedTree.projectivized,
        "auto": AnnotatedTree.projectivized
        if records is None
        else partial(AnnotatedTree.lifted, records=records),
    }[recipe.nonprojective]

    length = length_that_counts(recipe)
    needs_full_trees = recipe.oracle.needs_full_tree or recipe.system.needs_full_tree

    def prepare(tree: AnnotatedTree, doc: Doc) -> TrainingTree | None:
        if tree.problem is not None:
            return TrainingTree(tree, tree.problem, doc)
        if not tree.derivable:
            tree = lift(tree)
        if tree.n_known == 0:
            return None
        problem = None
        if needs_full_trees and tree.n_known < len(tree.heads):
            problem = "the oracle needs the head of every word"
        if len(tree.words) > MAX_WORDS and length(tree) > MAX_WORDS:
            problem = too_long(recipe, tree)
        return TrainingTree(tree, problem, doc)

    # An update of an easy-first system changes the scores of all pairs of neighbours.
    cuts = recipe.sentences == "predict" and recipe.system.repeats_decisions
    reader = GoldReader(
        recipe.sentences,
        recipe.system.projective,
        backward=recipe.backward,
        max_words=PIECE_WORDS if cuts else None,
    )
    return TrainingTrees(reader, prepare)


def too_long(recipe: ParserRecipe, tree: AnnotatedTree) -> str:
    """The reason why a tree is skipped that has too many words, or a sentence with too
    many.
    """
    what, advice = f"more than {MAX_WORDS:,} words", "train on sentences"
    if recipe.sentences != "doc":
        advice = "leave it out, annotate more heads, or train on shorter documents"
        if tree.longest_sentence > MAX_WORDS:
            what = f"a sentence of {what}"
        else:
            what += " between which no sentence is known to start"
    return (
        f"it has {what}, for which training takes too long with "
        f"{type(recipe.system).__name__} and {type(recipe.oracle).__name__}: {advice}"
    )


def length_that_counts(recipe: ParserRecipe) -> Callable[[AnnotatedTree], int]:
    """A function that gives the number of words with which the time of training for
    each word of a tree grows; 0 if it does not grow.
    """
    if recipe.system.repeats_decisions:
        return lambda tree: len(tree.words)
    if recipe.oracle.complete and not recipe.system.has_linear_costs:
        # Tabular costs are asked of the dynamic oracle at each decision.
        return lambda tree: tree.longest_sentence
    return lambda tree: 0


class TrainingRun:
    """Trains a model.

    Args:
        recipe: The settings of the parser.
        trees: Reads gold trees.
        actions: The actions of the model; training may add more.
        root_label: Label of words that become the root by a rule.
        n_examples, n_words: Examples in an epoch and words of their trees; 0 if
            unknown.
        start: A model to go on from.

    Attributes:
        trainer: The training state of the core.
        model: Always shows the present public weights.
        snapshot: A frozen copy for predictions.
        skipped: Counts the trees that cannot be learned from.
        n_skipped: Those of the last batch.
        epochs: Tells the epoch by the examples seen.
    """

    def __init__(
        self,
        recipe: ParserRecipe,
        trees: TrainingTrees,
        actions: Actions,
        root_label: str | None,
        *,
        n_examples: int = 0,
        n_words: int = 0,
        start: Model | None = None,
    ) -> None:
        self.recipe = recipe
        self.trees = trees
        self.epochs = EpochCounter(n_examples)
        learner = recipe.learner(len(actions), n_words)
        if start is not None:
            learner.resume(cast(FrozenWeights, start.weights))
        extractor = Extractor(recipe.templates)
        self.trainer = new_trainer(recipe, extractor, actions, learner)
        self.skipped = SkippedTrees()
        self.n_skipped = 0
        self.own_words = OwnWords()
        self.model = self.trainer.model(recipe.sources, root_label)
        self.snapshot = Snapshot(self.model)

    @classmethod
    def begin(
        cls,
        recipe: ParserRecipe,
        examples: Iterable[Example],
        labels: Any,
        warn: Warn,
        settle: Callable[[ParserRecipe], ParserRecipe] = lambda recipe: recipe,
        is_streamed: bool = False,
    ) -> TrainingRun:
        """Start with empty weights and the labels of the examples, or given labels.

        Args:
            settle: Completes the settings when all examples have been read.
            is_streamed: Whether the examples are only the first ones.
        """
        system = recipe.system
        trees = training_trees(recipe)
        found = LabelCounts()
        skipped = SkippedTrees()
        n_examples = n_words = 0
        for example in examples:
            n_examples += 1
            for tree in usable(trees.of_reference(example.reference), skipped):
                found.add(system, tree)
                n_words += len(tree.heads)
        skipped.report(warn, n_examples)
        if not found.n_between_words:
            warn("empty", "no training example has a tree with labels to learn from")
        counts = found
        if labels is not None:
            counts = LabelCounts.from_label_data(system, labels)
            counts.root_labels = counts.root_labels or found.root_labels
        elif recipe.nonprojective == "auto":
            found.leave_rare_records()
        if recipe.nonprojective == "auto":
            trees = training_trees(recipe, {label for _, label in counts.counts})
        return cls(
            settle(recipe),
            trees,
            counts.actions(system),
            counts.root_label,
            n_examples=n_examples,
            n_words=0 if is_streamed else n_words,
        )

    @classmethod
    def resume(cls, recipe: ParserRecipe, model: Model) -> TrainingRun:
        """Continue training from a saved model."""
        model = model.freeze()
        actions = model.actions.copy()
        recipe = recipe.of_model(model)
        trees = training_trees(recipe, set(model.labels))
        return cls(recipe, trees, actions, model.root_label, start=model)

    def add_label(self, label: str) -> None:
        """Add a label for arcs in every direction."""
        self.snapshot.forget()
        system = self.recipe.system
        for name in filter(system.is_labelled, system.transition_names):
            self.trainer.add_action(name, label)

    def read(self, examples: list[Example], tokens: AttributeTable) -> list[Pair]:
        """The sentences of a batch with their gold trees.

        Args:
            tokens: Of the predicted documents.
        """
        trees: list[TrainingTree] = []
        words: list[IntArray] = []
        for number, example in enumerate(examples):
            for tree in self.trees.of_example(example, tokens.forms(number)):
                trees.append(tree)
                words.append(tree.words + tokens.bounds[number])
        return list(zip(tokens.sentences(words), trees, strict=True))

    def usable(self, batch: list[Pair]) -> list[Pair]:
        """The part of a batch that training can use. The other trees are counted."""
        trees = usable((tree for _, tree in batch), self.skipped)
        self.n_skipped = len(batch) - len(trees)
        return [pair for pair in batch if pair[1].problem is None]

    def add_actions(self, batch: list[Pair]) -> None:
        """Add an action for each label that the model does not know yet."""
        system = self.recipe.system
        for _, tree in batch:
            # A tree that has been trained on has no new labels.
            if tree.gold is None:
                for transitions, label, _ in labelled_arcs(system, tree):
                    for transition in transitions:
                        if (transition, label) not in self.trainer.actions:
                            self.trainer.add_action(transition, label)

    def train(self, batch: list[Pair], iteration: int) -> int:
        """Train on a batch in random order, which changes its order.

        spaCy sorts every batch by length, which is not an order to learn in.

        Returns:
            The number of wrong predictions.
        """
        self.snapshot.forget()
        self.trainer.random.shuffle(batch)
        model_labels = self.trainer.actions.labels
        golds = [(sentence, tree.for_core(model_labels)) for sentence, tree in batch]
        _, n_errors = self.trainer.train(golds, iteration)
        return n_errors
