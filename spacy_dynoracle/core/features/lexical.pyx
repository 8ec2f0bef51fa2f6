# cython: boundscheck=False, wraparound=False
"""Features of the form of a word: its first and last characters.

The core knows strings as 64-bit ids. The features of a string are hashes. A table keeps
the hashes of recent strings, because few words of a text are new.
"""
from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free
from libcpp.vector cimport vector

cdef extern from *:
    int PyUnicode_4BYTE_KIND
    str PyUnicode_FromKindAndData(int kind, const void* text, Py_ssize_t length)

cdef enum:
    LONGEST_PREFIX = 5
    LONGEST_SUFFIX = 7
    LONGEST_SHAPE = 99

cdef uint64_t PART_SEED = 0x3F84D5B5B5470917
cdef uint64_t WHOLE_SEED = 0x9216D5D98979FB1B


cdef uint64_t hash_text(str text, Py_ssize_t start, Py_ssize_t end, uint64_t seed):
    """A hash of some characters of a text, from their code points and a seed."""
    cdef uint64_t value = seed
    cdef Py_ssize_t i
    for i in range(start, end):
        value = next_hash(value, <Py_UCS4>text[i])
    return value


cdef uint64_t hash_of(str text, Py_ssize_t start, Py_ssize_t end):
    """A hash of some characters of a text. The hash differs if they are the whole text.
    """
    is_part = end - start < len(text)
    return hash_text(text, start, end, PART_SEED if is_part else WHOLE_SEED)


def affixes(str form not None) -> tuple[int, ...]:
    """The hashes of the first 1 to 5 and of the last 1 to 7 characters of a word.

    Args:
        form: The word. Characters are code points.

    Returns:
        A tuple of 12 integers of 64 bits. If a word is not longer than the affix, the
        affix is the whole word, and its hash differs from the affix of a longer word:
        the suffix "and" of "and" is not the suffix "and" of "hand".
    """
    cdef Py_ssize_t n = len(form)
    cdef Py_ssize_t length
    cdef list found = []
    for length in range(1, LONGEST_PREFIX + 1):
        found.append(hash_of(form, 0, min(length, n)))
    for length in range(1, LONGEST_SUFFIX + 1):
        found.append(hash_of(form, max(n - length, 0), n))
    return tuple(found)


def word_shape(str form not None) -> str:
    """The shape of a word: X, x and d for capitals, other letters and digits, equal
    neighbours at most four times.

    It is what `spacy.lang.lex_attrs.word_shape` gives, without objects of Python for
    each character.
    """
    cdef Py_UCS4[LONGEST_SHAPE] shape
    cdef Py_UCS4 c, kind, last = 0
    cdef int length = 0, n_same = 0
    if len(form) > LONGEST_SHAPE:
        return "LONG"
    for c in form:
        kind = c
        if c.isalpha():
            kind = u"X" if c.isupper() else u"x"
        elif c.isdigit():
            kind = u"d"
        n_same = n_same + 1 if kind == last else 1
        last = kind
        if n_same <= 4:
            shape[length] = kind
            length += 1
    return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, shape, length)


cdef class StringTable:
    """Keeps the values that a function computes from strings, by the ids of the
    strings.

    Args:
        function: From a string to a tuple of `width` integers of 64 bits; it must
            always make the same of the same string.
        capacity: A power of two, at least 2. What was made of so many strings is kept,
            whatever the length of the text. Strings whose ids are equal modulo half the
            capacity share two places; a new one takes the row of the older one.

    Raises:
        ValueError: For another capacity or a width below 1.
    """

    cdef object function
    # For each place the number of its row, 0 for none. Rows are used one after the
    # other, so that those of few strings are in little memory.
    cdef uint32_t* places
    cdef uint64_t* rows
    cdef uint32_t n_rows
    cdef readonly int width
    cdef readonly Py_ssize_t capacity

    def __cinit__(
        self, function: Callable[[str], tuple[int, ...]], int width, Py_ssize_t capacity
    ):
        if width < 1 or capacity < 2 or capacity & (capacity - 1):
            raise ValueError(
                f"a table of {width} values for {capacity} strings: expected at least "
                f"one value and a power of two"
            )
        self.function = function
        self.width = width
        self.capacity = capacity
        self.places = <uint32_t*>calloc(capacity, sizeof(uint32_t))
        # A row begins with the id of its string; that of the first one is 0.
        self.rows = <uint64_t*>calloc((capacity + 1) * (width + 1), sizeof(uint64_t))
        if self.places is NULL or self.rows is NULL:
            raise MemoryError(f"no memory for a table of {capacity} strings")

    def __dealloc__(self):
        free(self.places)
        free(self.rows)

    def fill(
        self,
        uint64_t[:, ::1] table not None: NDArray[np.uint64],
        int source,
        strings: Any,
        columns: Sequence[int],
    ) -> None:
        """Replace the ids in a table by the values of their strings.

        Args:
            table: Integers of shape (n strings, n columns).
            source: The column with the ids.
            strings: Gives the string of an id, as `spacy.strings.StringStore` does.
            columns: For each value the column it is written to, or -1; `source` may be
                among them. The values of id 0 are all 0.

        Raises:
            ValueError: If the shapes do not fit together, or if the function returns a
                wrong number of values.
        """
        cdef vector[int] targets = columns
        cdef const uint64_t* row
        cdef Py_ssize_t k
        cdef int i
        if <int>targets.size() != self.width:
            raise ValueError(
                f"{targets.size()} columns for {self.width} values of a string"
            )
        for i in (source, *[column for column in targets if column != -1]):
            if not 0 <= i < table.shape[1]:
                raise ValueError(f"there is no column {i} among {table.shape[1]}")
        for k in range(table.shape[0]):
            row = self._row(table[k, source], strings)
            for i in range(self.width):
                if targets[i] >= 0:
                    table[k, targets[i]] = 0 if row is NULL else row[i]

    cdef const uint64_t* _row(self, uint64_t string_id, strings) except? NULL:
        """The values of a string, or NULL for id 0.

        They are valid until the next call.
        """
        cdef int i, size = self.width + 1
        cdef uint64_t pair = string_id & <uint64_t>(self.capacity // 2 - 1)
        cdef uint32_t* place = self.places + 2 * pair
        cdef uint64_t* row = self.rows + place[0] * size
        if string_id == 0:
            return NULL
        if row[0] != string_id:
            # The string of the last call stands first.
            place[0], place[1] = place[1], place[0]
            row = self.rows + place[0] * size
        if row[0] != string_id:
            values = self.function(strings[string_id])
            if len(values) != self.width:
                raise ValueError(
                    f"expected {self.width} values of {strings[string_id]!r}, "
                    f"got {len(values)}"
                )
            # Another thread may have changed the table before this line, but cannot
            # after it.
            if place[0] == 0:
                self.n_rows += 1
                place[0] = self.n_rows
            row = self.rows + place[0] * size
            row[0] = 0
            for i in range(self.width):
                row[i + 1] = values[i]
            row[0] = string_id
        return row + 1
