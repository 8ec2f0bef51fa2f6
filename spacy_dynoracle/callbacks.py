"""Callbacks for the training loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spacy.language import Language
from spacy.util import registry


@registry.callbacks("spacy_dynoracle.set_epoch.v1")
def make_set_epoch(
    component: str = "dynoracle_parser",
) -> Callable[[Language, dict[str, Any]], None]:
    """Tell a parser which epoch it is, for `[training.before_update]`.

    component (str): Name of the parser in the pipeline.

    Without it the parser counts examples, which is exact unless the corpus is streamed
    or drops examples.
    """

    def set_epoch(nlp: Language, info: dict[str, Any]) -> None:
        if component not in nlp.pipe_names:
            raise ValueError(
                f"spacy_dynoracle.set_epoch.v1: there is no component {component!r} in "
                f"the pipeline {nlp.pipe_names}"
            )
        nlp.get_pipe(component).epoch = info["epoch"] + 1  # type: ignore[attr-defined]

    return set_epoch
