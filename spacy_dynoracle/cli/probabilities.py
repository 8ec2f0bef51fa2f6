"""Asking a loaded pipeline for probabilities."""

from enum import Enum

from spacy.language import Language

from ..confidence.uncertainty import ask_for
from .calibrate import find_parser
from .common import CommandError


class Kind(str, Enum):
    """Which probabilities of arcs."""

    transition = "transition"
    marginal = "marginal"


def ask_pipeline(
    nlp: Language, model: str, kind: str, n_samples: int | None = None
) -> None:
    """Make the parser of a pipeline say how sure it is; see `ask_for`.

    Raises CommandError if it cannot.
    """
    parser, trained = find_parser(nlp, model)
    if trained.temperature is None:
        raise CommandError(
            f"scores of {trained.learner}, the learner of {model!r}, are no "
            f"probabilities: fit a temperature with 'spacy-dynoracle calibrate {model} "
            "FILE --fit FILE --save', or train with AdaGradRDA"
        )
    try:
        ask_for(parser, kind, n_samples)
    except ValueError as error:
        raise CommandError(f"the pipeline {model!r}: {error}") from error
