"""Words whose tags need no scoring."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.strings import get_string_id
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.core.model.bundle import write_models
from spacy_dynoracle.core.search.greedy import GreedySearch
from spacy_dynoracle.core.search.tagging import tag_words
from spacy_dynoracle.core.state.labels import Labels
from spacy_dynoracle.core.state.sentence import Sentence
from spacy_dynoracle.errors import ModelFileError
from spacy_dynoracle.tagger import lexicon as lexicon_module
from spacy_dynoracle.tagger.contradictions import FEW, Contradictions
from spacy_dynoracle.tagger.input import WordBatch
from spacy_dynoracle.tagger.lexicon import (
    FORM_COUNT,
    UNKNOWN,
    Combinations,
    LabelTable,
    TagCounts,
    TagLexicon,
    pair_keys,
)
from spacy_dynoracle.tagger.tagging import TagModels

from .tagged import SENTENCES, examples, make_nlp, tag, tagger_of

TAGS = Labels(["NN", "VB"])
POS = Labels(["NOUN", "VERB", "AUX"])
FORMS = ("be", "run")


def ids(*forms):
    return np.array([get_string_id(form) for form in forms], dtype=np.uint64)


def lexicon_of(*rows):
    """From (number of times, form, TAG, POS)."""
    counts = TagCounts(2)
    for n, form, label, pos in rows:
        counts.add([get_string_id(form)] * n, [[label] * n, [pos] * n])
    return counts.lexicon([TAGS, POS])


def pos_of(lexicon, form, tag):
    labels = np.array([tag], dtype=np.int32)
    return lexicon.pairs.find(pair_keys(ids(form), labels)).tolist()


# ---- what is in a lexicon ------------------------------------------------------------


def test_nothing_follows_from_one_of_many_tags(monkeypatch):
    rows = [(10, "dog", "NN", "NOUN"), (9, "cat", "NN", "NOUN")]
    new = ids("bird"), np.array([0], dtype=np.int32)
    assert lexicon_of(*rows).others(*new).tolist() == [[0]]
    monkeypatch.setattr(lexicon_module, "MANY_LABELS", 1)
    lexicon = lexicon_of(*rows)
    assert lexicon.others(*new).tolist() == [[UNKNOWN]]
    assert pos_of(lexicon, "dog", 0) == [[0]]


def test_forms_that_are_frequent_and_have_one_tag():
    many = 100 * FORM_COUNT
    lexicon = lexicon_of(
        (FORM_COUNT, "dog", "NN", None),
        (FORM_COUNT - 1, "cat", "NN", None),
        (many, "walk", "VB", None),
        (many // 100, "walk", "NN", None),
        (many, "be", "VB", None),
        (many // 99 + 2, "be", "NN", None),
        (FORM_COUNT, "gone", None, "VERB"),
    )
    found = lexicon.forms.find(ids("dog", "cat", "walk", "be", "gone", "none"))
    assert found.tolist() == [[0, -1, 1, -1, -1, -1]]


def test_pairs_that_are_unambiguous():
    lexicon = lexicon_of(
        (2, "run", "VB", "VERB"),
        (2, "run", "NN", "NOUN"),
        (1, "dog", "NN", "NOUN"),
        (99, "be", "VB", "AUX"),
        (1, "be", "VB", "VERB"),
        (9, "be", "NN", None),
        (9, "be", None, "AUX"),
    )
    assert pos_of(lexicon, "run", 1) == [[1]]
    assert pos_of(lexicon, "run", 0) == [[0]]
    for form, label in (("dog", 0), ("be", 1), ("be", 0), ("run", -1), ("go", 1)):
        assert pos_of(lexicon, form, label) == [[UNKNOWN]]


def test_tags_without_a_label_are_left_out():
    lexicon = lexicon_of((60, "so", "RB", "ADV"), (60, "run", "VB", "ADV"))
    assert lexicon.forms.find(ids("so", "run")).tolist() == [[-1, 1]]
    assert not len(lexicon.pairs.keys)


def test_what_is_contradicted_is_forgotten():
    rows = [(60, form, "VB", "VERB") for form in FORMS]
    lexicon = lexicon_of(*rows)
    against = Contradictions(lexicon)
    against.count(ids(*FORMS), np.array([[1, 1], [1, 2]], dtype=np.int32))
    assert [pos_of(lexicon, form, 1) for form in FORMS] == [[[1]], [[UNKNOWN]]]
    assert lexicon.forms.find(ids(*FORMS)).tolist() == [[1, 1]]
    # The form of few errors stays, as it has come in.
    other = ids("be"), np.array([[0], [1]], dtype=np.int32)
    for _ in range(FEW):
        against.count(*other)
    assert lexicon.forms.find(ids(*FORMS)).tolist() == [[1, 1]]
    against.count(*other)
    assert lexicon.forms.find(ids(*FORMS)).tolist() == [[UNKNOWN, 1]]
    assert pos_of(lexicon, "be", 1) == [[1]]


@given(st.dictionaries(st.integers(0, 2**64 - 1), st.integers(-1, 5)), st.data())
def test_table_is_a_dictionary(rows, data):
    table = LabelTable.of({key: [label] for key, label in rows.items()}, 1)
    again = LabelTable.from_bytes(table.to_bytes(), [6])
    key = st.integers(0, 2**64 - 1)
    if rows:
        key |= st.sampled_from(sorted(rows))
    keys = data.draw(st.lists(key))
    expected = [[rows.get(key, UNKNOWN) for key in keys]]
    for t in (table, again):
        assert t.find(np.array(keys, dtype=np.uint64)).tolist() == expected


# ---- tagging with it -----------------------------------------------------------------


def test_known_words_are_not_scored(trained_nlp):
    """A lexicon that says something else than the models, to be seen at work."""
    tagger = tagger_of(trained_nlp)
    models = tagger.model
    nn, dt = (list(models.by_attr["TAG"].labels).index(tag) for tag in ("NN", "DT"))
    intj = len(models.by_attr["POS"].labels) - 1
    key = int(pair_keys(ids("dog"), np.array([nn], dtype=np.int32))[0])
    lexicon = TagLexicon(
        LabelTable.of({int(ids("the")[0]): [nn], int(ids("walks")[0]): [dt]}, 1),
        LabelTable.of({key: [intj, UNKNOWN]}, 2),
        Combinations.of({}, 3),
    )
    other = make_nlp()
    tagger_of(other).set_model(TagModels(models.by_attr, lexicon))
    words = ["Long", "walks", "tired", "the", "dog", "."]
    doc, plain = tag(other, words), tag(trained_nlp, words)
    assert [doc[1].tag_, doc[3].tag_] == ["DT", "NN"]
    assert [plain[1].tag_, plain[3].tag_] == ["NNS", "DT"]
    assert doc[4].pos_ == models.by_attr["POS"].labels[intj]
    assert str(doc[4].morph) == str(plain[4].morph)


def test_an_empty_lexicon_changes_nothing(trained_nlp):
    tagger = tagger_of(trained_nlp)
    models = tagger.model
    docs = [Doc(trained_nlp.vocab, words=list(s.words)) for s in SENTENCES]
    batch = WordBatch(docs, tuple(tagger.recipe.sources.values()))
    nothing = np.full(sum(map(len, batch.sequences)), UNKNOWN, dtype=np.int32)
    for model in models.by_attr.values():
        _, labels = GreedySearch().parse(model, batch.sequences)
        again = tag_words(model, batch.sequences, nothing)
        assert again.tolist() == labels.tolist()
        # What is known is what the words behind it see.
        assert tag_words(model, batch.sequences, labels).tolist() == labels.tolist()


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_sentences_do_not_influence_each_other(trained_nlp, share):
    """Two of them are tagged in turn, each a word; whether tags are known or not."""
    tagger = tagger_of(trained_nlp)
    model = tagger.model.by_attr["TAG"].with_temperature(50.0)
    chance = np.random.default_rng(1)
    words = [(), *(s.words for s in SENTENCES), (), ("a",)]
    docs = [Doc(trained_nlp.vocab, words=list(w)) for w in words]
    batch = WordBatch(docs, tuple(tagger.recipe.sources.values()))
    n_words = sum(map(len, batch.sequences))
    known = chance.integers(len(model.labels), size=n_words, dtype=np.int32)
    known[chance.random(n_words) >= share] = UNKNOWN
    together = np.full(n_words, np.nan)
    found = tag_words(model, batch.sequences, known, together)
    plain = tag_words(model, batch.sequences, known)
    start = 0
    for sequence in batch.sequences:
        of = slice(start, start + len(sequence))
        alone = np.full(len(sequence), np.nan)
        expected = tag_words(model, [sequence], known[of], alone)
        assert found[of].tolist() == plain[of].tolist() == expected.tolist()
        assert together[of].tolist() == alone.tolist()
        start = of.stop
    assert (found[known != UNKNOWN] == known[known != UNKNOWN]).all()
    assert (together[known != UNKNOWN] == 1).all()


def test_a_lexicon_is_made_in_training():
    with_one, without = make_nlp(), make_nlp(lexicon=False)
    for nlp in (with_one, without):
        data = examples(nlp.vocab)
        nlp.initialize(lambda data=data: data)
    assert tagger_of(without).model.lexicon.is_empty
    lexicon = tagger_of(with_one).model.lexicon
    tags = list(tagger_of(with_one).model.by_attr["TAG"].labels)
    key = pair_keys(ids("covered"), np.array([tags.index("VBD")], dtype=np.int32))
    assert (lexicon.pairs.find(key) != UNKNOWN).all()
    loaded = make_nlp().from_bytes(with_one.to_bytes())
    again = tagger_of(loaded).model.lexicon
    assert again.to_bytes() == lexicon.to_bytes()


def test_forms_are_those_with_plain_characters():
    nlp = make_nlp()
    words = ["can\u2019t", "cafe\u0301"]
    doc = Doc(nlp.vocab, words=words, tags=["VBD", "NN"], pos=["VERB", "NOUN"])
    nlp.initialize(lambda: [Example(Doc(nlp.vocab, words=words), doc)] * FORM_COUNT)
    tagger = tagger_of(nlp)
    tags = [*tagger.model.by_attr["TAG"].labels]
    for some in (words, ["can't", "caf\xe9"]):
        batch = WordBatch([Doc(nlp.vocab, some)], tuple(tagger.recipe.sources.values()))
        labels = tagger.model.lexicon.forms.find(batch.plain_orth)[0]
        assert [tags[label] for label in labels] == ["VBD", "NN"]


def test_resumed_training_contradicts_it(own_nlp, trained_nlp):
    words, tags = ["covered"], ["VBD"]
    reference = Doc(own_nlp.vocab, words=words, tags=tags, pos=["ADJ"], morphs=[""])
    tagger = tagger_of(own_nlp)
    column = list(tagger.model.by_attr["TAG"].labels).index("VBD")
    key = pair_keys(ids("covered"), np.array([column], dtype=np.int32))
    verb = tagger.model.by_attr["POS"].labels[
        int(tagger.model.lexicon.pairs.find(key)[0, 0])
    ]
    assert verb == "VERB"
    tagger.update([Example(Doc(own_nlp.vocab, words=words), reference)])
    assert (tagger.model.lexicon.pairs.find(key) == UNKNOWN).all()
    unchanged = tagger_of(trained_nlp).model.lexicon
    assert (unchanged.pairs.find(key) != UNKNOWN).all()


def corrected(nlp, **values):
    """What a tagger says of "run" when its references, which it has read as "NN" and
    "NOUN" often enough for the lexicon, have other values.
    """
    words = [("the", "run", f"w{i}") for i in range(FORM_COUNT + 10)]
    data = [
        Example(
            Doc(nlp.vocab, words=own),
            Doc(nlp.vocab, words=own, tags=["DT", "NN", "X"], pos=["DET", "NOUN", "X"]),
        )
        for own in words
    ]
    nlp.initialize(lambda: data)
    nlp.update(data)
    for example in data:
        for name, value in values.items():
            setattr(example.reference[1], name, value)
    for _ in range(30):
        nlp.update(data)
    doc = nlp(Doc(nlp.vocab, words=["the", "run", "w1"]))
    return doc[1].tag_, doc[1].pos_


def test_corrected_references_contradict_it():
    assert corrected(make_nlp()) == ("NN", "NOUN")
    assert corrected(make_nlp(), tag_="VB", pos_="VERB") == ("VB", "VERB")
    # A tag that is not known leads to what follows from it.
    assert corrected(make_nlp(), tag_="", pos_="VERB") == ("NN", "VERB")


# ---- what is refused -----------------------------------------------------------------


def test_known_labels_that_cannot_be(trained_nlp):
    model = tagger_of(trained_nlp).model.by_attr["TAG"]
    width = len(model.extractor.templates.columns)
    sentence = Sentence(np.ones((2, width), dtype=np.uint64))
    for known in ([0], [0, 0, 0], [0, len(model.labels)], [-2, 0]):
        with pytest.raises(ValueError, match="known labels"):
            tag_words(model, [sentence], np.array(known, dtype=np.int32))
    assert tag_words(model, [], np.zeros(0, dtype=np.int32)).tolist() == []


def test_biases_and_probabilities_of_labels(trained_nlp):
    model = tagger_of(trained_nlp).model.by_attr["TAG"].with_temperature(50.0)
    width = len(model.extractor.templates.columns)
    words = [Sentence(np.ones((3, width), dtype=np.uint64))]
    unknown = np.full(3, UNKNOWN, dtype=np.int32)
    plain, favoured = np.empty(3), np.empty(3)
    labels = tag_words(model, words, unknown, plain)
    assert labels.tolist() == tag_words(model, words, unknown).tolist()
    assert labels.tolist() == tag_words(model, words, unknown, None, {}).tolist()
    for label in range(len(model.labels)):
        found = tag_words(model, words, unknown, favoured, {label: 1e6})
        assert found.tolist() == [label] * 3
        # The probability of the first label does not depend on the bias.
        assert 0 <= favoured[0] <= plain[0] <= 1
    with pytest.raises(ValueError, match="2 probabilities for 3 words"):
        tag_words(model, words, unknown, np.empty(2))
    without = tagger_of(trained_nlp).model.by_attr["TAG"]
    with pytest.raises(ValueError, match="gave the model no temperature"):
        tag_words(without, words, unknown, plain)


def table_bytes(keys, labels):
    return np.array(keys, "<u8").tobytes() + np.array(labels, "<i4").tobytes()


@pytest.mark.parametrize(
    ("part", "data", "message"),
    [
        ("forms", bytes(11), "wrong size"),
        ("pairs", bytes(15), "wrong size"),
        ("forms", table_bytes([1, 1], [0, 0]), "not in order"),
        ("forms", table_bytes([2, 1], [0, 0]), "not in order"),
        ("forms", table_bytes([1], [100]), "labels that do not exist"),
        ("forms", table_bytes([1], [-2]), "labels that do not exist"),
        ("pairs", table_bytes([1], [0, 100]), "labels that do not exist"),
    ],
)
def test_damage(trained_nlp, part, data, message):
    models = tagger_of(trained_nlp).model.freeze()
    parts = models.lexicon.to_bytes()
    assert TagModels.from_bytes(write_models(models.by_attr, parts)).attrs
    with pytest.raises(ModelFileError, match=message):
        TagModels.from_bytes(write_models(models.by_attr, parts | {part: data}))
    del parts[part]
    with pytest.raises(ModelFileError, match="it has the parts"):
        TagModels.from_bytes(write_models(models.by_attr, parts))
