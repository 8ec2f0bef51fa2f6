"""Sentences whose words the tokenizer does not find."""

import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_dynoracle.doc.own_words import OwnWords
from spacy_dynoracle.doc.preset_boundaries import MULTIWORD

VOCAB = spacy.blank("xx").vocab
WORDS = ["no", "way", "Go", "home", "can", "not"]
SPACES = [False, True, True, True, False, False]


def reference(**annotation):
    """Three sentences, the first and the last with two words in one token."""
    return Doc(
        VOCAB,
        words=WORDS,
        spaces=SPACES,
        tags=["D", "N", "V", "A", "X", "R"],
        heads=[1, 1, 2, 2, 4, 4],
        deps=["det", "ROOT", "ROOT", "adv", "ROOT", "neg"],
        sent_starts=[True, False] * 3,
        **annotation,
    )


def tokens(**annotation):
    return Doc(
        VOCAB,
        words=["noway", "Go", "home", "cannot"],
        spaces=[True, True, True, False],
        **annotation,
    )


def tokens_of_the_last():
    """Words that are those of the reference but for the last sentence."""
    return Doc(VOCAB, words=[*WORDS[:4], "cannot"], spaces=SPACES[:5])


def test_no_arc_is_cut():
    """spaCy would make a root with the label "dep" of a word whose head is cut off."""
    words = ["find", "gonna", "place"]
    gold = Doc(VOCAB, words=words, heads=[0, 1, 0], deps=["ROOT", "-", "PLACE"])
    found = Doc(VOCAB, words=["find", "gon", "na", "place"], spaces=[1, 0, 1, 1])
    [own] = OwnWords().of([Example(found, gold)])
    assert [(t.head.i, t.dep_) for t in own.reference] == [
        *((0, "ROOT"), (1, "-"), (0, "PLACE"))
    ]


def test_tags_of_somebody_count_whatever_was_read_before():
    known, gold = OwnWords(), reference()
    assert len(list(known.of([Example(tokens(), gold)]))) == 1
    assert not list(known.of([Example(tokens(tags=["A"] * 4), gold)]))
    assert len(list(known.of([Example(tokens(), gold)]))) == 1


def test_sentences_with_other_words():
    gold = reference()
    gold[0].norm_ = "none"
    [own] = OwnWords().of([Example(tokens(), gold)])
    assert [word.text for word in own.predicted] == ["no", "way", "can", "not"]
    assert own.predicted[0].norm_ == "none"
    assert own.predicted.text == own.reference.text
    assert [word.tag_ for word in own.reference] == ["D", "N", "X", "R"]
    assert [word.head.i for word in own.reference] == [1, 1, 2, 2]
    assert [word.dep_ for word in own.reference] == ["det", "ROOT", "ROOT", "neg"]
    assert [sentence.text for sentence in own.reference.sents] == ["noway", "cannot"]
    for attr in ("TAG", "DEP", "SENT_START"):
        assert not own.predicted.has_annotation(attr)


def test_multiword_tokens_of_such_sentences():
    gold = reference()
    gold.spans[MULTIWORD] = [Span(gold, 2, 4), Span(gold, 4, 6, "verbatim")]
    [own] = OwnWords().of([Example(tokens(), gold)])
    for doc in (own.predicted, own.reference):
        spans = doc.spans[MULTIWORD]
        assert [(s.start, s.end, s.label_) for s in spans] == [(2, 4, "verbatim")]
    # One of which the last word is in a sentence that the tokenizer finds.
    gold.spans[MULTIWORD] = [Span(gold, 1, 3)]
    [own] = OwnWords().of([Example(tokens(), gold)])
    assert MULTIWORD not in own.reference.spans


def test_whitespace_does_not_matter():
    words = [*WORDS[:2], "\n", *WORDS[2:4]]
    spaces = [*SPACES[:3], True, False]
    gold = Doc(VOCAB, words=words, spaces=spaces, sent_starts=[True, *[False] * 4])
    cut = Doc(VOCAB, words=[*WORDS[:2], " \n", *WORDS[2:4]], spaces=spaces)
    assert list(OwnWords().of([Example(cut, gold)])) == []


def test_a_document_without_sentences_is_one():
    gold = Doc(VOCAB, words=WORDS, spaces=SPACES)
    [own] = OwnWords().of([Example(tokens(), gold)])
    assert own.predicted.text == gold.text


@pytest.mark.parametrize(
    "predicted",
    [
        Doc(VOCAB, words=WORDS, spaces=SPACES),
        tokens(tags=["N", "V", "A", "X"]),
        Doc(VOCAB, words=["No", "way"]),
    ],
    ids=["same words", "tags", "another text"],
)
def test_words_that_somebody_chose(predicted):
    assert list(OwnWords().of([Example(predicted, reference())])) == []


def test_each_example_is_made_once():
    words, gold = OwnWords(), reference()
    [first] = words.of([Example(tokens(), gold)])
    [again] = words.of([Example(tokens(), gold)])
    [other] = words.of([Example(tokens_of_the_last(), gold)])
    assert first is again
    assert [word.text for word in other.predicted] == ["can", "not"]
