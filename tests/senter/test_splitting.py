"""Sentence starts that the splitter writes to documents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy import blank
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.senter.recipe import SenterRecipe
from spacy_dynoracle.senter.splitting import INSIDE_ID, StartBatch

from .split import (
    SENTENCES,
    documents,
    example,
    gold_starts,
    make_nlp,
    senter_of,
    split,
    split_all,
    starts,
    train,
    words_of,
)

WORDS = sorted({word for s in SENTENCES for word in s} | {"zyx", "2"})
BLANKS = (" ", "\n", "\t", " \n ")
TWO = ["The", "dog", "sings", ".", "She", "met", "him", "."]


def test_learns_its_training_data(trained_nlp):
    assert split_all(trained_nlp) == gold_starts(trained_nlp.vocab)


def test_every_token_is_annotated(trained_nlp):
    doc = split(trained_nlp, TWO)
    assert doc.has_annotation("SENT_START", require_complete=True)
    assert starts(doc) == [1, -1, -1, -1, 1, -1, -1, -1]
    assert [len(s) for s in doc.sents] == [4, 4]


@pytest.mark.parametrize("words", [(), ("\n",), (" ", "\n\n", "\n\n")])
def test_documents_without_words(trained_nlp, words):
    doc = split(trained_nlp, words)
    assert starts(doc) == [1, -1, -1][: len(words)]


@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=10),
    st.lists(st.tuples(st.integers(0, 10), st.sampled_from(BLANKS)), max_size=4),
)
def test_whitespace_in_a_line_changes_no_start(trained_nlp, words, blanks):
    mixed = list(words)
    # No two line breaks between two words.
    for place in sorted({place for place, _ in blanks}, reverse=True):
        mixed.insert(place, dict(blanks)[place])
    doc = split(trained_nlp, mixed)
    of_words = [s for t, s in zip(doc, starts(doc), strict=True) if not t.is_space]
    expected = starts(split(trained_nlp, words))
    assert starts(doc)[0] == 1
    if mixed[0] in BLANKS:
        # Leading whitespace belongs to the first sentence.
        expected[0] = -1
    assert of_words == expected
    assert all(not t.is_sent_start for t in doc[1:] if t.is_space)


# ---- blank lines and preset starts ---------------------------------------------------


@pytest.mark.parametrize(
    ("blanks", "is_start"),
    [
        (["\n\n"], True),
        ([" \n \n "], True),
        (["\r\n\r\n"], True),
        (["\n", "\n"], True),
        (["\n"], False),
        (["\r\n"], False),
        ([" "], False),
        ([" ", "\t"], False),
    ],
)
def test_a_blank_line_ends_a_sentence(trained_nlp, blanks, is_start):
    words = ["the", "dog", *blanks, "sings", "."]
    doc = split(trained_nlp, words)
    expected = [1, -1, *[-1] * len(blanks), 1 if is_start else -1, -1]
    assert starts(doc) == expected


def test_line_breaks_of_two_documents_do_not_add_up(trained_nlp):
    docs = [
        Doc(trained_nlp.vocab, words=["the", "dog", "\n"]),
        Doc(trained_nlp.vocab, words=["\n", "the", "dog"]),
    ]
    assert [starts(d) for d in trained_nlp.pipe(docs)] == [[1, -1, -1], [1, -1, -1]]


def test_overwrite(nlp_bytes):
    nlp = make_nlp(overwrite=True, model=nlp_bytes)
    preset = [None, True, None, None, False, None, None, None]
    doc = split(nlp, TWO, sent_starts=preset)
    assert starts(doc) == starts(split(nlp, TWO))
    tree = Doc(nlp.vocab, words=["the", "dog"], heads=[1, 1], deps=["det", "ROOT"])
    senter_of(nlp)(Doc(nlp.vocab))
    with pytest.warns(UserWarning, match="put the senter before the parser"):
        senter_of(nlp)(tree)
    # A blank line is not preset.
    assert starts(split(nlp, ["the", "\n\n", "dog"])) == [1, -1, 1]


def test_a_start_on_whitespace_moves_to_the_next_word(trained_nlp):
    preset = [None, True, None, None]
    doc = split(trained_nlp, ["the", "\n", "dog", "sings"], sent_starts=preset)
    assert starts(doc) == [1, -1, 1, -1]
    preset = [None, None, True]
    docs = [
        Doc(trained_nlp.vocab, words=["the", "dog", "\n"], sent_starts=preset),
        Doc(trained_nlp.vocab, words=["the", "dog"]),
    ]
    assert [starts(d) for d in trained_nlp.pipe(docs)] == [[1, -1, -1], [1, -1]]


@given(
    st.lists(
        st.tuples(
            st.sampled_from([*WORDS, "\n", "\n\n"]),
            st.sampled_from([True, False, None]),
        ),
        max_size=12,
    )
)
def test_presets_hold_and_splitting_twice_changes_nothing(trained_nlp, tokens):
    words = [word for word, _ in tokens]
    preset = [start for _, start in tokens]
    doc = split(trained_nlp, words, sent_starts=preset or None)
    once = starts(doc)
    assert 0 not in once
    assert once[:1] in ([], [1])
    after_space = False
    leading = True
    for token, start in zip(doc, preset, strict=True):
        if token.is_space:
            after_space = after_space or start is True
            continue
        if not leading and start is not None and not after_space:
            assert token.is_sent_start is start
        leading = after_space = False
    assert starts(trained_nlp(doc)) == once


def test_the_parser_keeps_its_sentences(trained_nlp):
    """A parsed document has all starts already."""
    doc = Doc(trained_nlp.vocab, words=TWO, heads=[1] * 8, deps=["dep"] * 8)
    assert starts(trained_nlp(doc)) == [1] + [-1] * 7
    assert [t.head.i for t in doc] == [1] * 8


# ---- batches, threads, processes, vocabs, memory zones -------------------------------


@given(st.lists(st.lists(st.sampled_from([*WORDS, "\n\n"]), max_size=8), max_size=8))
def test_the_batch_does_not_matter(trained_nlp, texts):
    senter = senter_of(trained_nlp)
    expected = [starts(split(trained_nlp, words)) for words in texts]
    for size in (1, 3, 100):
        docs = [Doc(trained_nlp.vocab, words=words) for words in texts]
        assert [starts(d) for d in senter.pipe(docs, batch_size=size)] == expected


# The first text ends as a rule wants it before the second one.
BESIDE = [
    ("( 3", ") 5 men came"),
    ("Mr", ". Smith came ."),
    ("No", ". 5 is there"),
    ("seen", "? The end"),
    ("is seen ?", "The end"),
    ("[ 1987", "] 5 men came [ 1987"),
]


@pytest.mark.parametrize("texts", BESIDE)
def test_rules_ask_for_words_of_the_same_document(trained_nlp, texts):
    sources = ("ORTH", "SHAPE", "SPACY:space", "ORTH:flags")
    docs = [
        Doc(trained_nlp.vocab, words=words, spaces=[False] * len(words))
        for words in map(str.split, texts)
    ]
    together = StartBatch(docs, sources, overwrite=False)
    alone = [StartBatch([doc], sources, overwrite=False) for doc in docs]
    assert together.known.tolist() == [x for one in alone for x in one.known.tolist()]
    assert np.array_equal(together.values, np.concatenate([x.values for x in alone]))
    assert INSIDE_ID not in alone[1].known


@pytest.mark.parametrize("n_threads", [2, 50])
def test_threads_of_a_batch_do_not_matter(trained_nlp, nlp_bytes, n_threads):
    nlp = make_nlp(n_threads=n_threads, model=nlp_bytes)
    docs = [Doc(nlp.vocab, words=words_of(s)) for s in documents()]
    assert [starts(d) for d in senter_of(nlp).pipe(docs)] == split_all(trained_nlp)


def test_predict_changes_nothing(trained_nlp):
    doc = Doc(trained_nlp.vocab, words=TWO)
    before = doc.to_bytes()
    senter_of(trained_nlp).predict([doc])
    assert doc.to_bytes() == before


def test_other_vocabs(trained_nlp):
    docs = [Doc(blank("en").vocab, words=[*TWO, "\n\n", "zyx"]) for _ in range(3)]
    expected = [1, -1, -1, -1, 1, -1, -1, -1, -1, 1]
    assert [starts(d) for d in senter_of(trained_nlp).pipe(docs)] == [expected] * 3


def test_memory_zone(nlp_bytes):
    nlp = make_nlp(model=nlp_bytes)
    with nlp.memory_zone():
        assert len(list(nlp("The dog sings.\n\nzyxw").sents)) == 2
    assert split_all(nlp) == gold_starts(nlp.vocab)


# ---- bias and whitespace -------------------------------------------------------------


def test_bias(nlp_bytes):
    n_starts = []
    for bias in (-1e6, None, 1e6):
        nlp = make_nlp(bias=bias, model=nlp_bytes)
        n_starts.append(starts(split(nlp, TWO)).count(1))
    assert n_starts == [1, 2, len(TWO)]


@pytest.mark.parametrize("bias", ["12", "nan", float("inf"), float("nan")])
def test_a_bias_is_a_finite_number(bias):
    """spaCy lets strings of digits through."""
    with pytest.raises(ValueError, match=f"bias = {bias!r}: expected a finite number"):
        SenterRecipe(bias=bias)


def test_every_line_may_end_a_sentence(nlp_bytes):
    """Headings and items of a list."""
    text = "The dog\nThe gate\n\nThe wall"
    found = []
    for every_line in (False, True):
        nlp = make_nlp(every_line=every_line, bias=-1e6, model=nlp_bytes)
        found.append([sent.text.strip() for sent in nlp(text).sents])
    assert found == [
        ["The dog\nThe gate", "The wall"],
        ["The dog", "The gate", "The wall"],
    ]


def test_the_space_before_a_word_counts():
    """The same words, once with spaces around the point and once without."""
    nlp = make_nlp()
    data = []
    for words in (["a", ".", "b"], ["b", ".", "c"], ["c", ".", "a"]):
        for is_end in (True, False):
            spaces = [False, is_end, False]
            gold = Doc(nlp.vocab, words, spaces, sent_starts=[True, False, is_end])
            data.append(Example(Doc(nlp.vocab, words, spaces), gold))
    train(nlp, data)
    found = [
        starts(nlp(Doc(nlp.vocab, ["a", ".", "c"], [False, s, s]))) for s in (0, 1)
    ]
    assert found == [[1, -1, -1], [1, -1, 1]]
    # A line break is whitespace.
    broken = Doc(nlp.vocab, ["a", ".", "\n", "c"], [False] * 4)
    assert starts(nlp(broken)) == [1, -1, -1, 1]


@pytest.mark.parametrize(
    ("words", "is_start"),
    [
        (["See", "approx", ".", "30", "boats"], -1),
        (["See", "Art", ".", "5", "boats"], -1),
        (["See", "Dept", ".", "(", "new"], -1),
        (["See", "etc", ".", "and", "boats"], -1),
        (["See", "5", "p.m", ".", "on"], -1),
        (["See", "Dr", ".", "Moss", "sing"], -1),
        (["See", "Smith", "v", ".", "Jones"], -1),
        (["See", "J", ".", "Moss", "sing"], -1),
        (["so", "do", "I", ".", "Moss"], 1),
        (["See", "e.g", ".", "Moss"], -1),
        (["See", "5", "km", ".", "on"], -1),
        (["See", "HALL", "VS", ".", "MOSS"], 1),
        (["See", "HALL", "vs", ".", "MOSS"], -1),
        # Names may begin a sentence behind other abbreviations.
        (["See", "boats", "etc", ".", "Moss"], 1),
        (["See", "the", "dog", ".", "30"], 1),
        (["See", "the", "gate", ".", "she"], 1),
        (["See", "[", "1987", "]", "30"], -1),
        (["See", "(", "1987", ")", "30"], -1),
        (["See", "boats", "1987", ")", "30"], 1),
        # One word with its full stop.
        (["See", "No.", "30"], -1),
        (["See", "pp.", "30"], -1),
        (["See", "Art.", "30"], -1),
        (["See", "art.", "30"], -1),
        (["See", "fig", ".", "30"], -1),
        (["See", "fig", ".", "Moss"], 1),
        (["See", "Sig", ".", "Moss"], -1),
        # A frequent word of Swedish.
        (["See", "sig", ".", "Moss"], 1),
        (["See", "gate.", "30"], 1),
        (["See", "No.", "Moss"], 1),
    ],
)
def test_abbreviations(words, is_start):
    nlp = make_nlp()
    # A senter that starts a sentence behind every full stop and bracket.
    data = [
        Example(Doc(nlp.vocab, text), Doc(nlp.vocab, text, sent_starts=gold))
        for last in ("30", "she", "Moss", "(", "MOSS", "on")
        for mark in (".", ")", "]")
        for text in (["dog", mark, last, "gate"], ["go", "dog.", last, "gate"])
        for gold in ([True, False, True, False],)
    ]
    train(nlp, data, epochs=5)
    doc = nlp(Doc(nlp.vocab, words))
    place = next(i for i, word in enumerate(words, 1) if word[-1] in ".)]")
    assert starts(doc)[place] == is_start


def test_quotation_marks_with_blanks_on_both_sides():
    """As French has them. Others count as they are; documents know of no other one."""
    vocab = blank("fr").vocab
    words = ["Oui", ":", "«", "Non", ".", "»", "Il"]
    french = Doc(vocab, words, [True] * 7)
    tight = Doc(vocab, words, [True, True, False, True, False, True, True])
    ends = [
        Doc(vocab, ["ja"], [True]),
        Doc(vocab, ["»", "«"], [True, True]),
        Doc(vocab),
    ]
    no_break = Doc(vocab, ["«", "\xa0", "Non"], [False, False, True])

    def column(*docs):
        batch = StartBatch(docs, ["ORTH", "SPACY:space"], overwrite=True)
        return batch.of_words(batch.values[:, 1]).tolist()

    assert column(french) == [*column(tight)[:3], 1, 0, 1, 1]
    assert column(no_break) == [0, 1]
    assert column(*ends, french, *ends) == [1, 1, 1, *column(french), 1, 1, 1]
    for words in (["Oui", "»", "Non", "«"], ["»", "«", "Oui", "»"]):
        assert column(Doc(vocab, words, [True] * 4)) == [1] * 4
    lines = Doc(
        vocab,
        ["«", "Oui", "\n", "»", "Non", "»"],
        [True, False, False, True, True, False],
    )
    assert column(lines) == [0, 1, 1, 0, 0]


@pytest.mark.parametrize(
    ("words", "is_start"),
    [
        (["saw", "it", ".", "The", "gate"], 1),
        (["saw", "dog", ".", "I", "sing"], 1),
        (["saw", "dog", ".", "the", "gate"], -1),
        (["saw", "It", ".", "The", "gate"], -1),
    ],
)
def test_a_mark_without_a_blank(words, is_start):
    nlp = make_nlp()
    data = []
    for is_end in (True, False):
        pairs = ("it The", "dog I", "dog the", "It The", "U S", "she She")
        for first, last in map(str.split, pairs):
            text, blanks = [first, ".", last], [False, is_end, False]
            gold = Doc(nlp.vocab, text, blanks, sent_starts=[True, False, is_end])
            data.append(Example(Doc(nlp.vocab, text, blanks), gold))
    train(nlp, data)
    doc = nlp(Doc(nlp.vocab, words, [True, False, False, True, False]))
    assert starts(doc)[3] == is_start


# ---- scores --------------------------------------------------------------------------


def test_scores(trained_nlp):
    data = [example(trained_nlp.vocab, s) for s in documents()]
    scores = trained_nlp.evaluate(data)
    assert scores["sents_p"] == scores["sents_r"] == scores["sents_f"] == 1
    assert "sents_per_type" not in scores
    bare = Doc(trained_nlp.vocab, words=TWO)
    data[:] = [type(data[0])(bare.copy(), bare)]
    assert trained_nlp.evaluate(data)["sents_f"] is None


# ---- probabilities -------------------------------------------------------------------


def test_probabilities(log_linear_nlp):
    doc = split(log_linear_nlp, [*TWO[:4], "\n", *TWO[4:]])
    found = [t._.sent_start_probability for t in doc]
    assert found[0] == 1
    assert found[4] is None
    for token, p in zip(doc, found, strict=True):
        if p is not None:
            assert 0 <= p <= 1
            assert token.is_sent_start is (p > 0.5)
    assert 0.5 < found[5] < 1
    copies = [doc.copy(), Doc(doc.vocab).from_bytes(doc.to_bytes())]
    for copy in copies:
        assert [t._.sent_start_probability for t in copy] == found
    part = doc[2:].as_doc(copy_user_data=True)
    assert [t._.sent_start_probability for t in part] == found[2:]
    joined = Doc.from_docs([doc, doc])
    assert [t._.sent_start_probability for t in joined if not t.is_space] == (
        [p for p in found if p is not None] * 2
    )


def test_preset_starts_are_certain(log_linear_nlp):
    preset = [None, True, None, None, False, None, None, None]
    doc = split(log_linear_nlp, TWO, sent_starts=preset)
    assert doc[1]._.sent_start_probability == 1
    assert doc[4]._.sent_start_probability == 0


def test_no_probabilities_unless_asked_for(trained_nlp, log_linear_nlp):
    doc = split(log_linear_nlp, TWO)
    trained_nlp(doc)
    assert not doc.user_data
    assert doc[0]._.sent_start_probability is None


def test_a_learner_without_probabilities(nlp_bytes):
    nlp = make_nlp(probabilities=True, model=nlp_bytes)
    with pytest.raises(ValueError, match=r"train with AdaGradRDA"):
        nlp("The dog.")
    data = [example(nlp.vocab, SENTENCES)]
    with pytest.raises(ValueError, match=r"train with AdaGradRDA"):
        nlp.initialize(lambda: data)
