from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..model.model import Model
from ..results import Probabilities
from ..state.configuration import RootRule
from ..state.sentence import Sentence

def parse_with_probabilities(
    model: Model, sentences: Sequence[Sentence], root_rule: RootRule | None = None
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], Probabilities]: ...
def temperature_of(model: Model) -> float: ...
