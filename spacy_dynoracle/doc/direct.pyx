# cython: boundscheck=False, wraparound=False
"""Reads and writes the tokens of documents in the memory of spaCy.

These functions do what `Doc.to_array` and `Doc.from_array` do, without a call of Python
for each Doc, and what `Vocab` does for new words, with fewer calls. They are compiled
against the declarations that spaCy ships, so they are right for the versions
`BUILT_FOR` alone: `borders` checks that and calls them; nothing else should.
"""
from cpython.buffer cimport (
    PyBUF_FORMAT,
    PyBUF_STRIDES,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from libc.stdint cimport uint32_t, uint64_t
from libcpp.vector cimport vector
from spacy.attrs cimport HEAD, IDX, attr_id_t
from spacy.lexeme cimport OOV_RANK, Lexeme
from spacy.strings cimport StringStore, hash_utf8
from spacy.structs cimport LexemeC, TokenC
from spacy.tokens.doc cimport Doc, set_children_from_heads
from spacy.tokens.token cimport Token
from spacy.vocab cimport Vocab

from functools import partial
from types import FunctionType

from spacy.lang import lex_attrs
from spacy.symbols import IDS
from spacy.util import _get_attr_unless_lookup as unless_listed

from ..core.features.lexical import word_shape
from ..util.typography import is_blank

cdef extern from *:
    # Of Cython, `c.istitle` is true of all capitals.
    bint Py_UNICODE_ISTITLE(Py_UCS4 c)
    const char* PyUnicode_AsUTF8AndSize(str text, Py_ssize_t* length) except NULL
    const char* VERSIONS "DYNORACLE_SPACY_VERSIONS"

# The beginning of the versions of spaCy that these functions were built for.
BUILT_FOR = VERSIONS.decode("ascii")  # type: str


cdef inline uint64_t attribute_of(const TokenC* token, int attribute) noexcept nogil:
    """What `Doc.to_array` says of a token. spaCy's inline function lacks IDX."""
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
        attributes: For each column the number of an attribute of spaCy.

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
            for i in range(doc.length):
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
            Token.set_struct_attr(
                &tokens[i], attribute, values[i * n_columns + column]
            )
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
            PyObject_GetBuffer(table, &view, PyBUF_STRIDES | PyBUF_FORMAT)
            try:
                if has_shape(&view, doc.length, n_columns):
                    is_written = write_table(
                        doc, <const uint64_t*>view.buf, numbers
                    )
            finally:
                PyBuffer_Release(&view)
        if not is_written:
            left.append(number)
    return left


cdef enum:
    # How the value of an attribute is found: by calling its function, or in another way
    # that gives the same.
    CALL, CONSTANT, LOWERED, FIRST, LAST, SHAPE, LISTED, STOP
    # True or false by the characters of the word.
    ALPHA, ASCII, DIGIT, LOWER, TITLE, UPPER
    # False for all words with a letter or digit, and for those with no mark of addresses.
    MARK, ADDRESS

# The ways of spaCy's functions.
cdef dict WAYS = {
    lex_attrs.lower: LOWERED,
    lex_attrs.prefix: FIRST,
    lex_attrs.suffix: LAST,
    lex_attrs.word_shape: SHAPE,
    lex_attrs.is_alpha: ALPHA,
    lex_attrs.is_ascii: ASCII,
    lex_attrs.is_digit: DIGIT,
    lex_attrs.is_lower: LOWER,
    lex_attrs.is_title: TITLE,
    lex_attrs.is_upper: UPPER,
    lex_attrs.is_bracket: MARK,
    lex_attrs.is_currency: MARK,
    lex_attrs.is_left_punct: MARK,
    lex_attrs.is_punct: MARK,
    lex_attrs.is_quote: MARK,
    lex_attrs.is_right_punct: MARK,
    lex_attrs.is_space: MARK,
    is_blank: MARK,
    lex_attrs.like_email: ADDRESS,
    lex_attrs.like_url: ADDRESS,
}
cdef dict SYMBOLS = IDS


cdef uint64_t id_of(str text) except? 0:
    """The id of a string, as `StringStore` has it."""
    cdef Py_ssize_t length
    cdef const char* utf8
    symbol = SYMBOLS.get(text)
    if symbol is not None:
        return symbol
    utf8 = PyUnicode_AsUTF8AndSize(text, &length)
    return hash_utf8(<char*>utf8, <int>length) if length else 0


cdef class Entries:
    """Makes entries of a vocab for words, as `Vocab` makes them, without calls of those
    functions whose results are known.
    """

    cdef Vocab vocab
    cdef StringStore strings
    cdef object rows
    # For each attribute its number, its way, and what this way needs.
    cdef vector[int] attributes, ways
    cdef list needs

    def __init__(self, Vocab vocab not None):
        cdef int way
        self.vocab = vocab
        self.strings = vocab.strings
        self.rows = getattr(vocab.vectors, "key2row", {})
        self.needs = []
        for attribute, getter in (vocab.lex_attr_getters or {}).items():
            way, need, lists = CALL, getter, ()
            while type(need) is partial and need.func is unless_listed:
                need, more = need.args
                lists += more
            if lists and need is lex_attrs.lower:
                way, need = LISTED, lists
            elif type(getter) is FunctionType:
                way = WAYS.get(getter, CALL)
            elif type(getter) is partial and getter.func is lex_attrs.get_lang:
                way, need = CONSTANT, getter("")
            elif type(getter) is partial and getter.func is lex_attrs.is_stop:
                way, need = STOP, getter.keywords["stops"]
            else:
                need = getter
            self.attributes.push_back(attribute)
            self.ways.push_back(way)
            self.needs.append(need)

    cdef uint64_t add(self, str text) except? 0:
        """The id of a string, which is added to those of the vocab."""
        cdef uint64_t key = id_of(text)
        if self.strings._map.get(key) == NULL:
            self.strings.add(text)
        return key

    cdef const LexemeC* make(self, str word, uint64_t orth) except NULL:
        """Make the entry of a word that has none."""
        cdef bint[ADDRESS + 1] is_true
        cdef Py_ssize_t k, length = len(word)
        cdef LexemeC* lexeme = <LexemeC*>self.vocab.mem.alloc(1, sizeof(LexemeC))
        cdef str lower = word.lower()
        cdef uint64_t value
        cdef int way
        find_truth(word, is_true)
        lexeme.orth = self.add(word)
        lexeme.length = length
        lexeme.id = self.rows.get(orth, OOV_RANK) if self.rows else OOV_RANK
        for k in range(<Py_ssize_t>self.attributes.size()):
            way = self.ways[k]
            if way == LOWERED:
                value = orth if lower == word else self.add(lower)
            elif way == FIRST:
                value = self.add(word[:1])
            elif way == LAST:
                value = self.add(word[max(length - 3, 0):])
            elif way == SHAPE:
                value = self.add(word_shape(word))
            elif way == STOP:
                value = lower in self.needs[k]
            elif ALPHA <= way <= UPPER or (way >= MARK and not is_true[way]):
                value = is_true[way]
            else:
                found = self.found(way, self.needs[k], word, lower)
                if isinstance(found, str):
                    found = self.strings.add(found)
                if found is None:
                    continue
                value = found
            Lexeme.set_struct_attr(lexeme, <attr_id_t>self.attributes[k], value)
        self.vocab._add_lex_to_vocab(
            orth, lexeme, self.vocab.mem is not self.vocab._non_temp_mem
        )
        return lexeme

    cdef found(self, int way, need, str word, str lower):
        """The value of an attribute of a word, which may be a string or nothing."""
        if way == CONSTANT:
            return need
        if way != LISTED:
            return need(word)
        for listed in need:
            if word in listed:
                return listed[word]
        return lower


cdef void find_truth(str word, bint* is_true):
    """Find what is true of a word by its characters.

    Args:
        is_true: By the ways from ALPHA on; of MARK and ADDRESS, whether it may be.
    """
    cdef bint is_upper, is_lower, was_cased = False, has_upper = False, has_lower = False
    cdef Py_UCS4 c
    cdef int way
    for way in range(ALPHA, ADDRESS + 1):
        is_true[way] = way != ADDRESS
    for c in word:
        is_upper = c.isupper() or Py_UNICODE_ISTITLE(c)
        is_lower = c.islower()
        has_upper = has_upper or is_upper
        has_lower = has_lower or is_lower
        is_true[UPPER] = is_true[UPPER] and not (is_lower or Py_UNICODE_ISTITLE(c))
        if (is_upper and was_cased) or (is_lower and not was_cased):
            is_true[TITLE] = False
        was_cased = is_upper or is_lower
        if not c.isalpha():
            is_true[ALPHA] = False
        if not c.isdigit():
            is_true[DIGIT] = False
        if c > 127:
            is_true[ASCII] = False
        if c.isalpha() or c.isdecimal():
            is_true[MARK] = False
        elif c in u"./@":
            is_true[ADDRESS] = True
    is_true[LOWER] = has_lower and not has_upper
    is_true[TITLE] = is_true[TITLE] and (has_upper or has_lower)
    is_true[UPPER] = is_true[UPPER] and has_upper


def make_doc(
    Vocab vocab not None, list words not None: list[str], list spaces not None: list[bool]
) -> Doc:
    """A Doc of words, as `Doc(vocab, words=words, spaces=spaces)` makes it."""
    cdef Doc doc = Doc(vocab)
    cdef Entries entries = None
    cdef const LexemeC* lexeme
    cdef uint64_t orth
    cdef Py_ssize_t i
    cdef str word
    if len(words) != len(spaces):
        raise ValueError(f"{len(words)} words, and {len(spaces)} spaces")
    for i in range(len(words)):
        word = words[i]
        orth = id_of(word)
        lexeme = <const LexemeC*>vocab._by_orth.get(orth)
        if lexeme == NULL:
            if entries is None:
                entries = Entries(vocab)
            lexeme = entries.make(word, orth)
        doc.push_back(lexeme, <bint>spaces[i])
    return doc
