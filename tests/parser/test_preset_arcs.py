"""Heads and labels that are on a Doc before it is parsed stay there."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle import is_projective

from ..warned import said
from .treebank import (
    BLANKS,
    NAME,
    NONPROJECTIVE_SYSTEMS,
    SENTENCES,
    SYSTEMS,
    VOCABULARY,
    analysis,
    assert_tree,
    block,
    every_system,
    forget,
    gold_analysis,
    heads_of,
    make_doc,
    make_nlp,
    model_bytes,
    name_of,
    parse,
    reference,
)
from .uncertain import MARGINAL, TRANSITION

pytestmark = pytest.mark.heavy

SENTENCE_SETTINGS = ("predict", "preset", "doc")
SOME_SYSTEMS = [SYSTEMS[0], block("ArcStandard", root="first"), block("EasyFirst")]
EXAMPLES = settings(max_examples=25)
# The last is unknown to every model.
LABELS = ("nsubj", "obj", "root", "ROOT", "my-own-label")


def doc_with(vocab, words, heads, labels, starts=None):
    """A Doc with preset arcs.

    Args:
        heads: Indices of tokens; None if unknown.
        labels: None if unknown.
        starts: Sentence starts, set as a component before this one would have set them.
    """
    doc = make_doc(vocab, words, starts)
    for i, (head, label) in enumerate(zip(heads, labels, strict=True)):
        if head is not None:
            doc[i].head = doc[head]
        if label is not None:
            doc[i].dep_ = label
    return doc


def parse_with(nlp, words, heads, labels, starts=None):
    """The parsed Doc, and what was said of each dropped arc by its dependent."""
    doc = doc_with(nlp.vocab, words, heads, labels, starts)
    messages = said(nlp, doc)
    assert len(messages) <= 1
    text = "".join(messages)
    found = re.findall(r"\((\d+)\) <-\S*- .*?: (it[^;]*|the[^;]*)", text)
    dropped = {int(word): reason for word, reason in found}
    if dropped:
        n = sum(word is not None for word in heads)
        assert text.startswith(f"{len(dropped)} of {n} preset arcs of the document ")
    return doc, dropped


def assert_kept(doc, heads, labels, dropped=()):
    """Also the labels of roots, and any label of a head whose label was not given."""
    for token, head, label in zip(doc, heads, labels, strict=True):
        if token.i in dropped or (head is None and label is None):
            continue
        assert token.head.i == (token.i if head is None else head)
        if label is not None:
            assert token.dep_ == label


@st.composite
def trees(draw, max_words=12, max_sentences=1):
    """Heads, as indices of tokens, of one or more trees, which may have crossing
    arcs.
    """
    heads = []
    for _ in range(draw(st.integers(1, max_sentences))):
        n, start = draw(st.integers(1, max_words)), len(heads)
        order = draw(st.permutations(range(n)))
        tree = [None] * n
        for i, word in enumerate(order):
            tree[word] = draw(st.sampled_from(order[:i])) if i else word
        heads += [start + head for head in tree]
    return heads


@st.composite
def words_with_arcs(draw, of_trees):
    """Words, the heads of some of them, and labels of some of these.

    A root needs a label to be one.
    """
    tree = draw(of_trees)
    n = len(tree)
    words = draw(st.lists(st.sampled_from(VOCABULARY), min_size=n, max_size=n))
    is_known = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    heads = [h if known else None for h, known in zip(tree, is_known, strict=True)]
    labels = [
        draw(st.sampled_from(LABELS if head == i else (*LABELS, None)))
        if head is not None
        else None
        for i, head in enumerate(heads)
    ]
    return words, heads, labels


# ---- arcs that go together -----------------------------------------------------------


@every_system
@given(drawn=words_with_arcs(trees()))
def test_arcs_of_one_tree_are_kept(confused, system, drawn):
    """Crossing or not."""
    for sentences in SENTENCE_SETTINGS:
        nlp = confused(system, sentences=sentences, keep_preset_heads=True)
        doc, dropped = parse_with(nlp, *drawn)
        assert_tree(doc)
        if sentences != "preset":
            assert dropped == {}
            assert_kept(doc, *drawn[1:])
        if sentences == "doc":
            assert heads_of(doc).count(0) == 1


@every_system
@EXAMPLES
@given(drawn=words_with_arcs(trees(6, max_sentences=3)))
def test_arcs_of_several_trees_are_kept(confused, system, drawn):
    nlp = confused(system, keep_preset_heads=True)
    doc, dropped = parse_with(nlp, *drawn)
    assert_tree(doc)
    assert dropped == {}
    assert_kept(doc, *drawn[1:])


@EXAMPLES
@given(drawn=words_with_arcs(trees(9, max_sentences=2)))
def test_arcs_are_kept_where_lifted_arcs_are_put_back(nonprojective_nlp, drawn):
    """A preset arc is not moved because of its neighbours, nor by its label."""
    nlp = keeping(nonprojective_nlp)
    doc, dropped = parse_with(nlp, *drawn)
    assert_tree(doc)
    assert dropped == {}
    assert_kept(doc, *drawn[1:])
    assert not any("||" in token.dep_ for token in doc)


def keeping(nlp, **changes):
    """The same parser with keep_preset_heads."""
    return make_nlp(nlp.lang, keep_preset_heads=True, model=model_bytes(nlp), **changes)


@every_system
@EXAMPLES
@given(words=st.lists(st.sampled_from(VOCABULARY), max_size=14), data=st.data())
def test_nothing_preset_is_nothing_kept(confused, system, words, data):
    """Boundaries are respected as always."""
    values = (None, None, True, False)
    starts = [data.draw(st.sampled_from(values)) for _ in words]
    for sentences in SENTENCE_SETTINGS:
        expected = parse(confused(system, sentences=sentences), words, starts)
        nlp = confused(system, sentences=sentences, keep_preset_heads=True)
        assert analysis(parse(nlp, words, starts)) == analysis(expected)


def test_the_rest_is_parsed_in_their_presence(trained_nlp):
    """What depended on the old root has to go elsewhere if there is another."""
    nlp = keeping(trained_nlp, sentences="doc")
    s = SENTENCES[2]
    heads, labels = [None] * 7, [None] * 7
    heads[2], labels[1] = 1, "root"
    doc, dropped = parse_with(nlp, s.words, heads, labels)
    assert dropped == {}
    assert [t.i for t in doc if t.head == t] == [1]
    assert doc[2].head.i == 1
    # What has nothing to do with it stays as it was.
    assert [doc[i].head.i for i in (0, 3, 4)] == [1, 5, 5]


# ---- what is preset ------------------------------------------------------------------


@EXAMPLES
@given(drawn=words_with_arcs(trees(8)), data=st.data())
def test_blanks_do_not_matter(trained_nlp, drawn, data):
    """Neither their own arcs nor where they stand."""
    words, heads, labels = drawn
    nlp = keeping(trained_nlp)
    plain, _ = parse_with(nlp, words, heads, labels)
    tokens, places = [], []
    for word in words:
        tokens += data.draw(st.lists(st.sampled_from(BLANKS), max_size=2))
        places.append(len(tokens))
        tokens.append(word)
    moved, names = [None] * len(tokens), [None] * len(tokens)
    for place, head, label in zip(places, heads, labels, strict=True):
        moved[place] = None if head is None else places[head]
        names[place] = label
    for i in set(range(len(tokens))) - set(places):
        moved[i] = data.draw(st.sampled_from(range(len(tokens))))
        names[i] = data.draw(st.sampled_from([*LABELS, None]))
    doc, dropped = parse_with(nlp, tokens, moved, names)
    assert_tree(doc)
    assert dropped == {}
    assert [doc[i].head.i for i in places] == [places[t.head.i] for t in plain]
    assert [doc[i].dep_ for i in places] == [t.dep_ for t in plain]
    assert {t.dep_ for t in doc if t.is_space} <= {"dep"}


# ---- arcs that do not go together ----------------------------------------------------


@pytest.mark.parametrize(
    ("system", "nonprojective"),
    [
        *((system, "drop") for system in SYSTEMS),
        (SYSTEMS[0], "projectivize"),
        (SYSTEMS[0], "lift"),
    ],
    ids=lambda value: value if isinstance(value, str) else name_of(value),
)
@given(data=st.data())
def test_only_arcs_that_are_named_are_dropped(confused, system, nonprojective, data):
    """Whatever is on the Doc; that these are as few as possible is shown in
    `doc/test_preset_arcs.py`.
    """
    n = data.draw(st.integers(1, 10))
    words = data.draw(st.lists(st.sampled_from(VOCABULARY), min_size=n, max_size=n))
    head = st.one_of(st.none(), st.integers(0, n - 1))
    heads = data.draw(st.lists(head, min_size=n, max_size=n))
    labels = [None if h is None else "obj" for h in heads]
    may_cross = nonprojective != "drop" or system in NONPROJECTIVE_SYSTEMS
    for sentences in ("predict", "doc"):
        nlp = confused(
            system,
            sentences=sentences,
            nonprojective=nonprojective,
            keep_preset_heads=True,
        )
        doc, dropped = parse_with(nlp, words, heads, labels)
        assert_tree(doc)
        assert_kept(doc, heads, labels, dropped)
        assert may_cross or is_projective(heads_of(doc))


@pytest.mark.parametrize(
    ("sentences", "heads", "word", "reason"),
    [
        ("doc", [1, 1, 2, 1, None], 2, "the sentence has another preset root"),
        ("predict", [1, 2, 0, 3, 3], 2, "it closes a cycle of preset arcs"),
        ("predict", [2, 3, 3, None, 4], 1, "it crosses another preset arc"),
        ("doc", [2, 1, None, None, None], 1, "it crosses another preset arc"),
    ],
)
def test_dropped_arcs_are_named(trained_nlp, sentences, heads, word, reason):
    nlp = keeping(trained_nlp, sentences=sentences, nonprojective="drop")
    words = ["Rain", "fell", "and", "bees", "sang"]
    labels = [None if head is None else "obj" for head in heads]
    doc, dropped = parse_with(nlp, words, heads, labels)
    assert dropped == {word: reason}
    assert_tree(doc)
    assert_kept(doc, heads, labels, dropped)
    head = "ROOT" if heads[word] == word else f"'{words[heads[word]]}' ({heads[word]})"
    with pytest.warns(UserWarning, match="preset arcs") as caught:
        nlp(doc_with(nlp.vocab, words, heads, labels))
    (warning,) = caught
    assert str(warning.message) == (
        f"1 of {5 - heads.count(None)} preset arcs of the document 'Rain fell and bees "
        f"sang ' cannot be kept, and the parser finds others: '{words[word]}' ({word}) "
        f"<-obj- {head}: {reason}"
    )


def test_long_lists_of_dropped_arcs_are_cut(trained_nlp):
    nlp = keeping(trained_nlp, sentences="doc")
    n = 30
    with pytest.warns(UserWarning, match=r"^29 of 30 preset arcs ") as caught:
        nlp(doc_with(nlp.vocab, ["pears"] * n, range(n), ["root"] * n))
    message = str(caught[0].message)
    assert message.endswith("; and 19 more")
    assert "of the document 'pears pears pears pears pears pears pear ...' " in message


def test_head_that_is_whitespace(trained_nlp):
    nlp = keeping(trained_nlp)
    words = ["Rain", "\n", "fell"]
    doc, dropped = parse_with(nlp, words, [1, None, None], ["nsubj", None, None])
    assert dropped == {0: "its head is whitespace"}
    assert_tree(doc)


def test_trees_that_cross_one_another_become_one_sentence(trained_nlp):
    """spaCy has no sentences with gaps, so one of the roots cannot be kept."""
    nlp = keeping(trained_nlp)
    words = ["Rain", "bees", "fell", "sang"]
    heads, labels = [2, 3, 2, 3], ["nsubj", "nsubj", "root", "root"]
    doc, dropped = parse_with(nlp, words, heads, labels)
    assert dropped == {3: "the sentence has another preset root"}
    assert_tree(doc)
    assert_kept(doc, heads, labels, dropped)
    # Without a preset root there is nothing to drop.
    heads, labels = [2, 3, None, None], ["nsubj", "nsubj", None, None]
    doc, dropped = parse_with(nlp, words, heads, labels)
    assert dropped == {}
    assert_tree(doc)
    assert_kept(doc, heads, labels)


# ---- sentence boundaries -------------------------------------------------------------


def test_boundaries_before_the_arcs(trained_nlp):
    """Where spaCy has not changed them when the arcs were set."""
    s = SENTENCES[2]
    n = len(s.words)
    for sentences in ("predict", "preset"):
        nlp = keeping(trained_nlp, sentences=sentences)
        starts = [True, False, False, True, False, False, False]
        heads, labels = [None] * n, [None] * n
        heads[4], labels[4] = 5, "obj"
        doc, dropped = parse_with(nlp, s.words, heads, labels, starts)
        assert dropped == {}
        assert doc[3].is_sent_start
        assert [doc[4].head.i, doc[4].dep_] == [5, "obj"]


def test_arc_across_a_boundary(trained_nlp):
    nlp = keeping(trained_nlp)
    words = SENTENCES[2].words
    doc = doc_with(nlp.vocab, words, [None] * 7, [None] * 7)
    arcs = np.zeros((7, 3), dtype=np.uint64)
    # A head set without spaCy's changing the boundaries: as if read from elsewhere.
    arcs[5, 0], arcs[5, 1], arcs[4, 2] = -4 % 2**64, doc.vocab.strings.add("obl"), 1
    doc.from_array(["HEAD", "DEP"], arcs[:, :2])
    doc.from_array(["SENT_START"], arcs[:, 2:])
    with pytest.warns(UserWarning, match="it crosses a preset sentence boundary"):
        nlp(doc)
    assert_tree(doc)
    assert doc[4].is_sent_start
    assert doc[5].head.i != 1


@pytest.mark.parametrize(("changed", "starts"), [({5: 5, 6: 5}, [0, 3]), ({6: 6}, [0])])
def test_second_root_where_no_sentence_may_start(trained_nlp, changed, starts):
    """In a Doc that was parsed with preset boundaries, which still hold: there is a
    place for the first of these roots and none for the second.
    """
    nlp = keeping(trained_nlp)
    s = SENTENCES[2]
    doc = parse(nlp, s.words, [None, None, None, None, False, None, False])
    assert analysis(doc) == gold_analysis(nlp.vocab, s)
    for word, head in changed.items():
        doc[word].head = doc[head]
    found = ["another preset root" in message for message in said(nlp, doc)]
    assert found == [True] * (starts == [0])
    assert [t.i for t in doc if t.is_sent_start] == starts
    assert_tree(doc)


def test_boundaries_that_spacy_derives_from_arcs_are_none(trained_nlp):
    """It lets a sentence start at the left edge of a preset root and none elsewhere."""
    s = SENTENCES[2]
    # The root and the word before it have arcs.
    doc = forget(reference(trained_nlp.vocab, s), {0, 3, 4, 5, 6})
    assert [t.i for t in doc if t.is_sent_start] == [1]
    for sentences in SENTENCE_SETTINGS:
        nlp = keeping(trained_nlp, sentences=sentences)
        assert analysis(nlp(doc.copy())) == gold_analysis(nlp.vocab, s)


def test_preset_sentences_that_come_from_arcs(trained_nlp):
    """Each has a preset root, and the second root shows where one must end."""
    nlp = keeping(trained_nlp, sentences="preset")
    pair = SENTENCES[0], SENTENCES[2]
    doc = reference(nlp.vocab, *pair)
    n = len(pair[0].words)
    partial = forget(doc, set(range(len(doc))) - {2, n, n + 1, n + 2})
    assert analysis(nlp(partial)) == analysis(doc)


# ---- parsing twice -------------------------------------------------------------------


@every_system
@EXAMPLES
@given(words=st.lists(st.sampled_from([*VOCABULARY, " "]), max_size=16), data=st.data())
def test_parsing_twice_changes_nothing(confused, system, words, data):
    """What another parser has found stays too, under any setting of sentences."""
    for sentences in SENTENCE_SETTINGS:
        nlp = confused(system, sentences=sentences, keep_preset_heads=True)
        doc = parse(nlp, words)
        first = analysis(doc)
        assert analysis(nlp(doc)) == first
        if sentences != "doc":
            other = confused(
                data.draw(st.sampled_from(SYSTEMS)), keep_preset_heads=True
            )
            assert analysis(other(doc)) == first


# ---- settings ------------------------------------------------------------------------


def some_docs(nlp):
    docs = []
    for i, s in enumerate(SENTENCES * 3):
        heads, labels = [None] * len(s.words), [None] * len(s.words)
        if i % 3:
            heads[0], labels[0] = 1, "obj"
        docs.append(doc_with(nlp.vocab, s.words, heads, labels))
    return docs


@pytest.mark.parametrize("system", SOME_SYSTEMS, ids=name_of)
def test_batches_and_threads(confused, system):
    nlp = confused(system, keep_preset_heads=True)
    expected = [analysis(nlp(doc)) for doc in some_docs(nlp)]
    for n_threads in (1, 3):
        other = confused(system, keep_preset_heads=True, n_threads=n_threads)
        for batch_size in (1, 4, 100):
            docs = other.pipe(some_docs(other), batch_size=batch_size)
            assert [analysis(doc) for doc in docs] == expected


def test_labels_of_another_vocab(trained_nlp):
    doc = doc_with(make_nlp().vocab, ["Rain", "fell"], [None, 0], [None, "mine"])
    assert keeping(trained_nlp).get_pipe(NAME)(doc)[1].dep_ == "mine"


@pytest.mark.parametrize("probabilities", [TRANSITION, MARGINAL])
def test_probabilities_are_those_of_free_parses(probabilities):
    with pytest.raises(ValueError, match="set probabilities = null"):
        make_nlp(keep_preset_heads=True, **probabilities)
