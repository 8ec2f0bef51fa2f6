"""Callbacks for the training loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spacy.language import Language
from spacy.util import registry

from .base import Component


@registry.callbacks("spacy_dynoracle.set_epoch.v1")
def make_set_epoch(
    component: str = "dynoracle_parser",
) -> Callable[[Language, dict[str, Any]], None]:
    """Tell a component which epoch it is, for `[training.before_update]`.

    Without it the component counts examples, which is exact unless the corpus is
    streamed or drops examples.

    Args:
        component (str): Name of a parser or tagger of this package in the pipeline.
    """

    def set_epoch(nlp: Language, info: dict[str, Any]) -> None:
        found = dict(nlp.components).get(component)
        if not isinstance(found, Component):
            raise ValueError(
                f"spacy_dynoracle.set_epoch.v1: {component!r} is not a component of "
                f"this package in the pipeline {nlp.pipe_names}"
            )
        found.epoch = info["epoch"] + 1

    return set_epoch
