from ..features.extractor import Extractor
from ..reranking.ranker import Ranker
from ..state.configuration import Configuration
from ..state.labels import Labels
from ..state.sentence import Sentence
from ..systems.actions import Actions
from ..systems.base import TransitionSystem
from ..weights.scorer import Scorer

LOWEST_TEMPERATURE: float
HIGHEST_TEMPERATURE: float

def checked_temperature(value: object) -> float | None: ...

class Model:
    def __init__(
        self,
        system: TransitionSystem,
        extractor: Extractor,
        actions: Actions,
        weights: Scorer,
        sources: dict[str, str],
        root_label: str | None,
        learner: str,
        temperature: float | None = None,
        is_fitted: bool = False,
        ranker: Ranker | None = None,
    ) -> None: ...
    @property
    def system(self) -> TransitionSystem: ...
    @property
    def extractor(self) -> Extractor: ...
    @property
    def actions(self) -> Actions: ...
    @property
    def weights(self) -> Scorer: ...
    @property
    def sources(self) -> dict[str, str]: ...
    @property
    def root_label(self) -> str | None: ...
    @property
    def learner(self) -> str: ...
    @property
    def temperature(self) -> float | None: ...
    @property
    def is_fitted(self) -> bool: ...
    @property
    def ranker(self) -> Ranker | None: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def labels(self) -> Labels: ...
    def scores(
        self, c: Configuration, sentence: Sentence
    ) -> dict[tuple[str, str | None], float]: ...
    def freeze(self) -> Model: ...
    def without_resume(self) -> Model: ...
    def with_temperature(
        self, temperature: float | None, is_fitted: bool = True
    ) -> Model: ...
    def with_ranker(
        self, ranker: Ranker | None, sources: dict[str, str] | None = None
    ) -> Model: ...
    def __reduce__(
        self,
    ) -> tuple[
        type[Model],
        tuple[
            TransitionSystem,
            Extractor,
            Actions,
            Scorer,
            dict[str, str],
            str | None,
            str,
            float | None,
            bool,
            Ranker | None,
        ],
    ]: ...
