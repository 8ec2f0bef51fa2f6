from collections.abc import Sequence

from ..model.model import Model
from ..results import ArcCounts
from ..state.sentence import Sentence
from .walker import Walker

class Sampler(Walker):
    def __init__(self, model: Model) -> None: ...

def sample_arcs(
    model: Model, sentences: Sequence[Sentence], n_samples: int = 64, seed: int = 0
) -> ArcCounts: ...
