from ..model.model import Model
from ..results import FeatureWeight, OfferedAction
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
def feature_weights(
    model: Model,
    c: Configuration,
    sentence: Sentence,
    action: tuple[str, str | None],
) -> list[FeatureWeight]: ...
