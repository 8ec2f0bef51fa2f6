"""What becomes of words left on the stack: counts, by hand and on a trained model."""

from types import SimpleNamespace

import pytest
import spacy
from spacy.training import Example

from experiments import parsing
from experiments.leftover import (
    Leftover,
    first_empty_buffer,
    leftover,
    leftover_words,
    restored_tree,
)
from spacy_dynoracle import ArcEager
from spacy_dynoracle.core.state.configuration import RootRule
from spacy_dynoracle.treebank import heads_and_labels, read_conllu, to_doc
from tests.harbour import FILE


def test_leftover_words():
    # Left on the stack: 2, 3 and 5. The gold head of 2 is ROOT, of 3 the word 2, both
    # on the stack; that of 5 is 4, which is not. That of 6 is not known.
    found = leftover_words([0, 2, 3, 5, 6], [2, 3, 5, 6], [2, 0, 2, 3, 4, None])
    assert found == [Leftover(2, 0, True), Leftover(3, 2, True), Leftover(5, 4, False)]


def scripted_model(monkeypatch, transitions):
    """A model that takes these transitions, whatever it sees."""
    script = iter(transitions)

    def offered_actions(model, c, sentence):
        name = next(script)
        return [
            SimpleNamespace(transition=t, label=None, position=None, score=float(s))
            for t, s in ((name, 1), ("SHIFT", 0), ("REDUCE", 0))
        ]

    monkeypatch.setattr(parsing, "offered_actions", offered_actions)
    return SimpleNamespace(system=ArcEager(root="first"), labels=())


def test_prefix_ends_at_the_first_empty_buffer(monkeypatch):
    model = scripted_model(monkeypatch, ["SHIFT", "LEFT", "SHIFT", "SHIFT", "REDUCE"])
    c = first_empty_buffer(model, [None] * 3)
    assert c.buffer == ()
    assert c.stack == (0, 2, 3)
    assert c.heads == (2, None, None)


def test_both_systems_on_a_trained_model(pipeline):
    found = leftover(spacy.load(pipeline), FILE, pipeline)
    old, new = found["old"], found["new"]
    assert sum(old["recall"]["wholes"]) > 0
    # The old system attaches to ROOT and nowhere else; the new one gives trees.
    assert old["recall_root"]["parts"] == old["recall_root"]["wholes"]
    assert sum(old["recall_other"]["parts"]) == 0
    assert all(new["trees"]["parts"])
    assert old["recall"]["wholes"] == new["recall"]["wholes"]
    words = [len(sentence.words) for sentence in read_conllu(FILE)]
    assert new["uas"]["wholes"] == words == new["leftover"]["wholes"]


def test_the_component_demands_one_root_besides(pipeline):
    nlp = spacy.load(pipeline)
    sentences = list(read_conllu(FILE))
    docs = nlp.pipe(parsing.unparsed(nlp, sentences))
    model = parsing.model_of(nlp)
    core = parsing.core_sentences(nlp, sentences)
    trees = parsing.parse(model, core, RootRule.ONE)
    for doc, tree in zip(docs, trees, strict=True):
        assert heads_and_labels(doc) == restored_tree(model, *tree)


@pytest.mark.parametrize("rule", [RootRule.ANY, RootRule.TREE])
def test_the_derivation_is_that_of_the_core(pipeline, rule):
    nlp = spacy.load(pipeline)
    model = parsing.model_of(nlp)
    sentences = parsing.core_sentences(nlp, list(read_conllu(FILE)))
    for sentence, (heads, _) in zip(
        sentences, parsing.parse(model, sentences, rule), strict=True
    ):
        *_, c = parsing.derive(model, sentence, rule)
        assert [head or 0 for head in c.heads] == heads


def test_a_model_with_root_elsewhere_is_an_error(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("dynoracle_parser", config={"tag_attr": None})
    doc = to_doc(next(read_conllu(FILE)), nlp.vocab)
    nlp.initialize(lambda: [Example(doc.copy(), doc)])
    with pytest.raises(ValueError, match="ROOT first"):
        leftover(nlp, FILE, tmp_path)
