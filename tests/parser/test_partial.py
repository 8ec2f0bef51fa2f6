"""Partial annotation: unknown heads, unknown labels, other tokens, mixed corpora."""

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.pipeline.dep_parser import make_parser_scorer as make_spacy_scorer
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from spacy_dynoracle.doc.reference import group_sentences
from spacy_dynoracle.parser.scorer import parser_score

from .test_scorer import VOCAB, doc_of
from .test_training_data import gold_reader
from .treebank import (
    NAME,
    PARSING,
    SENTENCES,
    SYSTEMS,
    analysis,
    assert_tree,
    blocks_of,
    example,
    examples,
    forget,
    gold_analysis,
    make_nlp,
    mixed_examples,
    name_of,
    parse_all,
    parse_sentences,
    partial,
    reference,
    train,
)

SENTENCES_SETTINGS = ("predict", "preset", "doc")


def trees_of(doc, sentences="predict"):
    return list(gold_reader(sentences).reference_trees(doc))


# ---- reading -------------------------------------------------------------------------


@pytest.mark.parametrize("sentences", SENTENCES_SETTINGS)
@given(st.data())
def test_every_known_head_is_read(sentences, data):
    """Whatever is unknown, no arc is lost."""
    doc = reference(VOCAB, *SENTENCES[:2])
    unknown = data.draw(st.sets(st.integers(0, len(doc) - 1)))
    heads = {}
    for tree in trees_of(forget(doc, unknown), sentences):
        for word, head in zip(tree.words, tree.heads, strict=True):
            if head is not None:
                heads[int(word)] = int(tree.words[head - 1]) if head else int(word)
    assert heads == {t.i: t.head.i for t in doc if t.i not in unknown}


def test_sentences_that_are_known_are_cut():
    doc = reference(VOCAB, *SENTENCES[:2])
    trees = trees_of(forget(doc, {0, 3}), "preset")
    assert [len(tree.words) for tree in trees] == [6, 8]
    trees = trees_of(forget(doc, {2}), "preset")
    assert [len(tree.words) for tree in trees] == [14]


def test_sentences_that_begin_with_blanks():
    """Over the tokens of the reference, and over those of a text without blanks."""
    words = ["Rain", "fell", "\n", "Cats", "sleep"]
    spaces = [True, False, False, True, False]
    labels = ["nsubj", "root", "dep", "nsubj", "root"]
    gold = Doc(VOCAB, words, spaces, heads=[1, 1, 3, 4, 4], deps=labels)
    assert gold[2].is_sent_start
    trees = trees_of(gold, "preset")
    assert [tree.words.tolist() for tree in trees] == [[0, 1], [3, 4]]
    eg = Example(Doc(VOCAB, ["Rain", "fell", "Cats", "sleep"]), gold)
    aligned = gold_reader("preset").aligned_trees(eg)
    assert [tree.words.tolist() for tree in aligned] == [[0, 1], [2, 3]]
    assert [tree.heads for tree in trees] == [[2, 0], [2, 0]]


# ---- training ------------------------------------------------------------------------


# ArcHybridSwap needs whole trees.
PARTIAL_SYSTEMS = [s for s in SYSTEMS if "Swap" not in s["@misc"]]


@pytest.mark.parametrize(
    ("system", "sentences"),
    [
        *((system, "predict") for system in PARTIAL_SYSTEMS),
        *((blocks_of(s)[0], "preset") for s in PARSING if s.projective),
        (PARTIAL_SYSTEMS[0], "doc"),
    ],
    ids=lambda value: value if isinstance(value, str) else name_of(value),
)
def test_every_known_head_is_learned(system, sentences):
    """About half of the heads."""
    nlp = make_nlp(system=system, sentences=sentences)
    data, expected = [], []
    for s in SENTENCES[:8]:
        eg = example(nlp.vocab, s)
        unknown = set(range(len(s.words))) - set(range(1, len(s.words), 2))
        unknown.discard(s.heads.index(0))
        data.append(Example(eg.predicted, forget(eg.reference, unknown)))
        expected.append({t.i: t.head.i for t in eg.reference if t.i not in unknown})
    train(nlp, data, epochs=20)
    for s, heads in zip(SENTENCES, expected, strict=False):
        doc = parse_sentences(nlp, s)
        assert_tree(doc)
        assert {i: doc[i].head.i for i in heads} == heads


def test_unknown_labels_are_learned_from_other_sentences():
    """An arc without a label speaks for its head and for no label."""
    nlp = make_nlp()
    data = mixed_examples(nlp.vocab)
    for s in SENTENCES:
        eg = example(nlp.vocab, s)
        data.append(Example(eg.predicted, forget(eg.reference, (), range(0, 20, 2))))
    train(nlp, data)
    assert parse_all(nlp) == [gold_analysis(nlp.vocab, s) for s in SENTENCES]
    assert "" not in nlp.get_pipe(NAME).labels


