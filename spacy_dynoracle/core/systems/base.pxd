"""Transition systems. A new system cimports from here what it needs of the table."""
from ..state.configuration cimport Configuration, ConfigurationC, RootRule
from ..state.gold cimport GoldTree
from .table cimport *


cdef class TransitionSystem(TransitionTable):
    cdef readonly str root  # type: Literal["last", "first", "none"]
    cdef readonly object single_root  # type: bool | None
    cdef readonly bint root_label_constraint

    cdef RootRule root_rule_or_default(self, root_rule) except *
    cdef int find(self, name) except -1
    cdef tuple names_in(self, unsigned int transitions)


cdef int check_length(Configuration c, GoldTree gold) except -1
cdef void attach_to_root(ConfigurationC* c, int label) noexcept nogil
