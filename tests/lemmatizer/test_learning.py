"""What the lemmatizer learns from, and what it does not."""

import gc
import weakref

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.lemmatizer.dictionary import DictionaryEntry
from spacy_dynoracle.lemmatizer.learning import (
    TYPO_COUNT,
    Word,
    known_words,
    telling_parts,
)
from spacy_dynoracle.lemmatizer.words import LemmaBatch
from spacy_dynoracle.treebank.case_copies import changed

from ..parser.treebank import feature_templates
from ..warned import said
from .words import NAME, SENTENCES, examples, lemmas, make_nlp, tagged

NOUN = spacy.symbols.NOUN
# Each lemma has two forms.
FORMS = [
    "The/DT/the dog/NN/dog saw/VBD/see dogs/NNS/dog ././.",
    "The/DT/the dogs/NNS/dog see/VB/see parties/NNS/party ././.",
    "The/DT/the party/NN/party walked/VBD/walk ././.",
    "The/DT/the boat/NN/boat walk/VB/walk boats/NNS/boat ././.",
]


def learnt(**annotation):
    """The lemmas that a document of one or more words teaches."""
    vocab = spacy.blank("xx").vocab
    doc = Doc(vocab, **annotation)
    return {word.lemma: n for word, n in known_words([Example(doc, doc)]).items()}


def test_a_capital_i_with_a_dot_is_an_i():
    nlp = make_nlp(
        [*SENTENCES, "istiyor/VBD/iste ././.", "\u0130nan/NNP/\u0130nan ././."]
    )
    assert lemmas(nlp, "\u0130stiyor/VBD ./.") == ["iste", "."]
    assert lemmas(nlp, "\u0130ST\u0130YOR/VBD ./.") == ["iste", "."]
    (unknown, _) = lemmas(nlp, "\u0130B\u0130DOG/NN ./.")
    assert "\u0307" not in unknown


def test_capitals_of_decomposed_words_are_capitals():
    vocab = spacy.blank("xx").vocab
    docs = [
        Doc(vocab, ["The", word, "dog"]) for word in ("\xc9t\xe9", "E\u0301te\u0301")
    ]
    one, other = np.split(LemmaBatch(docs).context, 2)
    assert one[1] == other[1] > 0


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


def context(*words, starts=None):
    doc = Doc(spacy.blank("xx").vocab, words=words, sent_starts=starts)
    return LemmaBatch([doc, doc]).context.tolist()[len(words) :]


def test_the_context_of_a_capital():
    plain, mixed, headline = 9, 18, 27
    assert context("a", "Boat", "sank", "today") == [0, plain + 3 + 1, 0, 0]
    assert context("Nora", "Bay", ",") == [headline + 2, headline + 6, 0]
    assert context("On", "Nora", "Bay", "it") == [mixed + x for x in (2, 8, 7)] + [0]
    # Neighbours are in the same sentence.
    starts = [True, False, True, False]
    assert context("it", "Sank", "In", "it", starts=starts) == [0, 12, plain + 1, 0]
    assert context() == []
    # Whitespace is no neighbour.
    assert context("a", " ", "Boat", "\n", "sank") == [0, 0, plain + 3 + 1, 0, 0]
    starts = [True, False, True, False]
    assert context("it", "Sank", " ", "In", starts=starts)[-1] == headline
    assert context("\n") == [0]


def test_the_most_frequent_lemma_of_a_word():
    nlp = make_nlp(["a/NN/b a/NN/c", "a/NN/c", "d/NN/f d/NN/e"])
    # Of equally frequent ones the first in the alphabet.
    assert lemmas(nlp, "a/NN d/NN") == ["c", "e"]


def test_the_analysis_decides_between_lemmas_of_one_part_of_speech():
    nlp = make_nlp(["found/VBD/find found/VBD/find found/VB/found"])
    assert lemmas(nlp, "found/VBD found/VB") == ["find", "found"]


def test_words_that_training_had_without_a_part_of_speech():
    nlp = spacy.blank("xx")
    nlp.add_pipe(NAME)
    words = ["He", "Was", "here"]
    gold = Doc(nlp.vocab, words=words, lemmas=["he", "be", "here"])
    nlp.initialize(lambda: [Example(Doc(nlp.vocab, words=words), gold)])
    # "was" is known in lower case, too.
    for form in ("Was", "was"):
        for pos in (None, ["PRON", "AUX", "ADV"]):
            doc = Doc(nlp.vocab, words=["He", form, "here"], pos=pos)
            found = nlp.get_pipe(NAME)(doc)
            assert [t.lemma_ for t in found] == ["he", "be", "here"]


