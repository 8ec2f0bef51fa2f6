from .averaged_perceptron import AveragedPerceptron

RULES: tuple[str, ...]
NEGATIVES: tuple[str, ...]

class StructuredPerceptron(AveragedPerceptron):
    def __init__(
        self, n_actions: int, update: str = "early", negative: str = "best"
    ) -> None: ...
    @property
    def rule(self) -> str: ...
    @property
    def negative(self) -> str: ...
