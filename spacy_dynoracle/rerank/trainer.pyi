from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..core.random import Random
from ..core.results import Candidates
from ..core.state.sentence import Sentence
from .extractor import PartExtractor
from .parts import PartFinder
from .ranker import Ranker
from .templates import RankingTemplates
from .word_classes import WordClasses

class RankerTrainer:
    def __init__(
        self,
        templates: RankingTemplates,
        columns: Sequence[str],
        classes: WordClasses,
        groups: str = "fine",
        seed: int = 0,
    ) -> None: ...
    @property
    def finder(self) -> PartFinder: ...
    @property
    def extractor(self) -> PartExtractor: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def groups(self) -> str: ...
    @property
    def random(self) -> Random: ...
    @property
    def n_pairs(self) -> int: ...
    @property
    def n_updates(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    def train(
        self, examples: list[tuple[Sentence, Candidates, NDArray[np.int32]]]
    ) -> tuple[int, int]: ...
    def scores(
        self, sentence: Sentence, candidates: Candidates
    ) -> NDArray[np.float64]: ...
    def freeze(self, alpha: float = 0.0, max_features: int | None = None) -> Ranker: ...
