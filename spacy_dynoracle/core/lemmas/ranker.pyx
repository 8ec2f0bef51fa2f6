# cython: boundscheck=False, wraparound=False
"""The choice among the lemmas that rules make of a form.

Every rule that fits a form makes a candidate. A linear model scores the features of
each candidate: the rule together with the form, its endings, its tags and the case of
the words around, the endings of the candidate itself, and whether the candidate is
known as the lemma of other forms. This is a ranking: all candidates share one vector of
weights.

Source: Collins 2002, "Ranking algorithms for named-entity extraction", for the
perceptron that ranks; `known` for what is known of lemmas.
"""
from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

from ..hashing cimport KEY_BITS, atom_factor, mix
from ..learners.base cimport Alternatives, Decision, Learner
from ..systems.actions cimport ScoredTransition
from ..weights.frozen cimport FrozenArrays, FrozenWeights
from .edit_rules cimport (
    Candidates, RuleTrees, Text, Word, hash_of, set_rule, set_text, str_of,
)
from .known cimport KnownLemmas

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..random import Random
from .edit_rules import LONGEST, in_cases
from .known import FORM_SEED


cdef extern from "lemmas/cpp/tables.hpp" namespace "dynoracle" nogil:
    cdef cppclass RankerWeights:
        void set(const uint64_t* packed, size_t n) except +
        vector[uint64_t] packed() except +
        int sum "sum<23>"(const uint64_t* keys)

    vector[uint64_t] packed(const FrozenArrays& frozen) except +


# The atoms of a candidate come first, and then those of the word.
cdef enum:
    RULE
    KNOWN
    N_CUT
    LENGTH
    ENDING
    POS = ENDING + 3
    MORPH
    SHAPE
    CONTEXT
    SUFFIX
    N_ATOMS = SUFFIX + 6

# The first atom of a template is one of the candidate, and all others are of the word.
TEMPLATES = (
    (RULE,), (RULE, MORPH), (RULE, POS, MORPH), (RULE, SHAPE, POS),
    *((RULE, SUFFIX + i) for i in range(6)),
    (RULE, SUFFIX + 1, POS), (RULE, SUFFIX + 2, POS),
    (KNOWN,), (KNOWN, POS), (KNOWN, MORPH), (N_CUT, POS), (LENGTH,),
    *((ENDING + i, POS) for i in range(3)),
    (RULE, CONTEXT, POS), (RULE, CONTEXT, SHAPE), (KNOWN, CONTEXT, POS),
)  # fmt: skip
cdef enum:
    N_TEMPLATES = 23
    LONGEST_LEMMA = 6
    # The number of the case that keeps the form.
    KEEP = 1
cdef size_t LONGEST_FORM = LONGEST
cdef uint64_t SEED_OF_FORM = FORM_SEED
cdef uint64_t FACTOR = 0xC2B2AE3D27D4EB4F


cdef uint64_t shape_of(str form):
    """A hash of the classes of the characters of a form, runs as one."""
    cdef uint64_t value = 1
    cdef Py_UCS4 character
    cdef int kind, last = 0
    for character in form:
        if character.isupper():
            kind = 1
        elif character.islower():
            kind = 2
        elif character.isdigit():
            kind = 3
        else:
            kind = 4 + <int>character
        if kind != last:
            value = mix(value * FACTOR + kind)
        last = kind
    return value


cdef class Ranking:
    """The candidates of one word at a time, with their scores. What ranks at the same
    time as others has its own.
    """

    cdef Candidates c
    # Of the word: a hash of its form, and for each template its part of the key.
    cdef uint64_t form
    cdef uint64_t pos
    cdef uint64_t[N_TEMPLATES] sums
    # Of all candidates; the keys are for training.
    cdef vector[uint64_t] keys
    cdef vector[float] scores

    cdef int best(self, int stride) noexcept nogil:
        """The candidate with the highest score, the first of equals."""
        cdef int i, best = 0
        for i in range(1, self.c.n):
            if self.scores[i * stride] > self.scores[best * stride]:
                best = i
        return best


