"""The committee of a pipeline, or its parser."""

import pytest
import spacy

from spacy_dynoracle.committee.lookup import find_committee
from spacy_dynoracle.errors import PipelineError
from spacy_dynoracle.parser.lookup import find_any, find_parser

from .committees import committee_of, make_committee


def test_the_last_parser_or_committee_is_meant(trained_nlp):
    assert find_committee(trained_nlp) is committee_of(trained_nlp)
    nlp = make_committee()
    with pytest.raises(PipelineError, match="has no model yet"):
        find_committee(nlp)
    parser = nlp.add_pipe("dynoracle_parser")
    assert find_any(nlp) is parser
    assert find_committee(nlp) is None
    with pytest.raises(PipelineError, match="no dynoracle_parser"):
        find_any(spacy.blank("xx"))


def test_a_committee_is_not_a_parser(trained_nlp):
    message = "'dynoracle_committee'.*no list of the best trees.*dynoracle_parser"
    with pytest.raises(PipelineError, match=message):
        find_parser(trained_nlp)
    nlp = make_committee()
    nlp.add_pipe("dynoracle_parser", first=True)
    # The trees of the parser do not stay.
    with pytest.raises(PipelineError, match=message):
        find_parser(nlp)
