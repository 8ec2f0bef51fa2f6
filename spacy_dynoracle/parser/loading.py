"""Loading pipelines, with messages that say what to do."""

from pathlib import Path

import spacy
from spacy.language import Language
from thinc.api import ConfigValidationError

from ..components.base import Component
from ..errors import PipelineError


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
                f"no directory or installed package {model!r}; train a pipeline with "
                "'spacy train' and name its model-last directory"
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
