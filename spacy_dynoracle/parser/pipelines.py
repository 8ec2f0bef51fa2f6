"""The `dynoracle_parser` of a pipeline, and the trees it has kept with a Doc."""

from __future__ import annotations

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import PipelineError
from ..treebank.pipelines import called, components
from .component import DynOracleParser
from .extensions import kbest
from .k_best import KBest


def find_parser(nlp: Language) -> DynOracleParser:
    """The last `dynoracle_parser` of a pipeline: its trees are those of the pipeline.

    Raises PipelineError if there is none.
    """
    for _, component in reversed(nlp.pipeline):
        if isinstance(component, DynOracleParser):
            return component
    raise PipelineError(
        f"{called(nlp)} has no dynoracle_parser (its components: {components(nlp)})"
    )


def kept_trees(doc: Doc) -> KBest:
    """The best trees that the parser has kept with a Doc.

    Raises PipelineError if there are none, because a later component has changed the
    words.
    """
    trees = kbest(doc)
    if trees is None:
        raise PipelineError(
            "a component behind the parser changes words, so that there is no list of "
            "trees; remove it from the pipeline"
        )
    return trees
