import numpy as np
from numpy.typing import NDArray

from ..model.model import Model
from ..state.configuration import RootRule
from ..state.gold import GoldTree
from ..state.sentence import Sentence
from .stepper import Stepper

class KeepingStepper(Stepper): ...

def parse_with_arcs(
    model: Model,
    sentences: list[Sentence],
    arcs: list[GoldTree],
    root_rule: RootRule | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
