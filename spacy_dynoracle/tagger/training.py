"""Training of the tagger, with the state that exists only during training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from spacy.attrs import ORTH
from spacy.training import Example

from ..components.epochs import EpochCounter
from ..components.skipped import Warn
from ..components.snapshots import Snapshot
from ..core.features.extractor import Extractor
from ..core.oracles.base import DynamicOracle
from ..core.state.sentence import Sentence
from ..core.systems.actions import Actions
from ..core.systems.tagging import Tagging
from ..core.training.trainer import Trainer
from ..core.weights.frozen import FrozenWeights
from ..doc.columns import plain_forms
from ..util.arrays import IdArray
from .attributes import ATTRIBUTES, NO_FEATURES, TAG_NAMES
from .contradictions import Contradictions, fingerprint
from .gold_tags import GoldTags, TagCache, gold_tags
from .input import WordBatch
from .lexicon import UNKNOWN, TagCounts, TagLexicon
from .tagging import TagModels

TRANSITION = "TAG"


class TaggingRun:
    """Trains models, one for each attribute.

    Args:
        recipe: The settings of the component, such as a `TaggerRecipe`.
        actions: The actions of each attribute; training may add more.
        n_examples, n_words: The examples of an epoch and their words; 0 if unknown.
        start: The models that training continues.
        lexicon: The words that need no scoring.
        by_sentence: Whether to label each sentence of a document alone.

    Attributes:
        models: The models with the present averaged weights.
        snapshot: A frozen copy of them for predictions.
        epochs: Counts epochs by the number of examples.
        contradictions: Removes from the lexicon what new documents contradict.
    """

    def __init__(
        self,
        recipe: Any,
        actions: Mapping[str, Actions],
        *,
        n_examples: int = 0,
        n_words: int = 0,
        start: TagModels | None = None,
        lexicon: TagLexicon | None = None,
        by_sentence: bool = False,
    ) -> None:
        self.recipe = recipe
        self.epochs = EpochCounter(n_examples)
        self.trainers: dict[str, Trainer] = {}
        models = {}
        extractor = Extractor(recipe.templates)
        for attr, own_actions in actions.items():
            learner = recipe.learner(len(own_actions), n_words)
            if start is not None:
                learner.resume(cast(FrozenWeights, start.by_attr[attr].weights))
            trainer = self.trainers[attr] = Trainer(
                own_actions.system,
                extractor,
                own_actions,
                DynamicOracle(),
                recipe.exploration,
                learner,
                seed=recipe.seed,
            )
            models[attr] = trainer.model(recipe.sources)
        self.models = TagModels(models, lexicon or TagLexicon.empty(len(models)))
        self.contradictions = Contradictions(self.models.lexicon)
        self.snapshot = Snapshot(self.models)
        labels = [own.labels for own in actions.values()]
        self.gold = TagCache(list(actions), labels, self._meet, by_sentence=by_sentence)
        # A model without combinations may be of data that had more than those to come.
        self.notes_combinations = len(models) > 1 and (
            start is None or len(start.lexicon.combinations.keys) > 0
        )

    @classmethod
    def begin(
        cls,
        recipe: Any,
        examples: Iterable[Example],
        labels: Any,
        warn: Warn,
        *,
        by_sentence: bool = False,
        is_streamed: bool = False,
    ) -> TaggingRun:
        """Start with empty weights and the tags of the examples, or the given tags.

        Args:
            is_streamed: Whether the examples are only the first ones.
        """
        counts: dict[str, Counter[str]] = {attr: Counter() for attr in TAG_NAMES}
        documents: list[tuple[list[int], list[list[str | None]]]] = []
        counted = set()
        n_examples = n_words = 0
        for example in examples:
            n_examples += 1
            n_words += len(example.reference)
            counted.add(fingerprint(example.reference))
            columns = list(gold_tags(example.reference, TAG_NAMES))
            if recipe.lexicon:
                doc = example.reference
                orth: Any = doc.to_array(ORTH)
                if "ORTH" in recipe.sources.values():
                    orth = plain_forms(doc.vocab, orth)
                documents.append((orth.tolist(), columns))
            for attr, column in zip(TAG_NAMES, columns, strict=True):
                counts[attr].update(tag for tag in column if tag is not None)
        if labels is None:
            # Ties between scores go to the most frequent tag.
            tags = {
                attr: sorted(count, key=lambda tag: (-count[tag], tag))
                for attr, count in counts.items()
            }
            # An attribute that only has the label "no features" is not annotated.
            found = tuple(a for a in TAG_NAMES if set(tags[a]) - {NO_FEATURES})
        else:
            tags = given_labels(labels, recipe.attrs)
            found = tuple(tags)
        attrs = tuple(recipe.attrs or found)
        for attr in attrs:
            if not set(counts[attr]) - {NO_FEATURES}:
                warn(f"no {attr}", f"no training example has a {attr} to learn from")
        actions = {attr: tag_actions(tags[attr]) for attr in attrs}
        if not attrs:
            warn("empty", "no training example has a tag to learn from")
        count = TagCounts(len(attrs))
        for forms, columns in documents:
            count.add(forms, [columns[TAG_NAMES.index(attr)] for attr in attrs])
        lexicon = count.lexicon([own.labels for own in actions.values()])
        run = cls(
            recipe,
            actions,
            n_examples=n_examples,
            n_words=0 if is_streamed else n_words,
            lexicon=lexicon,
            by_sentence=by_sentence,
        )
        run.contradictions = Contradictions(lexicon, counted)
        return run

    @classmethod
    def resume(
        cls, recipe: Any, models: TagModels, *, by_sentence: bool = False
    ) -> TaggingRun:
        """Continue training from saved models."""
        actions = {attr: model.actions.copy() for attr, model in models.by_attr.items()}
        lexicon = models.lexicon.copy()
        return cls(
            recipe, actions, start=models, lexicon=lexicon, by_sentence=by_sentence
        )

    def add_label(self, attr: str, label: str) -> bool:
        """Add a tag.

        Returns:
            Whether it is new.
        """
        is_new = (TRANSITION, label) not in self.trainers[attr].actions
        if is_new:
            self.snapshot.forget()
            self.trainers[attr].add_action(TRANSITION, label)
        return is_new

    def _meet(self, attr: str, labels: set[str]) -> None:
        """Add an action for each new tag."""
        for label in sorted(labels):
            self.add_label(attr, label)

    def read(
        self, examples: list[Example], words: WordBatch, n_given: int
    ) -> list[tuple[Sentence, GoldTags]]:
        """The sequences and gold tags of a batch.

        Args:
            words: Of the predicted documents, which are cut like the references.
            n_given: So many examples were given. The others are made of their texts.
        """
        cuts = [0]
        tags: list[GoldTags] = []
        # The sequences that the lexicon may contradict.
        uncounted: list[int] = []
        against = self.contradictions
        is_new = [against.is_new(example.reference) for example in examples[:n_given]]
        # What is made of texts may be of a new one.
        is_new += [any(is_new)] * (len(examples) - n_given)
        for i, example in enumerate(examples):
            gold = self.gold.get(example, words.forms(i), words.words_of(i))
            first = words.word_bounds[i]
            cuts += [first + cut for cut in gold.cuts[1:]]
            if is_new[i]:
                uncounted += range(len(tags), len(tags) + len(gold.tags))
            tags += gold.tags
        words.cut_at(cuts)
        if self.notes_combinations and self.gold.combinations:
            lexicon, labels = self.models.lexicon, self.gold.labels_by_attr
            rows = self.gold.combinations
            lexicon.combinations = lexicon.combinations.with_tags(rows, labels)
            rows.clear()
        if uncounted:
            keys = against.word_keys(words)
            for i in uncounted:
                self._revise(keys[cuts[i] : cuts[i + 1]], tags[i])
        return list(zip(words.sequences, tags, strict=True))

    def _revise(self, keys: IdArray, gold: GoldTags) -> None:
        """Count the gold tags of words against the lexicon."""
        labels = np.full((len(gold), len(keys)), UNKNOWN, dtype=np.int32)
        for row, tags, model in zip(
            labels, gold, self.models.by_attr.values(), strict=True
        ):
            if tags is not None:
                row[:] = [model.labels.find(tag) for tag in tags.labels]
        self.contradictions.count(keys, labels)

    def learn(self, batch: list[tuple[Sentence, GoldTags]], iteration: int) -> int:
        """Train on a batch in random order.

        Returns:
            The number of wrong tags.
        """
        self.snapshot.forget()
        n_errors = 0
        for column, trainer in enumerate(self.trainers.values()):
            pairs = [
                (sentence, tags)
                for sentence, gold in batch
                if (tags := gold[column]) is not None
            ]
            trainer.random.shuffle(pairs)
            n_errors += trainer.train(pairs, iteration)[1]
        return n_errors


def tag_actions(tags: Iterable[str]) -> Actions:
    """The actions that assign these tags."""
    actions = Actions(Tagging())
    for tag in tags:
        actions.add(TRANSITION, tag)
    return actions


def given_labels(data: Any, attrs: Sequence[str] | None) -> dict[str, list[str]]:
    """The tags that `initialize(labels=...)` was given, by attribute.

    Args:
        data: The value of `label_data`, or a list of tags for a tagger of one
            attribute.

    Raises:
        ValueError: For anything else.
    """
    if isinstance(data, (list, tuple)) and attrs is not None and len(attrs) == 1:
        data = {attrs[0]: data}
    if not isinstance(data, dict) or not all(
        attr in TAG_NAMES and isinstance(tags, (list, tuple))
        for attr, tags in data.items()
    ):
        raise ValueError(
            f"expected the output of 'spacy init labels', lists of tags by attribute "
            f"({', '.join(TAG_NAMES)}), or one list for a tagger of one attribute, "
            f"got {type(data).__name__}"
        )
    missing = [attr for attr in attrs or () if attr not in data]
    if missing:
        raise ValueError(
            f"there are no labels for {missing[0]}, which is among the attrs"
        )
    return {
        attr: [ATTRIBUTES[attr].check(tag) for tag in tags]
        for attr, tags in data.items()
    }
