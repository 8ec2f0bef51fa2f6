from ..model cimport Model
from ..sentence cimport SentenceC
from .base cimport Workspace

cdef int parse_easiest_first(
    Model model, const SentenceC* sentence, Workspace work
) except -1 nogil
