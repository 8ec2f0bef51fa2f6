# cython: boundscheck=False, wraparound=False
"""Sentences as the core sees them.

A sentence is a matrix of 64-bit feature atoms: one row for each node, one column for
each token attribute that the templates use (such as word form and tag). Atoms are
hashes; the core never sees a string.
"""
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free

from .hashing cimport mix


cdef enum:
    COLUMN_SALT = 0x51ED270B
    ROOT_VALUE = 0x2F0B4C47


cdef class Sentence:
    """The words of a sentence.

    attributes: integers of shape (n words, n attributes), 64-bit unsigned: any code
        that tells values apart, for example spaCy's string hashes or small
        part-of-speech numbers. nullable: the columns in which 0 means nothing.

    ROOT gets a reserved value in every column that is not nullable.
    """

    def __cinit__(self, const uint64_t[:, :] attributes, nullable=()):
        cdef Py_ssize_t n = attributes.shape[0]
        cdef Py_ssize_t width = attributes.shape[1]
        cdef Py_ssize_t k, column
        cdef uint64_t* row
        if n > 0x3FFFFFFF:
            raise ValueError(f"a sentence of {n} words is too long for the parser")
        self.block = <uint64_t*>calloc((n + 2) * width + 1, sizeof(uint64_t))
        if self.block is NULL:
            raise MemoryError(f"no memory for a sentence of {n} words")
        for column in range(width):
            self.block[width + column] = mix(
                (<uint64_t>ROOT_VALUE << 32) + <uint64_t>column
            )
        for k in range(n):
            row = self.block + (k + 2) * width
            for column in range(width):
                row[column] = mix(
                    attributes[k, column]
                    + <uint64_t>COLUMN_SALT * <uint64_t>(column + 1)
                )
        for column in nullable:
            if not 0 <= column < width:
                raise ValueError(f"there is no column {column} among {width}")
            self.block[width + column] = 0
            for k in range(n):
                if attributes[k, column] == 0:
                    self.block[(k + 2) * width + column] = 0
        self.c.length = <int>n
        self.c.n_columns = <int>width
        self.c.atoms = self.block + width

    def __dealloc__(self):
        free(self.block)

    def __len__(self):
        """The number of words."""
        return self.c.length
