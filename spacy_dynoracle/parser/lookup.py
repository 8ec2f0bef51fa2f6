"""Finding the parser of a pipeline."""

from __future__ import annotations

from spacy.language import Language

from ..core.model.model import Model
from ..errors import PipelineError
from .component import DynOracleParser


def find_parser(nlp: Language) -> DynOracleParser:
    """The parser that is meant where a pipeline is asked about its parser.

    This is the last enabled dynoracle_parser, because its trees stay on the Doc.

    Raises PipelineError if there is none.
    """
    for _, component in reversed(nlp.pipeline):
        if isinstance(component, DynOracleParser):
            return component
    raise PipelineError(
        f"the pipeline has no dynoracle_parser (its components: "
        f"{', '.join(nlp.pipe_names) or 'none'})"
    )


def trained_model(parser: DynOracleParser) -> Model:
    """The model of a parser. Raises PipelineError if it has not been trained."""
    if parser.model is None:
        raise PipelineError(
            f"the parser {parser.name!r} has no model yet: train it first"
        )
    return parser.model
