"""Tags for training documents that have none, and settings that follow the pipeline."""

import pickle

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.core.features.rich_eager import RICH_EAGER
from spacy_dynoracle.core.features.straight_line import ONE_TAG
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.core.features.without_tags import agreement
from spacy_dynoracle.core.features.zhang_nivre_2011 import ZHANG_NIVRE_2011
from spacy_dynoracle.core.systems.arc_eager import ArcEager
from spacy_dynoracle.doc.preset_boundaries import KEY
from spacy_dynoracle.doc.records import records_of
from spacy_dynoracle.parser import surroundings
from spacy_dynoracle.registry.default_features import features_for
from spacy_dynoracle.tagger import training_tags
from spacy_dynoracle.tokenizer.tokenizer import WordTokenizer

from ..warned import said
from . import treebank
from .treebank import NAME, SENTENCES, reference, train

pytestmark = pytest.mark.heavy

TAGGER = "dynoracle_tagger"
MORPHS = {"NOUN": "Number=Sing", "VERB": "Tense=Past|VerbForm=Fin|Foreign=Yes"}


def make(*before, folds=5, **settings):
    nlp = spacy.blank("xx")
    for name in before:
        nlp.add_pipe(name)
    nlp.add_pipe(NAME, config=settings)
    nlp.config["initialize"]["components"][NAME] = {"jackknife_folds": folds}
    return nlp


def bare(vocab, morphs=True):
    """Examples whose predictions have words alone, with two sentences each."""
    found = []
    for pair in zip(SENTENCES, SENTENCES[1:] + SENTENCES[:1], strict=True):
        gold = reference(vocab, *pair)
        for token in gold:
            token.set_morph(MORPHS.get(token.pos_, "") if morphs else None)
        found.append(Example(Doc(vocab, words=[t.text for t in gold]), gold))
    return found


def templates(nlp):
    return nlp.get_pipe(NAME).templates.templates


@pytest.fixture
def folds(folds, monkeypatch):
    """The folds that are tagged, in one round."""
    monkeypatch.setattr(surroundings, "ROUNDS", 1)
    return folds


@pytest.fixture(scope="module")
def jackknifed():
    """A pipeline that was trained on bare documents."""
    nlp = make(TAGGER)
    assert said(train, nlp, bare(nlp.vocab), epochs=10) == []
    return nlp


# ---- tags ----------------------------------------------------------------------------


def test_the_parser_jackknifes_once(folds):
    nlp = make(TAGGER, folds=3)
    data = bare(nlp.vocab)
    nlp.initialize(lambda: data)
    assert len(folds) == 3
    nlp.update(data)
    assert [call[0] for call in folds] == [len(data)] * 3
    assert sorted(i for call in folds for i in call[1]) == list(range(len(data)))
    assert all(call[2] == ["TAG", "POS", "MORPH"] for call in folds)
    # The documents of the caller stay as they are.
    assert not any(eg.predicted.has_annotation("TAG") for eg in data)


def test_epochs_have_the_tags_of_other_rounds(monkeypatch):
    """Each round has one fold more; there are no more folds than documents."""
    found = []

    def tagged(examples, fold, tagger):
        tagger.initialize(lambda: examples)
        tagger.set_model(tagger.frozen_model())
        found.append(fold)
        size = len(tagger.recipe.attrs)
        lengths = [len(examples[i].predicted) for i in fold]
        return [np.full((n, size), len(found), np.uint64) for n in lengths]

    monkeypatch.setattr(training_tags, "held_out_tags", tagged)
    for n_folds, ends in ((3, (3, 7, 12)), (14, (14, 29)), (20, (15,))):
        nlp = make(TAGGER, folds=n_folds)
        data = bare(nlp.vocab)
        found.clear()
        nlp.initialize(lambda data=data: data)
        assert len(found) == ends[-1]
        tags, docs = nlp.get_pipe(NAME)._tags, [eg.predicted for eg in data]
        for epoch in range(1, 6):
            of_last = tags.missing_from(docs, epoch)[len(data) - 1]
            assert set(of_last["TAG"].tolist()) == {ends[(epoch - 1) % len(ends)]}


def test_it_learns_as_from_tags_in_the_documents():
    """The tags reach the features: a parser that reads them from documents learns the
    same.
    """
    nlp = make(TAGGER)
    data = bare(nlp.vocab)
    nlp.initialize(lambda: data)
    parser = nlp.get_pipe(NAME)
    parser.update(data)
    again = make(TAGGER)
    tagged = bare(again.vocab)
    again.initialize(lambda: tagged)
    other = again.get_pipe(NAME)
    found = parser._tags.missing_from([eg.predicted for eg in data])
    assert sorted(found) == list(range(len(data)))
    for number, eg in enumerate(tagged):
        for attr, values in found[number].items():
            eg.predicted.from_array([attr], values.reshape(-1, 1))
    other.update(tagged)
    exclude = ["vocab"]
    assert other.to_bytes(exclude=exclude) == parser.to_bytes(exclude=exclude)


