from typing import Final

from typing_extensions import Self

from ..state.configuration import Configuration
from ..state.sentence import Sentence
from .templates import FeatureTemplates

BASES: Final[dict[str, int]]
MEMBERS: Final[dict[str, int]]

class Extractor:
    def __new__(cls, templates: FeatureTemplates) -> Self: ...
    @property
    def templates(self) -> FeatureTemplates: ...
    def atom_values(
        self, c: Configuration, sentence: Sentence
    ) -> list[tuple[str, tuple[int, ...]]]: ...
    def atom_nodes(self, c: Configuration) -> list[tuple[tuple[int, ...], ...]]: ...
    def keys(self, c: Configuration, sentence: Sentence) -> list[int]: ...
    def __reduce__(self) -> tuple[type[Extractor], tuple[FeatureTemplates]]: ...
