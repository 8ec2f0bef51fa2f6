import numpy as np
from numpy.typing import NDArray

from ..gold import GoldTree
from ..model import Model
from ..sentence import Sentence

class ConstrainedParser:
    def __new__(cls, model: Model) -> ConstrainedParser: ...

def parse_with_arcs(
    model: Model, sentences: list[Sentence], arcs: list[GoldTree]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
