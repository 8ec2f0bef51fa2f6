# cython: boundscheck=False, wraparound=False
"""From parts of trees to hashed feature keys.

As for configurations (`core.features.extractor`): the atoms of a part are computed once
into a context array, and a key is a hash of some of them, seeded by its template.
"""
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc

import numpy as np

from ..hashing cimport mix
from ..sentence cimport Sentence, SentenceC
from .trees cimport ARC, N_KINDS, Part, PartFinder, TreeWorkspace

from . import templates as definitions

cdef enum:
    # The slots of templates.py.
    BESIDE = 8
    DIRECTION = 12
    LABEL = 13
    DISTANCE = 14
    VALUES = 15
    N_SLOTS = 18
    # Keys have 48 bits, the best mixed ones of the sum (KEY_BITS in key_index.hpp).
    DROPPED_BITS = 16

cdef uint64_t TEMPLATE_SALT = 0xD1310BA698DFB5AC
cdef uint64_t DIRECTION_SALT = 0x2FFD72DBD01ADFB7
cdef uint64_t LABEL_SALT = 0xB8E1AFED6A267E96
cdef uint64_t DISTANCE_SALT = 0xBA7C9045F12C7F99
cdef uint64_t VALUE_SALT = 0x24A19947B3916CF7
# One odd factor for each place in a template.
cdef uint64_t[6] FACTORS = [
    0x9E3779B97F4A7C15,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0xD6E8FEB86659FD93,
    0xA0761D6478BD642F,
    0xE7037ED1A0B428DB,
]

# The kinds of trees.pxd are those of templates.py.
assert len(definitions.KINDS) == N_KINDS


cdef inline uint64_t signed_bucket(int distance) noexcept nogil:
    """1, 2, 3, 4, 5, 6-10 and more than 10, to the left and to the right."""
    cdef int size = abs(distance)
    cdef int bucket = size if size <= 5 else 6 if size <= 10 else 7
    return 2 * bucket + (distance < 0)


cdef class PartExtractor:
    """Makes the feature keys of parts of trees.

    templates: the `RankingTemplates`. word_column, tag_column: where forms and tags are
        in the sentence.
    """

    def __cinit__(self, templates, int word_column, int tag_column):
        cdef int kind, t
        cdef int n = 0
        cdef int n_atoms = 0
        cdef CompiledKind* compiled
        self.templates = templates
        self.order = []
        self.word_column = word_column
        self.tag_column = tag_column
        self.compiled = <CompiledTemplate*>malloc(
            sizeof(CompiledTemplate) * len(templates)
        )
        self.atoms = <int*>malloc(
            sizeof(int) * sum(len(template.slots) for template in templates.parsed)
        )
        if self.compiled is NULL or self.atoms is NULL:
            raise MemoryError(f"no memory for {len(templates)} ranking templates")
        for kind in range(2 * N_KINDS):
            compiled = &self.kinds[kind]
            compiled.first = n
            compiled.n_roles = len(definitions.KINDS[kind % N_KINDS].roles)
            self._compile_arcs(kind)
            for t, template in enumerate(templates.parsed):
                if template.kind + template.is_labelled * N_KINDS != kind:
                    continue
                self.compiled[n] = CompiledTemplate(
                    salt=mix(TEMPLATE_SALT + <uint64_t>t),
                    first=n_atoms,
                    n_atoms=len(template.slots),
                )
                self.order.append(t)
                n += 1
                for slot in template.slots:
                    self.atoms[n_atoms] = slot
                    n_atoms += 1
            compiled.n_templates = n - compiled.first

    def _compile_arcs(self, int kind):
        cdef CompiledKind* compiled = &self.kinds[kind]
        definition = definitions.KINDS[kind % N_KINDS]
        roles, arcs = definition.roles, definition.arcs
        compiled.n_arcs = len(arcs)
        for i, (head, dependent) in enumerate(arcs):
            compiled.arcs[2 * i] = roles.index(head)
            compiled.arcs[2 * i + 1] = roles.index(dependent)

    def __dealloc__(self):
        free(self.compiled)
        free(self.atoms)

    cdef void fill_context(
        self, const SentenceC* sentence, const Part* part, uint64_t* context
    ) noexcept nogil:
        """Compute the atoms of a part; `context` has N_SLOTS places."""
        cdef const CompiledKind* kind = &self.kinds[part.kind]
        cdef const uint64_t* atoms = sentence.atoms
        cdef const uint64_t* row
        cdef int width = sentence.n_columns
        cdef int i, k, head, dependent
        cdef int bits = 1
        for i in range(kind.n_roles):
            row = atoms + part.nodes[i] * width
            context[2 * i] = row[self.word_column]
            context[2 * i + 1] = row[self.tag_column]
        if part.kind == ARC:
            for i in range(2):
                k = part.nodes[i]
                context[BESIDE + 2 * i] = atoms[(k - 1) * width + self.tag_column]
                # There is no row behind the last one.
                k = k + 1 if k < sentence.length else -1
                context[BESIDE + 2 * i + 1] = atoms[k * width + self.tag_column]
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

    cdef int extract(
        self, const SentenceC* sentence, const Part* part, uint64_t* keys
    ) noexcept nogil:
        """Write the feature keys of a part to `keys`, which has room for all templates,
        and return their number."""
        cdef uint64_t[N_SLOTS] context
        cdef const CompiledKind* kind = &self.kinds[part.kind]
        cdef const CompiledTemplate* template
        cdef const int* atoms
        cdef uint64_t key
        cdef int i, t
        self.fill_context(sentence, part, context)
        for t in range(kind.n_templates):
            template = &self.compiled[kind.first + t]
            atoms = self.atoms + template.first
            key = template.salt
            for i in range(template.n_atoms):
                key += FACTORS[i] * context[atoms[i]]
            keys[t] = key >> DROPPED_BITS
        return kind.n_templates

    def features(
        self, PartFinder finder not None, Sentence sentence not None, heads, labels
    ):
        """The features of a tree, for inspection and tests.

        heads: for each word its head, a word 1..n or 0 for ROOT. labels: for each word
        the id of its label, or -1 for none.

        Returns a list of (template, key). Raises ValueError when it is not a tree over
        the words of the sentence, or its columns are not those of the finder.
        """
        cdef uint64_t[MAX_TEMPLATES] keys
        cdef TreeWorkspace work = TreeWorkspace()
        cdef int32_t[::1] head_view = np.array(heads, dtype=np.int32)
        cdef int32_t[::1] label_view = np.array(labels, dtype=np.int32)
        cdef int n = sentence.c.length
        cdef int t, first
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
            first = self.kinds[work.table.parts[i].kind].first
            for t in range(self.extract(&sentence.c, &work.table.parts[i], keys)):
                found.append((self.templates.templates[self.order[first + t]], keys[t]))
        return found

    def __reduce__(self):
        return PartExtractor, (self.templates, self.word_column, self.tag_column)