def test_lower_case_with_the_part_of_speech_counts_more_than_none():
    nlp = spacy.blank("xx")
    nlp.add_pipe(NAME)
    tagged_docs = [tagged(nlp.vocab, "boats/NNS/boat")]
    untagged = Doc(nlp.vocab, words=["Boats"], lemmas=["Boats"])
    data = [
        Example(Doc(nlp.vocab, words=[t.text for t in d]), d)
        for d in (*tagged_docs, untagged)
    ]
    nlp.initialize(lambda: data)
    assert lemmas(nlp, "Boats/NNS") == ["boat"]


def test_punctuation_gets_no_letters():
    nlp = make_nlp(["M./NN/monsieur", "Mme/NN/madame ././."])
    assert lemmas(nlp, "M./NN ../NN") == ["monsieur", ".."]


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


def test_a_dictionary_of_a_config(tmp_path):
    path = tmp_path / "lemmas.tsv"
    path.write_text("mice\tNOUN\tmouse\n", encoding="utf8")
    nlp = spacy.blank("xx")
    nlp.add_pipe(NAME)
    made_by = {"@misc": "spacy_dynoracle.LemmaDictionary.v1", "source": str(path)}
    nlp.config["initialize"]["components"] = {NAME: {"dictionary": made_by}}
    nlp.initialize(lambda: examples(nlp.vocab))
    assert lemmas(nlp, "mice/NNS") == ["mouse"]


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
    docs = [Example(doc, doc) for doc in (doc, changed(doc, str.lower))]
    assert known_words(docs) == known_words(docs[:1])


@pytest.mark.parametrize(
    "dictionary", ["en", ["abc"], [1], [("a", "b")], [("a", "NOUN", "b")]]
)
def test_a_dictionary_of_another_kind(dictionary):
    with pytest.raises(Exception, match="dictionary"):
        make_nlp(dictionary=dictionary)


# ---- tags that are not quite right ---------------------------------------------------


class OtherTags:
    """Says of every word that it is a noun without features."""

    def held_out(self, doc):
        empty = spacy.morphology.Morphology.EMPTY_MORPH
        morph = doc.vocab.strings.add(empty)
        return {
            "POS": np.full(len(doc), NOUN, dtype=np.uint64),
            "MORPH": np.full(len(doc), morph, dtype=np.uint64),
        }


def test_words_with_the_tags_of_the_prediction():
    vocab = spacy.blank("xx").vocab
    gold = tagged(vocab, "bakers/NNS/baker ended/VBD/end ././.")
    same = Example(Doc(vocab, words=["bakers", "ended", "."]), gold)
    # This prediction lacks the second word.
    other = Example(Doc(vocab, words=["bakers", "en", "ded", "."]), gold)
    of_gold = {(word.form, word.pos, word.morph) for word in known_words([same])}
    as_nouns = {("bakers", NOUN, 0), ("ended", NOUN, 0), (".", NOUN, 0)}
    found = known_words([same], OtherTags())
    assert {(word.form, word.pos, word.morph) for word in found} == as_nouns
    found = known_words([other], OtherTags())
    (kept,) = [word for word in of_gold if word[0] == "ended"]
    assert {(word.form, word.pos, word.morph) for word in found} == (
        as_nouns - {("ended", NOUN, 0)} | {kept}
    )


def test_two_words_in_one_token_have_no_tag_of_it():
    vocab = spacy.blank("xx").vocab
    words, spaces = ["can", "not", "end"], [False, True, False]
    gold = Doc(vocab, words=words, spaces=spaces, pos=["AUX", "PART", "VERB"])
    for token in gold:
        token.lemma_ = token.text
    example = Example(Doc(vocab, words=["cannot", "end"]), gold)
    found = {vocab.strings[w.pos] for w in known_words([example], OtherTags())}
    assert found == {"AUX", "PART", "NOUN"}


def make_pipeline(*names):
    nlp = spacy.blank("xx")
    for name in names:
        nlp.add_pipe(name)
    return nlp


def with_trees(data):
    """Examples in which the first word is the head of all others."""
    for example in data:
        for token in example.reference:
            token.dep_ = "root" if token.i == 0 else "dep"
            token.head = example.reference[0]
    return data


