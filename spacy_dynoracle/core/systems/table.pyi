from typing_extensions import Self

class Costs:
    def __new__(cls, system: TransitionTable) -> Self: ...
    @property
    def system(self) -> TransitionTable: ...

class TransitionTable:
    @property
    def n_transitions(self) -> int: ...
