"""Training, saving and the config of the sentence splitter."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.core.model.bundle import write_models
from spacy_dynoracle.errors import ModelFileError
from spacy_dynoracle.senter.splitting import START_ID
from spacy_dynoracle.tagger.lexicon import LabelTable
from spacy_dynoracle.tagger.tagging import TagModels

from ..parser.treebank import block, feature_templates
from ..round_trips import every_way
from ..tagger.tagged import make_nlp as make_tagger
from ..tagger.tagged import tagger_of
from .split import (
    NAME,
    SENTENCES,
    documents,
    example,
    examples,
    gold_starts,
    make_nlp,
    reference,
    senter_of,
    split,
    split_all,
    starts,
    train,
    update,
    words_of,
)

# ---- training ------------------------------------------------------------------------


def test_losses():
    nlp = make_nlp(epochs=0)
    data = examples(nlp.vocab)
    first = update(nlp, data)[NAME]
    assert first > update(nlp, data, 10)[NAME]


def test_the_same_seed_gives_the_same_model(nlp_bytes):
    nlp = make_nlp(epochs=12)
    assert senter_of(nlp).to_bytes(exclude=["vocab"]) == nlp_bytes
    other = make_nlp(seed=1, epochs=12)
    assert senter_of(other).to_bytes(exclude=["vocab"]) != nlp_bytes


def test_training_goes_on_from_a_saved_model(nlp_bytes):
    nlp = make_nlp(model=nlp_bytes)
    update(nlp, examples(nlp.vocab))
    assert split_all(nlp) == gold_starts(nlp.vocab)


def test_starts_on_whitespace_are_learned_at_the_next_word():
    nlp = make_nlp()
    data = []
    for sentences in documents():
        words, marks = [], []
        for sentence in sentences:
            words += ["\n", *sentence]
            marks += [True, *[False] * len(sentence)]
        gold = Doc(nlp.vocab, words=words, sent_starts=marks)
        data.append(Example(Doc(nlp.vocab, words=words), gold))
    train(nlp, data)
    assert split_all(nlp) == gold_starts(nlp.vocab)


def test_starts_alone_are_enough():
    nlp = make_nlp()
    data = examples(nlp.vocab)
    for item in data:
        marks = [token.is_sent_start or None for token in item.reference]
        words = [token.text for token in item.reference]
        item.reference = Doc(nlp.vocab, words=words, sent_starts=marks)
    train(nlp, data)
    assert split_all(nlp) == gold_starts(nlp.vocab)


def test_other_tokens():
    """What does not align to one token is not learned from."""
    nlp = make_nlp()
    data = []
    for sentences in documents():
        gold = reference(nlp.vocab, sentences)
        words = [
            w for t in gold for w in (["M", "r."] if t.text == "Mr." else [t.text])
        ]
        spaces = [word != "M" for word in words]
        data.append(Example(Doc(nlp.vocab, words=words, spaces=spaces), gold))
    train(nlp, data)
    assert split_all(nlp)[0] == gold_starts(nlp.vocab)[0]


@pytest.mark.parametrize("marks", [None, [True, False, False]])
def test_nothing_to_learn(marks):
    nlp = make_nlp()
    gold = Doc(nlp.vocab, words=["The", "dog", "sings"], sent_starts=marks)
    data = [Example(Doc(nlp.vocab, words=["The", "dog", "sings"]), gold)]
    problem = "is one sentence" if marks else "has sentence starts"
    with pytest.warns(UserWarning, match=rf"{problem}.*documents of several sentences"):
        nlp.initialize(lambda: data)
    update(nlp, data)
    assert starts(split(nlp, SENTENCES[0]))[0] == 1
    if marks is None:
        again = make_nlp().from_bytes(nlp.to_bytes())
        with pytest.warns(UserWarning, match="it has learnt nothing"):
            assert split(again, SENTENCES[0])[0].is_sent_start


def test_unknown_starts_teach_nothing():
    nlp = make_nlp()
    marks = [True, None, False, True, None]
    gold = Doc(nlp.vocab, words=list("abcde"), sent_starts=marks)
    data = [Example(Doc(nlp.vocab, words=list("abcde")), gold)] * 5
    train(nlp, data)
    assert senter_of(nlp).training_run().epochs.n_seen == 60


@pytest.mark.parametrize("has_tags", [True, False])
def test_tags_as_features(has_tags):
    features = block("SenterFeatures", tags=True)
    nlp = make_nlp(features=features)
    data = examples(nlp.vocab)
    for item in data if has_tags else ():
        for token in item.predicted:
            token.tag_ = token.pos_ = "X"
    nlp.initialize(lambda: data)
    if has_tags:
        update(nlp, data)
        return
    with pytest.warns(UserWarning, match="which the features use") as caught:
        update(nlp, data)
    assert [str(w.message).partition(", ")[0][-3:] for w in caught] == ["TAG", "POS"]
    assert "put a component that sets it before 'dynoracle_senter'" in str(caught[0])
    with pytest.raises(ValueError, match="has no model"):
        make_nlp(features=features)("The dog")


# ---- saving --------------------------------------------------------------------------


@every_way
def test_round_trip(trained_nlp, nlp_bytes, tmp_path, round_trip):
    senter = senter_of(trained_nlp)
    loaded = round_trip(senter, lambda: senter_of(make_nlp()), tmp_path)
    assert loaded is not senter
    assert loaded.to_bytes(exclude=["vocab"]) == nlp_bytes
    docs = [Doc(loaded.vocab, words=words_of(s)) for s in documents()]
    assert [starts(loaded(doc)) for doc in docs] == split_all(trained_nlp)


def test_a_pipeline(trained_nlp, tmp_path):
    trained_nlp.to_disk(tmp_path)
    assert sorted(p.name for p in (tmp_path / NAME).iterdir()) == ["cfg", "model"]
    assert split_all(spacy.load(tmp_path)) == split_all(trained_nlp)


def test_a_tagger_is_no_senter(trained_nlp):
    model = senter_of(trained_nlp).frozen_model()
    with pytest.raises(ModelFileError, match="'SENT_START' is unknown"):
        tagger_of(make_tagger()).read_model(model.to_bytes())
    (split_model,) = model.by_attr.values()
    as_tags = TagModels({"TAG": split_model}, model.lexicon)
    with pytest.raises(ModelFileError, match="'TAG' is unknown"):
        senter_of(trained_nlp).read_model(as_tags.to_bytes())
    empty = write_models({}, model.lexicon.empty(0).to_bytes())
    with pytest.raises(ModelFileError, match="no model of SENT_START"):
        senter_of(trained_nlp).read_model(empty)


# ---- words that need no scoring ------------------------------------------------------

LINES = [["she", "left"], ["he", "stayed"], ["they", "met", "him"]] * 4


@pytest.mark.parametrize("saved", [False, True])
def test_text_that_was_not_there_at_the_beginning_counts(saved):
    """Words behind words in lower case begin no sentence there, and do so here."""
    nlp = make_nlp()
    train(nlp, [example(nlp.vocab, MANY)])
    assert len(kinds_of(nlp))
    assert sum(x == 1 for x in starts(split(nlp, words_of(LINES)))) == 1
    if saved:
        senter_of(nlp).from_bytes(senter_of(nlp).to_bytes())
    update(nlp, [example(nlp.vocab, MANY), example(nlp.vocab, LINES)], 10)
    assert starts(split(nlp, words_of(LINES))) == starts(reference(nlp.vocab, LINES))
    senter_of(nlp).from_bytes(senter_of(nlp).to_bytes())
    assert starts(split(nlp, words_of(LINES))) == starts(reference(nlp.vocab, LINES))


FEW, MANY = [["he", "saw", "it", "."]] * 20, [["he", "saw", "it", "."]] * 60


def kinds_of(nlp):
    return senter_of(nlp).frozen_model().lexicon.forms.keys


@pytest.mark.parametrize(
    ("sentences", "n_kinds"),
    [
        (FEW, 0),
        # A word, and a full stop, behind a word; nothing behind a full stop.
        (MANY, 2),
        # Starts between two words in lower case.
        ([*MANY, ["so", "it", "seems"], ["he", "saw", "it"]], 1),
        ([*MANY, ["it", "seems"], ["He", "saw", "it"]], 2),
    ],
)
def test_kinds_of_words_that_start_no_sentence(sentences, n_kinds):
    nlp = make_nlp()
    nlp.initialize(lambda: [example(nlp.vocab, sentences)])
    assert len(kinds_of(nlp)) == n_kinds


def test_such_words_start_a_sentence_only_if_that_is_preset():
    nlp = make_nlp(bias=1e9)
    train(nlp, [example(nlp.vocab, MANY)])
    words = ["It", "saw", "him", ".", "she", "saw", "it"]
    assert starts(split(nlp, words)) == [1, 1, -1, -1, 1, -1, -1]
    preset = [None, None, True, None, None, None, None]
    assert starts(split(nlp, words, sent_starts=preset))[2] == 1
    assert starts(split(nlp, ["it", "\n\n", "saw"])) == [1, -1, 1]
    other = make_nlp(bias=1e9, model=senter_of(nlp).to_bytes())
    assert starts(split(other, words)) == [1, 1, -1, -1, 1, -1, -1]
    update(other, [example(nlp.vocab, [["he", "saw"], ["it", "saw", "it"]])])
    assert len(kinds_of(other)) == len(kinds_of(nlp)) == 2


def test_a_lexicon_of_sentence_starts_is_refused(trained_nlp):
    model = senter_of(trained_nlp).frozen_model()
    lexicon = model.lexicon.copy()
    lexicon.forms = LabelTable.of({5: [START_ID]}, 1)
    made = TagModels(model.by_attr, lexicon).to_bytes()
    with pytest.raises(ModelFileError, match="its lexicon has sentence starts"):
        senter_of(trained_nlp).read_model(made)


def test_kinds_need_the_features_of_forms():
    nlp = make_nlp(features=feature_templates("S0w", "N0w"))
    train(nlp, [example(nlp.vocab, MANY)])
    assert not len(kinds_of(nlp))


# ---- spaCy ---------------------------------------------------------------------------


def test_labels(trained_nlp):
    senter = senter_of(trained_nlp)
    assert senter.labels == ("I", "S")
    assert senter.label_data is None
    assert senter.hide_labels
    with pytest.raises(NotImplementedError):
        senter.add_label("X")


def test_analysis():
    nlp = make_nlp()
    meta = nlp.get_pipe_meta(NAME)
    assert meta.assigns == ["token.is_sent_start", "doc.sents"]
    assert meta.default_score_weights["sents_f"] == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"features": block("GoldbergNivre2013EasyFirst")}, "does not suit"),
        ({"exploration": block("SamplingExploration")}, "draws from probabilities"),
    ],
)
def test_wrong_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        make_nlp(**settings)


@pytest.mark.heavy
def test_spacy_train(tmp_path):
    """The config that `spacy init config` writes trains as it is."""
    from spacy.cli.init_config import init_config
    from spacy.cli.train import train as spacy_train
    from spacy.tokens import DocBin

    vocab = spacy.blank("en").vocab
    docs = [reference(vocab, sentences) for sentences in documents()]
    data = tmp_path / "data.spacy"
    DocBin(docs=docs).to_disk(data)
    config = init_config(lang="en", pipeline=[NAME])
    config.to_disk(tmp_path / "config.cfg")
    paths = {"paths.train": str(data), "paths.dev": str(data)}
    more = {"training.max_epochs": 5, "training.eval_frequency": 10}
    spacy_train(tmp_path / "config.cfg", tmp_path / "out", overrides=paths | more)
    nlp = spacy.load(tmp_path / "out" / "model-best")
    assert nlp.meta["performance"]["sents_f"] > 0.9
    assert nlp.evaluate([example(nlp.vocab, s) for s in documents()])["sents_f"] > 0.9
