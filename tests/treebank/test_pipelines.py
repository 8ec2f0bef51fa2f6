"""Docs through pipelines that drop some of them, and that overwrite tags."""

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_dynoracle.errors import PipelineError
from spacy_dynoracle.treebank.pipelines import piped, surviving

FORMS = ["oak", "storm", "elm", "storm", "fir"]


@Language.component("pipelines_test_tags", assigns=["token.tag"])
def tag_all(doc):
    for token in doc:
        token.tag_ = "NEW"
    return doc


@Language.component("pipelines_test_storm")
def fail_on_storms(doc):
    if doc[0].text == "storm":
        raise RuntimeError("a storm")
    return doc


@pytest.fixture
def nlp():
    nlp = spacy.blank("en")
    nlp.add_pipe("pipelines_test_tags")
    nlp.add_pipe("pipelines_test_storm")
    nlp.set_error_handler(lambda *arguments: None)
    return nlp


def docs_of(nlp, tags):
    return [
        Doc(nlp.vocab, words=[form], tags=[tag] if tag else None)
        for form, tag in zip(FORMS, tags, strict=True)
    ]


TAGS = [
    [""] * 5,
    ["OLD"] * 5,
    ["", "OLD", "OLD", "", ""],
    ["OLD", "", "OLD", "OLD", ""],
]


@pytest.mark.parametrize("tags", TAGS)
@pytest.mark.parametrize("batch_size", [1, 2, 64])
def test_dropped_docs_are_left_out(nlp, tags, batch_size):
    found = surviving(nlp, docs_of(nlp, tags), batch_size)
    forms = {i: doc[0].text for i, doc in found.items()}
    assert forms == {0: "oak", 2: "elm", 4: "fir"}
    assert all(doc[0].tag_ == (tags[i] or "NEW") for i, doc in found.items())


@pytest.mark.parametrize("tags", TAGS)
def test_a_dropped_doc_is_named_where_all_are_needed(nlp, tags):
    with pytest.raises(PipelineError, match="dropped 'storm"):
        piped(nlp, docs_of(nlp, tags), 2)
    calm = [doc for doc in docs_of(nlp, tags) if doc[0].text != "storm"]
    assert [doc[0].text for doc in piped(nlp, calm, 2)] == ["oak", "elm", "fir"]


def test_there_may_be_no_docs(nlp):
    assert surviving(nlp, [], 1) == {}
    assert piped(nlp, [], 1) == []
