# cython: boundscheck=False, wraparound=False
"""Makes documents of words, and entries of the vocabulary for new words.

spaCy calls a Python function for each attribute of a new word. Here most of them are
found in other ways that give the same. Like `direct`, this is compiled against the
declarations that spaCy ships.
"""
from libc.stdint cimport uint64_t
from libcpp.pair cimport pair
from libcpp.vector cimport vector
from spacy.attrs cimport attr_id_t
from spacy.lexeme cimport OOV_RANK, Lexeme
from spacy.strings cimport StringStore, hash_utf8
from spacy.structs cimport LexemeC
from spacy.tokens.doc cimport Doc
from spacy.vocab cimport Vocab

from functools import lru_cache, partial
from operator import itemgetter
from types import FunctionType

from spacy.lang import lex_attrs
from spacy.symbols import IDS
from spacy.util import _get_attr_unless_lookup as exceptions_first

from ..core.features.lexical import word_shape
from ..util.typography import is_blank

cdef extern from *:
    const char* PyUnicode_AsUTF8AndSize(str text, Py_ssize_t* length) except NULL

# By the `id` of functions of spaCy faster ones that give the same. What a user puts in
# the place of a function need not be hashable.
cdef dict FASTER = {
    id(lex_attrs.prefix): itemgetter(0),
    id(lex_attrs.suffix): itemgetter(slice(-3, None)),
    id(lex_attrs.word_shape): word_shape,
}
cdef enum:
    # What spaCy's functions about letters and case say of a word of ASCII letters.
    YES, NO, LOWER_CASE, TITLE_CASE, UPPER_CASE, N_ANSWERS
cdef dict OF_LETTERS = {
    id(lex_attrs.is_alpha): (str.isalpha, YES),
    id(lex_attrs.is_ascii): (str.isascii, YES),
    id(lex_attrs.is_digit): (str.isdigit, NO),
    id(lex_attrs.is_lower): (str.islower, LOWER_CASE),
    id(lex_attrs.is_title): (str.istitle, TITLE_CASE),
    id(lex_attrs.is_upper): (str.isupper, UPPER_CASE),
}
# Those that say no of all words of letters and digits.
cdef frozenset OF_MARKS = frozenset([
    id(is_blank),
    id(lex_attrs.is_bracket),
    id(lex_attrs.is_currency),
    id(lex_attrs.is_left_punct),
    id(lex_attrs.is_punct),
    id(lex_attrs.is_quote),
    id(lex_attrs.is_right_punct),
    id(lex_attrs.is_space),
    id(lex_attrs.like_email),
    id(lex_attrs.like_url),
])
cdef dict SYMBOLS = IDS
# Where spaCy's languages have the words for numbers.
cdef tuple NUMERALS = ("_num_words", "_ordinal_words")


def with_sets(function: FunctionType) -> Callable[[str], Any]:
    """A copy of `like_num` of a language of spaCy that looks words up in sets.

    Most languages have a list of a hundred words, in which each new word is looked up.
    Any other function is given back.
    """
    known = function.__globals__
    is_own = str(function.__module__).startswith("spacy.lang.")
    if not is_own or function.__name__ != "like_num":
        return function
    lists = [name for name in NUMERALS if type(known.get(name)) is list]
    sets = {name: frozenset(known[name]) for name in lists}
    return FunctionType(function.__code__, {**known, **sets})


cdef object WITH_SETS = lru_cache(maxsize=64)(with_sets)


cdef uint64_t id_of(str text) except? 0:
    """The id of a string, as `StringStore` has it."""
    cdef Py_ssize_t length
    cdef const char* utf8
    symbol = SYMBOLS.get(text)
    if symbol is not None:
        return symbol
    utf8 = PyUnicode_AsUTF8AndSize(text, &length)
    return hash_utf8(<char*>utf8, <int>length) if length else 0


def string_id(str text not None) -> int:
    """The id of a string, as `spacy.strings.get_string_id` gives it."""
    return id_of(text)


