# cython: boundscheck=False, wraparound=False
"""Known lemmas, to see whether a candidate is the lemma of other words, too.

Source: Toutanova & Cherry 2009, "A global model for joint lemmatization and
part-of-speech prediction", for candidates with features of the known lemmas.
"""
from ..features.lexical cimport hash_text
from ..hashing cimport mix
from .edit_rules cimport LEMMA_SEED

import numpy as np
from numpy.typing import NDArray

cdef enum:
    # How a lemma can be known: with the part of speech of the word, with any, and as
    # the lemma of the same form with another part of speech.
    WITH_POS = 1
    WITH_ANY = 2
    OF_FORM = 4
FORM_SEED = 0x9FB21C651E98DF25  # type: int
cdef uint64_t FACTOR = 0xC2B2AE3D27D4EB4F


cdef uint64_t own_key(uint64_t form, uint64_t pos, uint64_t lemma) noexcept nogil:
    return mix(form + mix(pos + FACTOR) * FACTOR) ^ lemma


cdef uint64_t with_pos(uint64_t lemma, uint64_t pos) noexcept nogil:
    return mix(lemma + mix(pos + FACTOR))


cdef uint64_t of_form(uint64_t lemma, uint64_t form) noexcept nogil:
    return mix(lemma + form * FACTOR)


cdef class KnownLemmas:
    """Lemmas of forms, as hashes."""

    def learn(self, str form not None, uint64_t pos, str lemma not None) -> None:
        """Note that a form has a lemma; once for each part of speech.

        Args:
            form: In lower case.
            pos: The id of the part of speech, 0 for any.
        """
        cdef uint64_t key = hash_text(lemma, 0, len(lemma), LEMMA_SEED)
        cdef uint64_t form_key = hash_text(form, 0, len(form), FORM_SEED)
        if self.own.insert(own_key(form_key, pos, key)).second:
            self.counts.add(key)
            self.counts.add(with_pos(key, pos))
            self.counts.add(of_form(key, form_key))

    def known_as(self, str form not None, uint64_t pos, str lemma not None) -> int:
        """Tell which other words have this lemma, as a sum: 1 if some of them have this
        part of speech, 2 if there are any, and 4 if some have this form.

        Args:
            form: In lower case.
            pos: The id of the part of speech.
        """
        return self.flags(
            hash_text(form, 0, len(form), FORM_SEED),
            pos,
            hash_text(lemma, 0, len(lemma), LEMMA_SEED),
        )

    def forget_forms(self) -> None:
        """Forget which form has which lemma: it is not subtracted any more from what is
        known. Training ends with this.
        """
        self.own.clear()

    def keys(self) -> NDArray[np.uint64]:
        """Hashes of all that is known, ascending."""
        return np.sort(np.array(self.counts.keys(), dtype=np.uint64))

    def set_keys(self, const uint64_t[:] keys not None: NDArray[np.uint64]) -> None:
        """Know what others knew."""
        cdef Py_ssize_t i
        self.counts.reset(keys.shape[0])
        for i in range(keys.shape[0]):
            self.counts.add(keys[i])

    cdef int flags(self, uint64_t form, uint64_t pos, uint64_t lemma) noexcept nogil:
        """The same as `known_as`, with hashes of form and lemma."""
        cdef int own = <int>self.own.count(own_key(form, pos, lemma))
        # Whatever is known with a part of speech or of a form is known.
        if not self.counts.exceeds(lemma, own):
            return 0
        return (
            WITH_ANY
            + WITH_POS * self.counts.exceeds(with_pos(lemma, pos), own)
            + OF_FORM * self.counts.exceeds(of_form(lemma, form), own)
        )
