# cython: boundscheck=False, wraparound=False
"""The choice among the lemmas that rules make of a form.

Every rule that fits a form makes a candidate. A linear model scores the features of
each candidate: the rule together with the form, its endings and its tags, the endings
of the candidate itself, and whether the candidate is known as the lemma of other
forms. This is a ranking: all candidates share one vector of weights.

Source: Toutanova & Cherry 2009, "A global model for joint lemmatization and
part-of-speech prediction", for candidates with features of the known lemmas; Collins
2002 for the perceptron that ranks.
"""
from cython.operator cimport dereference
from libc.stdint cimport uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.unordered_set cimport unordered_set
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from ..features.lexical cimport hash_text
from ..hashing cimport feature_key, mix
from ..learners.base cimport Alternatives, Decision, Learner
from ..systems.actions cimport ScoredTransition
from ..weights.scorer cimport Scorer
from .edit_rules cimport EditRule

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..random import Random
from .edit_rules import LONGEST, in_cases

# The atoms of a candidate. Those of the word come first.
cdef enum:
    POS
    MORPH
    SHAPE
    SUFFIX
    RULE = SUFFIX + 6
    KNOWN
    N_CUT
    LENGTH
    ENDING
    N_ATOMS = ENDING + 3

TEMPLATES = (
    (RULE,), (RULE, MORPH), (RULE, POS, MORPH), (RULE, SHAPE, POS),
    *((RULE, SUFFIX + i) for i in range(6)),
    (RULE, SUFFIX + 1, POS), (RULE, SUFFIX + 2, POS),
    (KNOWN,), (KNOWN, POS), (KNOWN, MORPH), (N_CUT, POS), (LENGTH,),
    *((ENDING + i, POS) for i in range(3)),
)  # fmt: skip
cdef enum:
    LONGEST_LEMMA = 6
    # How a candidate can be known: with the part of speech of the word, with any, and
    # as the lemma of the same form with another part of speech.
    WITH_POS = 1
    WITH_ANY = 2
    OF_FORM = 4
cdef uint64_t LEMMA_SEED = 0x2545F4914F6CDD1D
cdef uint64_t FORM_SEED = 0x9FB21C651E98DF25
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


