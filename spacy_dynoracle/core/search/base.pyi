from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from ..model.model import Model
from ..results import Candidates
from ..state.configuration import RootRule
from ..state.sentence import Sentence
from ..systems.base import TransitionSystem

class Search:
    @property
    def beam_size(self) -> int: ...
    @property
    def n_best(self) -> int: ...
    has_derivation: ClassVar[bool]
    gives_probabilities: ClassVar[bool]
    needs_part: ClassVar[str | None]
    def check_system(self, system: TransitionSystem) -> None: ...
    def parse(
        self,
        model: Model,
        sentences: list[Sentence],
        root_rule: RootRule | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
    def candidates(
        self,
        model: Model,
        sentences: list[Sentence],
        root_rule: RootRule | None = None,
    ) -> list[Candidates]: ...
    def with_n_best(self, n_best: int) -> Self: ...
    def __reduce__(self) -> tuple[type[Search], tuple[Any, ...]]: ...
