# cython: boundscheck=False, wraparound=False
"""The extractor that makes hashed feature keys from parts of trees.

It works like the extractor for configurations (`core.features.extractor`). It computes
the atoms of a part once, into a context array. A key is a hash of some of these atoms,
seeded by its template.
"""
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc

import numpy as np

from spacy_dynoracle.core.hashing cimport mix
from spacy_dynoracle.core.state.sentence cimport Sentence, SentenceC
from .parts cimport N_KINDS, Part, PartFinder, TreeWorkspace

from . import templates as definitions

cdef extern from "feature_key.hpp" namespace "dynoracle" nogil:
    uint64_t feature_key(
        uint64_t salt, const int* places, int n_atoms, const uint64_t* context
    )

cdef enum:
    DIRECTION = 0
    LABEL = 1
    DISTANCE = 2
    VALUES = 3
    WORDS = 6
    # In the worst case every atom of every template is distinct.
    N_PLACES = WORDS + 6 * MAX_TEMPLATES

cdef uint64_t TEMPLATE_SALT = 0xD1310BA698DFB5AC
cdef uint64_t DIRECTION_SALT = 0x2FFD72DBD01ADFB7
cdef uint64_t LABEL_SALT = 0xB8E1AFED6A267E96
cdef uint64_t DISTANCE_SALT = 0xBA7C9045F12C7F99
cdef uint64_t VALUE_SALT = 0x24A19947B3916CF7

# templates.py must have the kinds and the places of the C code.
assert len(definitions.KINDS) == N_KINDS
assert (DIRECTION, LABEL, DISTANCE, VALUES, WORDS) == (
    definitions.DIRECTION,
    definitions.LABEL,
    definitions.DISTANCE,
    definitions.VALUES,
    definitions.WORDS,
)


cdef inline uint64_t signed_bucket(int distance) noexcept nogil:
    """The bucket of a signed distance: 1, 2, 3, 4, 5, 6-10 and more than 10 on each
    side.
    """
    cdef int size = abs(distance)
    cdef int bucket = size if size <= 5 else 6 if size <= 10 else 7
    return 2 * bucket + (distance < 0)


