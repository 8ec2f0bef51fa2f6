from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from ..sentence import Sentence
from .templates import RankingTemplates
from .trees import PartFinder

class PartExtractor:
    def __new__(
        cls, templates: RankingTemplates, word_column: int, tag_column: int
    ) -> Self: ...
    @property
    def templates(self) -> RankingTemplates: ...
    def features(
        self,
        finder: PartFinder,
        sentence: Sentence,
        heads: Sequence[int] | NDArray[np.int32],
        labels: Sequence[int] | NDArray[np.int32],
    ) -> list[tuple[str, int]]: ...
    def __reduce__(
        self,
    ) -> tuple[
        Callable[[RankingTemplates, int, int], PartExtractor],
        tuple[RankingTemplates, int, int],
    ]: ...
