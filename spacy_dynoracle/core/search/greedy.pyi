import numpy as np
from numpy.typing import NDArray

from ..model.model import Model
from ..state.configuration import RootRule
from ..state.sentence import Sentence
from .base import Search

class GreedySearch(Search):
    def parse(
        self,
        model: Model,
        sentences: list[Sentence],
        root_rule: RootRule | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
