# cython: boundscheck=False, wraparound=False
"""The extractor that makes hashed feature keys from a configuration.

The extractor computes the distinct atoms of a template set once for each
configuration, into a context array. A feature key is a hash of some of these atoms,
seeded by its template. The null atom (the node does not exist) is 0. A template whose
atoms are all null makes no feature.
"""
cimport cython

from ..state.configuration cimport NO_NODE, ROOT, N, Node, S
from ..hashing cimport KEY_BITS, atom_factor

from .templates import BASES, KINDS

cdef enum:
    NO_SET = -1
    NO_SLOT = -1

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


cdef Node example
# The numbers of the members of `Node` that the steps of templates follow, and those of
# its neighbours.
MEMBERS = {  # type: dict[str, int]
    "head": &example.head - <int*>&example,
    "leftmost": &example.leftmost - <int*>&example,
    "rightmost": &example.rightmost - <int*>&example,
    "sibling": &example.sibling - <int*>&example,
    "before": BEFORE,
    "after": AFTER,
}


cdef inline void add_sums(
    const Template* templates,
    size_t first,
    size_t end,
    int n_atoms,
    const uint64_t* products,
    uint64_t* sums,
) noexcept nogil:
    """Compute the sums of templates with a number of atoms.

    As good as always a sum is 0 only if all of the atoms are null. The compiler makes a
    loop of its own for each number of atoms.
    """
    cdef uint64_t total
    cdef size_t i
    cdef int k
    for i in range(first, end):
        total = 0
        for k in range(n_atoms):
            total += products[templates[i].products[k]]
        sums[i] = total


cdef inline void find_nodes(
    const Address* addresses, int n_addresses, const ConfigurationC* c, int* nodes
) noexcept nogil:
    """Write the node of each address to `nodes`."""
    cdef int i
    cdef Address address
    for i in range(n_addresses):
        address = addresses[i]
        if address.parent < 0:
            nodes[i] = base_node(c, address.member)
        elif address.member == BEFORE:
            nodes[i] = word_before(nodes[address.parent])
        elif address.member == AFTER:
            nodes[i] = word_after(nodes[address.parent], c.length)
        else:
            nodes[i] = (<const int*>&c.nodes[nodes[address.parent]])[address.member]


