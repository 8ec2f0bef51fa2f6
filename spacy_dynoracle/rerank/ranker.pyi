from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..core.results import Candidates
from ..core.state.sentence import Sentence
from .extractor import PartExtractor
from .parts import PartFinder
from .templates import RankingTemplates
from .word_classes import WordClasses

SLOT: Final[np.dtype[np.void]]

class TreeScorer:
    def __init__(
        self,
        templates: RankingTemplates,
        columns: Sequence[str],
        classes: WordClasses,
    ) -> None: ...
    @property
    def finder(self) -> PartFinder: ...
    @property
    def extractor(self) -> PartExtractor: ...
    @property
    def templates(self) -> RankingTemplates: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def classes(self) -> WordClasses: ...
    def scores(
        self, sentence: Sentence, candidates: Candidates
    ) -> NDArray[np.float64]: ...

def checked_array(array: NDArray[np.uint8]) -> NDArray[np.void]: ...
def checked_alpha(alpha: object) -> float: ...
def read_ranker(settings: dict[str, Any], array: NDArray[np.uint8]) -> Ranker: ...

class Ranker(TreeScorer):
    def __init__(
        self,
        templates: RankingTemplates,
        columns: Sequence[str],
        classes: WordClasses,
        array: NDArray[np.uint8],
        alpha: float = 0.0,
    ) -> None: ...
    @property
    def array(self) -> NDArray[np.uint8]: ...
    @property
    def alpha(self) -> float: ...
    @property
    def n_features(self) -> int: ...
    def with_alpha(self, alpha: float) -> Ranker: ...
    def settings(self) -> dict[str, Any]: ...
    def choose(self, sentence: Sentence, candidates: Candidates) -> int: ...
    def __reduce__(
        self,
    ) -> tuple[
        Callable[
            [
                RankingTemplates,
                Sequence[str],
                WordClasses,
                NDArray[np.uint8],
                float,
            ],
            Ranker,
        ],
        tuple[RankingTemplates, tuple[str, ...], WordClasses, NDArray[np.uint8], float],
    ]: ...
