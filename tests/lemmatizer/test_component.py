"""The lemmatizer in a pipeline."""

import math
from concurrent.futures import ThreadPoolExecutor

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.lemmatizer import component
from spacy_dynoracle.treebank import multiword

from .words import NAME, SENTENCES, examples, lemmas, make_nlp, tagged


def test_known_words(trained):
    for text in SENTENCES:
        words = " ".join(item.rsplit("/", 1)[0] for item in text.split())
        expected = [item.rsplit("/", 1)[1] for item in text.split()]
        assert lemmas(trained, words) == expected


def test_the_tag_decides(trained):
    assert lemmas(trained, "saw/VBD saw/NN") == ["see", "saw"]


@pytest.mark.parametrize(
    ("word", "lemma"),
    [
        ("sailors/NNS", "sailor"),
        ("ferries/NNS", "ferry"),
        ("Sailors/NNS", "sailor"),
        ("sailed/VBD", "sail"),
        ("Bergen/NNP", "Bergen"),
        ("BOATS/NNS", "boat"),
        ("oslo/NNP", "Oslo"),
        ("OSLO/NNP", "Oslo"),
        ("a’b/NN", "a'b"),
    ],
)
def test_unknown_words(trained, word, lemma):
    assert lemmas(trained, word) == [lemma]


def test_whitespace_is_its_own_lemma(trained):
    doc = Doc(
        trained.vocab, words=["\n\n", "boats", " "], pos=["SPACE", "NOUN", "SPACE"]
    )
    trained.get_pipe(NAME)(doc)
    assert [token.lemma_ for token in doc] == ["\n\n", "boat", " "]


def test_the_words_of_a_multiword_token_are_read_by_their_forms():
    nlp = make_nlp(["du/DT/de walls/NNS/wall", "of/DT/von the/DT/die"])
    doc = Doc(nlp.vocab, words=["o", "ther"], spaces=[False, True], pos=["DET", "DET"])
    multiword.mark(doc, [(0, ["of", "the"])])
    nlp.get_pipe(NAME)(doc)
    assert [token.lemma_ for token in doc] == ["von", "die"]


@pytest.mark.parametrize("overwrite", [False, True])
def test_preset_lemmas(overwrite):
    nlp = make_nlp(overwrite=overwrite)
    doc = tagged(nlp.vocab, "The/DT/_ dogs/NNS/_", lemmas=False)
    doc[1].lemma_ = "hound"
    nlp.get_pipe(NAME)(doc)
    assert [t.lemma_ for t in doc] == ["the", "dog" if overwrite else "hound"]


def test_pipe_is_the_same_as_one_document_at_a_time(trained):
    lemmatizer = trained.get_pipe(NAME)

    def docs():
        texts = [*SENTENCES, "Ferries/NNS/_ sailed/VBD/_"]
        return [tagged(trained.vocab, text, lemmas=False) for text in texts * 20]

    expected = [[t.lemma for t in lemmatizer(doc)] for doc in docs()]
    for size in (1, 3, 500):
        found = lemmatizer.pipe(docs(), batch_size=size)
        assert [[t.lemma for t in doc] for doc in found] == expected
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lemmatizer, docs())
        assert [[t.lemma for t in doc] for doc in found] == expected


def test_what_is_remembered_changes_nothing(trained, monkeypatch):
    monkeypatch.setattr(component, "N_REMEMBERED", 2)
    words = [f"{stem}s/NNS" for stem in "abcdefg"]
    first = lemmas(trained, " ".join(words))
    assert first == lemmas(trained, " ".join(words)) == list("abcdefg")


def test_documents_of_another_vocab(trained):
    doc = tagged(spacy.blank("xx").vocab, "ferries/NNS/_ boats/NNS/_", lemmas=False)
    trained.get_pipe(NAME)(doc)
    assert [token.lemma_ for token in doc] == ["ferry", "boat"]


def test_a_memory_zone(trained):
    for _ in range(2):
        with trained.memory_zone():
            doc = tagged(trained.vocab, "zzzferries/NNS/_", lemmas=False)
            trained.get_pipe(NAME)(doc)
            assert doc[0].lemma_ == "zzzferry"
    assert "zzzferry" not in trained.vocab.strings


def test_lemmas_enter_the_vocab_with_the_text(trained):
    nlp = spacy.blank("xx")
    nlp.add_pipe(NAME).from_bytes(trained.get_pipe(NAME).to_bytes(exclude=["vocab"]))
    assert "boat" not in nlp.vocab.strings
    with nlp.memory_zone():
        # The zone has the string already, and forgets it.
        assert lemmas(nlp, "boat/NN boats/NNS") == ["boat", "boat"]
    assert lemmas(nlp, "boats/NNS") == ["boat"]
    assert "boat" in nlp.vocab.strings


