from typing import Any

from typing_extensions import Self

class Random:
    def __new__(cls, seed: int = 0) -> Self: ...
    def shuffle(self, items: list[Any]) -> None: ...
