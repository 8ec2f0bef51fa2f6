"""Rules that make a lemma of a form."""
from libc.stdint cimport uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector


cdef extern from "lemmas/cpp/candidates.hpp" namespace "dynoracle" nogil:
    cdef cppclass Text:
        size_t size()
        void resize(size_t)
        uint32_t& operator[](size_t)
        cbool operator==(const Text&)
        void swap(Text&)

    uint64_t hash_of(const Text& text, size_t start, size_t end, uint64_t seed)

    cdef cppclass Word:
        Text* cased
        uint64_t pos, morph, context, shape

    cdef cppclass Rule:
        int case_number
        Text cut_before, add_before, cut_behind, add_behind
        uint64_t key

    cdef cppclass Candidates:
        int n
        vector[Text] lemmas
        vector[uint64_t] hashes
        vector[int] rules

    const uint64_t LEMMA_SEED "dynoracle::Candidates::SEED"

    cdef cppclass RuleTrees:
        vector[Rule] rules
        void add(uint64_t tag, const Text& ending) except +
        void find(const Word& word, Candidates& candidates)


cdef int set_text(Text* text, str value) except -1
cdef str str_of(const Text& text)
cdef int set_rule(Rule* c, rule) except -1
