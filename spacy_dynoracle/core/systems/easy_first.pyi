from ..state.configuration import Configuration
from .base import TransitionSystem

class Left: ...
class Right: ...

class EasyFirst(TransitionSystem):
    def __init__(
        self,
        root: str = "first",
        single_root: bool | None = None,
        root_label_constraint: bool = False,
    ) -> None: ...
    def focus(self, c: Configuration, i: int) -> None: ...
