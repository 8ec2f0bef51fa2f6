# cython: boundscheck=False, wraparound=False
"""Reads and writes the tokens of documents in the memory of spaCy.

These functions do what `Doc.to_array` and `Doc.from_array` do, without a call of Python
for each Doc, and `entries` makes documents of words. They are compiled against the
declarations that spaCy ships, so they are right for the versions `BUILT_FOR` alone:
`borders` checks that and calls them; nothing else should.
"""
from cpython cimport buffer
from libc.stdint cimport uint32_t, uint64_t
from libcpp.vector cimport vector
from spacy.attrs cimport HEAD, IDX, attr_id_t
from spacy.structs cimport TokenC
from spacy.tokens.doc cimport Doc, set_children_from_heads
from spacy.tokens.token cimport Token

from .entries import make_doc, string_id  # no-cython-lint

cdef extern from *:
    const char* VERSIONS "DYNORACLE_SPACY_VERSIONS"

# The beginning of the versions of spaCy that these functions were built for.
BUILT_FOR = VERSIONS.decode("ascii")  # type: str


cdef inline uint64_t attribute_of(const TokenC* token, int attribute) noexcept nogil:
    """An attribute of a token, as `Doc.to_array` has it.

    spaCy's inline function lacks IDX.
    """
    if attribute == IDX:
        return <uint64_t>token.idx
    return Token.get_struct_attr(token, <attr_id_t>attribute)


def read(
    list docs not None: list[Doc],
    attributes not None,
    uint64_t[:, ::1] table not None: NDArray[np.uint64],
) -> bool:
    """Fill a table with the attributes of the tokens of documents, one document after
    the other.

    Args:
        attributes: For each column the number of an attribute of spaCy, or 0 for one
            that is left as it is.

    Returns:
        False, and leaves the table incomplete, if one is not exactly a Doc, or if the
        table has another number of rows than there are tokens.

    Raises:
        ValueError: If it has another number of columns.
    """
    cdef vector[int] numbers = attributes
    cdef Py_ssize_t n_columns = <Py_ssize_t>numbers.size()
    cdef Py_ssize_t at = 0
    cdef Py_ssize_t column
    cdef Doc doc
    cdef int i, attribute
    if table.shape[1] != n_columns:
        raise ValueError(f"{n_columns} attributes for {table.shape[1]} columns")
    for item in docs:
        if type(item) is not Doc:
            return False
        doc = <Doc>item
        if at + doc.length > table.shape[0]:
            return False
        for column in range(n_columns):
            attribute = numbers[column]
            for i in range(doc.length if attribute else 0):
                table[at + i, column] = attribute_of(&doc.c[i], attribute)
        at += doc.length
    return at == table.shape[0]


cdef bint has_shape(const Py_buffer* view, Py_ssize_t n_rows, Py_ssize_t n_columns):
    """Whether an array is a table of unsigned 64-bit numbers of a shape, one row after
    the other.
    """
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


cdef bint heads_are_inside(const uint64_t* values, int n, size_t n_columns, size_t at):
    """Whether the offsets of heads, in one column of a table, stay in a document."""
    cdef int i, head
    for i in range(n):
        head = i + <int>values[i * n_columns + at]
        if head < 0 or head >= n:
            return False
    return True


cdef inline TokenC* pass_edges(TokenC* tokens, int i) noexcept nogil:
    """Widen the subtree of the head of a token by that of the token."""
    cdef TokenC* head = &tokens[i + tokens[i].head]
    head.l_edge = min(head.l_edge, tokens[i].l_edge)
    head.r_edge = max(head.r_edge, tokens[i].r_edge)
    return head


cdef bint set_children(TokenC* tokens, int n) noexcept nogil:
    """Set what follows from heads, as `set_children_from_heads` of spaCy does in three
    times the time.

    Two passes are enough for trees that do not cross. From left to right, all that is
    left of a token has been seen when the token is, so its left edge is final when it
    is passed on to a head on the right. From right to left the same holds for right
    edges.

    Returns:
        False, with values that are not final, where only that function knows the
        result: if a root has no label, or a head is in another sentence than its
        dependent, as it can be where trees cross.
    """
    cdef int i, head, start, end
    for i in range(n):
        tokens[i].l_kids = tokens[i].r_kids = 0
        tokens[i].l_edge = tokens[i].r_edge = <uint32_t>i
        tokens[i].sent_start = -1
    for i in range(n):
        pass_edges(tokens, i).l_kids += tokens[i].head > 0
    for i in range(n - 1, -1, -1):
        pass_edges(tokens, i).r_kids += tokens[i].head < 0
    for i in range(n):
        if tokens[i].head == 0:
            if Token.missing_head(&tokens[i]):
                return False
            tokens[tokens[i].l_edge].sent_start = 1
    start = 0
    while start < n:
        end = start + 1
        while end < n and tokens[end].sent_start != 1:
            end += 1
        for i in range(start, end):
            head = i + tokens[i].head
            if head < start or head >= end:
                return False
        start = end
    return True


cdef bint write_table(
    Doc doc, const uint64_t* values, vector[int]& attributes
) except -1:
    """Write the attributes of the tokens of a document.

    Returns:
        False, and writes nothing, if a head is outside of it.
    """
    cdef size_t n_columns = attributes.size()
    cdef TokenC* tokens = doc.c
    cdef size_t column
    cdef attr_id_t attribute
    cdef bint has_heads = False
    cdef bint is_labelled = False
    cdef int i
    for column in range(n_columns):
        if attributes[column] == HEAD:
            has_heads = True
            if not heads_are_inside(values, doc.length, n_columns, column):
                return False
    for column in range(n_columns):
        attribute = <attr_id_t>attributes[column]
        for i in range(doc.length):
            Token.set_struct_attr(&tokens[i], attribute, values[i * n_columns + column])
    for i in range(doc.length):
        is_labelled = is_labelled or tokens[i].dep != 0
    # As `Doc.from_array` has it: nothing follows from heads without any label.
    if has_heads and is_labelled and not set_children(tokens, doc.length):
        set_children_from_heads(tokens, 0, doc.length)
    return True


def write(
    list docs not None: list[Doc],
    list tables not None: list[NDArray[np.uint64]],
    attributes not None,
) -> list[int]:
    """Write attributes to documents, and what follows from heads: sentence starts,
    numbers of children and edges of subtrees.

    Args:
        tables: For each document a NumPy array of unsigned 64-bit numbers with a row
            for each token and a column for each attribute.
        attributes: Numbers of attributes of spaCy. HEAD, which is the offset of the
            head, comes with DEP.

    Returns:
        The numbers of the documents to which nothing was written: those that are not
        exactly a Doc, those whose tables are not as described, and those with a head
        that is outside.
    """
    cdef vector[int] numbers = attributes
    cdef Py_ssize_t n_columns = <Py_ssize_t>numbers.size()
    cdef Py_buffer view
    cdef bint is_written
    cdef Doc doc
    cdef list left = []
    for number, (item, table) in enumerate(zip(docs, tables, strict=True)):
        is_written = False
        if type(item) is Doc:
            doc = <Doc>item
            buffer.PyObject_GetBuffer(
                table, &view, buffer.PyBUF_STRIDES | buffer.PyBUF_FORMAT
            )
            try:
                if has_shape(&view, doc.length, n_columns):
                    is_written = write_table(doc, <const uint64_t*>view.buf, numbers)
            finally:
                buffer.PyBuffer_Release(&view)
        if not is_written:
            left.append(number)
    return left
