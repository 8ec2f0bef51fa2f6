"""Words get only combinations of TAG, POS and MORPH that training had."""

import itertools

import numpy as np
import pytest
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.core.model.bundle import write_models
from spacy_dynoracle.core.search.inspect import offered_actions
from spacy_dynoracle.core.search.tagging import combine_tags
from spacy_dynoracle.core.state.labels import Labels
from spacy_dynoracle.errors import ModelFileError
from spacy_dynoracle.tagger import lexicon
from spacy_dynoracle.tagger.input import WordBatch
from spacy_dynoracle.tagger.lexicon import UNKNOWN, Combinations, TagLexicon, keys_of
from spacy_dynoracle.tagger.tagging import TagModels, labels_with_lexicon

from .tagged import SENTENCES, TAGS, analysis, make_nlp, tag, tagger_of

SEEN = {(tag, *TAGS[tag]) for tag in TAGS}
# Many words that the tagger does not know, and some whose models disagree.
WORDS = ["".join(x) for x in itertools.product(("Th", "w", "pl", "s"), "aeo", "snd")]
WORDS += [word for s in SENTENCES for word in s.words][::-1]


def models_of(nlp, combinations=None):
    """The models of a tagger, with other combinations or with none."""
    models = tagger_of(nlp).model.freeze()
    n_attrs = len(models.attrs)
    lexicon = TagLexicon.empty(n_attrs)
    lexicon.combinations = combinations or Combinations.of({}, n_attrs)
    return TagModels(models.by_attr, lexicon)


def batch_of(nlp, *texts):
    docs = [Doc(nlp.vocab, words=list(words)) for words in texts]
    return WordBatch(docs, tuple(tagger_of(nlp).recipe.sources.values()))


def labels_of(models, batch):
    return np.array(labels_with_lexicon(models, batch.sequences, batch.word_orth))


def table(models, *rows):
    """Combinations of tags, None for any."""
    labels = [model.labels for model in models.by_attr.values()]
    return Combinations.of({}, len(labels)).with_tags(rows, labels)


def test_labels_that_are_missing_have_keys_of_their_own():
    rows = np.array(list(itertools.product(range(-1, 9), repeat=3)), dtype=np.int32).T
    assert len(Combinations.of_labels(rows).keys) == rows.shape[1]
    # Older files have other keys.
    found = Combinations.of_labels(rows)
    older = Combinations(np.arange(rows.shape[1], dtype=np.uint64), found.labels)
    loaded = Combinations.from_bytes(older.to_bytes(), [9, 9, 9])
    assert (loaded.keys == found.keys).all()
    assert (loaded.labels == found.labels).all()


def test_no_other_combination_is_found(trained_nlp):
    free = make_nlp()
    tagger_of(free).set_model(models_of(trained_nlp))
    assert set(analysis(tag(free, WORDS))) - SEEN
    assert set(analysis(tag(trained_nlp, WORDS))) <= SEEN


def test_the_best_combination_is_found(trained_nlp):
    """The first word of a text, for which no label was found before."""
    lexicon = tagger_of(trained_nlp).model.lexicon
    free = models_of(trained_nlp)
    bound = models_of(trained_nlp, lexicon.combinations)
    n_changed = 0
    for word in WORDS:
        batch = batch_of(trained_nlp, [word])
        before, after = labels_of(free, batch)[:, 0], labels_of(bound, batch)[:, 0]
        n_changed += (before != after).any()
        totals = np.zeros(len(lexicon.combinations.keys), dtype=np.float32)
        for model, labels in zip(
            free.by_attr.values(), lexicon.combinations.labels, strict=True
        ):
            c = model.system.initial(1)
            (sentence,) = batch.sequences
            found = {a.label: a.score for a in offered_actions(model, c, sentence)}
            totals += [found[model.labels[label]] for label in labels]
        best = lexicon.combinations.labels[:, totals == totals.max()].T.tolist()
        assert after.tolist() in best
    assert n_changed


def test_words_behind_see_the_combination(trained_nlp):
    """And those of another sentence do not."""
    models = models_of(trained_nlp)
    batch = batch_of(trained_nlp, WORDS[:5], WORDS[5:7], WORDS[7:])
    free = labels_of(models, batch)
    only = np.array([[0], [0], [0]], dtype=np.int32)
    words = np.array([1, 5, len(WORDS) - 1])
    labels = free.copy()
    combine_tags(
        batch.sequences, list(models.by_attr.values()), list(labels), only, words
    )
    expected = free.copy()
    expected[:, words] = 0
    assert labels.tolist() == expected.tolist()


def test_an_unknown_tag_allows_any(trained_nlp):
    models = models_of(trained_nlp)
    batch = batch_of(trained_nlp, WORDS)
    free = labels_of(models, batch)
    rows = [(tag, None, None) for tag in TAGS]
    every = models_of(trained_nlp, table(models, *rows, (None, None, None)))
    assert len(every.lexicon.combinations.keys) == len(TAGS)
    assert labels_of(every, batch).tolist() == free.tolist()
    nouns = models_of(trained_nlp, table(models, ("NN", "NOUN", None)))
    tags, pos, _ = labels_of(nouns, batch)
    names = [model.labels for model in models.by_attr.values()]
    assert {names[0][label] for label in tags} == {"NN"}
    assert {names[1][label] for label in pos} == {"NOUN"}


