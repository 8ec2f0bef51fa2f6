from collections.abc import Sequence

from ..model.model import Model
from ..results import ArcCounts
from ..state.configuration import RootRule
from ..state.sentence import Sentence
from .walker import Walker

class Sampler(Walker):
    def __init__(self, model: Model, root_rule: RootRule | None = None) -> None: ...

def sample_arcs(
    model: Model,
    sentences: Sequence[Sentence],
    n_samples: int = 64,
    seed: int = 0,
    root_rule: RootRule | None = None,
) -> ArcCounts: ...