cdef class LemmaRanker:
    """Makes and ranks the candidates of forms.

    Args:
        rules: The rules that make candidates, in the order of preference, each with the
            ids of the tags that it is for: parts of speech and analyses.

    Raises:
        ValueError: For a rule with a case that does not exist.

    Attributes:
        rules: As the argument.
        known: What is known of lemmas.
        scale: What the weights, which are whole numbers, have to be divided by.
    """

    cdef readonly list rules  # type: list[tuple[EditRule, Sequence[int]]]
    cdef readonly KnownLemmas known
    cdef public double scale
    cdef RuleTrees trees
    # For each template its first atom, and where its atoms end.
    cdef vector[int] firsts
    cdef vector[int] ends
    cdef vector[int] places
    cdef RankerWeights weights

    def __init__(self, rules: Sequence[tuple[EditRule, Sequence[int]]]):
        cdef Text ending
        self.rules = list(rules)
        self.known = KnownLemmas()
        self.scale = 1.0
        for rule, tags in self.rules:
            self.trees.rules.resize(self.trees.rules.size() + 1)
            set_rule(&self.trees.rules.back(), rule)
            # A capital sigma ends a form in another way than it stands alone.
            set_text(&ending, ("a" + rule.cut_behind).lower()[1:])
            for tag in {0, *tags}:
                self.trees.add(tag, ending)
        for template in TEMPLATES:
            self.firsts.push_back(template[0])
            for place in template:
                self.places.push_back(place)
            self.ends.push_back(<int>self.places.size())

    # ---- weights ---------------------------------------------------------------------

    def freeze(self, FrozenWeights weights not None) -> None:
        """End training: use these weights, which must have their keys."""
        cdef vector[uint64_t] found = packed(weights.c)
        self.known.forget_forms()
        self.weights.set(found.data(), found.size())
        self.scale = weights.scale

    def packed_weights(self) -> NDArray[np.uint64]:
        """The weights with their keys, which have the upper bits, ascending."""
        return np.sort(np.array(self.weights.packed(), dtype=np.uint64))

    def set_weights(
        self, const uint64_t[::1] packed not None: NDArray[np.uint64], double scale
    ) -> None:
        """Use the weights of another ranker.

        Args:
            packed: What `packed_weights` returned.
            scale: That of the other one.
        """
        cdef const uint64_t* first = &packed[0] if packed.shape[0] else NULL
        self.weights.set(first, packed.shape[0])
        self.scale = scale

    # ---- candidates ------------------------------------------------------------------

    cdef int _read(
        self, Word* word, str form, uint64_t pos, uint64_t morph, uint64_t context
    ) except -1:
        """Read the form and the tags of a word."""
        cdef int number
        cdef str cased
        for number, cased in enumerate(in_cases(form)):
            set_text(&word.cased[number], cased)
        word.pos = pos
        word.morph = morph
        word.context = context
        word.shape = shape_of(form)
        return 0

    cdef void _find(self, Ranking ranking, Word& word) noexcept nogil:
        """Make the candidates of a word, and what their features share."""
        cdef Text* lower = &word.cased[0]
        cdef size_t n = lower.size()
        cdef uint64_t[N_ATOMS] atoms
        cdef uint64_t total
        cdef size_t i
        cdef int number, place, start = 0
        ranking.c.n = 0
        if word.cased[KEEP].size() <= LONGEST_FORM:
            self.trees.find(word, ranking.c)
        ranking.pos = word.pos
        ranking.form = hash_of(lower[0], 0, n, SEED_OF_FORM)
        atoms[POS] = mix(word.pos + FACTOR)
        atoms[MORPH] = mix(word.morph + FACTOR)
        atoms[SHAPE] = word.shape
        atoms[CONTEXT] = mix(word.context + FACTOR)
        for i in range(6):
            atoms[SUFFIX + i] = 0 if i >= n else hash_of(lower[0], n - i - 1, n, i)
        for number in range(N_TEMPLATES):
            total = mix(number + 1)
            for place in range(start + 1, self.ends[number]):
                total += atom_factor(place - start) * atoms[self.places[place]]
            ranking.sums[number] = total
            start = self.ends[number]

    cdef void _make_keys(
        self, Ranking ranking, int number, uint64_t* keys
    ) noexcept nogil:
        """Make the keys of the features of a candidate."""
        cdef Text* lemma = &ranking.c.lemmas[number]
        cdef int rule = ranking.c.rules[number]
        cdef const uint64_t* sums = ranking.sums
        cdef const int* firsts = self.firsts.data()
        cdef uint64_t[POS] atoms
        cdef int n = <int>lemma.size()
        cdef int i
        atoms[RULE] = self.trees.rules[rule].key
        atoms[KNOWN] = 1 + self.known.flags(
            ranking.form, ranking.pos, ranking.c.hashes[number]
        )
        atoms[N_CUT] = 1 + self.trees.rules[rule].cut_behind.size()
        atoms[LENGTH] = min(n, LONGEST_LEMMA)
        for i in range(3):
            atoms[ENDING + i] = hash_of(lemma[0], max(n - i - 2, 0), n, i)
        for i in range(POS):
            atoms[i] *= atom_factor(0)
        for i in range(N_TEMPLATES):
            keys[i] = (sums[i] + atoms[firsts[i]]) >> (64 - KEY_BITS)

    cdef void _score(self, Ranking ranking) noexcept nogil:
        """Score the candidates of a word."""
        cdef uint64_t[N_TEMPLATES] keys
        cdef float unit = <float>(1.0 / self.scale)
        cdef int i
        ranking.scores.resize(ranking.c.n)
        for i in range(ranking.c.n):
            self._make_keys(ranking, i, keys)
            ranking.scores[i] = <float>self.weights.sum(keys) * unit

    def scored(
        self, str form not None, uint64_t pos, uint64_t morph, uint64_t context = 0
    ) -> list[tuple[str, float]]:
        """The lemmas that the rules make of a form, each once, with their scores.

        Args:
            pos, morph: The ids of its part of speech and its morphological analysis,
                whose rules count. All rules count if the analysis is unknown.
            context: What the words around tell about its case, as a number.
        """
        cdef Ranking ranking = Ranking()
        cdef Word word
        self._read(&word, form, pos, morph, context)
        self._find(ranking, word)
        self._score(ranking)
        return [
            (str_of(ranking.c.lemmas[i]), ranking.scores[i])
            for i in range(ranking.c.n)
        ]

    def best(
        self,
        list forms not None: list[str],
        const uint64_t[:] pos not None: NDArray[np.uint64],
        const uint64_t[:] morph not None: NDArray[np.uint64],
        const uint64_t[:] context not None: NDArray[np.uint64],
    ) -> list[str]:
        """For each word the candidate with the highest score, the first of equals; the
        form if there is none.

        Args:
            pos, morph: The ids of parts of speech and of morphological analyses.
            context: What the words around tell about the case of each, as numbers.

        Raises:
            ValueError: For arrays of other lengths.
        """
        cdef Ranking ranking = Ranking()
        cdef Py_ssize_t n = len(forms)
        cdef vector[Word] words
        cdef vector[Text] lemmas
        cdef Py_ssize_t i
        if not pos.shape[0] == morph.shape[0] == context.shape[0] == n:
            raise ValueError(
                f"{n} forms, {pos.shape[0]} parts of speech, {morph.shape[0]} "
                f"analyses, {context.shape[0]} contexts"
            )
        words.resize(n)
        lemmas.resize(n)
        for i in range(n):
            self._read(&words[i], forms[i], pos[i], morph[i], context[i])
        with nogil:
            for i in range(n):
                self._find(ranking, words[i])
                # The only candidate wins whatever its score is.
                ranking.scores.resize(1)
                if ranking.c.n > 1:
                    self._score(ranking)
                if ranking.c.n:
                    lemmas[i].swap(ranking.c.lemmas[ranking.best(1)])
        return [str_of(lemmas[i]) or forms[i] for i in range(n)]

    # ---- training --------------------------------------------------------------------

    def train(
        self,
        Learner learner not None,
        words: list[tuple[str, int, int, int, str]],
        random: Random,
    ) -> int:
        """Learn once from each word, in random order.

        Args:
            learner: For one action.
            words: Forms, ids of parts of speech and of analyses, numbers of contexts,
                and lemmas.

        Returns:
            The number of words whose lemma was a candidate and did not win.
        """
        cdef Ranking ranking = Ranking()
        cdef Text gold
        cdef Word word
        cdef int n_errors = 0
        random.shuffle(words)
        for form, pos, morph, context, lemma in words:
            self._read(&word, form, pos, morph, context)
            set_text(&gold, lemma)
            self._find(ranking, word)
            n_errors += self._learn(learner, ranking, gold)
        return n_errors

    cdef bint _learn(self, Learner learner, Ranking ranking, Text& lemma):
        cdef int stride = learner.n_scores()
        cdef int n = ranking.c.n
        cdef int i, best, gold = -1
        cdef uint64_t* keys
        cdef vector[Alternatives] rows
        cdef vector[char] correct
        cdef char legal = 1
        cdef Decision decision
        correct.resize(n, 0)
        for i in range(n):
            if ranking.c.lemmas[i] == lemma:
                gold = i
                correct[i] = 1
        if gold < 0 or n < 2:
            return False
        ranking.keys.resize(n * N_TEMPLATES)
        ranking.scores.resize(n * stride)
        for i in range(n):
            keys = &ranking.keys[i * N_TEMPLATES]
            self._make_keys(ranking, i, keys)
            learner.score(keys, N_TEMPLATES, &ranking.scores[i * stride])
            rows.push_back(
                Alternatives(
                    keys=keys,
                    n_keys=N_TEMPLATES,
                    scores=&ranking.scores[i * stride],
                    correct=&correct[i],
                    legal=&legal,
                )
            )
        best = ranking.best(stride)
        decision.n_rows = n
        decision.rows = rows.data()
        decision.predicted = choice(ranking, best, stride)
        decision.target = choice(ranking, gold, stride)
        decision.is_correct = best == gold
        learner.update(&decision)
        return best != gold


cdef ScoredTransition choice(Ranking ranking, int row, int stride):
    return ScoredTransition(
        score=ranking.scores[row * stride], row=row, action=0, transition=0
    )
