"""What the tagger writes to documents."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..parser.treebank import feature_templates
from .tagged import (
    ATTRS,
    SENTENCES,
    analysis,
    example,
    examples,
    gold_analysis,
    make_nlp,
    tag,
    tag_all,
    tagger_of,
)

WORDS = sorted({word for s in SENTENCES for word in s.words} | {"zyx", "2"})
BLANKS = (" ", "\n", "\n\n", "\t")


def test_every_attribute_is_annotated(trained_nlp):
    doc = tag(trained_nlp, SENTENCES[0].words)
    for attr in ATTRS:
        assert doc.has_annotation(attr, require_complete=True)
    assert doc[0].has_morph()
    assert doc[1].morph.get("Number") == ["Sing"]


def test_word_clusters_that_are_missing():
    nlp = make_nlp(features=feature_templates("N0w", "N0cl"), epochs=0)
    data = examples(nlp.vocab)
    with pytest.warns(UserWarning, match="the vocab has no word clusters"):
        nlp.update(data)
    again = make_nlp().from_bytes(nlp.to_bytes())
    with pytest.warns(UserWarning, match="add word clusters to the vocab"):
        tag(again, ["gate"])


@pytest.mark.parametrize("mark", "？！。．؟।…")
def test_unknown_punctuation_is_punctuation(trained_nlp, mark):
    words = ("The", "dog", "walks", mark)
    assert tag(trained_nlp, words)[-1].pos_ == "PUNCT"


@pytest.mark.parametrize("words", [(), ("\n",), (" ", "\n\n")])
def test_documents_without_words(trained_nlp, words):
    doc = tag(trained_nlp, words)
    assert analysis(doc) == [("_SP", "SPACE", "")] * len(words)
    assert all(token.has_morph() for token in doc)


@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=10),
    st.lists(st.tuples(st.integers(0, 10), st.sampled_from(BLANKS)), max_size=4),
)
def test_whitespace_changes_no_tag(trained_nlp, words, blanks):
    expected = analysis(tag(trained_nlp, words))
    mixed = list(words)
    for place, blank in blanks:
        mixed.insert(place, blank)
    doc = tag(trained_nlp, mixed)
    assert [a for t, a in zip(doc, analysis(doc), strict=True) if not t.is_space] == (
        expected
    )
    assert {a for t, a in zip(doc, analysis(doc), strict=True) if t.is_space} <= {
        ("_SP", "SPACE", "")
    }


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=8), max_size=8))
def test_the_batch_does_not_matter(trained_nlp, texts):
    tagger = tagger_of(trained_nlp)
    expected = [analysis(tag(trained_nlp, words)) for words in texts]
    for size in (1, 3, 100):
        docs = [Doc(trained_nlp.vocab, words=words) for words in texts]
        assert [analysis(d) for d in tagger.pipe(docs, batch_size=size)] == expected


@pytest.mark.parametrize("n_threads", [2, 3, 50])
def test_threads_of_a_batch_do_not_matter(trained_nlp, nlp_bytes, n_threads):
    nlp = make_nlp(n_threads=n_threads, model=nlp_bytes)
    docs = [Doc(nlp.vocab, words=s.words) for s in SENTENCES * 3]
    tagged = [analysis(doc) for doc in tagger_of(nlp).pipe(docs)]
    assert tagged == tag_all(trained_nlp) * 3


def test_eight_threads_share_a_tagger(trained_nlp):
    expected = tag_all(trained_nlp)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: tag_all(trained_nlp), range(16)))
    assert found == [expected] * 16


@pytest.mark.parametrize("n_process", [1, 2])
def test_processes_do_not_matter(trained_nlp, n_process):
    docs = [Doc(trained_nlp.vocab, words=s.words) for s in SENTENCES]
    tagged = trained_nlp.pipe(docs, n_process=n_process, batch_size=3)
    assert [analysis(doc) for doc in tagged] == tag_all(trained_nlp)


def test_sentence_boundaries_do_not_matter(trained_nlp):
    """A document is tagged as a whole."""
    words = [*SENTENCES[0].words, *SENTENCES[1].words]
    expected = analysis(tag(trained_nlp, words))
    starts = [i == len(SENTENCES[0].words) or i == 0 for i in range(len(words))]
    doc = Doc(trained_nlp.vocab, words=words, sent_starts=starts)
    assert analysis(trained_nlp(doc)) == expected


def test_predict_changes_nothing(trained_nlp):
    doc = Doc(trained_nlp.vocab, words=SENTENCES[0].words)
    before = doc.to_bytes()
    tagger_of(trained_nlp).predict([doc])
    assert doc.to_bytes() == before


def test_another_vocab(trained_nlp):
    """Tags and their features are known where the document comes from."""
    vocab = Vocab()
    doc = Doc(vocab, words=SENTENCES[0].words)
    (annotation,) = tagger_of(trained_nlp).predict([doc])
    tagger_of(trained_nlp).set_annotations([doc], [annotation])
    assert analysis(doc) == gold_analysis(Vocab(), SENTENCES[0])
    assert doc[4].morph.to_dict() == {"Number": "Plur"}


# ---- tags that are there already -----------------------------------------------------


def preset(vocab):
    doc = Doc(vocab, words=SENTENCES[0].words)
    doc[1].tag_ = "NNP"
    doc[2].pos_ = "X"
    doc[3].set_morph("Definite=Def")
    return doc


def test_tags_that_are_there_stay(trained_nlp):
    expected = gold_analysis(trained_nlp.vocab, SENTENCES[0])
    expected[1] = ("NNP", *expected[1][1:])
    expected[2] = (expected[2][0], "X", expected[2][2])
    expected[3] = (*expected[3][:2], "Definite=Def")
    assert analysis(trained_nlp(preset(trained_nlp.vocab))) == expected


def test_overwrite(nlp_bytes):
    nlp = make_nlp(overwrite=True, model=nlp_bytes)
    doc = nlp(preset(nlp.vocab))
    assert analysis(doc) == gold_analysis(nlp.vocab, SENTENCES[0])


@pytest.mark.parametrize("overwrite", [False, True])
def test_tagging_twice_changes_nothing(nlp_bytes, overwrite):
    nlp = make_nlp(overwrite=overwrite, model=nlp_bytes)
    doc = tag(nlp, ["The", "zyx", "covers", "\n", "waters"])
    once = analysis(doc)
    assert analysis(nlp(doc)) == once


def test_other_annotation_stays(trained_nlp):
    vocab = trained_nlp.vocab
    s = SENTENCES[2]
    heads = [1] * len(s.words)
    doc = Doc(vocab, words=s.words, heads=heads, deps=["dep"] * len(s.words))
    doc[0].lemma_ = "he"
    trained_nlp(doc)
    assert [token.head.i for token in doc] == heads
    assert doc[0].lemma_ == "he"


# ---- long documents, memory zones ----------------------------------------------------


def test_one_long_document(trained_nlp):
    n = 2000
    doc = tag(trained_nlp, SENTENCES[0].words * n)
    assert analysis(doc)[-6:] == gold_analysis(trained_nlp.vocab, SENTENCES[0])


def test_tags_outlive_a_memory_zone(nlp_bytes):
    nlp = make_nlp(model=nlp_bytes)
    with nlp.memory_zone():
        assert nlp("The gate NN VBZ zyxw")[1].tag_ == "NN"
    for s in SENTENCES:
        assert analysis(tag(nlp, s.words)) == gold_analysis(nlp.vocab, s)


# ---- scores --------------------------------------------------------------------------


def test_scores(trained_nlp):
    data = [example(trained_nlp.vocab, s) for s in SENTENCES]
    scores = trained_nlp.evaluate(data)
    assert scores["tag_acc"] == scores["pos_acc"] == scores["morph_acc"] == 1
    assert scores["morph_per_feat"]["Number"]["f"] == 1
    assert scores["morph_micro_f"] == 1


def test_what_is_not_tagged_is_not_scored():
    nlp = make_nlp(attrs=["POS"])
    data = [example(nlp.vocab, s) for s in SENTENCES]
    nlp.initialize(lambda: data)
    scores = nlp.evaluate(data)
    assert "tag_acc" not in scores
    assert "morph_acc" not in scores
    assert 0 <= scores["pos_acc"] <= 1


def test_scores_without_gold_tags(trained_nlp):
    data = [example(trained_nlp.vocab, s, attrs=["TAG"]) for s in SENTENCES]
    scores = trained_nlp.evaluate(data)
    assert scores["tag_acc"] == 1
    assert scores["pos_acc"] is None
    assert scores["morph_acc"] is None