cdef class Extractor:
    """Extracts the features of configurations.

    Args:
        templates: A `FeatureTemplates`.

    Raises:
        ValueError: If the set is larger than the extractor can handle.
    """

    def __cinit__(self, templates: FeatureTemplates):
        plan = templates.compile()
        self.templates = templates
        if (
            len(plan.addresses) > MAX_ADDRESSES
            or len(plan.slots) > CONTEXT
            or len(plan.templates) > MAX_TEMPLATES
        ):
            raise ValueError(
                f"the feature set has {len(plan.addresses)} addresses, "
                f"{len(plan.slots)} atoms and {len(plan.templates)} templates: at most "
                f"{MAX_ADDRESSES}, {CONTEXT} and {MAX_TEMPLATES} are possible"
            )
        self.n_slots = len(plan.slots)
        self.n_addresses = len(plan.addresses)
        for i, (parent, name) in enumerate(plan.addresses):
            member = BASES.index(name) if parent == -1 else MEMBERS[name]
            self.addresses[i] = Address(parent=parent, member=member)
        self.atoms = [list(slots) for slots in plan.templates]
        self.n_templates = len(self.atoms)
        self._find_straight_line()
        self.nodes_of = [
            (address, which) if kind == "distance" else (address,)
            for kind, address, which in plan.slots
        ]
        self._compile_slots(plan)
        self._compile_templates(plan.required)

    def _find_straight_line(self):
        """Find the largest set of straight-line code that the templates begin with."""
        cdef int i
        self.straight_line_set = NO_SET
        for i in range(N_STRAIGHT_LINE_SETS):
            names = tuple(STRAIGHT_LINE_SETS[i].decode("ascii").split())
            n = len(names)
            if n > self.n_straight and names == self.templates.templates[:n]:
                self.straight_line_set, self.n_straight = i, n
        if self.n_straight:
            first = type(self.templates)(self.templates.templates[:self.n_straight])
            for name in first.columns:
                self.straight_columns.push_back(self.templates.columns.index(name))

    def _compile_slots(self, plan):
        """Note the atoms that straight-line code does not compute, by kind."""
        straight = {
            slot for slots in plan.templates[:self.n_straight] for slot in slots
        }
        looped = sorted([
            (KINDS.index(kind), place, address, which)
            for place, (kind, address, which) in enumerate(plan.slots)
            if place not in straight
        ])
        self.n_looped_slots = len(looped)
        for i, (kind, place, address, which) in enumerate(looped):
            self.slots[i] = Slot(kind=kind, place=place, address=address, which=which)

    def _compile_templates(self, required):
        """Order the templates: first those of straight-line code, then the others by
        the number of their atoms. Number the products of atoms and factors.
        """
        cdef Template template
        others = list(range(self.n_straight, self.n_templates))
        others.sort(key=lambda t: len(self.atoms[t]))
        self.order = [*range(self.n_straight), *others]
        for place, t in enumerate(self.order):
            self.salts.push_back(template_salt(t))
            if required[t] != NO_SLOT:
                self.required.push_back(Requirement(place=place, slot=required[t]))
        products = {}
        for t in others:
            for i, slot in enumerate(self.atoms[t]):
                number = products.setdefault((slot, i), len(products))
                template.products[<int>i] = number
            self.looped.push_back(template)
        for slot, i in products:
            self.products.push_back(Product(slot=slot, factor=atom_factor(i)))
        for length in range(MAX_ATOMS + 1):
            self.ends[length] = sum([len(self.atoms[t]) <= length for t in others])

    cdef void fill_context(
        self, const ConfigurationC* c, const SentenceC* sentence, uint64_t* context
    ) noexcept nogil:
        """Compute every distinct atom; `context` has CONTEXT places."""
        cdef int[MAX_ADDRESSES] nodes
        cdef int i, k
        cdef const Slot* slot
        cdef const Node* node
        cdef uint64_t atom
        if self.straight_line_set != NO_SET:
            fill_straight(
                self.straight_line_set,
                c[0],
                sentence.atoms,
                sentence.n_columns,
                self.straight_columns.data(),
                context,
            )
            if self.n_looped_slots == 0:
                return
        find_nodes(self.addresses, self.n_addresses, c, nodes)
        for i in range(self.n_looped_slots):
            slot = &self.slots[i]
            k = nodes[slot.address]
            node = &c.nodes[k]
            # Slots are in the order of their kinds, so that processors guess right.
            if slot.kind == TOKEN:
                atom = sentence.atoms[k * sentence.n_columns + slot.which]
            elif slot.kind == LABEL:
                atom = label_atom(node.label)
            elif slot.kind == VALENCY:
                atom = valency_atom(
                    k != NO_NODE, node.n_right if slot.which else node.n_left
                )
            elif slot.kind == LABEL_SET:
                atom = label_set_atom(
                    k != NO_NODE, node.right_labels if slot.which else node.left_labels
                )
            elif slot.kind == DISTANCE:
                atom = distance_atom(k, nodes[slot.which])
            elif slot.which:
                atom = leaf_atom(k != NO_NODE, node.n_left + node.n_right == 0)
            else:
                atom = size_atom(k != NO_NODE, node.size)
            context[slot.place] = atom

    cdef int extract(
        self, const ConfigurationC* c, const SentenceC* sentence, uint64_t* keys
    ) noexcept nogil:
        """Write the feature keys of a configuration to `keys`, which has room for all
        templates, and return their number.
        """
        cdef uint64_t[CONTEXT] context
        self.fill_context(c, sentence, context)
        return self.keys_of(context, keys)

    cdef int keys_of(self, const uint64_t* context, uint64_t* keys) noexcept nogil:
        """Do the same as `extract`, from the atoms that `fill_context` has computed."""
        cdef uint64_t[MAX_TEMPLATES] sums
        # Features are sums, so their order does not matter.
        self.add(context, sums)
        return make_keys(self.salts.data(), sums, self.n_templates, keys)

    @cython.final
    cdef void add(self, const uint64_t* context, uint64_t* sums) noexcept nogil:
        """Compute the sums of products of all templates, in the order of `salts`."""
        cdef uint64_t[MAX_PRODUCTS] products
        cdef const Template* templates = self.looped.data()
        cdef const Product* product = self.products.data()
        cdef const Requirement* required = self.required.data()
        cdef const int* ends = self.ends
        cdef uint64_t* looped = sums + self.n_straight
        cdef size_t i
        if self.straight_line_set != NO_SET:
            add_straight(self.straight_line_set, context, sums)
            if self.looped.empty():
                return
        for i in range(self.products.size()):
            products[i] = context[product[i].slot] * product[i].factor
        add_sums(templates, 0, ends[1], 1, products, looped)
        add_sums(templates, ends[1], ends[2], 2, products, looped)
        add_sums(templates, ends[2], ends[3], 3, products, looped)
        add_sums(templates, ends[3], ends[4], 4, products, looped)
        add_sums(templates, ends[4], ends[5], 5, products, looped)
        add_sums(templates, ends[5], ends[6], 6, products, looped)
        for i in range(self.required.size()):
            if context[required[i].slot] == 0:
                sums[required[i].place] = 0

    def numbered_keys(self, Configuration c not None, Sentence sentence not None):
        """The feature keys of a configuration with the numbers of their templates, in
        the order of the templates: a list of (number, key).
        """
        cdef uint64_t[CONTEXT] context
        cdef uint64_t[MAX_TEMPLATES] sums
        cdef int place
        self.check_sentence(c, sentence)
        self.fill_context(&c.c, &sentence.c, context)
        self.add(context, sums)
        found = []
        for place, t in enumerate(self.order):
            if sums[place] != 0:
                key = (self.salts[place] + sums[place]) >> (64 - KEY_BITS)
                found.append((t, key))
        return sorted(found)

    def keys(self, Configuration c not None, Sentence sentence not None) -> list[int]:
        """The feature keys of a configuration in the order of the templates, for
        inspection and tests.
        """
        return [key for _, key in self.numbered_keys(c, sentence)]

    def atom_values(
        self, Configuration c not None, Sentence sentence not None
    ) -> list[tuple[str, tuple[int, ...]]]:
        """The atoms of every template that makes a feature, for inspection and tests.

        Returns:
            A list of (template, tuple of 64-bit atom values); 0 is the null atom.
        """
        cdef uint64_t[CONTEXT] context
        self.check_sentence(c, sentence)
        self.fill_context(&c.c, &sentence.c, context)
        values = []
        for t, _ in self.numbered_keys(c, sentence):
            atoms = tuple([context[<int>slot] for slot in self.atoms[t]])
            values.append((self.templates.templates[t], atoms))
        return values

    def atom_nodes(self, Configuration c not None) -> list[tuple[tuple[int, ...], ...]]:
        """For each template the nodes of its atoms, as tuples: a pair for a distance.

        0 is ROOT, and NO_NODE (-1) is an address without a node.
        """
        cdef int[MAX_ADDRESSES] nodes
        find_nodes(self.addresses, self.n_addresses, &c.c, nodes)
        of_slot = [tuple([nodes[<int>a] for a in pair]) for pair in self.nodes_of]
        return [tuple([of_slot[slot] for slot in slots]) for slots in self.atoms]

    cdef int check_sentence(self, Configuration c, Sentence sentence) except -1:
        """Raise ValueError unless a sentence has the words of the configuration and
        begins with the columns of the templates. Further columns may follow.
        """
        columns = len(self.templates.columns)
        if sentence.c.length != c.c.length or sentence.c.n_columns < columns:
            raise ValueError(
                f"expected a sentence of {c.c.length} words with {columns} attributes, "
                f"got {sentence.c.length} words with {sentence.c.n_columns}"
            )
        return 0

    def __reduce__(self):
        return Extractor, (self.templates,)
