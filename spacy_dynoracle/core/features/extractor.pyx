# cython: boundscheck=False, wraparound=False
"""The extractor that makes hashed feature keys from a configuration.

The extractor computes the distinct atoms of a template set once for each configuration,
into a context array. A feature key is a hash of some of these atoms, seeded by its
template. The null atom (the node does not exist) is 0. A template whose atoms are all
null makes no feature.
"""
cimport cython
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc

from ..state.configuration cimport (
    NO_LABEL,
    NO_NODE,
    ROOT,
    Configuration,
    ConfigurationC,
    N,
    Node,
    S,
)
from ..hashing cimport feature_key, mix
from ..state.sentence cimport Sentence, SentenceC

cdef enum:
    MAX_VALENCY = 15
    # A slot that is never null.
    ALWAYS = MAX_SLOTS

cdef uint64_t TEMPLATE_SALT = 0x243F6A8885A308D3
cdef uint64_t LABEL_SALT = 0x13198A2E03707344
cdef uint64_t VALENCY_SALT = 0xA4093822299F31D0
cdef uint64_t LABEL_SET_SALT = 0x082EFA98EC4E6C89
cdef uint64_t SIZE_SALT = 0xBE5466CF34E90C6C
cdef uint64_t DISTANCE_SALT = 0x452821E638D01377


cdef inline int bucket(int number) noexcept nogil:
    """The bucket of a number: 1, 2, 3, 4, 5, 6-10 and more than 10."""
    if number <= 5:
        return number
    return 6 if number <= 10 else 7


cdef int base_node(const ConfigurationC* c, int base) noexcept nogil:
    """The node of a base."""
    cdef int k
    if base <= S2:
        return S(c, base - S0)
    if base <= N2:
        return N(c, base - N0)
    if base >= P1:
        return N(c, base - P1)
    k = S(c, P0 - base)
    # As context of a pair ROOT is not there, only as a member of it.
    return NO_NODE if k == ROOT and base < P0 else k


# The bases by the names that templates use.
BASES = {
    "S0": S0,
    "S1": S1,
    "S2": S2,
    "N0": N0,
    "N1": N1,
    "N2": N2,
    "P-2": P_2,
    "P-1": P_1,
    "P0": P0,
    "P1": P1,
    "P2": P2,
    "P3": P3,
}

cdef Node example
# The numbers of the members of `Node` that the steps of templates follow.
MEMBERS = {
    "head": &example.head - <int*>&example,
    "leftmost": &example.leftmost - <int*>&example,
    "rightmost": &example.rightmost - <int*>&example,
    "sibling": &example.sibling - <int*>&example,
}


cdef inline void find_nodes(
    const Address* addresses, int n_addresses, const ConfigurationC* c, int* nodes
) noexcept nogil:
    """Write the node of each address to `nodes`."""
    cdef int i
    cdef Address address
    for i in range(n_addresses):
        address = addresses[i]
        if address.parent >= 0:
            nodes[i] = (<const int*>&c.nodes[nodes[address.parent]])[address.member]
        else:
            nodes[i] = base_node(c, address.member)


