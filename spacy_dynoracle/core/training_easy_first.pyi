from .training import Trainer

MAX_UPDATES: int

class EasyFirstTrainer(Trainer): ...