cdef class LemmaRanker:
    """Makes and ranks the candidates of forms.

    Args:
        rules: The rules that make candidates, in the order of preference, each with the
            ids of the tags that it is for: parts of speech and analyses.

    Attributes:
        rules: As the argument.
    """

    cdef readonly list rules  # type: list[tuple[EditRule, Sequence[int]]]
    # By tag, 0 for all together: the rules by what they cut behind, in lower case.
    cdef dict by_ending
    cdef int longest_cut
    cdef vector[int] places
    cdef vector[int] ends
    cdef vector[uint64_t] salts
    # How many pairs of a lower-cased form and a part of speech have a lemma.
    cdef unordered_map[uint64_t, int] counts
    # The pairs with their lemmas; only training needs them.
    cdef unordered_set[uint64_t] own
    cdef vector[uint64_t] atoms
    # Of the word at hand: hashes of its lower-cased form, and of the pair.
    cdef uint64_t form
    cdef uint64_t pos
    # Of all candidates.
    cdef vector[uint64_t] keys
    cdef vector[int] key_ends
    cdef vector[float] scores

    def __init__(self, rules: Sequence[tuple[EditRule, Sequence[int]]]):
        self.rules = list(rules)
        self.by_ending = {0: {}}
        self.longest_cut = 0
        for rule, tags in self.rules:
            ending = rule.cut_behind.lower()
            self.longest_cut = max(self.longest_cut, <int>len(ending))
            for tag in {0, *tags}:
                by_ending = self.by_ending.setdefault(tag, {})
                by_ending.setdefault(ending, []).append(rule)
        self.atoms.resize(N_ATOMS)
        for number, template in enumerate(TEMPLATES):
            for place in template:
                self.places.push_back(place)
            self.ends.push_back(<int>self.places.size())
            self.salts.push_back(mix(number + 1))

    # ---- what is known ---------------------------------------------------------------

    def learn_lemma(
        self, str form not None, uint64_t pos, str lemma not None
    ) -> None:
        """Note that a form has a lemma; once for each part of speech.

        Args:
            form: In lower case.
            pos: The id of the part of speech, 0 for any.
        """
        cdef uint64_t key = hash_text(lemma, 0, len(lemma), LEMMA_SEED)
        self._set_word(form, pos)
        if self.own.insert(self._own_key(key)).second:
            self.counts[self._with_pos(key)] += 1
            self.counts[key] += 1
            self.counts[self._of_form(key)] += 1

    def known_as(self, str form not None, uint64_t pos, str lemma not None) -> int:
        """How a lemma is known from other words than this one: the sum of 1 if some of
        them have this part of speech, 2 if there are any, and 4 if some have this form.

        Args:
            form: In lower case.
            pos: The id of the part of speech.
        """
        self._set_word(form, pos)
        return self._known(hash_text(lemma, 0, len(lemma), LEMMA_SEED))

    def forget_forms(self) -> None:
        """Forget which form has which lemma: it is not subtracted any more from what is
        known. Training ends with this.
        """
        self.own.clear()

    def known(self) -> NDArray[np.uint64]:
        """Hashes of all that is known, ascending."""
        cdef pair[uint64_t, int] item
        return np.array(sorted([item.first for item in self.counts]), dtype=np.uint64)

    def set_known(self, const uint64_t[:] keys not None: NDArray[np.uint64]) -> None:
        """Know what another ranker knew."""
        cdef Py_ssize_t i
        self.counts.clear()
        self.counts.reserve(keys.shape[0])
        for i in range(keys.shape[0]):
            self.counts[keys[i]] = 1

    cdef void _set_word(self, str lower, uint64_t pos):
        self.form = hash_text(lower, 0, len(lower), FORM_SEED)
        self.pos = pos

    cdef uint64_t _own_key(self, uint64_t lemma):
        return mix(self.form + mix(self.pos + FACTOR) * FACTOR) ^ lemma

    cdef uint64_t _with_pos(self, uint64_t lemma):
        return mix(lemma + mix(self.pos + FACTOR))

    cdef uint64_t _of_form(self, uint64_t lemma):
        return mix(lemma + self.form * FACTOR)

    cdef int _known(self, uint64_t lemma):
        """How a candidate is known from other words, as flags."""
        cdef int own = <int>self.own.count(self._own_key(lemma))
        cdef int found = 0
        found |= WITH_POS * (self._count(self._with_pos(lemma)) > own)
        found |= WITH_ANY * (self._count(lemma) > own)
        found |= OF_FORM * (self._count(self._of_form(lemma)) > own)
        return found

    cdef int _count(self, uint64_t key):
        found = self.counts.find(key)
        return 0 if found == self.counts.end() else dereference(found).second

    # ---- candidates ------------------------------------------------------------------

    def candidates(
        self, str form not None, uint64_t pos=0, uint64_t morph=0
    ) -> list[tuple[str, EditRule]]:
        """The lemmas that the rules make of a form, each once, with the rule.

        Args:
            pos, morph: The ids of its part of speech and its morphological analysis,
                whose rules count. All rules count if the analysis is unknown.
        """
        cdef dict found = {}
        cdef EditRule rule
        cdef str lemma
        cdef Py_ssize_t n
        cdef tuple cased = in_cases(form)
        cdef str lower = <str>cased[0]
        cdef list rules
        if len(form) > LONGEST:
            return []
        # Without a known analysis the part of speech alone tells too little.
        tags = [morph, pos] if morph and morph in self.by_ending else [0]
        known = [self.by_ending[tag] for tag in tags if tag in self.by_ending]
        for n in range(min(len(lower), self.longest_cut) + 1):
            ending = lower[len(lower) - n:]
            for by_ending in known:
                rules = (<dict>by_ending).get(ending)
                if rules is None:
                    continue
                for rule in rules:
                    lemma = rule.of_cased(<str>cased[rule.case])
                    if lemma and lemma not in found:
                        found[lemma] = rule
        return list(found.items())

    cdef void _set_form(self, str form, uint64_t pos, uint64_t morph):
        """Make the atoms of a word."""
        cdef str lower = form.lower()
        cdef Py_ssize_t n = len(lower)
        cdef Py_ssize_t i
        self._set_word(lower, pos)
        self.atoms[POS] = mix(pos + FACTOR)
        self.atoms[MORPH] = mix(morph + FACTOR)
        self.atoms[SHAPE] = shape_of(form)
        for i in range(6):
            self.atoms[SUFFIX + i] = 0
            if i < n:
                self.atoms[SUFFIX + i] = hash_text(lower, n - i - 1, n, i)

    cdef void _add_keys(self, str form, str lemma, EditRule rule):
        """Add the features of a candidate of the word at hand."""
        cdef Py_ssize_t n = len(lemma)
        cdef Py_ssize_t i
        cdef int start = 0
        cdef uint64_t any_atom, key
        self.atoms[RULE] = rule.key
        self.atoms[KNOWN] = 1 + self._known(hash_text(lemma, 0, n, LEMMA_SEED))
        self.atoms[N_CUT] = 1 + len(rule.cut_behind)
        self.atoms[LENGTH] = min(n, LONGEST_LEMMA)
        for i in range(3):
            self.atoms[ENDING + i] = hash_text(lemma, max(n - i - 2, 0), n, i)
        for i in range(<int>self.ends.size()):
            key = feature_key(
                self.salts[i], &self.places[start], self.ends[i] - start,
                self.atoms.data(), &any_atom,
            )
            start = self.ends[i]
            if any_atom:
                self.keys.push_back(key)
        self.key_ends.push_back(<int>self.keys.size())

    cdef list _rank(self, Scorer scorer, str form, uint64_t pos, uint64_t morph):
        """Make and score the candidates of a word."""
        cdef list found = self.candidates(form, pos, morph)
        cdef int stride = scorer.n_scores()
        cdef int start = 0
        cdef Py_ssize_t i
        cdef EditRule rule
        cdef str lemma
        self.keys.clear()
        self.key_ends.clear()
        self._set_form(form, pos, morph)
        for lemma, rule in found:
            self._add_keys(form, lemma, rule)
        self.scores.resize(len(found) * stride)
        scorer.prepare()
        for i in range(len(found)):
            scorer.score(
                self.keys.data() + start, self.key_ends[i] - start,
                self.scores.data() + i * stride,
            )
            start = self.key_ends[i]
        return found

    def scored(
        self, Scorer scorer not None, str form not None, uint64_t pos, uint64_t morph
    ) -> list[tuple[str, float]]:
        """The candidates of a word with their scores.

        Args:
            pos, morph: The ids of its part of speech and its morphological analysis.
        """
        cdef int stride = scorer.n_scores()
        found = self._rank(scorer, form, pos, morph)
        return [(found[i][0], self.scores[i * stride]) for i in range(len(found))]

    def best(
        self, Scorer scorer not None, str form not None, uint64_t pos, uint64_t morph
    ) -> str:
        """The candidate with the highest score, the first of equals; the form if there
        is none.
        """
        cdef int stride = scorer.n_scores()
        cdef Py_ssize_t i, best = 0
        found = self._rank(scorer, form, pos, morph)
        if not found:
            return form
        for i in range(1, len(found)):
            if self.scores[i * stride] > self.scores[best * stride]:
                best = i
        return found[best][0]

    # ---- training --------------------------------------------------------------------

    def train(
        self,
        Learner learner not None,
        words: list[tuple[str, int, int, str]],
        random: Random,
    ) -> int:
        """Learn once from each word, in random order.

        Args:
            learner: For one action.
            words: Forms, ids of parts of speech and of analyses, and lemmas.

        Returns:
            The number of words whose lemma was a candidate and did not win.
        """
        cdef int n_errors = 0
        random.shuffle(words)
        for form, pos, morph, lemma in words:
            n_errors += self._learn(learner, form, pos, morph, lemma)
        return n_errors

    cdef bint _learn(
        self, Learner learner, str form, uint64_t pos, uint64_t morph, str lemma
    ):
        cdef list found = self._rank(learner, form, pos, morph)
        cdef int stride = learner.n_scores()
        cdef int n = <int>len(found)
        cdef int i, start = 0, gold = -1, best = 0
        cdef vector[Alternatives] rows
        cdef vector[char] correct
        cdef char legal = 1
        cdef Decision decision
        correct.resize(n, 0)
        for i in range(n):
            if found[i][0] == lemma:
                gold = i
                correct[i] = 1
            if self.scores[i * stride] > self.scores[best * stride]:
                best = i
        if gold < 0 or n < 2:
            return False
        for i in range(n):
            rows.push_back(
                Alternatives(
                    keys=self.keys.data() + start,
                    n_keys=self.key_ends[i] - start,
                    scores=self.scores.data() + i * stride,
                    correct=&correct[i],
                    legal=&legal,
                )
            )
            start = self.key_ends[i]
        decision.n_rows = n
        decision.rows = rows.data()
        decision.predicted = self._choice(best, stride)
        decision.target = self._choice(gold, stride)
        decision.is_correct = best == gold
        learner.update(&decision)
        return best != gold

    cdef ScoredTransition _choice(self, int row, int stride):
        return ScoredTransition(
            score=self.scores[row * stride], row=row, action=0, transition=0
        )
