"""What the tagger reads at once: each sentence alone, or a document as a whole."""

import copy

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.core.state.labels import Labels
from spacy_dynoracle.tagger import DynOracleTagger
from spacy_dynoracle.tagger.gold_tags import TagCache, gold_starts

from ..round_trips import every_way
from .tagged import (
    NAME,
    SENTENCES,
    analysis,
    example,
    make_nlp,
    reference,
    tag_all,
    tagger_of,
    update,
)

# Forms of several tags, so that words before a sentence could change its tags.
CONFIG = {"lexicon": False}


def behind_a_splitter(**settings):
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe(NAME, config=CONFIG | settings)
    return nlp


def trained_on_documents(nlp):
    data = [example(nlp.vocab, *SENTENCES[i : i + 5]) for i in (0, 5)]
    nlp.initialize(lambda: data)
    update(nlp, data, 8)
    return nlp


@pytest.fixture(scope="module")
def splitting():
    return trained_on_documents(behind_a_splitter())


@pytest.mark.parametrize(
    ("sentences", "alone", "behind"),
    [(None, False, True), ("preset", True, True), ("doc", False, False)],
)
def test_components_before_decide_unless_the_setting_does(sentences, alone, behind):
    for nlp, expected in (
        (make_nlp(sentences=sentences), alone),
        (behind_a_splitter(sentences=sentences), behind),
    ):
        data = [example(nlp.vocab, *SENTENCES[:2])]
        nlp.initialize(lambda data=data: data)
        assert tagger_of(nlp).by_sentence == expected
        # A setting that is taken back leaves what training has chosen.
        tagger_of(nlp).change(sentences="doc")
        assert not tagger_of(nlp).by_sentence
        # What is saved is what was learnt.
        again = copy.deepcopy(tagger_of(nlp))
        again.change(sentences=sentences)
        assert again.by_sentence == expected
        tagger_of(nlp).change(sentences=sentences)
        assert tagger_of(nlp).by_sentence == expected


def test_starts_of_a_partial_tree_are_known_only_where_they_are_certain():
    vocab = spacy.blank("xx").vocab
    words, heads = ["Well", ",", "we", "stay", "."], [0, 1, 3, 3, 3]
    deps = ["", "", "nsubj", "ROOT", "punct"]
    partial = Doc(vocab, words=words, heads=heads, deps=deps)
    same, other = (Doc(vocab, words=w) for w in (words, [*words[:3], "st", "ay", "."]))
    cache = TagCache(["SENT_START"], [Labels(["S", "I"])], lambda *_: None)
    assert set(gold_starts(Example(other, partial))) == {None}
    example = Example(same, partial)
    before = cache.get(example, same.to_array("ORTH"), np.arange(5))
    assert before.tags == [[None]]
    # A person completes the tree.
    for token in partial[:2]:
        token.dep_ = "dep"
    assert cache.get(example, same.to_array("ORTH"), np.arange(5)) is not before


def test_attributes_of_a_trained_tagger_stay(splitting):
    tagger = tagger_of(splitting)
    tagger.change(attrs=tagger.attrs)
    tagger.change(attrs=list(tagger.attrs))
    with pytest.raises(ValueError, match="attrs: those of a trained tagger stay"):
        tagger.change(attrs=["MORPH"])
    with pytest.raises(ValueError, match="attrs = 5"):
        tagger.change(attrs=5)


def test_impossible_setting():
    with pytest.raises(ValueError, match="sentences = 'predict': expected one of"):
        make_nlp(sentences="predict")


def test_a_sentence_has_the_same_tags_alone_and_in_a_document(splitting):
    words = [word for s in SENTENCES for word in s.words]
    doc = splitting(Doc(splitting.vocab, words=words))
    assert len(list(doc.sents)) == len(SENTENCES)
    assert analysis(doc) == [tags for s in tag_all(splitting) for tags in s]


def test_training_on_documents_is_training_on_their_sentences():
    """The sentences of a batch are trained in one random order, whatever documents they
    are in.
    """
    nlp = behind_a_splitter()
    data = [example(nlp.vocab, s) for s in SENTENCES]
    nlp.initialize(lambda: data)
    one_batch = behind_a_splitter()
    document = [example(one_batch.vocab, *SENTENCES)]
    one_batch.initialize(lambda: document)
    for pipeline, batch in ((nlp, data), (one_batch, document)):
        update(pipeline, batch, 3)
    # Documents and sentences differ by the number of examples that make an epoch.
    models = [tagger_of(pipeline).model.by_attr for pipeline in (nlp, one_batch)]
    assert models[0].keys() == models[1].keys()
    assert tag_all(nlp) == tag_all(one_batch)


def test_the_reference_cuts_words_that_do_not_align():
    """The words of the prediction are parts and sums of those of the reference."""
    nlp = behind_a_splitter()
    gold = reference(nlp.vocab, *SENTENCES[:2])
    words = [token.text for token in gold]
    cut = [*words[:2], words[2][:3], words[2][3:], *words[3:]]
    spaces = [True] * len(cut)
    spaces[2] = False
    one = Example(Doc(nlp.vocab, words=cut, spaces=spaces), gold)
    nlp.initialize(lambda: [one])
    run = tagger_of(nlp).training_run()
    sequences = run.gold.get(one, one.predicted.to_array("ORTH"), np.arange(len(cut)))
    first = len(SENTENCES[0].words) + 1
    assert sequences.cuts == [0, first, len(cut)]
    tags = sequences.tags[0][0]
    assert [label is None for label in tags.labels[1:5]] == [False, True, True, False]


@every_way
def test_saved_taggers_go_on_as_they_were(splitting, tmp_path, round_trip):
    tagger = tagger_of(splitting)
    assert tagger.by_sentence
    loaded = round_trip(tagger, lambda: tagger_of(make_nlp(**CONFIG)), tmp_path)
    assert loaded.by_sentence
    assert loaded.training_run().gold.by_sentence
    # A tagger that was saved before there was a choice tags whole documents.
    assert not DynOracleTagger(splitting.vocab).by_sentence
