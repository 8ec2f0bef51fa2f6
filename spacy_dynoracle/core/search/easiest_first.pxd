from ..state.configuration cimport ConfigurationC, RootRule
from ..model.model cimport Model
from ..state.sentence cimport SentenceC
from .base cimport Choice, Workspace

cdef int parse_easiest_first(
    Model model, const SentenceC* sentence, RootRule root_rule, Workspace work
) except -1 nogil
cdef int easiest_pair(const ConfigurationC* c, const Choice* choices) noexcept nogil