def test_heads_without_labels_are_learned():
    nlp = make_nlp()
    data = examples(nlp.vocab, SENTENCES[:3])
    for s in SENTENCES[3:]:
        eg = example(nlp.vocab, s)
        labels = set(range(len(s.words))) - {s.heads.index(0)}
        data.append(Example(eg.predicted, forget(eg.reference, (), labels)))
    train(nlp, data, epochs=20)
    for s in SENTENCES:
        assert analysis(parse_sentences(nlp, s))[0] == gold_analysis(nlp.vocab, s)[0]


def test_labels_of_roots_alone_are_too_few():
    nlp = make_nlp()
    data = []
    for eg in examples(nlp.vocab, SENTENCES[:3]):
        inner = {t.i for t in eg.reference if t.dep_ != "ROOT"}
        data.append(Example(eg.predicted, forget(eg.reference, (), inner)))
    with pytest.warns(UserWarning, match="no training example has a tree with labels"):
        nlp.initialize(lambda: data)


@pytest.mark.filterwarnings("error")
def test_a_mixed_corpus():
    """Whole trees, parts of them, tags only, other tokens, blanks: all in one batch."""
    nlp = make_nlp()
    data = mixed_examples(nlp.vocab)
    for s in SENTENCES[:5]:
        data.append(partial(nlp.vocab, s, {0, 1}))
        bare = Doc(nlp.vocab, words=s.words, pos=s.tags)
        data.append(Example(bare.copy(), bare))
        gold = reference(nlp.vocab, s)
        words = ["\n", *s.words[:2], " ", *s.words[2:]]
        predicted = Doc(nlp.vocab, words=words, pos=["X"] * len(words))
        data.append(Example(predicted, forget(gold, {0})))
        words = [" ".join(s.words[:2]), *s.words[2:]]
        data.append(Example(Doc(nlp.vocab, words=words, pos=s.tags[1:]), gold))
    train(nlp, data)
    scores = nlp.evaluate(data)
    assert parse_all(nlp) == [gold_analysis(nlp.vocab, s) for s in SENTENCES]
    assert scores["dep_las_all"] > 0.9


# ---- corpora -------------------------------------------------------------------------


def test_known_heads_survive_the_reader(tmp_path):
    """With gold sentences, from documents joined as the project joins them."""
    nlp = spacy.blank("xx")
    docs = [reference(nlp.vocab, s) for s in SENTENCES]
    docs = [forget(d, {0, len(d) - 1} if i % 3 else ()) for i, d in enumerate(docs)]
    path = tmp_path / "train.spacy"
    DocBin(docs=group_sentences(docs, 5)).to_disk(path)
    for gold_preproc, max_length in ((True, 0), (False, 0), (False, 10)):
        corpus = spacy.registry.readers.get("spacy_dynoracle.TaggedCorpus.v1")(
            path, ["POS"], gold_preproc=gold_preproc, max_length=max_length
        )
        read = list(corpus(nlp))
        found = [
            t for eg in read for tree in trees_of(eg.reference) for t in tree.heads
        ]
        if gold_preproc:
            lengths = sorted(len(eg.reference) for eg in read)
            assert lengths == sorted(map(len, docs))
        expected = [h for doc in docs for t in trees_of(doc) for h in t.heads]
        assert sum(h is not None for h in found) == sum(h is not None for h in expected)


# ---- scores --------------------------------------------------------------------------

KEYS = ("dep_uas", "dep_las", "dep_uas_all", "dep_las_all", "sents_p", "sents_f")


@st.composite
def partly_annotated(draw):
    """Examples of which some are annotated in part and some not at all."""
    drawn = []
    for s in draw(st.lists(st.sampled_from(SENTENCES), min_size=2, max_size=4)):
        n = len(s.words)
        gold = reference(VOCAB, s)
        unknown = draw(st.sets(st.integers(0, n - 1)))
        labels = draw(st.sets(st.integers(0, n - 1)))
        root = draw(st.integers(1, n))
        heads = [0 if d == root else root for d in range(1, n + 1)]
        drawn.append(Example(doc_of(s, heads), forget(gold, unknown, labels)))
    return drawn


@given(partly_annotated(), st.randoms())
def test_scores_do_not_depend_on_the_order(drawn, random):
    scores = parser_score(drawn)
    random.shuffle(drawn)
    assert parser_score(drawn) == scores


