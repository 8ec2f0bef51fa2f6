"""Label inventories: strings to small integers and back."""

from collections.abc import Iterable, Iterator


class Labels:
    """An append-only list of distinct labels; a label's index is its id.

    Args:
        labels: The labels in the order of their ids.
    """

    __slots__ = ("_ids", "_labels")

    def __init__(self, labels: Iterable[str] = ()) -> None:
        self._labels: list[str] = []
        self._ids: dict[str, int] = {}
        for label in labels:
            self.add(label)

    def add(self, label: str) -> int:
        """The id of a label, which is added if it is new."""
        label_id = self._ids.setdefault(label, len(self._labels))
        if label_id == len(self._labels):
            self._labels.append(label)
        return label_id

    def find(self, label: str | None) -> int:
        """The id of a label, or -1 for an unknown label and for None."""
        return -1 if label is None else self._ids.get(label, -1)

    def __getitem__(self, label_id: int) -> str:
        return self._labels[label_id]

    def __contains__(self, label: object) -> bool:
        return label in self._ids

    def __len__(self) -> int:
        return len(self._labels)

    def __iter__(self) -> Iterator[str]:
        return iter(self._labels)

    def __repr__(self) -> str:
        return f"Labels({self._labels!r})"
