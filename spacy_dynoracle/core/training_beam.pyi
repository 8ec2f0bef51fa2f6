from .training import Trainer

class BeamTrainer(Trainer):
    @property
    def beam_size(self) -> int: ...
