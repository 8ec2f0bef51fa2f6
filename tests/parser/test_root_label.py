"""The component with a label that is legal on roots and nowhere else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle import ModelFileError

from .treebank import (
    NAME,
    SENTENCES,
    SYSTEMS,
    VOCABULARY,
    assert_tree,
    every_system,
    examples,
    gold_analysis,
    make_nlp,
    mixed_examples,
    name_of,
    parse,
    parse_all,
    train,
    update,
)

pytestmark = pytest.mark.heavy

SENTENCE_SETTINGS = ("predict", "preset", "doc")
# Trees in which words below others are called root, and roots are not.
CONFUSED = [
    s._replace(labels=(*s.labels[1:-1], "root", s.labels[0]))
    for s in SENTENCES
    if len(s.words) > 5
]


def constrained(system, **settings):
    return make_nlp(system=system | {"root_label_constraint": True}, **settings)


def assert_root_labels(doc):
    for token in doc:
        assert (token.dep_ == "root") == (token.head == token)


@pytest.fixture(scope="module")
def pipelines():
    """Trained on labels that stand anywhere, for each system and setting."""
    found = {}

    def get(system, sentences):
        key = name_of(system), sentences
        if key not in found:
            nlp = found[key] = constrained(system, sentences=sentences)
            data = mixed_examples(nlp.vocab) + examples(nlp.vocab, CONFUSED) * 2
            train(nlp, data, epochs=2)
        return found[key]

    return get


@every_system
@settings(max_examples=12)
@given(words=st.lists(st.sampled_from(VOCABULARY), max_size=14))
def test_no_parse_violates_it(pipelines, system, words):
    for sentences in SENTENCE_SETTINGS:
        doc = parse(pipelines(system, sentences), words)
        assert_tree(doc)
        assert_root_labels(doc)


def test_models_with_and_without_are_not_mixed_up():
    """They were trained in different ways."""
    nlp, plain = constrained(SYSTEMS[0]), make_nlp(system=SYSTEMS[0])
    for one, other in ((nlp, plain), (plain, nlp)):
        train(one, examples(one.vocab), epochs=1)
        with pytest.raises(ModelFileError, match="'root_label_constraint'"):
            other.get_pipe(NAME).from_bytes(one.get_pipe(NAME).to_bytes())


@every_system
def test_the_most_frequent_root_label_is_the_one(system):
    """What other roots are called is legal elsewhere."""
    nlp = constrained(system)
    rare = SENTENCES[0]._replace(
        labels=tuple("discourse" if x == "root" else x for x in SENTENCES[0].labels)
    )
    train(nlp, mixed_examples(nlp.vocab) + examples(nlp.vocab, [rare]), epochs=15)
    for doc in (parse(nlp, s.words) for s in [rare, *SENTENCES]):
        assert_root_labels(doc)
    assert "discourse" in nlp.get_pipe(NAME).labels


@every_system
def test_given_labels(system):
    """The label of the root is that of the examples, if there are some."""
    for labels in (["nsubj", "obj"], ["ROOT"], ["root", "nsubj"]):
        nlp = constrained(system)
        data = examples(nlp.vocab)
        nlp.get_pipe(NAME).initialize(lambda data=data: data, labels=labels)
        for words in (["Rain"], ["Two", "cats", "sleep"], VOCABULARY):
            assert_root_labels(parse(nlp, words))
    update(nlp, mixed_examples(nlp.vocab), epochs=25)
    assert parse_all(nlp) == [gold_analysis(nlp.vocab, s) for s in SENTENCES]


def test_added_labels():
    nlp = constrained({"@misc": "spacy_dynoracle.ArcHybrid.v1"}, epochs=1)
    nlp.get_pipe(NAME).add_label("vocative")
    assert_root_labels(parse(nlp, ["Rain", "Rain", "zyx"]))
