"""Sums of exponentials, without overflow."""
from libc.math cimport exp

# The sum of exp(s) over some scores s is mass * exp(largest).
cdef struct LogSum:
    double largest
    double mass


cdef inline void add_to(LogSum* total, double score) noexcept nogil:
    """Add exp(score). Begin with largest = -INFINITY and mass = 0."""
    if score > total.largest:
        total.mass = total.mass * exp(total.largest - score) + 1
        total.largest = score
    else:
        total.mass += exp(score - total.largest)


cdef inline double share_of(LogSum total, double score) noexcept nogil:
    """exp(score) as a share of the sum."""
    return exp(score - total.largest) / total.mass


cdef inline void merge(LogSum* total, LogSum other) noexcept nogil:
    """Add another sum."""
    if other.mass == 0:
        return
    if other.largest > total.largest:
        total.mass = total.mass * exp(total.largest - other.largest) + other.mass
        total.largest = other.largest
    else:
        total.mass += other.mass * exp(other.largest - total.largest)
