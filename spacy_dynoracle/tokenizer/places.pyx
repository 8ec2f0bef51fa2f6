# cython: boundscheck=False, wraparound=False
"""The places of a pretoken where a word may end, and what they look like."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector

from ..core.hashing cimport KEY_BITS as _KEY_BITS, mix
from ..util.abbreviations import is_abbreviation
from ..util.typography import is_mark


cdef extern from * nogil:
    bint Py_UNICODE_ISALPHA(Py_UCS4 c)
    bint Py_UNICODE_ISDIGIT(Py_UCS4 c)
    bint Py_UNICODE_ISLOWER(Py_UCS4 c)
    bint Py_UNICODE_ISUPPER(Py_UCS4 c)
    Py_UCS4 Py_UNICODE_TOLOWER(Py_UCS4 c)

cdef extern from "weights/cpp/growing_table.hpp" namespace "dynoracle" nogil:
    cdef cppclass GrowingTable[Value]:
        GrowingTable(int log_slots, Value nothing) except +
        Value get(uint64_t key)
        Value& insert(uint64_t key) except +
        void reserve(size_t n_keys) except +

# The bits of a key.
KEY_BITS = _KEY_BITS  # type: int

cdef enum:
    # The kinds of letters and digits; another character is its own kind.
    LETTER = 1
    DIGIT = 2
    CAPITAL = 3
    # How much text around a place the features show, and how long a pretoken is if some
    # features show it as a whole.
    WINDOW = 12
    WHOLE = 24
    # How much of its beginning and end they show.
    NEAR = 8
    LONGEST_RUN = 6
    MOST_FEATURES = 24


# Marks between letters or digits that make one word of them.
cdef str JOINING = "-'._/&@+:·(?!"


cdef inline uint64_t joined(uint64_t key, uint64_t value) noexcept nogil:
    return mix(key * 31 + value + 1)


cdef inline uint64_t final(uint64_t key) noexcept nogil:
    return key >> (64 - _KEY_BITS)


cdef uint64_t first(int number, bint is_cut) noexcept nogil:
    """Where the key of a feature begins. Each has two: one if the rules cut."""
    return mix(2 * number + is_cut + 1)


def bias(is_cut: bool) -> int:
    """The key of the feature that all places have where the rules cut, or do not."""
    return final(first(0, is_cut))


cdef class Places:
    """The places of a pretoken where a word may end: where the rules cut, and where two
    characters meet of which one is neither letter nor digit, or only one is a digit.

    Args:
        text: The pretoken, with plain characters.
        ends: Where the rules of a language cut. None for the rules of all languages:
            words end beside marks, but for those that join letters and digits, and the
            full stops of abbreviations.
    """

    cdef str text
    cdef int n
    cdef vector[Py_UCS4] characters, lower
    cdef vector[uint32_t] kinds
    # Whether the rules cut before each character.
    cdef vector[cbool] is_end
    # The beginning and end of the run of one kind that each character belongs to.
    cdef vector[int] begins, stops

    def __init__(self, str text not None, tuple ends: tuple[int, ...] | None = None):
        cdef int i, n = <int>len(text)
        cdef bint same
        cdef Py_UCS4 c
        self.text = text
        self.n = n
        self.characters.resize(n)
        self.lower.resize(n)
        self.kinds.resize(n)
        self.is_end.resize(n + 1)
        self.begins.resize(n)
        self.stops.resize(n)
        for i in range(n):
            c = text[i]
            self.characters[i] = c
            self.lower[i] = Py_UNICODE_TOLOWER(c)
            self.kinds[i] = kind_of(c)
            same = i and self.kinds[i] == self.kinds[i - 1]
            self.begins[i] = self.begins[i - 1] if same else i
        for i in range(n - 1, -1, -1):
            same = i + 1 < n and self.kinds[i] == self.kinds[i + 1]
            self.stops[i] = self.stops[i + 1] if same else i + 1
        if ends is None:
            for i in range(1, n):
                self.is_end[i] = self._parts_words(i)
        else:
            for i in ends:
                if 0 < i < n:
                    self.is_end[i] = True
        self._cut_between_sentences()

    cdef bint _parts_words(self, int place) except -1:
        """Whether the rules of all languages cut at a place."""
        cdef Py_UCS4 left = self.characters[place - 1], right = self.characters[place]
        cdef bint after_word = self._is_word(place - 1), is_word = self._is_word(place)
        cdef int begin = self.begins[place - 1]
        if left == right or (after_word and is_word):
            return False
        if self._ends_sentence(place if right == u"." else place - 1):
            return True
        if after_word:
            if right in JOINING and place + 1 < self.n and self._is_word(place + 1):
                return False
            return right != u"." or not (
                is_abbreviation(self.text[begin:place])
                or (place - begin == 1 and Py_UNICODE_ISUPPER(left))
            )
        if is_word and left in JOINING and place > 1:
            return not (self._is_word(place - 2) or self.characters[place - 2] == u".")
        if place == 1 and left in u"+-":
            return self.kinds[place] != DIGIT
        # Initials, as in "J.-P.", and "?!".
        return not (left == u"." and right == u"-" or left in u"?!" and right in u"?!")

    cdef bint _ends_sentence(self, int i) noexcept nogil:
        """Whether a character is a full stop as in "end.The"."""
        return (
            self.characters[i] == u"."
            and 0 < i < self.n - 1
            and Py_UNICODE_ISLOWER(self.characters[i - 1])
            and Py_UNICODE_ISUPPER(self.characters[i + 1])
        )

    cdef bint _is_word(self, int i) noexcept nogil:
        """Whether a character is a letter or a digit."""
        return self.kinds[i] == LETTER or self.kinds[i] == DIGIT

    cdef void _cut_between_sentences(self) noexcept:
        """The rules cut "end.The" and not "end?The"."""
        cdef int start = 1, stop
        while start < self.n - 1:
            stop = start
            while stop < self.n and self.characters[stop] in (u"?", u"!"):
                stop += 1
            if (
                start < stop < self.n
                and Py_UNICODE_ISLOWER(self.characters[start - 1])
                and Py_UNICODE_ISUPPER(self.characters[stop])
            ):
                self.is_end[start] = self.is_end[stop] = True
            start = stop + 1

    cdef bint _is_place(self, int place) noexcept nogil:
        cdef uint32_t kind = self.kinds[place]
        if kind != self.kinds[place - 1] or kind not in (LETTER, DIGIT):
            return True
        return self.is_end[place]

    def __iter__(self) -> Iterator[int]:
        cdef int place
        for place in range(1, self.n):
            if self._is_place(place):
                yield place

    def features(self, int place) -> list[int]:
        """The keys of the features of a place; those of a place where the rules cut are
        others than those of the rest.
        """
        cdef uint64_t[MOST_FEATURES] keys
        cdef int i, n_keys = self._features(place, keys)
        return [keys[i] for i in range(n_keys)]

    cdef int _features(self, int p, uint64_t* keys) except -1:
        """Write the keys of the features of a place; returns their number."""
        cdef bint cut = self.is_end[p]
        cdef int n = self.n, k = 0
        cdef uint64_t before = self.lower[p - 1], after = self.lower[p]
        cdef uint32_t left = self.kinds[p - 1], right = self.kinds[p]
        cdef int begin = self.begins[p - 1], stop = self.stops[p]
        cdef bint same = self.characters[p - 1] == self.characters[p]
        cdef uint64_t run = self._run(max(begin, p - WINDOW), p)
        cdef uint64_t next_run = self._run(p, min(stop, p + WINDOW))
        cdef uint64_t around = self._shape(max(p - 2, 0), min(p + 2, n), 1)
        cdef uint64_t start, end
        keys[k] = first(0, cut)
        keys[k + 1] = joined(joined(first(1, cut), left), right)
        keys[k + 2] = joined(joined(first(2, cut), around), 2 * (p == 1) + (p + 1 == n))
        keys[k + 3] = joined(joined(first(3, cut), before), after)
        keys[k + 4] = joined(
            joined(first(4, cut), self.lower[p - 2] if p > 1 else 0), keys[k + 3]
        )
        keys[k + 5] = joined(
            joined(first(5, cut), self.lower[p + 1] if p + 1 < n else 0), keys[k + 3]
        )
        keys[k + 6] = joined(first(6, cut), before)
        keys[k + 7] = joined(first(7, cut), after)
        keys[k + 8] = joined(joined(first(8, cut), run), right)
        keys[k + 9] = joined(joined(first(9, cut), left), next_run)
        keys[k + 10] = joined(joined(first(10, cut), run), next_run)
        keys[k + 11] = joined(
            joined(joined(first(11, cut), self.characters[0]), same),
            self.characters[n - 1],
        )
        k += 12
        # The time would be quadratic in the number of marks if they were looked up.
        if (
            self.characters[p] == u"."
            and left == LETTER
            and is_abbreviation(self.text[begin:p])
        ):
            # "approx." is like "etc.", which the treebank may have.
            keys[k] = first(12, cut)
            keys[k + 1] = joined(keys[k], p + 1 == n)
            k += 2
        if same:
            keys[k] = joined(first(13, cut), min(stop - begin, LONGEST_RUN))
            keys[k + 1] = joined(keys[k], after)
            k += 2
        if n <= WHOLE:
            start, end = self._shape(0, p, 2), self._shape(p, n, 2)
            keys[k] = joined(joined(first(14, cut), start), end)
            keys[k + 1] = joined(first(15, cut), start)
            keys[k + 2] = joined(first(16, cut), end)
            k += 3
            if p <= NEAR:
                keys[k] = joined(joined(first(17, cut), self._text(0, p)), right)
                k += 1
            if n - p <= NEAR:
                keys[k] = joined(joined(first(18, cut), left), self._text(p, n))
                k += 1
        for p in range(k):
            keys[p] = final(keys[p])
        return k

    cdef uint64_t _text(self, int start, int stop) noexcept nogil:
        """A part of the text in lower case."""
        cdef uint64_t key = 0
        cdef int i
        for i in range(start, stop):
            key = joined(key, self.lower[i])
        return key

    cdef uint64_t _run(self, int start, int stop) noexcept nogil:
        """A run of one kind; of digits only their number."""
        if self.kinds[start] == DIGIT:
            return joined(DIGIT, stop - start)
        return self._text(start, stop)

    cdef uint64_t _shape(self, int start, int stop, int limit) noexcept nogil:
        """The kinds of the characters, of equal neighbours at most `limit`."""
        cdef uint64_t key = 0
        cdef uint32_t kind, last = 0
        cdef int i, n_same = 0
        for i in range(start, stop):
            kind = self.kinds[i]
            if kind == LETTER and Py_UNICODE_ISUPPER(self.characters[i]):
                kind = CAPITAL
            n_same = n_same + 1 if kind == last else 1
            last = kind
            if n_same <= limit:
                key = joined(key, kind)
        return key


cdef uint32_t kind_of(Py_UCS4 c) except? 0:
    """The kind of a character: that of letters and accents, that of digits, or its
    own.
    """
    if Py_UNICODE_ISALPHA(c):
        return LETTER
    if Py_UNICODE_ISDIGIT(c):
        return DIGIT
    return LETTER if c > 127 and is_mark(chr(c)) else <uint32_t>c


cdef class PlaceWeights:
    """The weights of features, for finding the words of pretokens.

    Args:
        keys, weights: Of the features.

    Raises:
        ValueError: For another number of weights than of keys.
    """

    cdef GrowingTable[int32_t]* table

    def __cinit__(
        self,
        const uint64_t[:] keys not None: NDArray[np.uint64],
        const int32_t[:] weights not None: NDArray[np.int32],
    ):
        cdef Py_ssize_t i
        self.table = new GrowingTable[int32_t](10, 0)
        if keys.shape[0] != weights.shape[0]:
            raise ValueError(f"{keys.shape[0]} keys and {weights.shape[0]} weights")
        self.table.reserve(keys.shape[0])
        for i in range(keys.shape[0]):
            (&self.table.insert(keys[i]))[0] = weights[i]

    def __dealloc__(self):
        del self.table

    def ends(
        self, str text not None, tuple ends: tuple[int, ...] | None = None
    ) -> tuple[int, ...]:
        """The ends of the words of a pretoken.

        Args:
            text, ends: As of `Places`.
        """
        cdef uint64_t[MOST_FEATURES] keys
        cdef Places places = Places(text, ends)
        cdef int64_t score
        cdef int place, i, n_keys
        found = []
        for place in range(1, places.n):
            if places._is_place(place):
                n_keys = places._features(place, keys)
                score = 0
                for i in range(n_keys):
                    score += self.table.get(keys[i])
                if score > 0:
                    found.append(place)
        return tuple(found)
