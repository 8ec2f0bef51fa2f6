"""Gold arcs around a node: the terms of the cost formulas.

sigma, beta and A are those of a configuration (sigma|s, b|beta, A), T the gold arcs.
"""
from ..state.configuration cimport (
    ConfigurationC,
    N,
    S,
    in_buffer,
    is_headless,
    on_stack,
)
from ..state.gold cimport UNKNOWN, Gold


cdef inline int dependents_in_buffer(
    const ConfigurationC* c, const Gold* gold, int h
) noexcept nogil:
    """|{(h,k) in T : k in b|beta}|"""
    cdef int i, n = 0
    for i in range(gold.first[h], gold.first[h + 1]):
        n += in_buffer(c, gold.dependents[i])
    return n


cdef inline int headless_dependents_on_stack(
    const ConfigurationC* c, const Gold* gold, int h
) noexcept nogil:
    """|{(h,k) in T : k in s|sigma, k headless}|"""
    cdef int i, k, n = 0
    for i in range(gold.first[h], gold.first[h + 1]):
        k = gold.dependents[i]
        n += on_stack(c, k) and is_headless(c, k)
    return n


cdef inline int dependents_on_stack(
    const ConfigurationC* c, const Gold* gold, int h
) noexcept nogil:
    """|{(h,k) in T : k in s|sigma}|"""
    cdef int i, n = 0
    for i in range(gold.first[h], gold.first[h + 1]):
        n += on_stack(c, gold.dependents[i])
    return n


cdef inline bint head_on_stack(
    const ConfigurationC* c, const Gold* gold, int d
) noexcept nogil:
    """|{(k,d) in T : k in s|sigma}|"""
    cdef int k = gold.head[d]
    return k != UNKNOWN and on_stack(c, k)


cdef inline bint head_below_top(
    const ConfigurationC* c, const Gold* gold, int d
) noexcept nogil:
    """|{(k,d) in T : k in sigma}|, s being the top of the stack"""
    return gold.head[d] != S(c, 0) and head_on_stack(c, gold, d)


cdef inline bint head_in_buffer(
    const ConfigurationC* c, const Gold* gold, int d
) noexcept nogil:
    """|{(k,d) in T : k in b|beta}|"""
    cdef int k = gold.head[d]
    return k != UNKNOWN and in_buffer(c, k)


cdef inline bint head_in_beta(
    const ConfigurationC* c, const Gold* gold, int d
) noexcept nogil:
    """|{(k,d) in T : k in beta}|"""
    return gold.head[d] != N(c, 0) and head_in_buffer(c, gold, d)
