from typing import ClassVar

from .training import Trainer

MAX_UPDATES: int

class EasyFirstTrainer(Trainer):
    chooses_pair: ClassVar[bool]
