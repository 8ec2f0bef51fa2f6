"""The parser of a pipeline, and the trees it has kept with a Doc."""

from __future__ import annotations

from spacy.language import Language
from spacy.tokens import Doc

from ..components.base import Component
from ..core.model.model import Model
from ..errors import PipelineError
from ..treebank.pipelines import called, components
from .component import DynOracleParser
from .extensions import kbest
from .k_best import KBest


def find_parser(nlp: Language) -> DynOracleParser:
    """The parser of a pipeline: its last enabled dynoracle_parser.

    The trees of the last parser stay on the Doc. Raises PipelineError if there is no
    parser, for a committee, and for a parser that reads backward: their derivations and
    lists of trees are not available.
    """
    for name, component in reversed(nlp.pipeline):
        if isinstance(component, Component) and component.kind == "committee":
            raise PipelineError(
                f"{called(nlp)} has the committee {name!r}, whose members vote for a "
                f"tree: it has no derivation, no transition probabilities, and no list "
                f"of the best trees to show or to rerank; use a pipeline with one "
                f"dynoracle_parser, such as that of configs/fast.cfg"
            )
        if isinstance(component, DynOracleParser):
            if component.recipe.is_backward:
                raise PipelineError(
                    f"the parser {name!r} of {called(nlp)} reads backward, so that it "
                    f"can only parse: use a parser with direction = 'forward'"
                )
            return component
    raise PipelineError(
        f"{called(nlp)} has no dynoracle_parser (its components: {components(nlp)})"
    )


def trained_model(parser: DynOracleParser) -> Model:
    """The model of a parser. Raises PipelineError if it has not been trained."""
    if parser.model is None:
        raise PipelineError(
            f"the parser {parser.name!r} has no model yet: train it first"
        )
    return parser.model


def kept_trees(doc: Doc) -> KBest:
    """The best trees that the parser has kept with a Doc.

    Raises PipelineError if a later component has changed the words.
    """
    trees = kbest(doc)
    if trees is None:
        raise PipelineError(
            "a component after the parser changes words, so that the list of trees is "
            "lost; remove that component from the pipeline"
        )
    return trees
