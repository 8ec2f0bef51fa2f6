"""Training of the tagger: which attributes, which tags, what is learned from."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.doc.surroundings import Surroundings
from spacy_dynoracle.tagger.gold_tags import counterparts
from spacy_dynoracle.tagger.training_tags import TrainingTags

from ..parser.treebank import block, feature_templates
from ..warned import said
from .tagged import (
    ATTRS,
    NAME,
    SENTENCES,
    analysis,
    example,
    examples,
    gold_analysis,
    make_nlp,
    reference,
    tag,
    tag_all,
    tagger_of,
    train,
    update,
)

pytestmark = pytest.mark.heavy

# ---- attributes and labels -----------------------------------------------------------


@pytest.mark.parametrize(
    "attrs", [("TAG",), ("POS",), ("MORPH",), ("POS", "TAG"), ATTRS]
)
def test_attributes(attrs):
    nlp = make_nlp(attrs=list(attrs))
    assert tagger_of(nlp).attrs == attrs
    train(nlp, examples(nlp.vocab))
    found = [tag(nlp, s.words) for s in SENTENCES]
    expected = [gold_analysis(nlp.vocab, s, attrs=attrs) for s in SENTENCES]
    assert list(map(analysis, found)) == expected
    for attr in ATTRS:
        assert found[0].has_annotation(attr) is (attr in attrs)


@pytest.mark.parametrize("attrs", [("TAG",), ("POS", "MORPH"), ATTRS])
def test_attributes_of_the_data(attrs):
    """By default all that the training data have, in the order of the classes."""
    nlp = make_nlp()
    data = examples(nlp.vocab, attrs=attrs)
    nlp.initialize(lambda: data)
    assert tagger_of(nlp).attrs == attrs


def test_no_features_at_all_are_no_annotation():
    nlp = make_nlp()
    bare = [s._replace(morphs=("",) * len(s.words)) for s in SENTENCES]
    data = examples(nlp.vocab, bare)
    nlp.initialize(lambda: data)
    assert tagger_of(nlp).attrs == ("TAG", "POS")


def test_labels():
    nlp = make_nlp()
    train(nlp, examples(nlp.vocab, SENTENCES[:1]), epochs=1)
    assert tagger_of(nlp).label_data == {
        # The most frequent first.
        "TAG": ["DT", ".", "NN", "NNS", "VBZ"],
        "POS": ["DET", "NOUN", "PUNCT", "VERB"],
        "MORPH": [
            "_",
            "Number=Plur",
            "Number=Sing",
            "Number=Sing|Tense=Pres|VerbForm=Fin",
        ],
    }
    labels = tagger_of(nlp).labels
    assert labels[:3] == ("DT", ".", "NN")
    assert len(labels) == 13
    assert nlp.pipe_labels[NAME] == list(labels)


def test_a_list_of_labels_for_one_attribute():
    nlp = make_nlp(attrs=["POS"])
    data = examples(nlp.vocab)
    tagger_of(nlp).initialize(lambda: data, labels=["NOUN", "VERB"])
    assert tagger_of(nlp).labels == ("NOUN", "VERB")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["NN"], "one list for a tagger of one attribute"),
        ("NN", "lists of tags by attribute"),
        ({"TAG": "NN"}, "lists of tags by attribute"),
        ({"LEMMA": ["a"]}, "lists of tags by attribute"),
        ({"TAG": ["NN"]}, "no labels for POS"),
        ({"TAG": ["NN"], "POS": ["THING"]}, "spaCy has no POS 'THING'"),
        ({"TAG": ["NN", 3], "POS": ["X"]}, "3 is not a TAG"),
    ],
)
def test_impossible_labels(labels, message):
    nlp = make_nlp(attrs=["TAG", "POS"])
    data = examples(nlp.vocab)
    with pytest.raises(ValueError, match=message):
        tagger_of(nlp).initialize(lambda: data, labels=labels)


def test_add_label():
    nlp = make_nlp(epochs=2)
    tagger = tagger_of(nlp)
    assert tagger.add_label("NNP", "TAG") == 1
    assert tagger.add_label("NNP", "TAG") == 0
    assert tagger.add_label("Tense=Past|Mood=Ind", "MORPH") == 1
    # The order of the features does not matter.
    assert tagger.add_label("Mood=Ind|Tense=Past", "MORPH") == 0
    assert tagger.label_data["TAG"][-1] == "NNP"
    assert "NNP" in nlp.vocab.strings
    new = SENTENCES[0]._replace(tags=("DT", "NNP", "VBZ", "DT", "NNS", "."))
    update(nlp, [example(nlp.vocab, new)], epochs=20)
    assert tag(nlp, new.words)[1].tag_ == "NNP"


@pytest.mark.parametrize(
    ("label", "attr", "message"),
    [
        ("THING", "POS", "spaCy has no POS 'THING'"),
        ("Number", "MORPH", "'Number' is not a MORPH"),
        ("", "TAG", "'' is not a TAG"),
        ("\ud800", "TAG", "no Unicode"),
        ("Case=\udfff", "MORPH", "no Unicode"),
        (5, "TAG", "5 is not a TAG"),
        ("NN", None, "attr = None, expected one of TAG"),
        ("a", "LEMMA", "attr = 'LEMMA', expected one of TAG"),
    ],
)
def test_impossible_label(label, attr, message):
    nlp = make_nlp(epochs=0)
    with pytest.raises(ValueError, match=message):
        tagger_of(nlp).add_label(label, attr)


def test_add_label_without_a_name_of_the_attribute():
    nlp = make_nlp(attrs=["TAG"], epochs=0)
    assert tagger_of(nlp).add_label("NNP") == 1


# ---- what is learned from ------------------------------------------------------------


def test_unknown_tags_teach_nothing():
    """A partly annotated document and a fully annotated one of its known words give
    the same number of updates, and no label for the unknown ones.
    """
    nlp = make_nlp(attrs=["TAG"])
    s = SENTENCES[0]
    known = s._replace(tags=("DT", "", "", "DT", "", "."))
    losses = train(nlp, [example(nlp.vocab, known)], epochs=10)
    assert losses[NAME] == 0
    assert tagger_of(nlp).label_data == {"TAG": ["DT", "."]}


def test_one_attribute_may_be_missing_in_some_documents():
    nlp = make_nlp()
    data = examples(nlp.vocab, SENTENCES[:5], attrs=["TAG"])
    data += examples(nlp.vocab, SENTENCES[5:])
    train(nlp, data)
    assert tagger_of(nlp).attrs == ATTRS
    assert tag_all(nlp, SENTENCES[5:]) == [
        gold_analysis(nlp.vocab, s) for s in SENTENCES[5:]
    ]
    assert [t for t, _, _ in tag_all(nlp, SENTENCES[:1])[0]] == list(SENTENCES[0].tags)


def test_misaligned_tokens_teach_nothing():
    nlp = make_nlp(attrs=["TAG"])
    gold = Doc(nlp.vocab, words=["can", "not", "stay"], tags=["MD", "RB", "VB"])
    predicted = Doc(nlp.vocab, words=["cannot", "st", "ay"], spaces=[True, False, True])
    one = Example(predicted, gold)
    assert counterparts(one).tolist() == [-1, -1, -1]
    train(nlp, [one], epochs=2)
    run = tagger_of(nlp).training_run()
    assert run.trainers["TAG"].n_decisions == 0


def test_aligned_tokens_of_another_tokenization_teach():
    nlp = make_nlp(attrs=["TAG"])
    gold = Doc(nlp.vocab, words=["We", "can", "not", "stay"], tags=["P", "M", "R", "V"])
    predicted = Doc(nlp.vocab, words=["We", "cannot", "stay"])
    one = Example(predicted, gold)
    assert counterparts(one).tolist() == [0, -1, 3]
    train(nlp, [one])
    doc = tag(nlp, ["We", "cannot", "stay"])
    assert (doc[0].tag_, doc[2].tag_) == ("P", "V")


def test_whitespace_is_not_learned():
    nlp = make_nlp(attrs=["TAG"])
    words, tags = ["The", "\n", "gate", " "], ["DT", "_SP", "NN", "_SP"]
    one = Example(Doc(nlp.vocab, words=words), Doc(nlp.vocab, words=words, tags=tags))
    train(nlp, [one])
    assert tagger_of(nlp).label_data == {"TAG": ["DT", "NN"]}
    assert [token.tag_ for token in tag(nlp, words)] == tags


def test_empty_documents_teach_nothing():
    nlp = make_nlp()
    data = examples(nlp.vocab)
    train(nlp, [*data, Example(Doc(nlp.vocab), Doc(nlp.vocab))])
    assert tag_all(nlp, SENTENCES) == [gold_analysis(nlp.vocab, s) for s in SENTENCES]


def test_gold_tags_follow_the_example():
    """The words of a reference that the prediction lacks are learnt apart from it."""
    nlp = make_nlp(attrs=["TAG"])
    gold = Doc(nlp.vocab, words=["no", "way"], tags=["A", "B"])
    same = Example(Doc(nlp.vocab, words=["no", "way"]), gold)
    other = Example(
        Doc(nlp.vocab, words=["noway"]),
        Doc(nlp.vocab, words=["no", "way"], spaces=[False, True], tags=["A", "B"]),
    )
    nlp.initialize(lambda: [same])
    nlp.update([same, other, same])
    assert tagger_of(nlp).training_run().trainers["TAG"].n_decisions == 6


def test_new_tags_are_learned_when_training_goes_on(own_nlp):
    new = SENTENCES[0]._replace(tags=("DT", "NNX", "VBZ", "DT", "NNS", "."))
    own_nlp.resume_training()
    update(own_nlp, [example(own_nlp.vocab, new)], epochs=20)
    assert tag(own_nlp, new.words)[1].tag_ == "NNX"
    assert tagger_of(own_nlp).label_data["TAG"][-1] == "NNX"


def test_resumed_training_starts_from_what_was_learned(own_nlp, trained_nlp):
    own_nlp.resume_training()
    assert update(own_nlp, examples(own_nlp.vocab))[NAME] == 0
    assert tag_all(own_nlp) == tag_all(trained_nlp)


@pytest.mark.parametrize("learner", ["AveragedPerceptron", "AdaGradRDA"])
def test_same_seed_same_bytes(learner):
    models = []
    for seed in (1, 1, 2):
        nlp = make_nlp(seed=seed, learner=block(learner), epochs=3)
        models.append(tagger_of(nlp).to_bytes(exclude=["vocab"]))
    assert models[0] == models[1]
    assert models[0] != models[2]


def test_sampling_exploration_needs_probabilities():
    sampling = block("SamplingExploration")
    with pytest.raises(ValueError, match="use AdaGradRDA"):
        make_nlp(exploration=sampling)
    nlp = make_nlp(exploration=sampling, learner=block("AdaGradRDA"), epochs=12)
    assert tag_all(nlp) == [gold_analysis(nlp.vocab, s) for s in SENTENCES]


def test_tagging_in_between_does_not_disturb_training():
    models = []
    for annotates in ([], [NAME]):
        nlp = make_nlp()
        train(nlp, examples(nlp.vocab), epochs=3, annotates=annotates)
        models.append(tagger_of(nlp).to_bytes(exclude=["vocab"]))
    assert models[0] == models[1]


def test_the_parser_learns_from_its_tags():
    nlp = make_nlp("en")
    nlp.add_pipe("dynoracle_parser", config={"tag_attr": "POS"})
    data = []
    for s in SENTENCES:
        tree = {"heads": [1] * len(s.words), "deps": list(s.pos)}
        full = Doc(nlp.vocab, **s._asdict(), **tree)
        data.append(Example(Doc(nlp.vocab, words=s.words), full))
    train(nlp, data, annotates=[NAME])
    scores = nlp.evaluate(data)
    assert scores["pos_acc"] == 1
    assert scores["dep_las_all"] > 0.9


def test_spacy_assemble():
    """Its dummy example has no annotation at all."""
    nlp = make_nlp()
    with pytest.warns(UserWarning, match="no training example has a tag"):
        nlp.initialize()
    assert tagger_of(nlp).attrs == ()
    assert analysis(nlp("The gate")) == [("", "", "")] * 2


def test_an_attribute_that_nobody_annotated():
    nlp = make_nlp(attrs=["TAG", "MORPH"])
    data = examples(nlp.vocab, attrs=["TAG"])
    with pytest.warns(UserWarning, match="no training example has a MORPH"):
        train(nlp, data)
    doc = tag(nlp, ["The", "\n", "gate"])
    assert [token.tag_ for token in doc] == ["DT", "_SP", "NN"]
    assert not doc[0].has_morph()


# ---- errors --------------------------------------------------------------------------


def test_no_model():
    nlp = make_nlp()
    tagger = tagger_of(nlp)
    with pytest.raises(ValueError, match="the tagger 'dynoracle_tagger' has no model"):
        nlp("The gate")
    with pytest.raises(ValueError, match="no labels yet"):
        tagger.add_label("NN", "TAG")
    with pytest.raises(ValueError, match="not initialized"):
        tagger.update(examples(nlp.vocab))
    assert tagger.labels == ()
    assert tagger.label_data is None


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"attrs": []}, "expected a list of some of TAG, POS, MORPH"),
        ({"attrs": ["TAG", "DEP"]}, "attrs has 'DEP'"),
        ({"attrs": ["TAG", "TAG"]}, "each attribute once"),
        ({"features": feature_templates("S0p")}, "the features use 'p'"),
        ({"features": feature_templates("N0w.N0pos")}, "the tagger is to find POS"),
        ({"attrs": ["MORPH"], "features": feature_templates("N0mCase")}, "find MORPH"),
        ({"features": feature_templates("P0w")}, "'P0w' does not suit"),
        ({"learner": block("ArcEager")}, "the block learner"),
    ],
)
def test_impossible_settings(setting, message):
    with pytest.raises(ValueError, match=message):
        make_nlp(**setting)


def test_features_may_use_what_others_annotate():
    features = feature_templates("N0w", "N0pos", "N1pos", "S0l")
    nlp = make_nlp(attrs=["TAG"], features=features)
    data = [
        Example(Doc(nlp.vocab, words=s.words, pos=s.pos), reference(nlp.vocab, s))
        for s in SENTENCES
    ]
    train(nlp, data)
    doc = nlp(Doc(nlp.vocab, words=["the", "zyx", "zyx"], pos=["DET", "NOUN", "VERB"]))
    assert doc[1].tag_.startswith("NN")
    assert doc[2].tag_.startswith("VB")


def test_the_parser_refuses_the_transition_system_of_taggers():
    from spacy_dynoracle.core.systems.tagging import Tagging
    from spacy_dynoracle.parser.factory import make_dynoracle_parser

    nlp = spacy.blank("xx")
    parser = nlp.add_pipe("dynoracle_parser")
    settings = parser.settings() | {"system": Tagging()}
    with pytest.raises(ValueError, match="does not build dependency trees"):
        make_dynoracle_parser(nlp, "parser", **settings)


@pytest.mark.parametrize("overwrite", [False, True])
def test_tags_of_the_tokenizer_stay_unless_they_are_replaced(overwrite):
    """Those of spaCy's tokenizer for Japanese follow another standard."""
    nlp = make_nlp(overwrite=overwrite)
    # That of Korean sets lemmas of some words only.
    without = examples(nlp.vocab)[0].reference.text
    nlp.tokenizer = lambda text: Doc(
        nlp.vocab, text.split(), tags=["T" * (text != without)] * len(text.split())
    )
    messages = said(train, nlp, examples(nlp.vocab))
    told = any("sets TAG, which the tagger keeps" in message for message in messages)
    assert told is not overwrite
    doc = nlp.make_doc("The baker")
    # The parser learns from the tags that it will read.
    around = Surroundings(nlp, None)
    replaced = around.replaced_by(tagger_of(nlp), examples(nlp.vocab))
    arguments = nlp.vocab, ["TAG"], tagger_of(nlp), 2, None, replaced
    assert bool(TrainingTags(*arguments).missing_from([doc])) is overwrite
    assert (nlp(doc)[0].tag_ == "DT") is overwrite


def test_no_features_are_nothing_to_learn():
    nlp = make_nlp(attrs=["TAG", "MORPH"])
    doc = Doc(nlp.vocab, ["dog"], tags=["NN"], morphs=[""])
    with pytest.warns(UserWarning, match="no training example has a MORPH to learn"):
        nlp.initialize(lambda: [Example(Doc(nlp.vocab, ["dog"]), doc)])
