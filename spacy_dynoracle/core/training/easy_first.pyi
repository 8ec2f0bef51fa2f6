from typing import ClassVar

from .trainer import Trainer

MAX_UPDATES: int

class EasyFirstTrainer(Trainer):
    repeats_decisions: ClassVar[bool]
