# cython: boundscheck=False, wraparound=False
"""Loops over tables of tokens for which NumPy would need many calls."""
import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.vector cimport vector


def count_nonzero(
    const uint64_t[:, ::1] table not None: NDArray[np.uint64]
) -> list[int]:
    """For each column the number of values that are not 0, as a list."""
    cdef Py_ssize_t n_columns = table.shape[1]
    cdef vector[Py_ssize_t] counts
    cdef Py_ssize_t row, column
    counts.assign(n_columns, 0)
    for row in range(table.shape[0]):
        for column in range(n_columns):
            counts[column] += table[row, column] != 0
    return counts


def place_trees(
    uint64_t[:, ::1] table not None: NDArray[np.uint64],
    const int64_t[::1] words not None: NDArray[np.int64],
    lengths not None: Sequence[int],
    const int32_t[::1] heads not None: NDArray[np.int32],
    const int32_t[::1] labels not None: NDArray[np.int32],
    const uint64_t[::1] ids not None: NDArray[np.uint64],
    uint64_t root_id: int | np.uint64,
) -> None:
    """Write the trees of some sentences into a table of tokens.

    Args:
        table: Of shape (n tokens, 2): the offset of the head from the token, and the id
            of the label.
        words: For each word of the sentences its token.
        lengths: The numbers of words of the sentences.
        heads: Words 1..n of a sentence, or 0.
        labels: Indices in `ids`, or -1 for the last one; a root without a label gets
            `root_id`.

    Raises:
        ValueError: For arrays that do not fit together.
    """
    cdef vector[Py_ssize_t] sizes = lengths
    cdef Py_ssize_t n_words = words.shape[0]
    cdef Py_ssize_t n_labels = ids.shape[0]
    cdef Py_ssize_t first = 0
    cdef Py_ssize_t size, k, label
    cdef int64_t token, head
    for size in sizes:
        if size < 0:
            raise ValueError(f"a sentence of {size} words")
        first += size
    if not first == n_words == heads.shape[0] == labels.shape[0]:
        raise ValueError(
            f"{first} words in sentences, {n_words} tokens, {heads.shape[0]} heads and "
            f"{labels.shape[0]} labels"
        )
    if table.shape[1] != 2 or n_labels == 0:
        raise ValueError("expected a table with two columns, and ids of labels")
    first = 0
    for size in sizes:
        for k in range(first, first + size):
            token = words[k]
            label = labels[k]
            head = heads[k]
            if not (
                0 <= token < table.shape[0]
                and -1 <= label < n_labels
                and 0 <= head <= size
            ):
                raise ValueError(f"word {k} has the head {head} and the label {label}")
            if label == -1:
                table[token, 1] = root_id if head == 0 else ids[n_labels - 1]
            else:
                table[token, 1] = ids[label]
            table[token, 0] = <uint64_t>(words[first + head - 1] - token if head else 0)
        first += size


def moved_up(
    const int32_t[::1] heads not None: NDArray[np.int32],
    const uint8_t[::1] leaves not None: NDArray[np.uint8],
    lengths not None: Sequence[int],
    const uint8_t[::1] kept: NDArray[np.uint8] | None = None,
) -> NDArray[np.int32] | None:
    """The heads of some sentences in which dependents of leaves depend on the first
    word above that is no leaf; None if no arc is moved.

    Where there is no such word, they stay as they are. Projective trees stay
    projective, because all dependents of a word move.

    Args:
        heads: Words 1..n of a sentence, or 0 for ROOT.
        leaves: For each word 1 if it should have no dependents.
        lengths: The numbers of words of the sentences.
        kept: For each word 1 if its arc must stay; its head and itself are no leaves.

    Raises:
        ValueError: For arrays that do not fit together.
    """
    cdef vector[Py_ssize_t] sizes = lengths
    cdef Py_ssize_t n_words = heads.shape[0]
    cdef Py_ssize_t first = 0
    cdef Py_ssize_t size, k, above, _step
    cdef vector[uint8_t] is_leaf
    cdef int32_t[::1] changed = None
    for size in sizes:
        for k in range(first, min(first + size, n_words)):
            if not 0 <= heads[k] <= size:
                raise ValueError(f"word {k} has the head {heads[k]}")
        first += size
    size = n_words if kept is None else kept.shape[0]
    if not first == n_words == leaves.shape[0] == size:
        raise ValueError(f"{first} words in sentences and {n_words} heads")
    is_leaf.assign(n_words, 0)
    first = 0
    for size in sizes:
        for k in range(first, first + size):
            is_leaf[k] = leaves[k]
        for k in range(first, first + size if kept is not None else first):
            if kept[k]:
                is_leaf[k] = 0
                if heads[k]:
                    is_leaf[first + heads[k] - 1] = 0
        for k in range(first, first + size):
            above = heads[k]
            for _step in range(size):
                if above == 0 or not is_leaf[first + above - 1]:
                    break
                above = heads[first + above - 1]
            if above in (0, heads[k]) or kept is not None and kept[k]:
                continue
            if changed is None:
                changed = np.array(heads)
            changed[k] = above
        first += size
    return None if changed is None else np.asarray(changed)