def test_documents_that_have_tags_need_none(folds):
    """Those of the training data, or those that the training loop annotates."""
    nlp = make(TAGGER)
    nlp.config["training"]["annotating_components"] = [TAGGER]
    train(nlp, bare(nlp.vocab), epochs=2, annotates=[TAGGER])
    nlp = make(TAGGER)
    tagged = [Example(eg.reference.copy(), eg.reference) for eg in bare(nlp.vocab)]
    train(nlp, tagged, epochs=2)
    assert folds == []


@pytest.mark.filterwarnings("error")
def test_spacys_tagger_needs_no_annotating_components(folds):
    nlp = make("tok2vec", "tagger")
    train(nlp, bare(nlp.vocab), epochs=1)
    assert [call[2] for call in folds] == [["TAG"]] * 5
    assert templates(nlp) == ONE_TAG


@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.filterwarnings("error")
def test_sentences_that_are_not_in_the_training_data(n):
    """The tagger of the pipeline tags them, whose training has begun by then. One
    document alone has no folds.
    """
    nlp = make(TAGGER)
    data = bare(nlp.vocab)
    nlp.initialize(lambda: data[:n])
    with pytest.warns(UserWarning, match="some training documents have no tags of"):
        nlp.update(data)
    nlp.update(data[4:])
    tags = nlp.get_pipe(NAME)._tags.missing_from([data[-1].predicted])[0]
    assert list(tags) == ["TAG", "POS", "MORPH"]
    assert all(len(values) == len(data[-1].predicted) for values in tags.values())


def test_no_jackknifing_of_a_stream(folds):
    nlp = make(TAGGER)
    nlp.config["training"]["max_epochs"] = -1
    train(nlp, bare(nlp.vocab), epochs=1)
    assert folds == []


def test_data_without_tags():
    """A tagger that is trained already tags them."""
    nlp = make(TAGGER)
    data = bare(nlp.vocab)
    train(nlp, data, epochs=1)
    for eg in data:
        for token in eg.reference:
            token.tag_ = token.pos_ = ""
    parser = nlp.get_pipe(NAME)
    parser.initialize(lambda: data, nlp=nlp)
    assert said(parser.update, data) == []


@pytest.mark.parametrize("n", [1, -2])
def test_impossible_numbers_of_folds(n):
    nlp = make(TAGGER, folds=n)
    data = bare(nlp.vocab)
    with pytest.raises(ValueError, match=r"jackknife_folds.*at least 2"):
        nlp.initialize(lambda: data)


def test_no_folds_leave_all_to_the_tagger(folds):
    nlp = make(TAGGER, folds=0)
    train(nlp, bare(nlp.vocab), epochs=1)
    assert folds == []


# ---- features ------------------------------------------------------------------------


def with_morphology(base, *names):
    return (*base, *agreement(base, names))


def test_folds_have_the_features_of_a_trained_tagger(monkeypatch):
    """An earlier release may have trained it with another default set."""
    other, found = FeatureTemplates(["N0w", "N1w"]), []
    tagged = spacy.blank("xx")
    tagged.add_pipe(TAGGER)
    old = tagged.get_pipe(TAGGER)
    old.change(features=other)
    data = bare(tagged.vocab)
    old.initialize(lambda: data)
    old.change(features=None)
    original = training_tags.held_out_tags

    def seen(examples, fold, tagger):
        found.append(tagger.recipe.templates)
        return original(examples, fold, tagger)

    monkeypatch.setattr(training_tags, "held_out_tags", seen)
    nlp = spacy.blank("xx")
    nlp.add_pipe(TAGGER, source=tagged)
    nlp.add_pipe(NAME)
    nlp.get_pipe(NAME).initialize(lambda: bare(nlp.vocab), nlp=nlp)
    assert found == [other] * (5 + 6 + 7)


def test_features_behind_a_tagger(jackknifed):
    """TAG and POS, and those of the morphological features that are known to help."""
    expected = with_morphology(RICH_EAGER, "Number", "VerbForm", "Tense")
    assert templates(jackknifed) == expected
    assert jackknifed.config["components"][NAME]["features"] is None


