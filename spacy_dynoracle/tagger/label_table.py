"""Labels by 64-bit keys, and the keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..core.sorted_keys import SortedKeys
from ..errors import ModelFileError
from ..util.arrays import IdArray, Int32Array

if TYPE_CHECKING:
    from typing_extensions import Self

UNKNOWN = -1
_FACTORS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))


@dataclass
class LabelTable:
    """Labels by 64-bit keys.

    Attributes:
        keys: Ascending, each once.
        labels: int32 of shape (n columns, n keys), -1 for none.
    """

    keys: IdArray
    labels: Int32Array

    def __post_init__(self) -> None:
        self._index = SortedKeys(self.keys)

    @classmethod
    def of(cls, rows: Mapping[int, Sequence[int]], n_columns: int) -> Self:
        """Make a table from rows of labels by key."""
        keys = sorted(rows)
        labels = np.array([rows[key] for key in keys], dtype=np.int32)
        return cls(
            np.array(keys, dtype=np.uint64),
            np.ascontiguousarray(labels.reshape(len(keys), n_columns).T),
        )

    def find(self, keys: IdArray, missing: int = UNKNOWN) -> Int32Array:
        """The labels of keys, of shape (n columns, n keys); `missing` for unknown
        keys.
        """
        return self._index.pick(self.labels, keys, missing)

    def copy(self) -> LabelTable:
        """An independent copy."""
        return LabelTable(self.keys, self.labels.copy())

    def to_bytes(self) -> bytes:
        """The table as bytes, for a file."""
        return self.keys.astype("<u8").tobytes() + self.labels.astype("<i4").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes, n_labels: Sequence[int]) -> Self:
        """The table that `to_bytes` wrote.

        Args:
            n_labels: The number of labels of each column.

        Raises:
            ModelFileError: When it is damaged or has labels that do not exist.
        """
        n_keys, rest = divmod(len(data), 8 + 4 * len(n_labels))
        if rest:
            raise ModelFileError("its lexicon has the wrong size")
        keys = np.frombuffer(data, "<u8", n_keys).astype(np.uint64)
        labels = np.frombuffer(data, "<i4", offset=8 * n_keys).astype(np.int32)
        labels = labels.reshape(len(n_labels), n_keys)
        if (keys[1:] <= keys[:-1]).any():
            raise ModelFileError("its lexicon is not in order")
        for column, n in zip(labels, n_labels, strict=True):
            if ((column < UNKNOWN) | (column >= n)).any():
                raise ModelFileError("its lexicon has labels that do not exist")
        return cls(keys, labels)


def pair_keys(orth: IdArray | np.uint64, labels: Int32Array) -> IdArray:
    """Hash pairs of a form and a label to keys."""
    return hashed_pairs(orth, labels.astype(np.int64).view(np.uint64))


def hashed_pairs(first: IdArray | np.uint64, second: IdArray) -> IdArray:
    """Hash pairs of numbers to keys, which may be the first of another pair."""
    keys: IdArray = (first ^ (second * _FACTORS[0])) * _FACTORS[1]
    return keys
