"""Everything that is needed to parse."""
from ..systems.actions cimport Actions
from ..features.extractor cimport Extractor
from ..weights.scorer cimport Scorer
from ..systems.base cimport TransitionSystem


cdef class Classifier:
    cdef readonly TransitionSystem system
    cdef readonly Extractor extractor
    cdef readonly Actions actions
    cdef readonly Scorer weights


cdef class Model(Classifier):
    cdef readonly dict sources  # type: dict[str, str]
    cdef readonly object root_label  # type: str | None
    cdef readonly str learner
    cdef int root_label_id
    cdef readonly object temperature  # type: float | None
    cdef readonly bint is_fitted
    cdef readonly dict parts  # type: dict[str, ModelPart]
