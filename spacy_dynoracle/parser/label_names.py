"""The label strings and ids that documents have for the labels of a model."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from spacy.strings import get_string_id

from ..core.model.model import Model
from ..core.state.projectivity import base_label, deprojectivize, is_decorated
from ..doc.borders import string_ids
from ..doc.noun_chunks import provide_noun_chunks
from ..doc.tables import moved_up
from ..util.arrays import BoolArray, Int32Array, IntArray
from .annotations import NO_LABEL, ROOT_LABEL


class LabelNames:
    """Maps the label ids of a model to ids of the string store.

    Args:
        never_govern: The labels whose words govern nothing.

    Attributes:
        ids: For each label id, and for -1 (no label) at the end, the id of the string,
            without the record of a lift.
        root_id: The same for roots without a label.
        distinct: The strings, each once.
    """

    def __init__(self, model: Model, never_govern: Sequence[str] = ()) -> None:
        self.model = model
        self.never_govern = never_govern
        # The string store that knows the labels, if any does.
        self._known_to: Any = None
        # The last entry stands for -1, no label.
        self.labels = [*model.labels, NO_LABEL]
        self.base_labels = list(map(base_label, self.labels))
        self.decorated: BoolArray = np.array(list(map(is_decorated, self.labels)))
        self.any_decorated = bool(self.decorated.any())
        leaves = [label in never_govern for label in self.base_labels]
        self._leaves = np.array(leaves, dtype=np.uint8)
        self.ids = string_ids(self.base_labels)
        root_label = model.root_label or ROOT_LABEL
        self.root_id = np.uint64(get_string_id(root_label))
        self.undecorated = {
            get_string_id(label): label
            for label in model.labels
            if not is_decorated(label)
        }
        self.distinct = list(dict.fromkeys([*self.base_labels, root_label]))
        numbers = {label: i for i, label in enumerate(self.distinct)}
        self._numbers = np.array([numbers[label] for label in self.base_labels])
        self._root_number = numbers[root_label]

    def are_of(self, model: Model, never_govern: Sequence[str]) -> bool:
        """Whether these are all labels of a model, which training may extend."""
        if self.model is not model or self.never_govern != never_govern:
            return False
        return len(self.labels) == len(model.labels) + 1

    def introduce(self, vocab: Any) -> None:
        """Add the labels to a vocab permanently, and let its documents find noun chunks
        by them.

        Documents may have another vocab than the component, as in a pipeline that took
        it from another one.
        """
        strings: Any = vocab.strings
        if self._known_to is strings:
            return
        for label in (*self.distinct, ROOT_LABEL):
            strings.add(label, allow_transient=False)
        provide_noun_chunks(vocab, self.base_labels)
        # A label that is also a word of a text in a memory zone ends with the zone.
        if not vocab.in_memory_zone:
            self._known_to = strings

    def numbers_of(self, heads: Int32Array, labels: Int32Array) -> IntArray:
        """The numbers of the labels of arcs among the distinct ones."""
        numbers: IntArray = self._numbers[labels]
        numbers[(labels < 0) & (heads == 0)] = self._root_number
        return numbers

    def restore_lifted(
        self,
        heads: Int32Array,
        labels: Int32Array,
        lengths: list[int],
        known: BoolArray | None = None,
    ) -> Int32Array:
        """The heads of a batch with lifted arcs put back where labels record them.

        A word that depends on ROOT stays where it is: below ROOT are all sentences of
        the document. So do words whose heads are known to be right.

        Args:
            lengths: The numbers of words of the sentences.
        """
        if not self.any_decorated:
            return heads
        lifted = self.decorated[labels] & (heads > 0)
        if known is not None:
            lifted &= ~known
        (places,) = lifted.nonzero()
        if not len(places):
            return heads
        heads = heads.copy()
        ends = np.cumsum(lengths)
        starts = ends - lengths
        for job in np.unique(np.searchsorted(ends, places, side="right")).tolist():
            part = slice(starts[job], ends[job])
            names = [
                (self.labels if is_lifted else self.base_labels)[label]
                for is_lifted, label in zip(lifted[part], labels[part], strict=True)
            ]
            heads[part] = deprojectivize(heads[part].tolist(), names)[0]
        return heads

    def moved_up(
        self,
        heads: Int32Array,
        labels: Int32Array,
        lengths: list[int],
        known: BoolArray | None = None,
    ) -> Int32Array:
        """The heads of a batch in which words of labels that never govern have no
        dependents, as far as words whose heads are known allow it.
        """
        if not self.never_govern:
            return heads
        kept = None if known is None else known.view(np.uint8)
        found = moved_up(heads, self._leaves[labels], lengths, kept)
        return heads if found is None else found

    def restored(self, heads: Int32Array, labels: Int32Array) -> Int32Array:
        """The heads of trees of one sentence as documents have them: lifted arcs are
        put back, and words of labels that never govern have no dependents.

        Args:
            heads, labels: Of shape (number of trees, number of words).

        Returns:
            The same array if no head differs.
        """
        n_trees, n_words = heads.shape
        derived, flat, lengths = heads.ravel(), labels.ravel(), [n_words] * n_trees
        found = self.restore_lifted(derived, flat, lengths)
        found = self.moved_up(found, flat, lengths)
        return heads if found is derived else found.reshape(heads.shape)
