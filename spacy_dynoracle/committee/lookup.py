"""The committee of a pipeline."""

from __future__ import annotations

from typing import TypeAlias

from spacy.language import Language

from ..errors import PipelineError
from ..parser.component import DynOracleParser
from ..parser.lookup import find_parser
from .component import DynOracleCommittee

AnyParser: TypeAlias = DynOracleParser | DynOracleCommittee


def find_any(nlp: Language) -> AnyParser:
    """The component whose trees stay on a Doc: the last enabled dynoracle_parser or
    dynoracle_committee.

    Raises PipelineError as `find_parser` does, and for a committee without a model.
    """
    for _, component in reversed(nlp.pipeline):
        if isinstance(component, DynOracleParser):
            break
        if isinstance(component, DynOracleCommittee):
            if component.model is None:
                raise PipelineError(
                    f"the committee {component.name!r} has no model yet: train it first"
                )
            return component
    return find_parser(nlp)


def find_committee(nlp: Language) -> DynOracleCommittee | None:
    """The trained committee of a pipeline; None if its trees are those of a parser."""
    found = find_any(nlp)
    return found if isinstance(found, DynOracleCommittee) else None
