from ..model.model import Model
from ..results import OfferedAction
from ..state.configuration import Configuration
from ..state.gold import GoldTree
from ..state.sentence import Sentence
from .stepper import Stepper

class Inspector(Stepper): ...

def offered_actions(
    model: Model,
    c: Configuration,
    sentence: Sentence,
    gold: GoldTree | None = None,
) -> list[OfferedAction]: ...
