"""C++ code for the extraction of feature sets that most models use.

The code of a set does what `Extractor` does for any set, without loops over its plan:
its templates are known when the package is compiled. `setup.py` writes it to a header.
An extractor looks there for the set that its templates begin with, and does the rest in
loops.
"""

from collections.abc import Iterator

from .arc_hybrid import RICH_HYBRID
from .arc_standard import ARC_STANDARD, RICH_STANDARD
from .clusters import OF_TAGGERS, of_clusters
from .rich_eager import RICH_EAGER
from .sentences import SENTENCE_STARTS
from .tagging import TAGGER
from .templates import AFTER, BEFORE, KINDS, FeatureTemplates, Plan
from .without_tags import MORPHOLOGICAL_FEATURES, agreement
from .zhang_nivre_2011 import ZHANG_NIVRE_2011

# What arc-eager has by default for data with these annotations.
WITH_MORPHOLOGY = RICH_EAGER + agreement(RICH_EAGER, MORPHOLOGICAL_FEATURES)
WITH_CLUSTERS = WITH_MORPHOLOGY + of_clusters(WITH_MORPHOLOGY)

# And for data with one tag: without the templates of the second one.
ONE_TAG = FeatureTemplates(RICH_EAGER).without("pos").templates

SETS = (
    ZHANG_NIVRE_2011,
    ONE_TAG,
    RICH_EAGER,
    WITH_MORPHOLOGY,
    WITH_CLUSTERS,
    RICH_HYBRID,
    ARC_STANDARD,
    RICH_STANDARD,
    TAGGER,
    TAGGER + OF_TAGGERS,
    SENTENCE_STARTS,
)

HEADER = """\
// Made by setup.py from straight_line.py: the extraction of some sets of templates.
#pragma once

#include "features/atoms.hpp"

namespace dynoracle {
"""
FOOTER = """
}  // namespace dynoracle
"""


def header(sets: tuple[tuple[str, ...], ...] = SETS) -> str:
    """The text of the header.

    For each set it has two functions. `fill` writes the atoms of a configuration to
    their slots, and `add` writes the sum of the products of each template.
    """
    parts = [HEADER]
    for number, templates in enumerate(sets):
        plan = FeatureTemplates(templates).compile()
        parts += ["\n".join(_fill(number, plan)), "\n".join(_add(number, plan))]
    parts.append("\n".join(_choice(sets)))
    return "\n".join((*parts, FOOTER))


def _fill(number: int, plan: Plan) -> Iterator[str]:
    yield "template <class Configuration>"
    yield f"inline void fill_{number}("
    yield "    const Configuration& c, const uint64_t* atoms, ptrdiff_t n_columns,"
    yield "    const int* columns, uint64_t* context) {"
    yield "    [[maybe_unused]] const auto* nodes = c.nodes;"
    for i, (parent, member) in enumerate(plan.addresses):
        yield f"    const int node{i} = {_node(parent, member)};"
    tokens = [slot for kind, *slot in plan.slots if kind == "token"]
    for i in sorted({address for address, _ in tokens}):
        yield f"    const uint64_t* row{i} = atoms + node{i} * n_columns;"
    for i in sorted({column for _, column in tokens}):
        yield f"    const ptrdiff_t column{i} = columns[{i}];"
    if any(slot != -1 for slot in plan.required):
        raise ValueError("required atoms have no straight line")
    # Atoms of a kind are computed together.
    for i, slot in sorted(enumerate(plan.slots), key=lambda x: KINDS.index(x[1][0])):
        yield f"    context[{i}] = {_atom(*slot)};"
    yield "}\n"


def _node(parent: int, member: str) -> str:
    """An expression for a node; see `Address` in extractor.pxd."""
    if member == BEFORE:
        return f"word_before(node{parent})"
    if member == AFTER:
        return f"word_after(node{parent}, c.length)"
    if parent >= 0:
        return f"nodes[node{parent}].{member}"
    place = int(member[1:])
    if member[0] == "S":
        return f"c.stack[c.stack_size - {place + 1}]"
    if member[0] == "N":
        return f"c.buffer[c.front + {place}]"
    raise ValueError(f"{member}: no straight line, only from stack and buffer")


def _atom(kind: str, address: int, which: int) -> str:
    """The expression for the atom of a slot; see `Plan`."""
    node = f"nodes[node{address}]"
    if kind == "token":
        return f"row{address}[column{which}]"
    if kind == "label":
        return f"label_atom({node}.label)"
    if kind == "valency":
        number = ("n_left", "n_right")[which]
        return f"valency_atom(node{address} >= 0, {node}.{number})"
    if kind == "label set":
        labels = ("left_labels", "right_labels")[which]
        return f"label_set_atom(node{address} >= 0, {node}.{labels})"
    if kind == "distance":
        return f"distance_atom(node{address}, node{which})"
    raise ValueError("sizes of subtrees have no straight line")


def _add(number: int, plan: Plan) -> Iterator[str]:
    yield f"inline void add_{number}(const uint64_t* context, uint64_t* sums) {{"
    for template, slots in enumerate(plan.templates):
        products = " + ".join(
            f"context[{slot}] * atom_factor({place})"
            for place, slot in enumerate(slots)
        )
        yield f"    sums[{template}] = {products};"
    yield "}\n"


def _choice(sets: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    """Yield the C++ functions that an extractor calls with the number of a set."""
    yield "// The templates of each set."
    yield "constexpr const char* STRAIGHT_LINE_SETS[] = {"
    for templates in sets:
        yield f'    "{" ".join(templates)}",'
    yield "};"
    yield f"constexpr int N_STRAIGHT_LINE_SETS = {len(sets)};\n"
    yield "template <class Configuration>"
    yield "inline void fill_straight(int set, const Configuration& c,"
    yield "    const uint64_t* atoms, ptrdiff_t n_columns, const int* columns,"
    yield "    uint64_t* context) {"
    yield from _switch("fill_{}(c, atoms, n_columns, columns, context)", len(sets))
    yield "inline void add_straight(int set, const uint64_t* context, uint64_t* sums) {"
    yield from _switch("add_{}(context, sums)", len(sets))


def _switch(call: str, n_sets: int) -> Iterator[str]:
    yield "    switch (set) {"
    for i in range(n_sets):
        yield f"        case {i}: {call.format(i)}; break;"
    yield "    }\n}\n"
