from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .model import Model
from .results import ArcCounts, Probabilities
from .sentence import Sentence

class Walker:
    def __new__(cls, model: Model) -> Walker: ...

class Sampler(Walker):
    def __init__(self, model: Model) -> None: ...

def parse_with_probabilities(
    model: Model, sentences: Sequence[Sentence]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], Probabilities]: ...
def sample_arcs(
    model: Model, sentences: Sequence[Sentence], n_samples: int = 64, seed: int = 0
) -> ArcCounts: ...
