"""The committee of a pipeline."""

from spacy.language import Language

from ..errors import PipelineError
from ..parser.lookup import find_any
from .component import DynOracleCommittee


def find_committee(nlp: Language) -> DynOracleCommittee | None:
    """The trained committee of a pipeline; None if its trees are those of a parser.

    Raises:
        PipelineError: As `find_any` does, and for a committee without a model.
    """
    found = find_any(nlp)
    if not isinstance(found, DynOracleCommittee):
        return None
    if found.model is None:
        raise PipelineError(
            f"the committee {found.name!r} has no model yet: train it first"
        )
    return found