@pytest.mark.parametrize(
    ("before", "expected", "tag_attr"),
    [
        (["tagger"], ONE_TAG, "TAG"),
        (["morphologizer"],
         with_morphology(ONE_TAG, "Number", "VerbForm", "Tense"), "POS"),
        (["tagger", "morphologizer"],
         with_morphology(RICH_EAGER, "Number", "VerbForm", "Tense"), "TAG"),
        (["lemmatizer"], features_for(ArcEager(), None, None).templates, None),
    ],
)  # fmt: skip
def test_features_are_what_the_pipeline_sets(before, expected, tag_attr):
    nlp = make(*before)
    parser = nlp.get_pipe(NAME)
    said(parser.initialize, lambda: bare(nlp.vocab), nlp=nlp)
    assert templates(nlp) == expected
    assert parser.tag_attr == tag_attr


def test_configured_features_stay():
    features = {"@misc": "spacy_dynoracle.ZhangNivre2011.v1"}
    nlp = make(TAGGER, features=features)
    nlp.initialize(lambda: bare(nlp.vocab))
    assert templates(nlp) == ZHANG_NIVRE_2011


def test_tags_that_nothing_sets():
    """The parser reads words alone, and says so unless the config asks for that."""
    nlp = make()
    with pytest.warns(UserWarning, match="put dynoracle_tagger before it"):
        nlp.initialize(lambda: bare(nlp.vocab))
    assert nlp.get_pipe(NAME).tag_attr is None
    nlp = make(tag_attr=None)
    assert said(nlp.initialize, lambda: bare(nlp.vocab)) == []


def test_attributes_of_two_taggers(folds):
    nlp = make(folds=2)
    for attrs in (["TAG", "MORPH"], ["POS"]):
        nlp.add_pipe(TAGGER, attrs[0], before=NAME, config={"attrs": attrs})
    nlp.initialize(lambda: bare(nlp.vocab))
    assert [sorted(call[2]) for call in folds] == 2 * [["MORPH", "POS", "TAG"]]


# ---- sentences -----------------------------------------------------------------------


def test_single_sentences_behind_a_component_that_finds_them():
    nlp = make(TAGGER, "sentencizer")
    data = bare(nlp.vocab)
    nlp.initialize(lambda: data)
    run = nlp.get_pipe(NAME).training_run()
    assert len(run.trees.of_reference(data[0].reference)) == 2
    copy = pickle.loads(pickle.dumps(nlp))
    run = copy.get_pipe(NAME).training_run()
    assert len(run.trees.of_reference(data[0].reference)) == 2
    # Parsing looks for boundaries where none are set.
    assert copy.get_pipe(NAME).recipe.sentences == "predict"
    # Those of a document that was saved with its tree alone are the sentencizer's.
    doc = nlp("Rain fell. It rained.")
    saved = Doc(nlp.vocab).from_json(doc.to_json())
    assert [t.is_sent_start for t in nlp(saved)] == [t.is_sent_start for t in doc]
    assert len(list(doc.sents)) == 2
    # Those that the parser has found are not.
    with nlp.select_pipes(disable="sentencizer"):
        assert records_of(nlp("Rain fell It rained"), KEY)


def test_documents_without_such_a_component(jackknifed):
    parser = jackknifed.get_pipe(NAME)
    data = bare(jackknifed.vocab)
    assert len(parser.training_run().trees.of_reference(data[0].reference)) == 1


def test_boundaries_that_cannot_be_learned():
    nlp = make(TAGGER)
    data = treebank.bare(nlp.vocab)
    with pytest.warns(UserWarning, match="cannot learn where sentences end"):
        nlp.initialize(lambda: data)
    for settings in ({"sentences": "preset"}, {"sentences": "doc"}):
        nlp = make(TAGGER, **settings)
        assert said(nlp.initialize, lambda: data) == []


# ---- life ----------------------------------------------------------------------------


def parsed(nlp):
    return [[(t.head.i, t.dep_) for t in nlp(" ".join(s.words))] for s in SENTENCES]


def test_saved_and_loaded(jackknifed, tmp_path):
    jackknifed.to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    assert parsed(nlp) == parsed(jackknifed)
    assert templates(nlp) == templates(jackknifed)
    copy = pickle.loads(pickle.dumps(jackknifed))
    assert parsed(copy) == parsed(jackknifed)


def test_training_goes_on(jackknifed, tmp_path):
    jackknifed.to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    before = nlp.get_pipe(NAME).to_bytes(exclude=["vocab"])
    nlp.resume_training()
    nlp.update(bare(nlp.vocab), annotates=[TAGGER])
    assert templates(nlp) == templates(jackknifed)
    assert nlp.get_pipe(NAME).to_bytes(exclude=["vocab"]) != before


