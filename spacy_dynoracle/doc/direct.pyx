# cython: boundscheck=False, wraparound=False
"""Reads and writes the tokens of documents in the memory of spaCy.

These functions do what `Doc.to_array` and `Doc.from_array` do, without a call of Python
for each Doc. They trust the layout in `spacy_structs.hpp`: `borders` checks it and
calls them; nothing else should.
"""
from cpython.buffer cimport (
    PyBUF_FORMAT,
    PyBUF_STRIDES,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

from spacy.tokens import Doc
from spacy.tokens import doc as doc_module

cdef extern from "spacy_structs.hpp" namespace "spacy_layout":
    cdef cppclass TokenC "spacy_layout::Token":
        pass
    cdef cppclass DocC "spacy_layout::Doc":
        TokenC* tokens
        int length
    cdef enum Field:
        ORTH
        LOWER
        NORM
        SHAPE
        LEMMA
        POS
        TAG
        MORPH
        DEP
        HEAD
        SENT_START
        SPACY
        IDX
    uint64_t read_field "spacy_layout::read" (const TokenC&, int) noexcept nogil
    void write_field "spacy_layout::write" (TokenC&, int, uint64_t) noexcept nogil
    bint write_arcs(TokenC*, int, const uint64_t*) noexcept nogil
    bint set_children(TokenC*, int) noexcept nogil

# The attributes that can be read, and those that can be written, by their names in
# spaCy.
READABLE = {
    "ORTH": ORTH,
    "LOWER": LOWER,
    "NORM": NORM,
    "SHAPE": SHAPE,
    "LEMMA": LEMMA,
    "POS": POS,
    "TAG": TAG,
    "MORPH": MORPH,
    "DEP": DEP,
    "HEAD": HEAD,
    "SENT_START": SENT_START,
    "SPACY": SPACY,
    "IDX": IDX,
}
WRITABLE = {"POS": POS, "TAG": TAG, "MORPH": MORPH, "SENT_START": SENT_START}
N_FLAGS = 64

ctypedef int (*SetChildren)(TokenC*, int, int) except -1

cdef SetChildren set_children_of_spacy = NULL


def doc_size():
    """The size of a Doc in the layout."""
    return sizeof(DocC)


def connect():
    """Find the functions of spaCy that these functions call. Must be called first.

    Raises KeyError or ValueError if spaCy does not have them.
    """
    global set_children_of_spacy
    capsule = doc_module.__pyx_capi__["set_children_from_heads"]
    set_children_of_spacy = <SetChildren>PyCapsule_GetPointer(
        capsule, b"int (struct __pyx_t_5spacy_7structs_TokenC *, int, int)"
    )


def read(list docs not None, fields not None, uint64_t[:, ::1] table not None):
    """Fill a table with the attributes of the tokens of documents, one document after
    the other.

    fields: for each column the number of the attribute, of `READABLE` or a flag below
        `N_FLAGS`.

    Returns False, and leaves the table incomplete, if one is not exactly a Doc, or if
    the table has another number of rows than there are tokens. Raises ValueError if it
    has another number of columns.
    """
    cdef vector[int] numbers = fields
    cdef Py_ssize_t n_columns = <Py_ssize_t>numbers.size()
    cdef Py_ssize_t at = 0
    cdef Py_ssize_t column
    cdef const DocC* c
    cdef int i
    if table.shape[1] != n_columns:
        raise ValueError(f"{n_columns} attributes for {table.shape[1]} columns")
    for doc in docs:
        if type(doc) is not Doc:
            return False
        c = <const DocC*><PyObject*>doc
        if at + c.length > table.shape[0]:
            return False
        for i in range(c.length):
            for column in range(n_columns):
                table[at, column] = read_field(c.tokens[i], numbers[column])
            at += 1
    return at == table.shape[0]


cdef bint has_shape(const Py_buffer* view, Py_ssize_t n_rows, Py_ssize_t n_columns):
    """Whether an array is a table of unsigned 64-bit numbers of a shape, one row after
    the other."""
    return (
        view.ndim == 2
        and view.shape[0] == n_rows
        and view.shape[1] == n_columns
        and view.itemsize == 8
        and view.format[0] in (b"L", b"Q")
        and view.format[1] == 0
        and view.strides[1] == 8
        and (view.strides[0] == 8 * n_columns or n_rows < 2)
    )


cdef bint write_table(
    TokenC* tokens, int n, const uint64_t* values, vector[int]& fields
):
    """Write the attributes of the tokens of a document."""
    cdef size_t column
    cdef int i
    for i in range(n):
        for column in range(fields.size()):
            write_field(tokens[i], fields[column], values[i * fields.size() + column])
    return True


cdef bint write_tree(TokenC* tokens, int n, const uint64_t* arcs) except -1:
    """Write the tree of a document, and what follows from it. Returns whether all heads
    are in the document; if not, nothing is written."""
    cdef bint is_labelled = False
    cdef int i
    if not write_arcs(tokens, n, arcs):
        return False
    for i in range(n):
        is_labelled = is_labelled or arcs[2 * i + 1] != 0
    if is_labelled and not set_children(tokens, n):
        set_children_of_spacy(tokens, 0, n)
    return True


cdef list write_all(list docs, list tables, vector[int]& fields, bint are_trees):
    """Write tables to documents, and return the numbers of those that were left."""
    cdef Py_ssize_t n_columns = 2 if are_trees else <Py_ssize_t>fields.size()
    cdef const uint64_t* values
    cdef Py_buffer view
    cdef DocC* c
    cdef bint is_written
    cdef list left = []
    for number, (doc, table) in enumerate(zip(docs, tables, strict=True)):
        is_written = False
        if type(doc) is Doc:
            c = <DocC*><PyObject*>doc
            PyObject_GetBuffer(table, &view, PyBUF_STRIDES | PyBUF_FORMAT)
            try:
                if has_shape(&view, c.length, n_columns):
                    values = <const uint64_t*>view.buf
                    is_written = (
                        write_tree(c.tokens, c.length, values)
                        if are_trees
                        else write_table(c.tokens, c.length, values, fields)
                    )
            finally:
                PyBuffer_Release(&view)
        if not is_written:
            left.append(number)
    return left


def write(list docs not None, list tables not None, fields not None):
    """Write attributes to documents.

    tables: for each document a NumPy array of unsigned 64-bit numbers with a row for
        each token and a column for each attribute. fields: numbers of attributes, of
        `WRITABLE`.

    Returns the numbers of the documents to which nothing was written: those that are
    not exactly a Doc, and those whose tables are not as described.
    """
    cdef vector[int] numbers = fields
    return write_all(docs, tables, numbers, False)


def write_trees(list docs not None, list tables not None):
    """Write trees to documents, and what follows from them: sentence starts, numbers of
    children and edges of subtrees.

    tables: as for `write`, with the offset of the head of each token and the id of its
        label.

    Returns the same as `write`; documents are left too if a head is outside of them.
    """
    cdef vector[int] numbers
    return write_all(docs, tables, numbers, True)
