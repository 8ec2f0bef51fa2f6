from typing_extensions import Self

from ..features.extractor import Extractor
from ..weights.scorer import Scorer

class ScoreMemo:
    def __new__(cls, extractor: Extractor, weights: Scorer, n_places: int) -> Self: ...
    @property
    def n_asked(self) -> int: ...
    @property
    def n_scored(self) -> int: ...
