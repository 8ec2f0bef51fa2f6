from libcpp.vector cimport vector


cdef class Preorder:
    # For each node its number, and the largest number below it; node[number[k]] == k.
    cdef vector[int] number
    cdef vector[int] last
    cdef vector[int] node

    cdef void build(self, const int* head, int n) noexcept nogil
    cdef bint descends(self, int k, int h) noexcept nogil
