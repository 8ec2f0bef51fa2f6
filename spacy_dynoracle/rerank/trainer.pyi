from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.random import Random
from ..core.results import Candidates
from ..core.state.sentence import Sentence
from .ranker import Ranker, TreeScorer
from .templates import RankingTemplates
from .word_classes import WordClasses

GROUPS: Final[tuple[str, ...]]

def ranking_pairs(losses: ArrayLike, groups: str) -> list[int]: ...

class RankerTrainer(TreeScorer):
    def __init__(
        self,
        templates: RankingTemplates,
        columns: Sequence[str],
        classes: WordClasses,
        groups: str = "fine",
        seed: int = 0,
    ) -> None: ...
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
    def freeze(self, alpha: float = 0.0, max_features: int | None = None) -> Ranker: ...
