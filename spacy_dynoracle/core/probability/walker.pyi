from ..model.model import Model

class Walker:
    def __new__(cls, model: Model) -> Walker: ...
