"""Loading pipelines, with messages that say what to do; their parsers, and the trees
that these have kept with a Doc.
"""

from pathlib import Path

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import ConfigValidationError

from ..components.base import Component
from ..core.model.model import Model
from ..errors import PipelineError
from ..treebank.pipelines import called, components
from .any_parser import AnyParser
from .component import DynOracleParser
from .extensions import kbest
from .k_best import KBest


def load_pipeline(model: str) -> Language:
    """A spaCy pipeline by directory or package name.

    Raises:
        PipelineError: If it cannot be loaded or is not trained.
    """
    try:
        nlp = spacy.load(model)
    except OSError as error:
        if Path(model).exists():
            reason = f"{model} is not a complete pipeline ({_first_line(error)})"
            inside = sorted(
                file.parent.name for file in Path(model).glob("*/meta.json")
            )
            if inside:
                reason += f"; name a pipeline in it: {', '.join(inside)}"
        else:
            reason = (
                f"no directory or installed package {model!r}; install its package (a "
                "checkout has the English one: pip install ./models/en_dynoracle_ud), "
                "or train a pipeline ('spacy project run all' trains one on the toy "
                "treebank) and name its directory"
            )
    except (ValueError, KeyError, ImportError) as error:
        reason = _first_line(error)
    else:
        for name, pipe in nlp.pipeline:
            if isinstance(pipe, Component) and pipe.model is None:
                raise PipelineError(
                    f"the {pipe.kind} {name!r} of the pipeline {model!r} is not "
                    "trained; train it with 'spacy train'"
                )
        return nlp
    raise PipelineError(f"cannot load the pipeline {model!r}: {reason}")


def _first_line(error: Exception) -> str:
    if isinstance(error, ConfigValidationError):
        return "; ".join(
            f"{' -> '.join(map(str, each.get('loc', ())))}: {each['msg']}"
            for each in error.errors or ()
        )
    return " ".join(str(error).split("\n", 1)[0].split()) or type(error).__name__


def find_any(nlp: Language) -> AnyParser:
    """The component whose trees stay on a Doc: the last enabled dynoracle_parser or
    dynoracle_committee.

    Raises:
        PipelineError: If there is none.
    """
    for _, component in reversed(nlp.pipeline):
        if isinstance(component, AnyParser):
            return component
    raise PipelineError(
        f"{called(nlp)} has no dynoracle_parser (its components: {components(nlp)})"
    )


def find_parser(nlp: Language) -> DynOracleParser:
    """The parser of a pipeline; see `find_any`.

    Raises:
        PipelineError: If there is none, and for a committee, which has no derivations
            and lists of trees.
    """
    found = find_any(nlp)
    if not isinstance(found, DynOracleParser):
        raise PipelineError(
            f"{called(nlp)} has the committee {found.name!r}, whose members vote for a "
            f"tree: it has no derivation, no transition probabilities, and no list of "
            f"the best trees to show or to rerank; use a pipeline with one "
            f"dynoracle_parser, such as that of configs/fast.cfg"
        )
    return found


def trained_model(parser: DynOracleParser) -> Model:
    """The model of a parser.

    Raises:
        PipelineError: If it has not been trained.
    """
    if parser.model is None:
        raise PipelineError(
            f"the parser {parser.name!r} has no model yet: train it first"
        )
    return parser.model


def kept_trees(doc: Doc) -> KBest:
    """The best trees that the parser has kept with a Doc.

    Raises:
        PipelineError: If a later component has changed the words.
    """
    trees = kbest(doc)
    if trees is None:
        raise PipelineError(
            "a component after the parser changes words, so that the list of trees is "
            "lost; remove that component from the pipeline"
        )
    return trees