@pytest.mark.heavy
def test_parser_and_lemmatizer_share_the_tags_of_other_folds(folds):
    nlp = make_pipeline("dynoracle_tagger", NAME, "dynoracle_parser")
    data = with_trees(examples(nlp.vocab))
    nlp.initialize(lambda: data)
    tags = nlp.get_pipe(NAME).training_tags
    # There are six documents, and so a round of five folds and one of six.
    assert len(folds) == 11
    assert tags.n_folds == 5
    assert nlp.get_pipe("dynoracle_parser")._tags is tags
    # Other data have other tags.
    nlp.get_pipe("dynoracle_parser").initialize(lambda: data, nlp=nlp)
    assert len(folds) == 22
    nlp.config["initialize"]["components"][NAME] = {"jackknife_folds": 0}
    nlp.initialize(lambda: data)
    assert len(folds) == 33
    assert nlp.get_pipe(NAME).training_tags is None
    # More rounds are for the epochs of a parser.
    alone = make_pipeline("dynoracle_tagger", NAME)
    alone.initialize(lambda: examples(alone.vocab))
    assert len(folds) == 38


# ---- lemmas for the parser -----------------------------------------------------------


@pytest.mark.parametrize(
    ("forms", "expected"),
    [
        # Forms with their lemmas
        ({"a": "a", "b": "b", "c": "c"}, ()),
        ({"a": "a", "as": "a", "b": "b"}, ("stem",)),
        ({"as": "a+s", "bs": "b+s", "c": "c"}, ("stem", "ending")),
        ({"+": "+", "a": "a", "b": "b"}, ()),
    ],
)
def test_lemmas_that_help_a_parser(forms, expected):
    words = [Word(form, NOUN, 0, 0, lemma) for form, lemma in forms.items()]
    assert telling_parts(words) == expected


@pytest.fixture
def with_lemmas():
    """A pipeline whose parser reads lemmas, and its data."""
    nlp = make_pipeline("dynoracle_tagger", NAME)
    features = feature_templates("S0stem.N0p", "S0p.N0stem", "S0p.N0p")
    nlp.add_pipe("dynoracle_parser", config={"features": features, "tag_attr": "POS"})
    data = with_trees(examples(nlp.vocab))
    nlp.initialize(lambda: data)
    return nlp, data


@pytest.mark.heavy
def test_training_documents_get_the_lemmas_of_other_folds(with_lemmas):
    nlp, data = with_lemmas
    tags = nlp.get_pipe("dynoracle_parser")._tags
    docs = [example.predicted for example in data]
    found = [
        [nlp.vocab.strings[lemma] for lemma in given["LEMMA"]]
        for _, given in sorted(tags.missing_from(docs).items())
    ]
    assert [len(lemmas) for lemmas in found] == [len(doc) for doc in docs]
    # Only one document has "saw", and its lemma "see" cannot be made by rules.
    gold = [[token.lemma_ for token in example.reference] for example in data]
    assert "see" in gold[4]
    assert "see" not in found[4]
    assert nlp.get_pipe(NAME).model.lemmas.count("see") == 1
    pairs = [
        pair for of in zip(found, gold, strict=True) for pair in zip(*of, strict=True)
    ]
    assert sum(lemma == wanted for lemma, wanted in pairs) > len(pairs) / 2


@pytest.mark.heavy
def test_new_documents_get_the_lemmas_of_the_pipeline(with_lemmas):
    """Augmented ones, which `initialize` has not seen."""
    nlp, _ = with_lemmas
    (example,) = with_trees(
        examples(nlp.vocab, ["Nora/NNP/Nora saw/VBD/see dogs/NNS/dog"])
    )
    tags = nlp.get_pipe("dynoracle_parser")._tags
    given = tags.missing_from([example.predicted])[0]
    assert len(given["LEMMA"]) == 3
    assert all(given["LEMMA"])
    assert said(nlp.get_pipe("dynoracle_parser").update, [example]) == []


@pytest.mark.heavy
def test_the_default_features_read_lemmas_where_words_have_many_forms():
    def columns(folds_of_parser=5, annotating=()):
        nlp = make_pipeline("dynoracle_tagger", NAME, "dynoracle_parser")
        data = with_trees(examples(nlp.vocab, FORMS))
        nlp.config["initialize"]["components"] = {
            "dynoracle_parser": {"jackknife_folds": folds_of_parser}
        }
        nlp.config["training"]["annotating_components"] = [*annotating]
        nlp.initialize(lambda: data)
        return nlp.get_pipe("dynoracle_parser").model.sources

    assert "stem" in columns()
    # Without held-out lemmas it would learn on lemmas that are too good.
    assert "stem" not in columns(0)
    assert "stem" not in columns(annotating=["dynoracle_tagger", NAME])


