from ..model.model import Model
from ..state.configuration import RootRule

class Walker:
    def __new__(cls, model: Model, root_rule: RootRule | None = None) -> Walker: ...