def test_initialized_twice_with_label_data(folds):
    nlp = make(TAGGER)
    data = bare(nlp.vocab)
    train(nlp, data, epochs=1)
    parser = nlp.get_pipe(NAME)
    first, labels = parser.to_bytes(exclude=["vocab"]), parser.label_data
    train(nlp, data, epochs=1)
    assert parser.to_bytes(exclude=["vocab"]) == first
    assert len(folds) == 10
    parser.initialize(lambda: data, nlp=nlp, labels=labels)
    assert parser.label_data == labels


# ---- words of the reference ----------------------------------------------------------


def joined(vocab):
    """Examples whose predictions have the first two words as one token."""
    found = []
    for sentence in SENTENCES:
        gold = reference(vocab, sentence)
        words, spaces = [token.text for token in gold], [True] * len(gold)
        glued = Doc(vocab, words=words, spaces=[False, *spaces[1:]])
        columns = ["TAG", "POS", "HEAD", "DEP", "SENT_START"]
        glued.from_array(columns, gold.to_array(columns))
        cut = Doc(vocab, words=[words[0] + words[1], *words[2:]], spaces=spaces[1:])
        found.append(Example(cut, glued))
    return found


def test_words_of_the_reference_are_learnt(folds):
    """Tags and arcs of words that no predicted document has."""
    nlp = make(TAGGER, folds=3)
    data = joined(nlp.vocab)
    train(nlp, data, epochs=30)
    docs = [eg.reference for eg in data]
    words = [Doc(nlp.vocab, words=[token.text for token in doc]) for doc in docs]
    held_out = nlp.get_pipe(NAME)._tags._held_out
    assert {training_tags.forms(doc) for doc in words} <= held_out[0].keys()
    assert len(folds) == 3
    pairs = [(doc[0], gold[0]) for doc, gold in zip(nlp.pipe(words), docs, strict=True)]
    assert all(word.tag_ == gold.tag_ for word, gold in pairs)
    # The parser has learnt with some wrong tags of the other words.
    assert sum(word.dep_ == gold.dep_ for word, gold in pairs) >= len(pairs) - 1


def test_a_tokenizer_that_misses_words():
    nlp = make(TAGGER)
    data = joined(nlp.vocab)
    with pytest.warns(UserWarning, match=r"only 71 of the 101 words.*WordTokenizer"):
        nlp.initialize(lambda: data)


def test_words_with_blanks_move_no_other_words():
    """spaCy's tokenizer cuts "1 000", which is one word of the treebank."""
    nlp = make(TAGGER, tag_attr=None, sentences="doc")
    words = ["1 000", "a", "b", "c"]
    doc = Doc(nlp.vocab, words, heads=[1, 1, 1, 1], deps=["num", "ROOT", "x", "x"])
    with pytest.warns(UserWarning, match="only 3 of the 4 words"):
        nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc)])


@pytest.mark.filterwarnings("error")
def test_tokenizers_that_miss_few_words_or_learn_them():
    nlp = make(TAGGER, tag_attr=None, sentences="doc")
    data = joined(nlp.vocab)[:1] + bare(nlp.vocab) * 10
    nlp.initialize(lambda: data)
    nlp.tokenizer = WordTokenizer(nlp.tokenizer)
    tree = {"heads": [1] * 4, "deps": ["x", "ROOT", "x", "x"], "tags": ["X"] * 4}
    words, spaces = ["a", "_", "b", "c"], [False, False, True, False]
    doc = Doc(nlp.vocab, words=words, spaces=spaces, **tree)
    old = nlp.make_doc(doc.text)
    assert len(old) == 2
    nlp.initialize(lambda: [Example(old, doc)])


def test_words_that_cannot_be_learnt():
    """As spacy convert writes multiword tokens: "emo" is sometimes two words."""
    nlp = make(TAGGER, tag_attr=None, sentences="doc")
    nlp.tokenizer = WordTokenizer(nlp.tokenizer)
    tree = {"heads": [0] * 3, "deps": ["ROOT", "x", "x"], "tags": ["X"] * 3}
    docs = [
        Doc(nlp.vocab, words=["em", "o", "mar"], spaces=[False, True, False], **tree),
        Doc(nlp.vocab, words=["emo", "o", "mar"], spaces=[True, True, False], **tree),
    ]
    with pytest.warns(UserWarning, match=r"of the 6 words.*to_doc_bin"):
        nlp.initialize(lambda: [Example(Doc(nlp.vocab), doc) for doc in docs])
