from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from ..core.state.sentence import Sentence
from .parts import PartFinder
from .templates import RankingTemplates

class PartExtractor:
    def __new__(cls, templates: RankingTemplates, columns: Sequence[str]) -> Self: ...
    @property
    def templates(self) -> RankingTemplates: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    def features(
        self,
        finder: PartFinder,
        sentence: Sentence,
        heads: Sequence[int] | NDArray[np.int32],
        labels: Sequence[int] | NDArray[np.int32],
    ) -> list[tuple[str, int, float]]: ...