@given(partly_annotated())
def test_scores_are_those_of_the_known_words(drawn):
    """Counted by hand."""
    heads = right_heads = labels = right_labels = 0
    for eg in drawn:
        # Token.head hides the heads of words without a label.
        offsets = eg.reference.to_array("HEAD").astype("int64").tolist()
        gold_heads = [i + offset for i, offset in enumerate(offsets)]
        for gold, found in zip(eg.reference, eg.predicted, strict=True):
            head = gold_heads[gold.i]
            if gold.dep == 0 and head == gold.i:
                continue
            heads += 1
            right_heads += head == found.head.i
            if gold.dep:
                labels += 1
                right_labels += (gold.head.i, gold.dep_) == (found.head.i, found.dep_)
    scores = parser_score(drawn)
    for key, right, n in (
        ("dep_uas_all", right_heads, heads),
        ("dep_las_all", right_labels, labels),
    ):
        assert scores[key] == (pytest.approx(right / n) if n else None)


def test_a_document_without_annotation_changes_no_score():
    """However its words are split."""
    s = SENTENCES[5]
    scored = Example(doc_of(s, [0, 1, 1, 1, 1, 1]), reference(VOCAB, s))
    bare = Doc(VOCAB, words=s.words)
    words = ["Bring me", "the", "small", "spade", "!"]
    merged = Doc(VOCAB, words, heads=[0] * 5, deps=["root", "a", "b", "c", "d"])
    words = ["Br", "ing", "me", "the", "small", "spade", "!"]
    spaces = [False, *[True] * 6]
    split = Doc(VOCAB, words, spaces, heads=[0] * 7, deps=["root", *"abcdef"])
    for other in (doc_of(s, s.heads), merged, split):
        scores = parser_score([scored, Example(other, bare)])
        assert scores == parser_score([scored])


def test_words_of_unknown_label_are_scored_without_it():
    s = SENTENCES[0]
    gold = forget(reference(VOCAB, s), (), {0, 1})
    eg = Example(doc_of(s, s.heads, ["x", "y", *s.labels[2:]]), gold)
    scores = parser_score([eg])
    assert scores["dep_uas_all"] == scores["dep_las_all"] == 1.0
    eg = Example(doc_of(s, [3, *s.heads[1:]]), gold)
    scores = parser_score([eg])
    assert scores["dep_uas_all"] == pytest.approx(5 / 6)
    assert scores["dep_las_all"] == 1.0
    # They may be punctuation.
    assert scores["dep_uas"] == 1.0


def test_sentences_of_partial_trees_are_not_scored():
    """What spaCy takes for their sentences are none."""
    s = SENTENCES[1]
    gold = forget(reference(VOCAB, s), {0})
    assert len(list(gold.sents)) == 2
    eg = Example(doc_of(s, s.heads), gold)
    assert parser_score([eg])["sents_f"] is None
    assert make_spacy_scorer()([eg])["sents_f"] == 0.0
    whole = Example(doc_of(s, s.heads), reference(VOCAB, s))
    assert parser_score([eg, whole])["sents_f"] == 1.0


def test_blanks_are_in_no_sentence():
    """Whichever sentence they are attached to."""
    s, t = SENTENCES[0], SENTENCES[1]
    words = [*s.words, "\n", *t.words]
    n = len(s.words)
    docs = []
    for head in (n - 1, n + 1):
        heads = [h - 1 if h else d for d, h in enumerate(s.heads)]
        heads += [head, *(n + (h or d) for d, h in enumerate(t.heads, 1))]
        docs.append(Doc(VOCAB, words, heads=heads, deps=[*s.labels, "dep", *t.labels]))
    assert [[sent.start for sent in doc.sents] for doc in docs] == [[0, 7], [0, 6]]
    both = [Example(docs[0], docs[1]), Example(docs[1], docs[0])]
    for eg in both:
        scores = parser_score([eg])
        assert {scores[key] for key in KEYS} == {1.0}
    assert make_spacy_scorer()(both)["sents_f"] == 0.0


def test_blanks_of_the_prediction_alone():
    s = SENTENCES[0]
    words = ["\n", *s.words[:3], " ", *s.words[3:], "\n"]
    places = [1, 2, 3, 5, 6, 7]
    heads = [1, *[0] * len(words[1:])]
    for d, h in enumerate(s.heads):
        heads[places[d]] = places[h - 1] if h else places[d]
    heads[4], heads[8] = 3, 7
    deps = ["dep", *s.labels[:3], "dep", *s.labels[3:], "dep"]
    predicted = Doc(VOCAB, words, [False] * len(words), heads=heads, deps=deps)
    gold = doc_of(s, spaces=[False] * 6)
    for pair in ((predicted, gold), (gold, predicted)):
        scores = parser_score([Example(*pair)])
        assert {scores[key] for key in KEYS} == {1.0}