cdef class PartExtractor:
    """Makes the feature keys of parts of trees.

    Args:
        templates: A `RankingTemplates`.
        columns: Names of the columns of sentences.

    Raises:
        ValueError: When a column is missing.
    """

    def __cinit__(self, templates, columns):
        cdef int kind
        cdef int n_atoms = sum(len(template.atoms) for template in templates.parsed)
        self.templates = templates
        self.columns = tuple(columns)
        missing = [name for name in templates.columns if name not in self.columns]
        if missing:
            raise ValueError(
                f"the templates of the ranker use {' '.join(missing)} of words, but "
                f"the columns are {' '.join(self.columns)}"
            )
        self.order = []
        self.compiled = <CompiledTemplate*>malloc(
            sizeof(CompiledTemplate) * len(templates)
        )
        self.atoms = <int*>malloc(sizeof(int) * n_atoms)
        self.words = <CompiledWord*>malloc(sizeof(CompiledWord) * n_atoms)
        if self.compiled is NULL or self.atoms is NULL or self.words is NULL:
            raise MemoryError(f"no memory for {len(templates)} ranking templates")
        n_atoms = n_words = 0
        for kind in range(2 * N_KINDS):
            chosen = [
                t
                for t, template in enumerate(templates.parsed)
                if template.kind + template.is_labelled * N_KINDS == kind
            ]
            chosen.sort(key=lambda t: templates.parsed[t].is_conditional)
            places = self._compile_words(kind, chosen, n_words)
            n_words += len(places)
            n_atoms = self._compile_templates(kind, chosen, places, n_atoms)
            self._compile_arcs(kind)

    def _compile_words(self, int kind, chosen, int first):
        """Store the words that the templates of a kind read.

        Returns:
            The place of each word among the atoms.
        """
        cdef CompiledKind* compiled = &self.kinds[kind]
        words = {
            atom: None
            for t in chosen
            for atom in self.templates.parsed[t].atoms
            if isinstance(atom, definitions.WordAtom)
        }
        common = [word for word in words if word.other >= 0]
        beside = [word for word in words if word.step]
        plain = [word for word in words if word.other < 0 and not word.step]
        compiled.first_word = first
        compiled.n_plain = len(plain)
        compiled.n_beside = len(beside)
        compiled.n_common = len(common)
        in_order = [*plain, *beside, *common]
        for i, word in enumerate(in_order):
            self.words[first + i] = CompiledWord(
                role=word.role,
                step=word.step,
                other=word.other,
                column=self.columns.index(word.column),
            )
        return {word: <int>WORDS + i for i, word in enumerate(in_order)}

    def _compile_templates(self, int kind, chosen, places, int n_atoms):
        """Append the atoms of the templates of a kind to the stored atoms.

        Returns:
            The new number of atoms.
        """
        cdef CompiledKind* compiled = &self.kinds[kind]
        cdef int t
        compiled.first = len(self.order)
        compiled.n_templates = len(chosen)
        compiled.n_always = 0
        for t in chosen:
            template = self.templates.parsed[t]
            compiled.n_always += not template.is_conditional
            self.compiled[len(self.order)] = CompiledTemplate(
                salt=mix(TEMPLATE_SALT + <uint64_t>t),
                first=n_atoms,
                n_atoms=len(template.atoms),
            )
            self.order.append(t)
            for atom in template.atoms:
                self.atoms[n_atoms] = places.get(atom, atom)
                n_atoms += 1
        return n_atoms

    def _compile_arcs(self, int kind):
        cdef CompiledKind* compiled = &self.kinds[kind]
        definition = definitions.KINDS[kind % N_KINDS]
        roles, arcs = definition.roles, definition.arcs
        compiled.n_roles = len(roles)
        compiled.n_arcs = len(arcs)
        for i, (head, dependent) in enumerate(arcs):
            compiled.arcs[2 * i] = roles.index(head)
            compiled.arcs[2 * i + 1] = roles.index(dependent)

    def __dealloc__(self):
        free(self.compiled)
        free(self.atoms)
        free(self.words)

    cdef void fill_context(
        self, const SentenceC* sentence, const Part* part, uint64_t* context
    ) noexcept nogil:
        """Compute the atoms of a part; `context` has N_PLACES places."""
        cdef const CompiledKind* kind = &self.kinds[part.kind]
        cdef const CompiledWord* word = self.words + kind.first_word
        cdef uint64_t* place = context + <int>WORDS
        cdef const uint64_t* atoms = sentence.atoms
        cdef int width = sentence.n_columns
        cdef int i, k, head, dependent
        cdef int bits = 1
        for i in range(kind.n_plain):
            place[i] = atoms[part.nodes[word[i].role] * width + word[i].column]
        word += kind.n_plain
        place += kind.n_plain
        for i in range(kind.n_beside):
            k = part.nodes[word[i].role] + word[i].step
            # The last word has no word after it.
            k = k if k <= sentence.length else -1
            place[i] = atoms[k * width + word[i].column]
        word += kind.n_beside
        place += kind.n_beside
        for i in range(kind.n_common):
            place[i] = atoms[part.nodes[word[i].role] * width + word[i].column]
            k = part.nodes[word[i].other]
            if atoms[k * width + word[i].column] != place[i]:
                place[i] = 0
        if kind.n_roles > 1:
            head, dependent = part.nodes[kind.n_roles - 2], part.nodes[kind.n_roles - 1]
            context[DISTANCE] = mix(DISTANCE_SALT + signed_bucket(dependent - head))
        for i in range(kind.n_arcs):
            head = part.nodes[kind.arcs[2 * i]]
            dependent = part.nodes[kind.arcs[2 * i + 1]]
            bits = 2 * bits + (head < dependent)
        context[DIRECTION] = mix(DIRECTION_SALT + <uint64_t>bits)
        context[LABEL] = mix(LABEL_SALT + part.values[0])
        for i in range(3):
            context[VALUES + i] = mix(VALUE_SALT + part.values[i])

    cdef uint64_t key_of(
        self, const CompiledTemplate* template, const uint64_t* context
    ) noexcept nogil:
        return feature_key(
            template.salt, self.atoms + template.first, template.n_atoms, context
        )

    cdef bint applies(
        self,
        const CompiledKind* kind,
        const CompiledTemplate* template,
        const uint64_t* context,
    ) noexcept nogil:
        """Whether the words have the common values that a template requires."""
        cdef const int* atoms = self.atoms + template.first
        cdef int first_common = <int>WORDS + kind.n_plain + kind.n_beside
        cdef int i
        for i in range(template.n_atoms):
            if atoms[i] >= first_common and context[atoms[i]] == 0:
                return False
        return True

    cdef int extract(
        self, const SentenceC* sentence, const Part* part, uint64_t* keys
    ) noexcept nogil:
        """Write the feature keys of a part to `keys`, which has room for all templates,
        and return their number.
        """
        cdef uint64_t[N_PLACES] context
        cdef const CompiledKind* kind = &self.kinds[part.kind]
        cdef const CompiledTemplate* template = self.compiled + kind.first
        cdef int t
        cdef int n = kind.n_always
        self.fill_context(sentence, part, context)
        for t in range(kind.n_always):
            keys[t] = self.key_of(&template[t], context)
        for t in range(kind.n_always, kind.n_templates):
            if self.applies(kind, &template[t], context):
                keys[n] = self.key_of(&template[t], context)
                n += 1
        return n

    def features(
        self, PartFinder finder not None, Sentence sentence not None, heads, labels
    ):
        """Extract the features of a tree, for inspection and tests.

        Args:
            heads: For each word its head, a word 1..n or 0 for ROOT.
            labels: For each word the id of its label, or -1 for none.

        Returns:
            A list of (template, key, amount); the amount is 1 for indicators.

        Raises:
            ValueError: If the heads are not a tree over the words of the sentence, or
                if the columns of the sentence are not those of the finder.
        """
        cdef uint64_t[N_PLACES] context
        cdef const CompiledKind* kind
        cdef const CompiledTemplate* template
        cdef const Part* part
        cdef TreeWorkspace work = TreeWorkspace()
        cdef int32_t[::1] head_view = np.array(heads, dtype=np.int32)
        cdef int32_t[::1] label_view = np.array(labels, dtype=np.int32)
        cdef int n = sentence.c.length
        cdef int t
        cdef size_t i
        columns = finder.n_columns
        if (
            not n == len(head_view) == len(label_view)
            or sentence.c.n_columns != columns
        ):
            raise ValueError(
                f"expected a tree of {n} words with {columns} attributes, got "
                f"{len(head_view)} heads and {len(label_view)} labels for words with "
                f"{sentence.c.n_columns}"
            )
        if n == 0:
            return []
        finder.begin(&sentence.c, work)
        finder.add_tree(&sentence.c, &head_view[0], &label_view[0], work)
        found = []
        for i in work.table.numbers:
            part = &work.table.parts[i]
            kind = &self.kinds[part.kind]
            self.fill_context(&sentence.c, part, context)
            for t in range(kind.first, kind.first + kind.n_templates):
                template = &self.compiled[t]
                if self.applies(kind, template, context):
                    name = self.templates.templates[self.order[t]]
                    found.append((name, self.key_of(template, context), part.amount))
        return found