cdef class Entries:
    """Makes entries of a vocab for words, as `Vocab` makes them, without calls of those
    functions whose results are known.
    """

    cdef Vocab vocab
    cdef StringStore strings
    cdef object rows
    # Attributes with their values, with functions of all words, of words that have more
    # than ASCII letters, and of words that have more than letters and digits, and with
    # stop words; those that are the word in lower case, with tables of exceptions.
    cdef list values, getters, of_letters, of_marks, stops, lowered
    # For those of `of_letters` the answers for words of ASCII letters.
    cdef vector[pair[int, int]] answers

    def __init__(self, Vocab vocab not None):
        self.vocab = vocab
        self.strings = vocab.strings
        self.rows = getattr(vocab.vectors, "key2row", {})
        self.values, self.getters, self.of_letters = [], [], []
        self.of_marks, self.stops, self.lowered = [], [], []
        for attribute, getter in (vocab.lex_attr_getters or {}).items():
            if getter is lex_attrs.lower:
                self.lowered.append((attribute, getter, ()))
            elif id(getter) in OF_MARKS:
                self.of_marks.append((attribute, getter))
            elif id(getter) in OF_LETTERS:
                faster, answer = OF_LETTERS[id(getter)]
                self.of_letters.append((attribute, faster))
                self.answers.push_back(pair[int, int](attribute, answer))
            elif type(getter) is not partial or not self.know(attribute, getter):
                if type(getter) is FunctionType:
                    getter = WITH_SETS(getter)
                self.getters.append((attribute, FASTER.get(id(getter), getter)))

    cdef bint know(self, attribute, getter) except -1:
        """Note what a partial function does, if it is one of spaCy's; else False."""
        function, args = getter.func, getter.args
        if function is lex_attrs.get_lang:
            self.values.append((attribute, self.add(getter(""))))
        elif function is lex_attrs.is_stop and list(getter.keywords) == ["stops"]:
            self.stops.append((attribute, getter.keywords["stops"]))
        elif function is exceptions_first and args[:-1] == (lex_attrs.lower,):
            self.lowered.append((attribute, getter, args[1]))
        else:
            return False
        return True

    cdef uint64_t add(self, str text) except? 0:
        """The id of a string, which is added to those of the vocab."""
        return self.add_with(text, id_of(text))

    cdef uint64_t add_with(self, str text, uint64_t key) except? 0:
        """The same for a string whose id is known, which `StringStore.add` would
        compute again.
        """
        cdef StringStore strings = self.strings
        cdef Py_ssize_t length
        cdef const char* utf8
        if strings._map.get(key) == NULL and text and text not in SYMBOLS:
            utf8 = PyUnicode_AsUTF8AndSize(text, &length)
            strings._intern_utf8(
                <char*>utf8, <int>length, &key, strings.mem is not strings._non_temp_mem
            )
        return key

    cdef const LexemeC* make(self, str word, uint64_t orth) except NULL:
        """Make the entry of a word that has none."""
        cdef LexemeC* lexeme = <LexemeC*>self.vocab.mem.alloc(1, sizeof(LexemeC))
        lexeme.orth = self.add_with(word, orth)
        lexeme.length = len(word)
        lexeme.id = self.rows.get(orth, OOV_RANK) if self.rows else OOV_RANK
        lower = word.lower()
        lower_id = lexeme.orth if lower == word else self.add(lower)
        for attribute, value in self.values:
            Lexeme.set_struct_attr(lexeme, <attr_id_t>attribute, value)
        for attribute, stops in self.stops:
            Lexeme.set_struct_attr(lexeme, <attr_id_t>attribute, lower in stops)
        for attribute, getter, tables in self.lowered:
            Lexeme.set_struct_attr(lexeme, <attr_id_t>attribute, lower_id)
            for table in tables:
                if word in table:
                    self.call([(attribute, getter)], lexeme, word)
                    break
        self.call(self.getters, lexeme, word)
        if word.isascii() and word.isalpha():
            self.answer(lexeme, word)
        else:
            self.call(self.of_letters, lexeme, word)
            if not word.isalnum():
                self.call(self.of_marks, lexeme, word)
        self.vocab._add_lex_to_vocab(
            orth, lexeme, self.vocab.mem is not self.vocab._non_temp_mem
        )
        return lexeme

    cdef void answer(self, LexemeC* lexeme, str word) noexcept:
        """Set what the functions of `of_letters` say of a word of ASCII letters."""
        cdef bint[N_ANSWERS] answers
        cdef Py_ssize_t n_capitals = 0
        cdef Py_UCS4 c
        for c in word:
            n_capitals += c <= u"Z"
        answers[YES], answers[NO] = True, False
        answers[LOWER_CASE] = n_capitals == 0
        answers[TITLE_CASE] = n_capitals == 1 and <Py_UCS4>word[0] <= u"Z"
        answers[UPPER_CASE] = n_capitals == len(word)
        for of in self.answers:
            Lexeme.set_struct_attr(lexeme, <attr_id_t>of.first, answers[of.second])

    cdef int call(self, list getters, LexemeC* lexeme, str word) except -1:
        """Set what functions of attributes say of a word."""
        for attribute, getter in getters:
            value = getter(word)
            if isinstance(value, str):
                # Short words are their own PREFIX and SUFFIX.
                value = lexeme.orth if value == word else self.add(value)
            if value is not None:
                Lexeme.set_struct_attr(lexeme, <attr_id_t>attribute, value)
        return 0


def make_doc(
    Vocab vocab not None,
    list words not None: list[str],
    list spaces not None: list[bool],
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
    if doc.max_length < len(words):
        # Otherwise the memory grows again and again.
        doc._realloc(len(words))
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