@pytest.mark.heavy
def test_lemmas_of_documents_of_other_vocabs():
    nlp = make_pipeline("dynoracle_tagger", NAME, "dynoracle_parser")
    references = [each.reference for each in with_trees(examples(nlp.vocab, FORMS))]

    def get_examples():
        for doc in references:
            words = [token.text for token in doc]
            yield Example(Doc(spacy.blank("xx").vocab, words=words), doc)

    nlp.initialize(get_examples)
    parser = nlp.get_pipe("dynoracle_parser")
    assert "stem" in parser.model.sources
    docs = [example.predicted for example in get_examples()]
    for number, given in parser._tags.missing_from(docs).items():
        assert all(docs[number].vocab.strings[lemma] for lemma in given["LEMMA"])
    assert said(nlp.update, list(get_examples())) == []


@pytest.mark.heavy
def test_no_lemmas_are_read_that_the_training_documents_would_lack():
    """A tagger behind the lemmatizer changes the tags that the parser reads."""
    nlp = spacy.blank("xx")
    nlp.add_pipe("dynoracle_tagger", config={"attrs": ["POS", "MORPH"]})
    nlp.add_pipe(NAME)
    nlp.add_pipe("dynoracle_tagger", "second", config={"attrs": ["POS"]})
    nlp.add_pipe("dynoracle_parser", config={"tag_attr": "POS"})
    data = with_trees(examples(nlp.vocab, FORMS))
    nlp.initialize(lambda: data)
    parser = nlp.get_pipe("dynoracle_parser")
    given = parser._tags.missing_from([example.predicted for example in data])
    assert all("LEMMA" not in tags for tags in given.values())
    assert "stem" not in parser.model.sources


@pytest.mark.heavy
def test_lemmas_are_made_from_the_tags_of_a_document():
    """An augmenter makes other documents for each call of `get_examples`."""
    nlp = make_pipeline("dynoracle_tagger", NAME, "dynoracle_parser")
    data = with_trees(examples(nlp.vocab, FORMS))
    (new,) = with_trees(examples(nlp.vocab, ["dogs/NNS/dog see/VB/see boats/NNS/boat"]))

    def get_examples():
        yield from data
        # The lemmatizer has jackknifed without this one.
        if nlp.get_pipe(NAME).training_tags is not None:
            yield new

    nlp.initialize(get_examples)
    parser = nlp.get_pipe("dynoracle_parser")
    assert "stem" in parser.model.sources
    assert not parser._tags.held_out(new.predicted)
    # Its own tags count more than those of the tagger, which is not trained yet.
    new.predicted[0].pos_ = "PROPN"
    asked = []
    lemmatizer = nlp.get_pipe(NAME)
    original = lemmatizer.lemmatized
    lemmatizer.lemmatized = lambda docs, tags: (
        asked.extend(tags) or original(docs, tags)
    )
    given = parser._tags.missing_from([new.predicted])[0]
    assert len(given["LEMMA"]) == 3
    assert "POS" not in asked[0]


@pytest.mark.heavy
def test_documents_that_no_fold_has_keep_their_tags():
    """Augmented ones: the tagger of the pipeline is not trained yet."""
    nlp = make_pipeline("dynoracle_tagger", NAME)
    data = examples(nlp.vocab)
    nlp.initialize(lambda: data)
    tags = nlp.get_pipe(NAME).training_tags
    assert known_words(data, tags) != known_words(data)
    new = examples(nlp.vocab, ["dogs/NNS/dog barked/VBD/bark ././."])
    assert known_words(new, tags) == known_words(new)


@pytest.mark.heavy
def test_the_parser_reads_no_tags_of_older_data(folds):
    nlp = make_pipeline("dynoracle_tagger", "dynoracle_parser", NAME)
    data = with_trees(examples(nlp.vocab))
    get_examples = data.copy
    nlp.initialize(get_examples)
    data[:] = data[:3]
    folds.clear()
    nlp.initialize(get_examples)
    # Three folds for each of them.
    assert len(folds) == 6
    assert len(nlp.get_pipe("dynoracle_parser")._tags._held_out[0]) == 3


@pytest.mark.heavy
def test_training_data_are_not_kept():
    class Data(list):
        pass

    nlp = make_pipeline("dynoracle_tagger", NAME, "dynoracle_parser")
    data = Data(with_trees(examples(nlp.vocab)))
    alive = weakref.ref(data)
    nlp.initialize(lambda data=data: data)
    del data
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("max_epochs", [0, -1])
def test_a_stream_is_warned_of(max_epochs):
    nlp = make_pipeline(NAME)
    nlp.config["training"]["max_epochs"] = max_epochs
    data = examples(nlp.vocab)
    messages = said(nlp.initialize, lambda: data)
    assert sum("first hundred" in x for x in messages) == (max_epochs == -1)
