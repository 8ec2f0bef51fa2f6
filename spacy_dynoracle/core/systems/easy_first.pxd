from ..state.configuration cimport ConfigurationC

cdef void focus(ConfigurationC* c, int i) noexcept nogil
cdef int n_pairs(const ConfigurationC* c) noexcept nogil
cdef int first_touched(const ConfigurationC* c) noexcept nogil
cdef int last_touched(const ConfigurationC* c) noexcept nogil


cdef inline int left_node(const ConfigurationC* c, int i) noexcept nogil:
    """l_i, the left node of the i-th pair, wherever the focus is."""
    if i <= c.stack_size:
        return c.stack[i - 1]
    return c.buffer[c.front + i - 1 - c.stack_size]
