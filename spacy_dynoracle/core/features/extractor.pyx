# cython: boundscheck=False, wraparound=False
"""The extractor that makes hashed feature keys from a configuration.

The extractor computes the distinct atoms of a template set once for each
configuration, into a context array. A feature key is a hash of some of these atoms,
seeded by its template. The null atom (the node does not exist) is 0. A template whose
atoms are all null makes no feature.
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
from ..hashing cimport KEY_BITS, atom_factor, mix
from ..state.sentence cimport Sentence, SentenceC

cdef enum:
    MAX_VALENCY = 15
    # A slot that is never null.
    ALWAYS = MAX_SLOTS

# The atoms of a node.
ctypedef const uint64_t* Atoms

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


cdef inline uint64_t sum_of(
    const Template* template, const uint64_t* products, int n_atoms
) noexcept nogil:
    """The sum of the products of the first atoms of a template. As good as always it is
    0 only if all of the atoms are null."""
    cdef uint64_t total = 0
    cdef int i
    for i in range(n_atoms):
        total += products[template.products[i]]
    return total


cdef inline size_t add_keys(
    const Template* first,
    const Template* end,
    int n_atoms,
    const uint64_t* products,
    uint64_t* keys,
    size_t n,
) noexcept nogil:
    """Add the keys of templates with a number of atoms to n others, and return how many
    there are then. The compiler makes a loop of its own for each number of atoms."""
    cdef const Template* template = first
    cdef uint64_t total
    while template < end:
        total = sum_of(template, products, n_atoms)
        keys[n] = (template.salt + total) >> (64 - KEY_BITS)
        n += total != 0
        template += 1
    return n


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
        # Here the slots are numbered by kind.
        numbers = {}
        for i, (slot, address, which) in enumerate(slots):
            numbers[slot] = i
            self.slots[i] = Slot(address=address, which=which)
        self.atoms = [[numbers[slot] for slot in slots] for slots in plan.templates]
        self._compile_templates([numbers.get(slot, ALWAYS) for slot in plan.required])

    def _compile_templates(self, required):
        cdef Template* template
        cdef Others others
        self.is_simple = True
        self.n_templates = len(self.atoms)
        self.compiled = <Template*>malloc(sizeof(Template) * max(self.n_templates, 1))
        if self.compiled is NULL:
            raise MemoryError(f"no memory for {self.n_templates} feature templates")
        products = {}
        for slots in self.atoms:
            for place, slot in enumerate(slots):
                products.setdefault((slot, place), len(products))
        for slot, place in products:
            self.products.push_back(Product(slot=slot, factor=atom_factor(place)))
        for t, slots in enumerate(self.atoms):
            numbers = [products[slot, place] for place, slot in enumerate(slots)]
            template = &self.compiled[t]
            template.salt = mix(TEMPLATE_SALT + <uint64_t>t)
            template.required = required[t]
            for i in range(FIRST_ATOMS):
                template.products[i] = numbers[i] if i < len(slots) else len(products)
            others.first = self.other_products.size()
            for number in numbers[FIRST_ATOMS:]:
                self.other_products.push_back(number)
            others.end = self.other_products.size()
            self.others.push_back(others)
            if template.required != ALWAYS or others.end > others.first:
                self.is_simple = False
        if self.is_simple:
            self._sort_by_length()

    def _sort_by_length(self):
        for length in range(FIRST_ATOMS + 1):
            for t, slots in enumerate(self.atoms):
                if len(slots) == length:
                    self.by_length.push_back(self.compiled[<int>t])
            self.ends[length] = self.by_length.size()

    def __dealloc__(self):
        free(self.compiled)

    cdef void fill_context(
        self, const ConfigurationC* c, const SentenceC* sentence, uint64_t* context
    ) noexcept nogil:
        """Compute every distinct atom; `context` has CONTEXT places."""
        cdef int[MAX_ADDRESSES] nodes
        cdef Atoms[MAX_ADDRESSES] rows
        cdef int i, left, right
        cdef const Slot* slot
        find_nodes(self.addresses, self.n_addresses, c, nodes)
        for i in range(self.n_addresses):
            rows[i] = sentence.atoms + nodes[i] * sentence.n_columns
        for i in range(self.end_of_tokens):
            slot = &self.slots[i]
            context[i] = rows[slot.address][slot.which]
        self.fill_tree_atoms(c, nodes, context)
        for i in range(self.end_of_sizes, self.end_of_distances):
            slot = &self.slots[i]
            left, right = nodes[slot.address], nodes[slot.which]
            context[i] = 0
            if left > ROOT and right > ROOT:
                context[i] = mix(DISTANCE_SALT + <uint64_t>bucket(abs(right - left)))
        context[ALWAYS] = 1

    @cython.final
    cdef void fill_tree_atoms(
        self, const ConfigurationC* c, const int* nodes, uint64_t* context
    ) noexcept nogil:
        """Compute the atoms that describe the tree built so far."""
        cdef int i, k, number
        cdef const Slot* slot
        cdef const Node* node
        cdef uint64_t labels
        for i in range(self.end_of_tokens, self.end_of_labels):
            slot = &self.slots[i]
            number = c.nodes[nodes[slot.address]].label
            context[i] = 0 if number == NO_LABEL else mix(LABEL_SALT + <uint64_t>number)
        for i in range(self.end_of_labels, self.end_of_valencies):
            slot = &self.slots[i]
            k = nodes[slot.address]
            node = &c.nodes[k]
            number = min(node.n_right if slot.which else node.n_left, MAX_VALENCY)
            context[i] = 0 if k == NO_NODE else mix(VALENCY_SALT + <uint64_t>number)
        for i in range(self.end_of_valencies, self.end_of_label_sets):
            slot = &self.slots[i]
            k = nodes[slot.address]
            node = &c.nodes[k]
            labels = node.right_labels if slot.which else node.left_labels
            context[i] = 0 if k == NO_NODE else mix(LABEL_SET_SALT + labels)
        for i in range(self.end_of_label_sets, self.end_of_sizes):
            slot = &self.slots[i]
            k = nodes[slot.address]
            node = &c.nodes[k]
            if slot.which:
                number = node.n_left + node.n_right == 0
            else:
                number = bucket(node.size)
            context[i] = 0 if k == NO_NODE else mix(SIZE_SALT + <uint64_t>number)

    cdef int extract(
        self, const ConfigurationC* c, const SentenceC* sentence, uint64_t* keys
    ) noexcept nogil:
        """Write the feature keys of a configuration to `keys`, which has room for all
        templates, and return their number."""
        cdef uint64_t[CONTEXT] context
        self.fill_context(c, sentence, context)
        return self.keys_of(context, keys)

    @cython.final
    cdef void multiply(
        self, const uint64_t* context, uint64_t* products
    ) noexcept nogil:
        """Compute all products; `products` has MAX_PRODUCTS + 1 places."""
        cdef const Product* product = self.products.data()
        cdef size_t i
        for i in range(self.products.size()):
            products[i] = context[product[i].slot] * product[i].factor
        products[self.products.size()] = 0

    @cython.final
    cdef uint64_t key_of(
        self,
        int number,
        const uint64_t* context,
        const uint64_t* products,
        bint* is_there,
    ) noexcept nogil:
        """The key of a template, from what `fill_context` and `multiply` have computed.

        is_there: set to False if the template makes no feature.
        """
        cdef const Template* template = &self.compiled[number]
        cdef const Others* others = &self.others[number]
        cdef uint64_t total = sum_of(template, products, FIRST_ATOMS)
        cdef int i
        for i in range(others.first, others.end):
            total += products[self.other_products[i]]
        is_there[0] = (total != 0) & (context[template.required] != 0)
        return (template.salt + total) >> (64 - KEY_BITS)

    cdef int keys_of(self, const uint64_t* context, uint64_t* keys) noexcept nogil:
        """Do the same as `extract`, from the atoms that `fill_context` has computed."""
        cdef uint64_t[MAX_PRODUCTS + 1] products
        cdef const Template* first = self.by_length.data()
        cdef const int* ends = self.ends
        cdef bint is_there
        cdef size_t n = 0
        cdef int t
        self.multiply(context, products)
        if not self.is_simple:
            for t in range(self.n_templates):
                keys[n] = self.key_of(t, context, products, &is_there)
                n += is_there
            return n
        # Features are sums, so their order does not matter.
        n = add_keys(first + ends[0], first + ends[1], 1, products, keys, n)
        n = add_keys(first + ends[1], first + ends[2], 2, products, keys, n)
        n = add_keys(first + ends[2], first + ends[3], 3, products, keys, n)
        return add_keys(first + ends[3], first + ends[4], 4, products, keys, n)

    def atom_values(self, Configuration c not None, Sentence sentence not None):
        """The atoms of every template that is not all null, for inspection and tests.

        Returns a list of (template, tuple of 64-bit atom values); 0 is the null atom.
        """
        cdef uint64_t[CONTEXT] context
        self.check_sentence(c, sentence)
        self.fill_context(&c.c, &sentence.c, context)
        values = []
        for t, slots in enumerate(self.atoms):
            atoms = tuple(context[<int>slot] for slot in slots)
            if any(atoms) and context[self.compiled[t].required]:
                values.append((self.templates.templates[t], atoms))
        return values

    def atom_nodes(self, Configuration c not None):
        """For each template the nodes of its atoms, as tuples: a pair for a distance.

        0 is ROOT, and NO_NODE (-1) is an address without a node.
        """
        cdef int[MAX_ADDRESSES] nodes
        cdef Slot slot
        cdef int i
        find_nodes(self.addresses, self.n_addresses, &c.c, nodes)
        of_slot = []
        for i in range(self.end_of_distances):
            slot = self.slots[i]
            if i < self.end_of_sizes:
                of_slot.append((nodes[slot.address],))
            else:
                of_slot.append((nodes[slot.address], nodes[slot.which]))
        return [tuple(of_slot[slot] for slot in slots) for slots in self.atoms]

    def keys(self, Configuration c not None, Sentence sentence not None):
        """The feature keys of a configuration in the order of the templates, for
        inspection and tests."""
        cdef uint64_t[CONTEXT] context
        cdef uint64_t[MAX_PRODUCTS + 1] products
        cdef bint is_there
        self.check_sentence(c, sentence)
        self.fill_context(&c.c, &sentence.c, context)
        self.multiply(context, products)
        found = []
        for t in range(self.n_templates):
            key = self.key_of(t, context, products, &is_there)
            if is_there:
                found.append(key)
        return found

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
