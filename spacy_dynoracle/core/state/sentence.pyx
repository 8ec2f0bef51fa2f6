# cython: boundscheck=False, wraparound=False
"""Sentences as the core sees them.

A sentence is a matrix of 64-bit feature atoms: one row for each node, one column for
each token attribute that the templates use (such as word form and tag). Atoms are
hashes; the core never sees a string.
"""
from itertools import pairwise

from ..hashing cimport mix


cdef enum:
    COLUMN_SALT = 0x51ED270B
    ROOT_VALUE = 0x2F0B4C47


cdef int fill(
    Sentence sentence,
    const uint64_t[:, :] attributes,
    Py_ssize_t start,
    Py_ssize_t end,
    vector[int]& nullable,
) except -1:
    """Make a new sentence one of some rows of a matrix."""
    cdef Py_ssize_t n = end - start
    cdef Py_ssize_t width = attributes.shape[1]
    cdef Py_ssize_t k, column
    cdef uint64_t* row
    if n > 0x3FFFFFFF:
        raise ValueError(f"a sentence of {n} words is too long for the parser")
    for column in nullable:
        if not 0 <= column < width:
            raise ValueError(f"there is no column {column} among {width}")
    # At least one, because an empty block means a sentence that is not made yet.
    sentence.block.assign((n + 2) * width + 1, 0)
    for column in range(width):
        sentence.block[width + column] = mix(
            (<uint64_t>ROOT_VALUE << 32) + <uint64_t>column
        )
    for k in range(n):
        row = sentence.block.data() + (k + 2) * width
        for column in range(width):
            row[column] = mix(
                attributes[start + k, column]
                + <uint64_t>COLUMN_SALT * <uint64_t>(column + 1)
            )
    for column in nullable:
        sentence.block[width + column] = 0
        for k in range(n):
            if attributes[start + k, column] == 0:
                sentence.block[(k + 2) * width + column] = 0
    sentence.c.length = <int>n
    sentence.c.n_columns = <int>width
    sentence.c.atoms = sentence.block.data() + width
    return 0


cdef class Sentence:
    """The words of a sentence.

    ROOT gets a reserved value in every column that is not nullable.

    Args:
        attributes: Integers of shape (n words, n attributes), 64-bit unsigned: any code
            that tells values apart, for example spaCy's string hashes or small
            part-of-speech numbers.
        nullable: The columns in which 0 means nothing.
    """

    def __init__(
        self,
        const uint64_t[:, :] attributes not None: NDArray[np.uint64],
        nullable: Iterable[int] = (),
    ):
        cdef vector[int] columns = nullable
        if not self.block.empty():
            raise TypeError("a sentence cannot be made another one")
        fill(self, attributes, 0, attributes.shape[0], columns)

    def __len__(self) -> int:
        """The number of words."""
        return self.c.length


def consecutive_sentences(
    const uint64_t[:, :] attributes not None: NDArray[np.uint64],
    bounds not None: Iterable[int],
    nullable: Iterable[int] = (),
) -> list[Sentence]:
    """The sentences whose words follow each other in a matrix; this takes much less
    time than to make them one by one.

    Args:
        attributes, nullable: As for `Sentence`.
        bounds: For each sentence its first row, and the end of the last one.

    Returns:
        A list of `Sentence`.

    Raises:
        ValueError: For bounds that are not ascending rows of the matrix.
    """
    cdef vector[int] columns = nullable
    cdef Py_ssize_t start, end
    cdef Sentence sentence
    cdef list sentences = []
    for start, end in pairwise(bounds):
        if not 0 <= start <= end <= attributes.shape[0]:
            raise ValueError(
                f"there are no rows {start} to {end} in a matrix of "
                f"{attributes.shape[0]}"
            )
        sentence = Sentence.__new__(Sentence)
        fill(sentence, attributes, start, end, columns)
        sentences.append(sentence)
    return sentences
