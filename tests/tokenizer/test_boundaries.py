"""Words between two blanks, as a treebank has them."""

import random

import pytest
import spacy
import srsly
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle import PipelineError
from spacy_dynoracle.tokenizer import WordTokenizer
from spacy_dynoracle.tokenizer.boundaries import WordBoundaries, ends_of

# Words that stand together are joined by "_", and "~" stands for one in a word.
TEXTS = (
    "See ~~~~~~~_! Or call 713-646-3393_.",
    "Call 345-853-3989_, he did_n't come_.",
    "He wrote an e-mail_: ======== and left_!!!",
    "Do e-mail us_, or call 222-333-9999_; it ~~~~~~~~~~",
    "They did_n't e-mail_, they came and/_or wrote_.",
    "And/_or stay_!!! Bye",
    "(_They stay_!!!_) It was well_-_known_, (_he wrote_)_.",
)


def reference(vocab, text):
    words, spaces = [], []
    for part in text.split(" "):
        pieces = [piece.replace("~", "_") for piece in part.split("_")]
        words += pieces
        spaces += [False] * (len(pieces) - 1) + [True]
    return Doc(vocab, words=words, spaces=spaces)


def trained(texts=TEXTS, make=reference):
    nlp = spacy.blank("en")
    nlp.tokenizer = WordTokenizer(nlp.tokenizer)
    docs = [make(nlp.vocab, text) for text in texts]
    nlp.tokenizer.initialize(lambda: [Example(doc, doc) for doc in docs])
    return nlp


@pytest.fixture(scope="module")
def nlp():
    return trained()


def words(nlp, text):
    return [token.text for token in nlp.make_doc(text)]


def test_the_words_of_the_treebank_are_found(nlp):
    for text in TEXTS:
        gold = reference(nlp.vocab, text)
        doc = nlp.make_doc(gold.text)
        assert [t.text for t in doc] == [t.text for t in gold]
        assert doc.text == gold.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("999-888-1111.", ["999-888-1111", "."]),
        ("===========", ["==========="]),
        ("(they left!!!!)", ["(", "they", "left", "!!!!", ")"]),
        ("an e-mail.", ["an", "e-mail", "."]),
    ],
)
def test_what_the_treebank_does_not_have_is_found_by_what_is_like_it(
    nlp, text, expected
):
    assert words(nlp, text) == expected
    assert words(spacy.blank("en"), text) != expected


def test_places_like_none_in_the_treebank_stay_as_the_rules_have_them(nlp):
    for text in ("It costs $5 (€4).", "a #tag; well-known", "Mr. O'Neil's  \n end"):
        assert words(nlp, text) == words(spacy.blank("en"), text)


@pytest.mark.parametrize("text", ["", " ", "\n\n", "=", "a", "== " * 3, "\0=-\u2028"])
def test_every_text_is_possible(nlp, text):
    assert nlp.make_doc(text).text == text


def test_the_text_stays_and_tokens_that_stay_keep_their_norm(nlp):
    rules = spacy.blank("en")
    random_text = random.Random(3)
    for _ in range(300):
        text = "".join(random_text.choices("ab19-=!.,' \n\té_", k=30))
        doc, of_rules = nlp.make_doc(text), rules.make_doc(text)
        assert doc.text == of_rules.text == text
        norms = {(t.idx, t.text): t.norm_ for t in of_rules}
        for token in doc:
            norm = norms.get((token.idx, token.text), token.lex.norm_)
            assert token.norm_ == norm
    (token,) = [t for t in nlp.make_doc("I didn't =====") if t.text == "n't"]
    assert token.norm_ == "not"


@pytest.mark.parametrize(
    "texts",
    [
        # The rules are right.
        ("He came_, and left_.",),
        ("He came , and left .",),
        # No rule cuts a word, so no word can be joined.
        ("They left", "He came"),
        (),
    ],
)
def test_nothing_is_learnt_without_evidence(texts):
    nlp = trained(texts)
    assert not nlp.tokenizer.boundaries
    assert words(nlp, "e-mail!!!") == words(spacy.blank("en"), "e-mail!!!")


