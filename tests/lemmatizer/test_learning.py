"""What the lemmatizer learns from, and what it does not."""

import pytest
import spacy
from spacy.tokens import Doc

from spacy_dynoracle.lemmatizer.dictionary import DictionaryEntry
from spacy_dynoracle.lemmatizer.learning import TYPO_COUNT, known_words
from spacy_dynoracle.treebank.case_copies import changed

from .words import NAME, SENTENCES, examples, lemmas, make_nlp, tagged

NOUN = spacy.symbols.NOUN


def learnt(**annotation):
    """The lemmas that a document of one or more words teaches."""
    vocab = spacy.blank("xx").vocab
    doc = Doc(vocab, **annotation)
    return {word.lemma: n for word, n in known_words([doc]).items()}


@pytest.mark.parametrize(
    "annotation",
    [
        {"words": ["x"], "lemmas": ["_"]},
        {"words": ["x"]},
        {"words": [" "], "lemmas": [" "]},
        {"words": ["x"], "lemmas": ["y"], "morphs": ["Number=Sing|Typo=Yes"]},
        {"words": ["x" * 101], "lemmas": ["y"]},
    ],
)
def test_what_teaches_nothing(annotation):
    assert learnt(**annotation) == {}


def test_a_word_that_is_written_apart():
    heads, deps = [0, 0], ["ROOT", "goeswith"]
    words = {"words": ["with", "out"], "lemmas": ["without", "out"]}
    assert learnt(**words, heads=heads, deps=deps) == {"without": 1}


def test_the_lemma_of_an_underscore():
    assert learnt(words=["_"], lemmas=["_"]) == {"_": 1}


def test_a_wrong_spelling_that_is_a_habit():
    n = TYPO_COUNT
    words = {"words": ["dont"] * n, "lemmas": ["do"] * n}
    assert learnt(**words, morphs=["Typo=Yes"] * n) == {"do": n}


def test_the_most_frequent_lemma_of_a_word():
    nlp = make_nlp(["a/NN/b a/NN/c", "a/NN/c", "d/NN/f d/NN/e"])
    # Of equally frequent ones the first in the alphabet.
    assert lemmas(nlp, "a/NN d/NN") == ["c", "e"]


def test_the_analysis_decides_between_lemmas_of_one_part_of_speech():
    nlp = make_nlp(["found/VBD/find found/VBD/find found/VB/found"])
    assert lemmas(nlp, "found/VBD found/VB") == ["find", "found"]


def test_training_is_deterministic():
    def model(sentences=SENTENCES):
        return make_nlp(sentences).get_pipe(NAME).dump_model()

    assert model() == model(SENTENCES[::-1]) == model()


def test_update_changes_nothing():
    nlp = make_nlp()
    before = nlp.get_pipe(NAME).dump_model()
    losses = nlp.update(examples(nlp.vocab, ["dogs/NNS/cat"]))
    assert nlp.get_pipe(NAME).dump_model() == before
    assert losses == {}


def test_a_dictionary_with_parts_of_speech_tells_words_that_training_lacks():
    entries = [
        DictionaryEntry("mice", NOUN, "mouse"),
        DictionaryEntry("dogs", NOUN, "hound"),
    ]
    nlp = make_nlp(dictionary=entries)
    assert lemmas(nlp, "mice/NNS Mice/NNS dogs/NNS mice/VB") == [
        "mouse", "mouse", "dog", "mice",
    ]  # fmt: skip


def test_a_dictionary_without_parts_of_speech_is_evidence():
    # Nothing but the dictionary tells which verbs have an e.
    stems = ["bak", "rak", "tak", "mak", "walk", "talk", "cork", "fork"]
    known = {stem: stem + "e" * stem.endswith("ak") for stem in stems}
    sentences = [f"{stem}ed/VBD/{lemma}" for stem, lemma in known.items()]
    forms = {**known, "fak": "fake", "balk": "balk", "leek": "leek", "cak": "cake"}
    entries = [DictionaryEntry(f"{stem}ed", 0, lemma) for stem, lemma in forms.items()]
    with_it = make_nlp(sentences, entries)
    words = "faked/VBD balked/VBD caked/VBD"
    assert lemmas(with_it, words) == ["fake", "balk", "cake"]


def test_copies_in_one_case_teach_nothing():
    doc = tagged(spacy.blank("xx").vocab, "NATO/NNP/NATO boats/NNS/boat")
    assert known_words([doc, changed(doc, str.lower)]) == known_words([doc])


@pytest.mark.parametrize("dictionary", ["en", [("a", 0, "b")], [1]])
def test_a_dictionary_of_another_kind(dictionary):
    with pytest.raises(Exception, match="dictionary"):
        make_nlp(dictionary=dictionary)