def test_candidates(trained):
    doc = tagged(trained.vocab, "ferries/NNS/_", lemmas=False)
    found = trained.get_pipe(NAME).candidates(doc[0])
    assert found[0][0] == "ferry"
    assert [score for _, score in found] == sorted((s for _, s in found), reverse=True)


def test_probabilities_of_candidates():
    learner = {"@misc": "spacy_dynoracle.AdaGradRDA.v1"}
    nlp = make_nlp(learner=learner)
    lemmatizer = nlp.get_pipe(NAME)
    doc = tagged(nlp.vocab, "ferries/NNS/_ fish/NN/_ yyy/VBD/_", lemmas=False)
    # As saved and loaded.
    lemmatizer.set_model(lemmatizer.read_model(lemmatizer.dump_model()))
    for token in doc:
        scores = dict(lemmatizer.candidates(token))
        found = lemmatizer.candidates(token, probabilities=True)
        assert [lemma for lemma, _ in found] == list(scores)
        assert sum(share for _, share in found) == pytest.approx(float(bool(found)))
        for lemma, share in found:
            ratio = math.exp(scores[lemma] - scores[found[0][0]])
            assert share == pytest.approx(found[0][1] * ratio)


def test_probabilities_of_a_learner_without_them(trained):
    doc = tagged(trained.vocab, "ferries/NNS/_", lemmas=False)
    message = "scores of the learner AveragedPerceptron, which trained"
    with pytest.raises(ValueError, match=message):
        trained.get_pipe(NAME).candidates(doc[0], probabilities=True)


def test_missing_parts_of_speech_are_told_once():
    nlp = make_nlp()
    with pytest.warns(UserWarning, match="no token of 'boats' has a POS") as caught:
        list(nlp.pipe(["boats", "walls"], batch_size=1))
    assert len(caught) == 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("morphs", [None, ["Number=Plur"]])
def test_nothing_is_told_if_training_had_no_parts_of_speech(morphs):
    nlp = spacy.blank("xx")
    lemmatizer = nlp.add_pipe(NAME)
    gold = Doc(nlp.vocab, words=["boats"], lemmas=["boat"], morphs=morphs)
    lemmatizer.initialize(lambda: [Example(nlp.make_doc("boats"), gold)])
    assert nlp("boats")[0].lemma_ == "boat"


def test_behind_a_tagger_of_spacy():
    nlp = spacy.blank("xx")
    nlp.add_pipe("morphologizer")
    nlp.add_pipe(NAME)
    data = examples(nlp.vocab)
    optimizer = nlp.initialize(lambda: data)
    losses = nlp.update(data, sgd=optimizer)
    assert NAME not in losses
    doc = nlp("boats")
    assert doc[0].lemma_ in ("boat", "boats")
    nlp.get_pipe(NAME).from_bytes(nlp.get_pipe(NAME).to_bytes())
    with pytest.warns(UserWarning, match=f"{NAME}: further training does not change"):
        nlp.update(data, sgd=optimizer)


def test_without_lemmas_to_learn_from():
    with pytest.warns(UserWarning, match="no training example has a lemma"):
        nlp = make_nlp(["The/DT/_ boats/NNS/_"])
    assert lemmas(nlp, "boats/NNS") == [""]
    nlp.get_pipe(NAME).change(overwrite=True)
    doc = Doc(nlp.vocab, words=["boats"], lemmas=["x"])
    assert nlp.get_pipe(NAME)(doc)[0].lemma_ == "x"


def test_the_score():
    nlp = make_nlp()
    pairs = [("a/DT/a b/DT/c", "a/DT/a b/DT/b"), ("a/DT/x", "a/DT/_")]
    scored = [Example(*(tagged(nlp.vocab, text) for text in pair)) for pair in pairs]
    for token in scored[1].reference:
        token.lemma = 0
    assert nlp.get_pipe(NAME).score(scored) == {"lemma_acc": 0.5}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"learner": None}, "learner"),
        ({"n_threads": 2}, "n_threads"),
        ({"overwritten": True}, "overwritten"),
    ],
)
def test_wrong_settings(settings, message):
    with pytest.raises(Exception, match=message):
        spacy.blank("xx").add_pipe(NAME, config=settings)


def test_morph_decides_for_a_form_that_is_known_in_lower_case():
    nlp = make_nlp(["the/DT/the lay/VBD/lie ././."] + 2 * ["lay/VB/lay ././."])
    assert lemmas(nlp, "LAY/VBD Lay/VB") == ["lie", "lay"]
