"""The components beside the tokenizer in a pipeline that is initialized."""

from spacy.language import Language

from ..components.base import Component
from .evidence import ANNOTATION

_OF_TREEBANKS = {f"token.{name.lower()}" for name in (*ANNOTATION, "is_sent_start")}


def learns_words(nlp: Language | None) -> bool:
    """Whether a component that learns from treebanks is initialized. True, too, if no
    component that learns declares what it sets.
    """
    if nlp is None:
        return True
    sets = [
        set(nlp.get_pipe_meta(name).assigns)
        for name, component in nlp.pipeline
        if hasattr(component, "update")
    ]
    if not sets and trained_beside(nlp):
        # A config that trains sourced components further initializes nothing.
        return False
    return not any(sets) or any(not _OF_TREEBANKS.isdisjoint(of) for of in sets)


def trained_beside(nlp: Language | None) -> list[str]:
    """The components of this package that have learnt already, and are not initialized
    with the tokenizer.
    """
    if nlp is None:
        return []
    return [
        name
        for name, component in nlp.components
        if isinstance(component, Component)
        and component.model is not None
        and name not in nlp.pipe_names
    ]
