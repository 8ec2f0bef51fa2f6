from typing_extensions import Self

from ..model.model import Model
from ..state.sentence import Sentence
from .stepper import Stepper

class Queue:
    def __new__(
        cls, model: Model, sentences: list[Sentence], root_label: int
    ) -> Self: ...

class Turn:
    def __new__(cls, queue: Queue, stepper: Stepper, *_: object) -> Self: ...
