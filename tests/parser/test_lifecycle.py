"""The component among others: sourced, frozen, resumed, renamed, in a memory zone."""

import gc
import weakref

import pytest
import spacy
from spacy.tokens import Doc

from .treebank import (
    NAME,
    SENTENCES,
    analysis,
    bare,
    examples,
    gold_analysis,
    make_doc,
    make_nlp,
    mixed_examples,
    model_bytes,
    parse,
    parse_all,
    train,
    update,
)

pytestmark = pytest.mark.heavy


# ---- source --------------------------------------------------------------------------


def test_source_from_disk_through_a_config(trained_nlp, tmp_path):
    trained_nlp.to_disk(tmp_path / "trained")
    config = spacy.blank("en").config.copy()
    config["nlp"]["pipeline"] = ["old", "new"]
    config["components"] = {
        "old": {"source": str(tmp_path / "trained"), "component": NAME},
        "new": {"factory": NAME, "tag_attr": "POS"},
    }
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    assert nlp.get_pipe("old").name == "old"
    assert nlp.get_pipe("old").model is not None
    assert nlp.get_pipe("new").model is None
    with nlp.select_pipes(enable="old"):
        assert parse_all(nlp) == parse_all(trained_nlp)
    nlp.to_disk(tmp_path / "again", exclude=["new"])
    assert (tmp_path / "again" / "old" / "model").exists()


def test_renaming():
    nlp = make_nlp()
    data = mixed_examples(nlp.vocab)
    train(nlp, data)
    nlp.rename_pipe(NAME, "renamed")
    nlp.initialize(lambda: data)
    assert nlp.get_pipe("renamed").name == "renamed"
    assert set(update(nlp, data)) == {"renamed"}


def test_two_parsers_in_one_pipeline():
    """The second one has the last word."""
    nlp = make_nlp()
    nlp.add_pipe(NAME, name="second", config={"tag_attr": "POS", "seed": 3})
    data = mixed_examples(nlp.vocab)
    losses = train(nlp, data)
    assert set(losses) == {NAME, "second"}
    assert parse_all(nlp) == [gold_analysis(nlp.vocab, s) for s in SENTENCES]
    assert model_bytes(nlp) != model_bytes(nlp, "second")


# ---- frozen, resumed -----------------------------------------------------------------


def test_frozen_components_are_left_alone(trained_nlp):
    nlp = spacy.blank("en")
    nlp.add_pipe(NAME, source=trained_nlp)
    nlp.add_pipe("tagger")
    before = model_bytes(nlp)
    data = examples(nlp.vocab)
    with nlp.select_pipes(disable=[NAME]):
        nlp.initialize(lambda: data)
    losses = {}
    nlp.update(data, losses=losses, exclude=[NAME])
    assert set(losses) == {"tagger"}
    assert model_bytes(nlp) == before


def test_resumed_training_is_reproducible(nlp_bytes):
    models = []
    for _ in range(2):
        nlp = make_nlp(model=nlp_bytes)
        hard = [s._replace(tags=("X",) * len(s.tags)) for s in SENTENCES]
        update(nlp, examples(nlp.vocab, hard), epochs=3)
        models.append(model_bytes(nlp))
    assert models[0] == models[1]
    assert models[0] != nlp_bytes


def test_rehearsal_does_nothing(own_nlp, nlp_bytes):
    own_nlp.resume_training()
    own_nlp.rehearse(examples(own_nlp.vocab))
    assert model_bytes(own_nlp) == nlp_bytes


# ---- other components ----------------------------------------------------------------


def test_annotating_components():
    """The tags of a tagger reach the parser in training."""
    nlp = spacy.blank("xx")
    nlp.add_pipe("tagger")
    nlp.add_pipe(NAME)
    data = bare(nlp.vocab)
    sgd = nlp.initialize(lambda: data)
    for _ in range(15):
        losses = {}
        nlp.update(data, sgd=sgd, losses=losses, annotates=["tagger"])
    scores = nlp.evaluate(data)
    assert scores["tag_acc"] > 0.9
    assert scores["dep_las_all"] > 0.9


