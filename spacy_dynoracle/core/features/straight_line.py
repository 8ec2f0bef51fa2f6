"""C++ code for the extraction of feature sets that most models use.

The code of a set does what `Extractor` does for any set, without loops over its plan:
its templates are known when the package is compiled. `setup.py` writes it to a header,
and an extractor looks there for its templates.
"""

from __future__ import annotations

from collections.abc import Iterator

from .arc_hybrid import RICH_HYBRID
from .arc_standard import ARC_STANDARD, RICH_STANDARD
from .rich_eager import RICH_EAGER
from .templates import FeatureTemplates, Plan
from .zhang_nivre_2011 import ZHANG_NIVRE_2011

SETS = (ZHANG_NIVRE_2011, RICH_EAGER, RICH_HYBRID, ARC_STANDARD, RICH_STANDARD)

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

    For each set it has two functions. `fill` writes the atoms of a configuration in the
    order of `Plan.slots`, and `add` the sum of the products of each template.
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
    yield "    uint64_t* context) {"
    yield "    const auto* nodes = c.nodes;"
    for i, (parent, member) in enumerate(plan.addresses):
        yield f"    const int node{i} = {_node(parent, member)};"
    rows = sorted({address for _, address, _ in plan.tokens})
    for i in rows:
        yield f"    const uint64_t* row{i} = atoms + node{i} * n_columns;"
    for place, atom in enumerate(_atoms(plan)):
        yield f"    context[{place}] = {atom};"
    yield "}\n"


def _node(parent: int, member: str) -> str:
    """An expression for a node; see `Address` in extractor.pxd."""
    if parent >= 0:
        return f"nodes[node{parent}].{member}"
    place = int(member[1:])
    if member[0] == "S":
        return f"c.stack[c.stack_size - {place + 1}]"
    return f"c.buffer[c.front + {place}]"


def _atoms(plan: Plan) -> Iterator[str]:
    """Expressions for all atoms, in the order of `Plan.slots`."""
    for _, address, column in plan.tokens:
        yield f"row{address}[{column}]"
    for _, address, _ in plan.labels:
        yield f"label_atom(nodes[node{address}].label)"
    for _, address, side in plan.valencies:
        count = ("n_left", "n_right")[side]
        yield f"valency_atom(node{address} >= 0, nodes[node{address}].{count})"
    for _, address, side in plan.label_sets:
        labels = ("left_labels", "right_labels")[side]
        yield f"label_set_atom(node{address} >= 0, nodes[node{address}].{labels})"
    if plan.sizes:
        raise ValueError("straight-line code has no sizes of subtrees")
    for _, left, right in plan.distances:
        yield f"distance_atom(node{left}, node{right})"


def _add(number: int, plan: Plan) -> Iterator[str]:
    places = {slot[0]: place for place, slot in enumerate(plan.slots)}
    yield f"inline void add_{number}(const uint64_t* context, uint64_t* sums) {{"
    for template, slots in enumerate(plan.templates):
        products = " + ".join(
            f"context[{places[slot]}] * atom_factor({i})"
            for i, slot in enumerate(slots)
        )
        yield f"    sums[{template}] = {products};"
    if any(slot != -1 for slot in plan.required):
        raise ValueError("straight-line code has no atoms that must not be null")
    yield "}\n"


def _choice(sets: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    """What an extractor calls: functions for the number of a set."""
    yield "// The templates of each set."
    yield "constexpr const char* STRAIGHT_LINE_SETS[] = {"
    for templates in sets:
        yield f'    "{" ".join(templates)}",'
    yield "};"
    yield f"constexpr int N_STRAIGHT_LINE_SETS = {len(sets)};\n"
    yield "template <class Configuration>"
    yield "inline void fill_straight(int set, const Configuration& c,"
    yield "    const uint64_t* atoms, ptrdiff_t n_columns, uint64_t* context) {"
    yield "    switch (set) {"
    for i in range(len(sets)):
        yield f"        case {i}: fill_{i}(c, atoms, n_columns, context); return;"
    yield "    }\n}\n"
    yield "inline void add_straight(int set, const uint64_t* context, uint64_t* sums) {"
    yield "    switch (set) {"
    for i in range(len(sets)):
        yield f"        case {i}: add_{i}(context, sums); return;"
    yield "    }\n}"