def without_spaces(vocab, text):
    return Doc(vocab, words=[token.text for token in reference(vocab, text)])


def apart(vocab, text):
    """A Doc in which a blank follows every word, as in treebanks that do not say which
    words stand together.
    """
    words = [token.text for token in reference(vocab, text)]
    return Doc(vocab, words=words, spaces=[True] * len(words))


@pytest.mark.parametrize("make", [without_spaces, apart])
def test_words_are_joined_where_the_blanks_are_not_known(make):
    nlp = trained(make=make)
    assert words(nlp, "an e-mail.") == ["an", "e-mail", "."]
    assert words(nlp, "(Call 713-646-3393!)") == ["(", "Call", "713-646-3393", "!", ")"]
    # The rules are right where the treebank has a word and punctuation.
    for text in ("He wrote, they left.", "(Bye)", "costs $5"):
        assert words(nlp, text) == words(spacy.blank("en"), text)


def test_cuts_of_the_rules_between_words_stay():
    nlp = spacy.blank("fr")
    text = "l' homme d' abord qu' il aujourd'hui n' est d'abord l' eau"
    doc = Doc(nlp.vocab, text.split())
    nlp.tokenizer = WordTokenizer(nlp.tokenizer)
    assert words(nlp, "d'abord l'eau") == ["d'", "abord", "l'", "eau"]
    nlp.tokenizer.initialize(lambda: [Example(doc, doc)])
    found = words(nlp, "l'homme qu'il n'est l'arbre")
    assert found == ["l'", "homme", "qu'", "il", "n'", "est", "l'", "arbre"]


def test_spaces_that_are_known_count_more_than_those_that_are_not():
    nlp = spacy.blank("en")
    docs = [reference(nlp.vocab, text) for text in TEXTS]
    more = [without_spaces(nlp.vocab, "stay!!! or well-known , he ca n't")]
    weights = []
    for some in (docs, docs + more):
        tokenizer = WordTokenizer(nlp.tokenizer)
        tokenizer.initialize(lambda some=some: [Example(doc, doc) for doc in some])
        weights.append(tokenizer.boundaries.weights.tolist())
    assert weights[0] == weights[1] != []


def test_learning_is_deterministic_and_survives_storing(nlp):
    data = nlp.tokenizer.to_bytes()
    assert trained().tokenizer.to_bytes() == data
    other = trained(())
    other.make_doc("e-mail")
    other.tokenizer.from_bytes(data)
    assert words(other, "an e-mail") == ["an", "e-mail"]
    assert other.tokenizer.to_bytes() == data


@pytest.mark.parametrize(
    "damage",
    [[], {}, {"keys": b"", "weights": b"1234"}, {"keys": bytes(8), "weights": b""}, 3],
)
def test_damaged_weights_are_an_error_and_change_nothing(nlp, damage):
    values = srsly.msgpack_loads(nlp.tokenizer.to_bytes())
    values["boundaries"] = damage
    other = trained()
    with pytest.raises(PipelineError, match="train the pipeline again"):
        other.tokenizer.from_bytes(srsly.msgpack_dumps(values))
    assert words(other, "an e-mail") == ["an", "e-mail"]


def test_boundaries_of_a_pretoken():
    assert ends_of(["a", "bcd", "e"]) == (1, 4)
    model = WordBoundaries()
    runs = [(x + "=" * n, tuple(range(1, n + 1)), (1,)) for x in "ab" for n in (2, 4)]
    model.learn([*runs, ("c.", (1,), (1,))])
    assert model.find("x====", (1, 2, 3, 4)) == (1,)
    long = "=" * 50_000
    assert model.find(long, tuple(range(1, len(long)))) == ()
