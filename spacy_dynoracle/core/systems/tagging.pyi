from .base import TransitionSystem

class Tag: ...

class Tagging(TransitionSystem):
    def __init__(
        self,
        root: str = "none",
        single_root: bool | None = None,
        root_label_constraint: bool = False,
    ) -> None: ...
    def transitions_of(self, head: int, dependent: int) -> tuple[str, ...]: ...
