from collections.abc import Sequence

from ..model.model import Model
from ..results import Decisions
from ..state.configuration import RootRule
from ..state.gold import GoldTree
from ..state.sentence import Sentence

class Recorder:
    def __new__(
        cls,
        model: Model,
        temperature: float,
        keep_scores: bool,
        root_rule: RootRule | None,
    ) -> Recorder: ...

def decisions(
    model: Model,
    sentences: Sequence[Sentence],
    golds: Sequence[GoldTree],
    keep_scores: bool = False,
    root_rule: RootRule | None = None,
) -> Decisions: ...