cdef class Extractor:
    """Extracts the features of configurations.

    templates: a `FeatureTemplates`.

    Raises ValueError if the set is larger than the extractor can handle.
    """

    def __cinit__(self, templates):
        plan = templates.compile()
        self.templates = templates
        if (
            len(plan.addresses) > MAX_ADDRESSES
            or plan.n_slots > MAX_SLOTS
            or len(plan.templates) > MAX_TEMPLATES
        ):
            raise ValueError(
                f"the feature set has {len(plan.addresses)} addresses, {plan.n_slots} "
                f"atoms and {len(plan.templates)} templates: at most {MAX_ADDRESSES}, "
                f"{MAX_SLOTS} and {MAX_TEMPLATES} are possible"
            )
        self.n_slots = plan.n_slots
        self.n_addresses = len(plan.addresses)
        for i, (parent, name) in enumerate(plan.addresses):
            member = BASES[name] if parent == -1 else MEMBERS[name]
            self.addresses[i] = Address(parent=parent, member=member)
        slots = [
            *plan.tokens,
            *plan.labels,
            *plan.valencies,
            *plan.label_sets,
            *plan.sizes,
            *plan.distances,
        ]
        self.end_of_tokens = len(plan.tokens)
        self.end_of_labels = self.end_of_tokens + len(plan.labels)
        self.end_of_valencies = self.end_of_labels + len(plan.valencies)
        self.end_of_label_sets = self.end_of_valencies + len(plan.label_sets)
        self.end_of_sizes = self.end_of_label_sets + len(plan.sizes)
        self.end_of_distances = self.end_of_sizes + len(plan.distances)
        for i, (slot, address, which) in enumerate(slots):
            self.slots[i] = Slot(slot=slot, address=address, which=which)
        self._compile_templates(plan.templates, plan.required)

    def _compile_templates(self, templates, required):
        cdef int first = 0
        self.n_templates = len(templates)
        self.compiled = <Template*>malloc(sizeof(Template) * len(templates))
        self.atoms = <int*>malloc(sizeof(int) * sum(map(len, templates)))
        if self.compiled is NULL or self.atoms is NULL:
            raise MemoryError(f"no memory for {len(templates)} feature templates")
        for t, slots in enumerate(templates):
            self.compiled[t] = Template(
                salt=mix(TEMPLATE_SALT + <uint64_t>t),
                first=first,
                n_atoms=len(slots),
                required=ALWAYS if required[t] == -1 else required[t],
            )
            for slot in slots:
                self.atoms[first] = slot
                first += 1

    def __dealloc__(self):
        free(self.compiled)
        free(self.atoms)

    cdef void fill_context(
        self, const ConfigurationC* c, const SentenceC* sentence, uint64_t* context
    ) noexcept nogil:
        """Compute every distinct atom; `context` has MAX_SLOTS + 1 places."""
        cdef int[MAX_ADDRESSES] nodes
        cdef int i, left, right
        cdef Slot slot
        find_nodes(self.addresses, self.n_addresses, c, nodes)
        for i in range(self.end_of_tokens):
            slot = self.slots[i]
            context[slot.slot] = sentence.atoms[
                nodes[slot.address] * sentence.n_columns + slot.which
            ]
        self.fill_tree_atoms(c, nodes, context)
        for i in range(self.end_of_sizes, self.end_of_distances):
            slot = self.slots[i]
            left, right = nodes[slot.address], nodes[slot.which]
            context[slot.slot] = 0
            if left > ROOT and right > ROOT:
                context[slot.slot] = mix(
                    DISTANCE_SALT + <uint64_t>bucket(abs(right - left))
                )
        context[ALWAYS] = 1

    @cython.final
    cdef void fill_tree_atoms(
        self, const ConfigurationC* c, const int* nodes, uint64_t* context
    ) noexcept nogil:
        """Compute the atoms that describe the tree built so far."""
        cdef int i, k, number
        cdef Slot slot
        cdef const Node* node
        cdef uint64_t labels
        for i in range(self.end_of_tokens, self.end_of_labels):
            slot = self.slots[i]
            number = c.nodes[nodes[slot.address]].label
            context[slot.slot] = (
                0 if number == NO_LABEL else mix(LABEL_SALT + <uint64_t>number)
            )
        for i in range(self.end_of_labels, self.end_of_valencies):
            slot = self.slots[i]
            k = nodes[slot.address]
            node = &c.nodes[k]
            number = min(node.n_right if slot.which else node.n_left, MAX_VALENCY)
            context[slot.slot] = (
                0 if k == NO_NODE else mix(VALENCY_SALT + <uint64_t>number)
            )
        for i in range(self.end_of_valencies, self.end_of_label_sets):
            slot = self.slots[i]
            k = nodes[slot.address]
            node = &c.nodes[k]
            labels = node.right_labels if slot.which else node.left_labels
            context[slot.slot] = 0 if k == NO_NODE else mix(LABEL_SET_SALT + labels)
        for i in range(self.end_of_label_sets, self.end_of_sizes):
            slot = self.slots[i]
            k = nodes[slot.address]
            node = &c.nodes[k]
            if slot.which:
                number = node.n_left + node.n_right == 0
            else:
                number = bucket(node.size)
            context[slot.slot] = (
                0 if k == NO_NODE else mix(SIZE_SALT + <uint64_t>number)
            )

    cdef int extract(
        self, const ConfigurationC* c, const SentenceC* sentence, uint64_t* keys
    ) noexcept nogil:
        """Write the feature keys of a configuration to `keys`, which has room for all
        templates, and return their number."""
        cdef uint64_t[MAX_SLOTS + 1] context
        self.fill_context(c, sentence, context)
        return self.keys_of(context, keys)

    cdef int keys_of(self, const uint64_t* context, uint64_t* keys) noexcept nogil:
        """Do the same as `extract`, from the atoms that `fill_context` has computed."""
        cdef int t, n = 0
        cdef uint64_t any_atom
        cdef const Template* template
        for t in range(self.n_templates):
            template = &self.compiled[t]
            keys[n] = feature_key(
                template.salt,
                self.atoms + template.first,
                template.n_atoms,
                context,
                &any_atom,
            )
            n += (any_atom != 0) & (context[template.required] != 0)
        return n

    def atom_values(self, Configuration c not None, Sentence sentence not None):
        """The atoms of every template that is not all null, for inspection and tests.

        Returns a list of (template, tuple of 64-bit atom values); 0 is the null atom.
        """
        cdef uint64_t[MAX_SLOTS + 1] context
        self.check_sentence(c, sentence)
        self.fill_context(&c.c, &sentence.c, context)
        values = []
        for t in range(self.n_templates):
            first = self.compiled[t].first
            atoms = tuple(
                context[self.atoms[first + i]] for i in range(self.compiled[t].n_atoms)
            )
            if any(atoms) and context[self.compiled[t].required]:
                values.append((self.templates.templates[t], atoms))
        return values

    def atom_nodes(self, Configuration c not None):
        """For each template the nodes of its atoms, as tuples: a pair for a distance.

        0 is ROOT, and NO_NODE (-1) is an address without a node.
        """
        cdef int[MAX_ADDRESSES] nodes
        cdef Slot slot
        cdef int t, i
        find_nodes(self.addresses, self.n_addresses, &c.c, nodes)
        of_slot = {}
        for i in range(self.end_of_distances):
            slot = self.slots[i]
            if i < self.end_of_sizes:
                of_slot[slot.slot] = (nodes[slot.address],)
            else:
                of_slot[slot.slot] = (nodes[slot.address], nodes[slot.which])
        found = []
        for t in range(self.n_templates):
            first = self.compiled[t].first
            places = range(first, first + self.compiled[t].n_atoms)
            found.append(tuple(of_slot[self.atoms[i]] for i in places))
        return found

    def keys(self, Configuration c not None, Sentence sentence not None):
        """The feature keys of a configuration, for inspection and tests."""
        cdef uint64_t[MAX_TEMPLATES] keys
        self.check_sentence(c, sentence)
        return [keys[i] for i in range(self.extract(&c.c, &sentence.c, keys))]

    cdef int check_sentence(self, Configuration c, Sentence sentence) except -1:
        """Raise ValueError unless a sentence has the words of the configuration and
        begins with the columns of the templates. Further columns may follow."""
        columns = len(self.templates.columns)
        if sentence.c.length != c.c.length or sentence.c.n_columns < columns:
            raise ValueError(
                f"expected a sentence of {c.c.length} words with {columns} attributes, "
                f"got {sentence.c.length} words with {sentence.c.n_columns}"
            )
        return 0

    def __reduce__(self):
        return Extractor, (self.templates,)
