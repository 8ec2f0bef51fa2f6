"""An extractor that works on names instead of hashes, and the comparison with it."""


def pick(nodes, i):
    return nodes[i] if 0 <= i < len(nodes) else None


def bucket(number):
    return number if number <= 5 else "6-10" if number <= 10 else ">10"


def assert_same_pattern(found, expected):
    """Equal names for equal values, different names for different ones, None for 0."""
    assert [template for template, _ in found] == [template for template, _ in expected]
    value_of, symbol_of = {None: 0}, {0: None}
    for (template, values), (_, symbols) in zip(found, expected, strict=True):
        assert len(values) == len(symbols), template
        for value, name in zip(values, symbols, strict=True):
            assert value_of.setdefault(name, value) == value, (template, name)
            assert symbol_of.setdefault(value, name) == name, (template, name)


class Reference:
    """Reads the atoms of a configuration off its Python view, by their names.

    Args:
        columns: For each token attribute the values of the words; None is nothing.
        root: Where ROOT stands.
        nullable: The attributes that ROOT does not have.
    """

    def __init__(self, c, columns, root="last", nullable=("a",)):
        self.c = c
        self.columns = columns
        self.nullable = nullable
        self.root_position = len(c) + 1 if root == "last" else 0
        self.labels = {d: label for _, label, d in c.arcs}

    def base(self, name):
        place = int(name[1:])
        if name[0] == "S":
            return pick(self.c.stack[::-1], place)
        if name[0] == "N":
            return pick(self.c.buffer, place)
        # P0 is the last of the stack.
        k = pick([*self.c.stack, *self.c.buffer], len(self.c.stack) - 1 + place)
        return None if k == 0 and place < 0 else k

    def node(self, base, steps):
        k = self.base(base)
        if steps in ("<", ">"):
            near = None if k in (None, 0) else k + (1 if steps == ">" else -1)
            return near if near in range(1, len(self.c) + 1) else None
        if steps in ("h", "h2"):
            for _ in steps:
                k = None if k in (None, 0) else self.c.heads[k - 1]
        elif steps:
            k = pick(self.dependents(k, steps[0]), len(steps) - 1)
        return k

    def dependents(self, k, side):
        """From the outermost inward."""
        if k is None:
            return []
        position = self.root_position if k == 0 else k
        found = self.c.dependents(k)
        if side == "l":
            return [d for d in found if d < position]
        return [d for d in reversed(found) if d > position]

    def size(self, k):
        """Words below a node, itself included."""
        return 1 + sum(map(self.size, self.c.dependents(k)))

    def value(self, atom):
        if atom.attribute == "d":
            return self.distance(*atom.address)
        k = self.node(*atom.address)
        if k is None:
            return None
        if atom.attribute in self.columns:
            return self.token(atom.attribute, k)
        if atom.attribute == "l":
            label = self.labels.get(k)
            return None if label is None else ("label", label)
        if atom.attribute == "len":
            return "size", bucket(self.size(k))
        if atom.attribute == "nc":
            return "size", int(not self.c.dependents(k))
        side = self.dependents(k, atom.attribute[1])
        if atom.attribute[0] == "v":
            return "valency", min(len(side), 15)
        # Arcs without a label contribute none.
        labels = frozenset(self.labels[d] for d in side) - {None}
        return "label set", labels

    def token(self, attribute, k):
        if k == 0:
            return None if attribute in self.nullable else (attribute, "ROOT")
        value = self.columns[attribute][k - 1]
        return None if value is None else (attribute, "word", value)

    def distance(self, left, right):
        one, other = self.base(left), self.base(right)
        if not one or not other:
            return None
        return "distance", bucket(abs(one - other))

    def features(self, templates):
        for template, atoms in zip(templates.templates, templates.atoms, strict=True):
            values = tuple(map(self.value, atoms))
            needed = [
                v for v, a in zip(values, atoms, strict=True) if a.attribute == "a"
            ]
            if any(value is not None for value in values) and None not in needed:
                yield template, values
