from collections.abc import Sequence

from ..model.model import Model
from ..results import ArcCounts
from ..search.stepper import Stepper
from ..state.configuration import RootRule
from ..state.sentence import Sentence

class Sampler(Stepper): ...

def sample_arcs(
    model: Model,
    sentences: Sequence[Sentence],
    n_samples: int = 64,
    seed: int = 0,
    root_rule: RootRule | None = None,
) -> ArcCounts: ...