def test_the_parser_may_annotate_in_training():
    """Parsing after every update shows the averages and does not disturb training."""
    models = []
    for annotates in ([], [NAME]):
        nlp = make_nlp(epochs=0)
        data = examples(nlp.vocab)
        for _ in range(4):
            nlp.update(data, annotates=annotates)
        models.append(model_bytes(nlp))
    assert models[0] == models[1]


def test_select_pipes(own_nlp, trained_nlp):
    with own_nlp.select_pipes(disable=[NAME]):
        assert not parse(own_nlp, SENTENCES[0].words).has_annotation("DEP")
    assert parse(own_nlp, SENTENCES[0].words).has_annotation("DEP")
    own_nlp.disable_pipe(NAME)
    assert not parse(own_nlp, SENTENCES[0].words).has_annotation("DEP")
    own_nlp.enable_pipe(NAME)
    assert parse_all(own_nlp) == parse_all(trained_nlp)


# ---- vocab and memory ----------------------------------------------------------------


def test_memory_zone(own_nlp, trained_nlp):
    expected = parse_all(trained_nlp)
    for _ in range(3):
        with own_nlp.memory_zone():
            docs = [
                Doc(own_nlp.vocab, words=s.words, pos=s.tags, tags=s.tags)
                for s in SENTENCES
            ]
            assert [analysis(doc) for doc in own_nlp.pipe(docs)] == expected
    assert parse_all(own_nlp) == expected
    assert all(
        label in own_nlp.vocab.strings for label in own_nlp.get_pipe(NAME).labels
    )


def test_labels_outlive_the_memory_zone_they_were_first_used_in(own_nlp):
    parser = own_nlp.get_pipe(NAME)
    other = spacy.blank("xx")
    with other.memory_zone():
        s = SENTENCES[0]
        parser(Doc(other.vocab, words=s.words, pos=s.tags))
    assert all(label in other.vocab.strings for label in parser.labels)


def test_words_of_a_memory_zone_that_are_labels_too():
    """spaCy forgets a string with the zone, even if it is added for good there."""
    nlp = make_nlp()
    data = [s._replace(labels=[f"{label}'s" for label in s.labels]) for s in SENTENCES]
    train(nlp, mixed_examples(nlp.vocab, data))
    parser = nlp.get_pipe(NAME)
    s, other = data[0], spacy.blank("xx")
    for _ in range(2):
        with other.memory_zone():
            words = [*s.labels, *s.words]
            doc = parser(Doc(other.vocab, words, pos=["X"] * len(words)))
            assert all(token.dep_ for token in doc)
    doc = parser(Doc(other.vocab, words=s.words, pos=s.tags))
    assert [token.dep_ for token in doc] == s.labels
    with other.memory_zone():
        parser(Doc(other.vocab, words=s.labels, pos=s.tags))
    assert [token.dep_ for token in doc] == s.labels


def test_labels_are_known_from_the_start():
    """Also those that no document of the vocab has."""
    nlp = make_nlp()
    data = mixed_examples(spacy.blank("xx").vocab)
    nlp.initialize(lambda: data)
    labels = nlp.get_pipe(NAME).labels
    with nlp.memory_zone():
        make_doc(nlp.vocab, ["ROOT", *labels])
    assert all(label in nlp.vocab.strings for label in ("ROOT", *labels))


def test_memory_does_not_grow_with_the_stream(own_nlp):
    """The parser keeps nothing of the documents it has seen."""
    parse_all(own_nlp)
    n_strings = len(own_nlp.vocab.strings)
    for _ in range(20):
        parse_all(own_nlp)
    assert len(own_nlp.vocab.strings) == n_strings


def test_examples_are_not_kept_alive():
    nlp = make_nlp(epochs=0)
    data = examples(nlp.vocab)
    nlp.update(data)
    references = [weakref.ref(eg.reference) for eg in data]
    del data
    gc.collect()
    assert not any(reference() for reference in references)
