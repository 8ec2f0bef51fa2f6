from ..configuration cimport ConfigurationC

cdef void focus(ConfigurationC* c, int i) noexcept nogil
cdef int n_pairs(const ConfigurationC* c) noexcept nogil
cdef int first_touched(const ConfigurationC* c) noexcept nogil
cdef int last_touched(const ConfigurationC* c) noexcept nogil
