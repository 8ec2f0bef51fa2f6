"""The actions and labels that a treebank needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from spacy.attrs import DEP, HEAD, IS_SPACE, ORTH
from spacy.strings import get_string_id
from spacy.training import Example

from ..core.state.projectivity import base_label, is_decorated
from ..core.systems.actions import Actions
from ..core.systems.base import TransitionSystem
from .annotations import ROOT_LABEL
from .gold_trees import TrainingTree

COUNTED = [HEAD, DEP, IS_SPACE, ORTH]
# A label never governs if it has at least so many words, and at most this share of them
# has a dependent: treebanks have errors.
MIN_WORDS = 100
MAX_SHARE = 0.0005
# So many, or twice the share, are no reason to take that back.
FEW = 5
# With nonprojective = "auto", labels record lifts if at least this share of the trees
# has crossing arcs, and if they occur so often.
MIN_CROSSING = 0.2
MIN_RECORDS = 20


@dataclass
class LabelCounts:
    """Counts the labels of a treebank, by the transition that adds their arcs.

    Attributes:
        counts: For (transition, label) how often it occurs.
        root_labels: How often each label occurs on a dependent of ROOT.
        records: How often each label occurs that records a lift.
        n_trees, n_crossing: The number of trees, and of those with such a label.
        n_between_words: The number of labelled arcs that are not from ROOT.
    """

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    root_labels: Counter[str] = field(default_factory=Counter)
    records: Counter[str] = field(default_factory=Counter)
    n_trees: int = 0
    n_crossing: int = 0
    n_between_words: int = 0

    def add(self, system: TransitionSystem, tree: TrainingTree) -> None:
        """Count the labels of a tree, lifted arcs decorated."""
        for transitions, label, is_root in labelled_arcs(system, tree):
            for transition in transitions:
                self.counts[transition, label] += 1
            if is_root:
                self.root_labels[label] += 1
            self.n_between_words += not is_root
        records = [label for label in tree.labels if label and is_decorated(label)]
        self.records.update(records)
        self.n_trees += 1
        self.n_crossing += bool(records)

    def leave_rare_records(self) -> None:
        """Count the labels that record lifts as those that do not, but for those that
        are worth an action: frequent ones of a treebank in which many trees cross.
        """
        few_cross = self.n_crossing < MIN_CROSSING * self.n_trees
        rare = {x for x, n in self.records.items() if few_cross or n < MIN_RECORDS}
        for name, label in list(self.counts):
            if label in rare:
                of_record = self.counts.pop((name, label))
                self.counts[name, base_label(label)] += of_record
        for label in rare & self.root_labels.keys():
            self.root_labels[base_label(label)] += self.root_labels.pop(label)

    @classmethod
    def from_label_data(cls, system: TransitionSystem, data: Any) -> LabelCounts:
        """Make counts from `label_data`, or from plain labels.

        Args:
            data: The value of `label_data`, or a list of labels, each of which is then
                possible in every direction.

        Raises:
            ValueError: For anything else.
        """
        counts = cls()
        if is_list_of_labels(data):
            for name in filter(system.is_labelled, system.transition_names):
                for label in data:
                    counts.counts[name, label] += 1
        elif isinstance(data, dict) and isinstance(data.get("actions"), list):
            # Counts that keep the order of the actions.
            for rank, key in enumerate(reversed(data["actions"]), 1):
                counts.counts[_action(system, key)] = rank
            if data.get("root_label") is not None:
                counts.root_labels[str(data["root_label"])] += 1
        else:
            raise ValueError(
                f"expected a list of labels or the output of 'spacy init labels', got "
                f"{type(data).__name__}"
            )
        return counts

    def actions(self, system: TransitionSystem) -> Actions:
        """The actions in the order in which the model numbers them."""
        actions = Actions(system)
        for name in system.transition_names:
            labels = [key for key in self.counts if key[0] == name]
            for _, label in sorted(labels, key=lambda key: (-self.counts[key], key)):
                actions.add(name, label)
        if system.root_label_constraint:
            actions.constrain_root_label(self.root_label)
        return actions

    @property
    def root_label(self) -> str:
        """The most frequent label of dependents of ROOT."""
        if not self.root_labels:
            return ROOT_LABEL
        counts = self.root_labels
        return base_label(min(counts, key=lambda label: (-counts[label], label)))


@dataclass
class GovernorCounts:
    """Counts the words of each label, and those that have a dependent.

    Attributes:
        words, governors: By the ids of the labels.
        seen: Hashes of the trees that training began with.
    """

    words: Counter[int] = field(default_factory=Counter)
    governors: Counter[int] = field(default_factory=Counter)
    seen: set[int] = field(default_factory=set)

    def watch(self, examples: Iterable[Example]) -> Iterator[Example]:
        """Count in the references of examples as they pass by."""
        for example in examples:
            table = example.reference.to_array(COUNTED)
            self.seen.add(hash(table.tobytes()))
            self._count(table)
            yield example

    def revised(self, labels: list[str], examples: Iterable[Example]) -> list[str]:
        """The labels in a list that still never govern after more examples. A reference
        counts only if it was not there when training began.
        """
        for example in examples:
            table = example.reference.to_array(COUNTED)
            if hash(table.tobytes()) not in self.seen:
                self._count(table)
        return [label for label in labels if not self.may_govern(label)]

    def _count(self, table: np.ndarray) -> None:
        """Count in the attributes of a document."""
        heads, labels, is_space, _ = table.T
        words = np.flatnonzero(is_space == 0)
        offsets = heads[words].astype(np.int64)
        # Words without a known head may be dependents of any word.
        if labels[words].all():
            governors = np.unique((words + offsets)[offsets != 0])
            self.words.update(labels[words].tolist())
            self.governors.update(labels[governors].tolist())

    def may_govern(self, label: str) -> bool:
        """Whether words of a label have dependents that are no error."""
        number = get_string_id(label)
        most = max(FEW, 2 * MAX_SHARE * self.words[number])
        return self.governors[number] > most

    def never_govern(self, labels: Iterable[str]) -> list[str]:
        """The labels that never govern, of those given, sorted."""
        ids = {label: get_string_id(label) for label in labels}
        return sorted(
            label
            for label, number in ids.items()
            if self.words[number] >= MIN_WORDS
            and self.governors[number] <= MAX_SHARE * self.words[number]
        )


def is_list_of_labels(data: Any) -> bool:
    """Whether something is a list of plain labels."""
    if not isinstance(data, (list, tuple)):
        return False
    return all(isinstance(label, str) and label for label in data)


def _action(system: TransitionSystem, key: Any) -> tuple[str, str]:
    """An action of `label_data`.

    Raises:
        ValueError: For anything else.
    """
    try:
        name, label = key
        usable = system.is_labelled(name) and isinstance(label, str) and label
    except (TypeError, ValueError):
        usable = False
    if not usable:
        raise ValueError(f"{key!r} is not an action: expected a transition and a label")
    return name, label


def labelled_arcs(
    system: TransitionSystem, tree: TrainingTree
) -> Iterable[tuple[tuple[str, ...], str, bool]]:
    """(transitions that can add it, label, whether the head is ROOT) for each arc of a
    tree that has a known head and label.
    """
    arcs = zip(tree.heads, tree.labels, strict=True)
    for dependent, (head, label) in enumerate(arcs, 1):
        if head is not None and label is not None:
            yield system.transitions_of(head, dependent), label, head == 0


def label_data(actions: Actions, root_label: str | None) -> dict[str, Any]:
    """The actions as values for JSON, from which the same actions can be made."""
    return {
        "actions": [[name, label] for name, label in actions.keys if label is not None],
        "root_label": root_label,
    }
