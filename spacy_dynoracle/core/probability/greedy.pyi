from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from typing_extensions import Self

from ..model.model import Model
from ..results import Probabilities
from ..search.stepper import Stepper
from ..search.turns import Queue, Turn
from ..state.configuration import RootRule
from ..state.sentence import Sentence

def parse_with_probabilities(
    model: Model, sentences: Sequence[Sentence], root_rule: RootRule | None = None
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], Probabilities]: ...
def temperature_of(model: Model) -> float: ...

class ProbabilityArrays:
    def __new__(cls, n_sentences: int, n_words: int) -> Self: ...
    @property
    def arcs(self) -> npt.NDArray[np.float64]: ...
    @property
    def log_derivation(self) -> npt.NDArray[np.float64]: ...
    @property
    def lowest(self) -> npt.NDArray[np.float64]: ...
    @property
    def log_words(self) -> npt.NDArray[np.float64]: ...
    @property
    def lowest_words(self) -> npt.NDArray[np.float64]: ...

class RecordingTurn(Turn):
    def __new__(
        cls, queue: Queue, stepper: Stepper, found: ProbabilityArrays
    ) -> Self: ...
