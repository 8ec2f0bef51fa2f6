from collections.abc import Sequence

from typing_extensions import Self

from .templates import RankingTemplates
from .word_classes import WordClasses

class TreeWorkspace: ...

class PartFinder:
    def __new__(
        cls, templates: RankingTemplates, columns: Sequence[str], classes: WordClasses
    ) -> Self: ...
    @property
    def templates(self) -> RankingTemplates: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def classes(self) -> WordClasses: ...
    @property
    def n_columns(self) -> int: ...
