"""Parts that a plug-in adds to a model, such as the ranker of a reranker.

The core stores a part with its model and does not look into it. A plug-in says how a
part of some name is read by an entry point in the group `dynoracle_model_parts`: a
function that takes what `ModelPart.settings` and `ModelPart.array` gave.
"""

from importlib.metadata import entry_points
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelFileError

GROUP = "dynoracle_model_parts"


class ModelPart(Protocol):
    """A part of a model beside its weights.

    Attributes:
        columns: Names of the columns of sentences, those of the model's templates
            first.
        settings: Values for JSON.
        array: Bytes, which a model file keeps as they lie.
    """

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the sentences of a model with this part."""

    @property
    def array(self) -> NDArray[np.uint8]:
        """The bytes of the part."""

    def settings(self) -> dict[str, Any]:
        """Everything else that makes the part."""


def read_part(name: str, settings: dict[str, Any], array: NDArray[np.uint8]) -> Any:
    """The part of a model file.

    Raises:
        ModelFileError: If nothing that is installed reads parts of this name.
    """
    for found in entry_points(group=GROUP, name=name):
        return found.load()(settings, array)
    raise ModelFileError(
        f"it has a part {name!r}, which no installed package reads: install the "
        f"package that made it"
    )