def test_tags_that_are_there_stay(trained_nlp):
    doc = Doc(trained_nlp.vocab, words=WORDS)
    for token in list(doc)[::2]:
        token.pos_ = "INTJ"
    trained_nlp(doc)
    assert {token.pos_ for token in list(doc)[::2]} == {"INTJ"}
    plain = analysis(tag(trained_nlp, WORDS))
    found = [(token.tag_, str(token.morph)) for token in doc]
    assert found == [(fine, morph) for fine, _, morph in plain]


@pytest.mark.parametrize("attrs", [["TAG"], ["MORPH"]])
def test_one_attribute_has_none(attrs):
    nlp = make_nlp(attrs=attrs, epochs=2)
    lexicon = tagger_of(nlp).model.lexicon
    assert not len(lexicon.combinations.keys)
    assert set(lexicon.to_bytes()) == {"forms", "pairs"}


def test_two_attributes():
    nlp = make_nlp(attrs=["MORPH", "POS"], epochs=5)
    found = {(token.pos_, str(token.morph)) for token in tag(nlp, WORDS)}
    assert found <= set(TAGS.values())


def new_pair(vocab):
    """A sentence with a combination that is not in the treebank."""
    reference = Doc(vocab, words=["glim"], tags=["NN"], pos=["INTJ"], morphs=[""])
    return Example(Doc(vocab, words=["glim"]), reference)


def rows_of(nlp):
    """The combinations of a tagger, as tags."""
    model = tagger_of(nlp).model
    labels = [m.labels for m in model.by_attr.values()]
    return {
        tuple(own[i] for own, i in zip(labels, row, strict=True))
        for row in model.lexicon.combinations.labels.T
    }


def test_further_training_adds_combinations(own_nlp, trained_nlp):
    before = rows_of(own_nlp)
    assert len(before) == len(SEEN)
    tagger_of(own_nlp).update([new_pair(own_nlp.vocab)])
    assert rows_of(own_nlp) == before | {("NN", "INTJ", "_")}
    assert rows_of(trained_nlp) == before
    # A model that has none stays free: one example would bind all words.
    tagger_of(own_nlp).set_model(models_of(trained_nlp))
    tagger_of(own_nlp).update([new_pair(own_nlp.vocab)])
    assert not rows_of(own_nlp)


def combination_bytes(*rows):
    labels = np.array(rows, dtype=np.int32).T
    return np.sort(keys_of(labels)).astype("<u8").tobytes() + labels.tobytes()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (bytes(19), "wrong size"),
        (combination_bytes([0, 0, 100]), "labels that do not exist"),
        (combination_bytes([0, -2, 0]), "labels that do not exist"),
        (combination_bytes([0, 0, 0], [0, 0, 0]), "not in order"),
    ],
)
def test_damage(trained_nlp, data, message):
    models = tagger_of(trained_nlp).model.freeze()
    parts = models.lexicon.to_bytes()
    with pytest.raises(ModelFileError, match=message):
        TagModels.from_bytes(
            write_models(models.by_attr, parts | {"combinations": data})
        )
    # The files of older taggers have none.
    del parts["combinations"]
    older = TagModels.from_bytes(write_models(models.by_attr, parts))
    assert not len(older.lexicon.combinations.keys)


def test_arguments_that_cannot_be(trained_nlp):
    models = models_of(trained_nlp)
    batch = batch_of(trained_nlp, WORDS)
    labels = labels_of(models, batch)
    words = np.array([0])
    for wrong, table_ in (
        (labels[:, 1:].copy(), np.zeros((3, 1), dtype=np.int32)),
        (labels, np.full((3, 1), 100, dtype=np.int32)),
        (labels, np.full((3, 1), UNKNOWN - 1, dtype=np.int32)),
    ):
        with pytest.raises(ValueError, match="known labels"):
            combine_tags(
                batch.sequences,
                list(models.by_attr.values()),
                list(wrong),
                table_,
                words,
            )


def test_labels_by_tags():
    labels = [Labels(["NN", "VB"]), Labels(["NOUN"])]
    rows = [("VB", "NOUN"), ("NN", None), (None, None), ("VB", "NOUN")]
    found = Combinations.of({}, 2).with_tags(rows, labels)
    assert sorted(found.labels.T.tolist()) == [[0, UNKNOWN], [1, 0]]
    again = found.with_tags([("NN", "NOUN")], labels)
    assert sorted(again.labels.T.tolist()) == [[0, UNKNOWN], [0, 0], [1, 0]]
    assert found.with_tags(rows[::-1], labels).to_bytes() == found.to_bytes()


def test_combinations_do_not_bind_one_of_many_tags(monkeypatch):
    monkeypatch.setattr(lexicon, "MANY_LABELS", 1)
    labels = [Labels(["NN", "VB"]), Labels(["NOUN"]), Labels(["Number=Sing"])]
    rows = [("VB", "NOUN", None), ("NN", "NOUN", None)]
    found = Combinations.of({}, 3).with_tags(rows, labels)
    assert found.labels.T.tolist() == [[UNKNOWN, 0, UNKNOWN]]
