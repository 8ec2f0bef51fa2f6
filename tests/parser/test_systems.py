"""The component with every transition system: learning, saving, promises."""

from itertools import pairwise

import pytest
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle import ModelFileError

from ..round_trips import ROUND_TRIPS
from ..warned import said
from .treebank import (
    NAME,
    PARSING,
    SENTENCES,
    SYSTEMS,
    analysis,
    assert_tree,
    blocks_of,
    every_system,
    examples,
    feature_templates,
    gold_analysis,
    make_doc,
    make_nlp,
    mixed_examples,
    model_bytes,
    name_of,
    parse,
    parse_all,
    parse_sentences,
    parser_of,
    train,
    update,
)

pytestmark = pytest.mark.heavy

EASY_FIRST = {"@misc": "spacy_dynoracle.EasyFirst.v1"}
FOLLOW = {"exploration": {"@misc": "spacy_dynoracle.NoExploration.v1"}}
SENTENCE_SETTINGS = ("predict", "preset", "doc")


@pytest.fixture(scope="module")
def trained():
    """A pipeline for each system, by its name."""
    pipelines = {}
    for system in SYSTEMS:
        nlp = pipelines[name_of(system)] = make_nlp("en", system=system)
        train(nlp, mixed_examples(nlp.vocab), epochs=15)
    return pipelines


# ---- learning and saving -------------------------------------------------------------


@every_system
def test_overfitting(trained, system):
    nlp = trained[name_of(system)]
    assert parse_all(nlp) == [gold_analysis(nlp.vocab, s) for s in SENTENCES]
    scores = nlp.evaluate(examples(nlp.vocab))
    assert scores["dep_uas_all"] == scores["dep_las_all"] == scores["sents_f"] == 1.0
    pair = SENTENCES[0], SENTENCES[1]
    assert analysis(parse_sentences(nlp, *pair)) == gold_analysis(nlp.vocab, *pair)


@every_system
def test_round_trips(trained, system, tmp_path):
    nlp = trained[name_of(system)]
    parser = parser_of(nlp)
    words = [word for s in SENTENCES for word in s.words]
    for round_trip in ROUND_TRIPS:
        loaded = round_trip(
            parser, lambda: parser_of(make_nlp("en", system=system)), tmp_path
        )
        assert loaded is not parser
        assert (loaded.name, loaded.labels) == (parser.name, parser.labels)
        assert loaded.label_data == parser.label_data
        assert loaded.recipe.sources == parser.recipe.sources
        assert repr(loaded.recipe.system) == repr(parser.recipe.system)
        assert loaded.to_bytes(exclude=["vocab"]) == model_bytes(nlp)
        for text in (words, words[::-1], ["pears"]):
            expected = analysis(parse(nlp, text))
            assert analysis(loaded(make_doc(loaded.vocab, text))) == expected


@every_system
def test_training_goes_on(trained, system):
    nlp = make_nlp("en", system=system).from_bytes(trained[name_of(system)].to_bytes())
    assert update(nlp, mixed_examples(nlp.vocab), epochs=3)[NAME] == 0
    assert parse_all(nlp) == [gold_analysis(nlp.vocab, s) for s in SENTENCES]
    update(nlp, examples(nlp.vocab, [SENTENCES[0]._replace(labels=("new",) * 6)]))
    assert "new" in parser_of(nlp).labels


@every_system
def test_same_seed_same_bytes(system):
    models = []
    for seed in (3, 3, 4):
        nlp = make_nlp(system=system, seed=seed, data=mixed_examples, epochs=3)
        models.append(model_bytes(nlp))
    assert models[0] == models[1]
    assert models[1] != models[2]


@every_system
def test_without_data_every_word_can_be_parsed(system):
    """`spacy assemble` initializes with three words that have no annotation."""
    for sentences in SENTENCE_SETTINGS if system == SYSTEMS[0] else ("predict",):
        nlp = make_nlp(system=system, sentences=sentences)
        with pytest.warns(UserWarning, match="no training example has a tree"):
            nlp.initialize()
        parses = parse_all(nlp)
        loaded = make_nlp(system=system, sentences=sentences).from_bytes(nlp.to_bytes())
        assert parse_all(loaded) == parses
        for heads, labels, starts in parses:
            assert [i for i, head in enumerate(heads) if head == i] == [
                i for i, label in enumerate(labels) if label == "ROOT"
            ]
            assert sentences == "predict" or sum(starts) == 1
    said(update, nlp, examples(nlp.vocab))
    assert "nsubj" in parser_of(nlp).labels


@pytest.mark.parametrize(
    ("system", "variants"),
    [
        (blocks_of(system)[0], list(system.static_preferences))
        for system in PARSING
        if system.static_preferences
    ],
)
def test_static_oracles(system, variants):
    """Without a variant it is the first one."""
    models = []
    for variant in (None, *variants):
        oracle = {"@misc": "spacy_dynoracle.StaticOracle.v1", "variant": variant}
        nlp = make_nlp(system=system, oracle=oracle, **FOLLOW)
        assert train(nlp, examples(nlp.vocab), epochs=15)[NAME] == 0
        models.append(model_bytes(nlp))
    assert models[0] == models[1]
    assert len({*models}) == len(variants)


def test_models_belong_to_a_system(trained):
    for system, other in pairwise([*SYSTEMS, SYSTEMS[0]]):
        parser = parser_of(make_nlp(system=other))
        with pytest.raises(ModelFileError, match="it was trained with transition syst"):
            parser.from_bytes(model_bytes(trained[name_of(system)]))
        assert parser.model is None


# ---- easy-first ----------------------------------------------------------------------


def test_sentences_that_cannot_be_learned_are_counted():
    """Words that cannot be told apart: as a loss, and with one warning."""
    nlp = make_nlp(
        system=EASY_FIRST,
        features=feature_templates("P0w", "P1w"),
        **FOLLOW,
    )
    words, pos = ["Rain"] * 3, ["NOUN"] * 3
    gold = Doc(nlp.vocab, words, pos=pos, heads=[0, 0, 1], deps=["root", "a", "a"])
    data = [Example(Doc(nlp.vocab, words, pos=pos), gold)]
    nlp.initialize(lambda: data)
    with pytest.warns(UserWarning, match="200 ") as caught:
        losses = update(nlp, data, epochs=2)
    assert len([w for w in caught if "200" in str(w.message)]) == 1
    assert losses == {NAME: 200.0, f"{NAME}_given_up": 2.0}
    assert_tree(parse(nlp, words))
