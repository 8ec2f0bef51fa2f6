"""Saving and loading the tagger: the same tags, one error for a bad file."""

import pytest
import spacy

from spacy_dynoracle import ModelFileError
from spacy_dynoracle.core.features.tagging import TAGGER
from spacy_dynoracle.core.model.bundle import write_models
from spacy_dynoracle.core.model.file import write_model
from spacy_dynoracle.tagger.lexicon import TagLexicon
from spacy_dynoracle.tagger.tagging import TagModels

from ..core.builders import TREEBANK, model_of, trained
from ..parser.treebank import feature_templates
from ..round_trips import every_way
from .tagged import (
    SENTENCES,
    examples,
    make_nlp,
    tag_all,
    tagger_of,
    train,
    update,
)

NO_WORDS = TagLexicon.empty(1).to_bytes()


def make():
    return tagger_of(make_nlp())


@every_way
def test_round_trip(trained_nlp, nlp_bytes, tmp_path, round_trip):
    tagger = tagger_of(trained_nlp)
    loaded = round_trip(tagger, make, tmp_path)
    assert loaded is not tagger
    assert loaded.to_bytes(exclude=["vocab"]) == nlp_bytes
    assert loaded.label_data == tagger.label_data
    assert loaded.attrs == tagger.attrs
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    docs = [nlp.make_doc(" ".join(s.words)) for s in SENTENCES]
    tags = [[token.tag_ for token in loaded(doc)] for doc in docs]
    assert tags == [list(s.tags) for s in SENTENCES]


def test_saved_in_the_middle_of_training(tmp_path):
    nlp = make_nlp(epochs=2)
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert tag_all(loaded) == tag_all(nlp)
    before = tagger_of(loaded).to_bytes(exclude=["vocab"])
    update(nlp, examples(nlp.vocab))
    assert tagger_of(loaded).to_bytes(exclude=["vocab"]) == before


@pytest.mark.parametrize("own", ["N0w N0suf2 S0l", "N0w N1w"])
def test_a_model_brings_its_features_if_none_are_configured(own):
    """An earlier release may have trained it with another default set."""
    templates = own.split()
    nlp = make_nlp(features=feature_templates(*templates), epochs=2)
    trained = tagger_of(nlp)
    loaded = make_nlp(model=trained.to_bytes())
    assert tag_all(loaded) == tag_all(nlp)
    # It goes on with these, and a new training has the default set.
    update(loaded, examples(loaded.vocab))
    model = tagger_of(loaded).model
    assert list(model.first.extractor.templates.templates) == templates
    train(loaded, examples(loaded.vocab), epochs=1)
    model = tagger_of(loaded).model
    assert list(model.first.extractor.templates.templates) == list(TAGGER)


# ---- what does not fit ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"attrs": ["TAG"]}, r"attrs \['TAG', 'POS', 'MORPH'\], but the config says"),
        ({"features": feature_templates("N0w")}, "feature templates"),
    ],
)
def test_settings_that_do_not_fit(nlp_bytes, setting, message):
    with pytest.raises(ModelFileError, match=message) as error:
        tagger_of(make_nlp(**setting)).from_bytes(nlp_bytes)
    assert "cannot load the tagger 'dynoracle_tagger' from the bytes" in str(error)


def test_a_parser_is_no_tagger():
    parser = model_of(trained(TREEBANK))
    with pytest.raises(ModelFileError, match="not a model of a tagger"):
        TagModels.from_bytes(write_models({"TAG": parser}, NO_WORDS))
    with pytest.raises(ModelFileError, match="is not a model"):
        TagModels.from_bytes(write_model(parser))


@pytest.mark.parametrize(
    ("attr", "label", "message"),
    [
        ("POS", "THING", "spaCy has no POS 'THING'"),
        ("MORPH", "Number", "'Number' is not a MORPH"),
        ("MORPH", "Tense=Past|Mood=Ind", "should be 'Mood=Ind|Tense=Past'"),
        ("LEMMA", "a", "attribute 'LEMMA' is unknown"),
    ],
)
def test_labels_that_cannot_be(attr, label, message):
    nlp = make_nlp(attrs=["TAG"])
    data = examples(nlp.vocab)
    tagger_of(nlp).initialize(lambda: data, labels=[label])
    model = tagger_of(nlp).model.by_attr["TAG"]
    models = write_models({attr: model}, NO_WORDS)
    with pytest.raises(ModelFileError, match=message):
        TagModels.from_bytes(models)
